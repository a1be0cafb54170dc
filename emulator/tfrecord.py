"""TFRecord files of tf.train.Example, read and written without tensorflow.

Framing (tensorflow/core/lib/io/record_writer.h): u64 length, u32 masked crc32c of those eight bytes, the data, u32
masked crc32c of the data, little-endian; the whole stream may be gzip. An Example (tensorflow/core/example/
example.proto) maps names to features, each a list of bytes, of float32 or of int64.

A damaged record ends in a `TFRecordError` with the file and the offset of that record in the (decompressed) stream;
what stood before it has been handed out already. `scan_examples` goes on after damage that leaves the framing intact.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import IO, Any, TypeAlias

Features: TypeAlias = dict[str, list[bytes] | list[int] | list[float]]
"""One example by feature name. An empty feature is an empty list; floats have single precision."""

MAX_RECORD_BYTES = 1 << 30
"""A longer record is taken for damage: AndroidControl's longest episode is far below it."""
_HEADER = struct.Struct("<QI")
_CRC = struct.Struct("<I")


class TFRecordError(Exception):
    """A record that can't be read. `path` and `offset` (bytes, decompressed) say where it begins."""

    def __init__(self, path: Path, offset: int, why: str) -> None:
        self.path, self.offset, self.why = path, offset, why
        super().__init__(f"{path}: record at byte {offset}: {why}")


def read_examples(path: str | Path) -> Iterator[Features]:
    """Every example of one file, in order. Raises TFRecordError at the first one that is damaged, OSError."""
    for example in scan_examples(path):
        if isinstance(example, TFRecordError):
            raise example
        yield example


def scan_examples(path: str | Path) -> Iterator[Features | TFRecordError]:
    """As `read_examples`, but an error stands in the place of each damaged example, and reading goes on if it can."""
    for offset, record in _scan_records(Path(path)):
        yield record if isinstance(record, TFRecordError) else _decoded(Path(path), offset, record)


def write_examples(path: str | Path, examples: Iterable[Features], gzip: bool = True) -> int:
    """Writes one file, gzip unless told otherwise, and returns the number of examples.

    The bytes depend on the examples alone (no time stamp, sorted keys). Raises TypeError for a value that is not a
    list of bytes, int or float, ValueError for an int beyond 64 bits.
    """
    count = 0
    with Path(path).open("wb") as raw, _packed(raw, gzip) as stream:
        for example in examples:
            stream.write(frame(encode_example(example)))
            count += 1
    return count


def frame(data: bytes) -> bytes:
    """One record as it stands in the file."""
    length = struct.pack("<Q", len(data))
    return length + _CRC.pack(masked_crc(length)) + data + _CRC.pack(masked_crc(data))


def masked_crc(data: bytes) -> int:
    """The checksum of tensorflow/core/lib/hash/crc32c.h: rotated right by 15 bits, plus a constant, modulo 2^32."""
    import google_crc32c

    crc = int(google_crc32c.value(data))
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def encode_example(features: Features) -> bytes:
    """A serialised tf.train.Example."""
    example = _example_class()()
    for name, values in features.items():
        feature = example.features.feature[name]
        kinds = {type(value) for value in values}
        if kinds == {bytes}:
            feature.bytes_list.value.extend(values)
        elif kinds == {int}:
            feature.int64_list.value.extend(values)
        elif kinds == {float}:
            feature.float_list.value.extend(values)
        elif kinds:
            found = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise TypeError(f"feature {name!r}: a list of bytes, of int or of float is needed, not of {found}")
    return bytes(example.SerializeToString(deterministic=True))


def decode_example(data: bytes) -> Features:
    """The inverse of `encode_example`. Raises google.protobuf.message.DecodeError."""
    example = _example_class().FromString(data)
    return {name: _values(feature) for name, feature in example.features.feature.items()}


def _values(feature: Any) -> list[Any]:
    kind = feature.WhichOneof("kind")
    return list(getattr(feature, kind).value) if kind else []


def _decoded(path: Path, offset: int, data: bytes) -> Features | TFRecordError:
    from google.protobuf.message import DecodeError

    try:
        return decode_example(data)
    except DecodeError as error:
        return TFRecordError(path, offset, f"not a tf.train.Example ({error})")


@contextmanager
def _packed(raw: IO[bytes], compress: bool) -> Iterator[IO[bytes]]:
    if not compress:
        yield raw
        return
    with GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
        yield stream  # type: ignore[misc]  # a GzipFile is an IO[bytes] in all that is used here


def _scan_records(path: Path) -> Iterator[tuple[int, bytes | TFRecordError]]:
    """Offset and data of each record, or the error in its place. Ends after damage that hides where the next begins."""
    offset = 0
    with path.open("rb") as raw:
        stream = _unpacked(raw)
        while True:
            try:
                header = stream.read(_HEADER.size)
                if not header:
                    return
                length = _length(header)
                data, tail = stream.read(length), stream.read(_CRC.size)
                if len(data) < length or len(tail) < _CRC.size:
                    raise ValueError("the file ends inside this record")
            except (ValueError, EOFError, zlib.error, BadGzipFile) as error:
                yield offset, TFRecordError(path, offset, _reason(error))
                return
            sound = _CRC.unpack(tail)[0] == masked_crc(data)
            yield offset, data if sound else TFRecordError(path, offset, "its data don't fit their checksum")
            offset += _HEADER.size + length + _CRC.size


def _length(header: bytes) -> int:
    if len(header) < _HEADER.size:
        raise ValueError("the file ends inside this record's header")
    length, crc = _HEADER.unpack(header)
    if crc != masked_crc(header[:8]):
        raise ValueError("its length doesn't fit its checksum (damaged, or not a TFRecord file)")
    if length > MAX_RECORD_BYTES:
        raise ValueError(f"its length is {length} bytes, above the limit of {MAX_RECORD_BYTES}")
    return int(length)


def _reason(error: Exception) -> str:
    if isinstance(error, EOFError):
        return "the gzip stream ends early (a download that was cut off?)"
    if isinstance(error, zlib.error | BadGzipFile):
        return f"the gzip stream is damaged ({error})"
    return str(error)


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    """The stream itself, or gunzipped. A sound first header means plain: its length may look like gzip's magic."""
    head = raw.read(_HEADER.size)
    raw.seek(0)
    plain = len(head) == _HEADER.size and _HEADER.unpack(head)[1] == masked_crc(head[:8])
    if plain or head[:2] != b"\x1f\x8b":
        return raw
    return GzipFile(fileobj=raw, mode="rb")  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _example_class() -> Any:
    """The message class of tf.train.Example, from a pool of its own: an installed tensorflow has the same names."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    pool = descriptor_pool.DescriptorPool()
    pool.Add(_file_descriptor(descriptor_pb2))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tensorflow.Example"))


def _file_descriptor(pb: Any) -> Any:
    kind, many, one = pb.FieldDescriptorProto, 3, 1
    file = pb.FileDescriptorProto(name="solar/example.proto", package="tensorflow", syntax="proto3")

    def add(message: Any, name: str, number: int, label: int, type_: int, ref: str = "", oneof: bool = False) -> None:
        field = message.field.add(name=name, number=number, label=label, type=type_, type_name=ref or None)
        if oneof:
            field.oneof_index = 0

    for name, type_ in (("Bytes", kind.TYPE_BYTES), ("Float", kind.TYPE_FLOAT), ("Int64", kind.TYPE_INT64)):
        add(file.message_type.add(name=f"{name}List"), "value", 1, many, type_)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, name in enumerate(("Bytes", "Float", "Int64"), start=1):
        add(feature, f"{name.lower()}_list", number, one, kind.TYPE_MESSAGE, f".tensorflow.{name}List", oneof=True)
    features = file.message_type.add(name="Features")
    entry = features.nested_type.add(name="FeatureEntry", options=pb.MessageOptions(map_entry=True))
    add(entry, "key", 1, one, kind.TYPE_STRING)
    add(entry, "value", 2, one, kind.TYPE_MESSAGE, ".tensorflow.Feature")
    add(features, "feature", 1, many, kind.TYPE_MESSAGE, ".tensorflow.Features.FeatureEntry")
    add(file.message_type.add(name="Example"), "features", 1, one, kind.TYPE_MESSAGE, ".tensorflow.Features")
    return file
