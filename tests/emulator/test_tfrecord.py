"""TFRecord framing and tf.train.Example: written bytes against the published format, damage against its place."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emulator.tfrecord import (
    Features,
    TFRecordError,
    decode_example,
    encode_example,
    frame,
    masked_crc,
    read_examples,
    scan_examples,
    write_examples,
)  # fmt: skip

EXAMPLES: list[Features] = [
    {"episode_id": [7], "goal": ["straße".encode()], "screenshots": [b"\x89PNG", b"\x00\xff"], "score": [0.5, -2.0]},
    {"episode_id": [-1, 2**62], "empty": []},
    {"goal": [b"x" * 5000]},
]


@pytest.mark.parametrize("packed", [True, False])
def test_what_is_written_is_read(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "a.tfrecord"
    assert write_examples(path, EXAMPLES, gzip=packed) == 3
    assert (path.read_bytes()[:2] == b"\x1f\x8b") is packed
    assert list(read_examples(path)) == EXAMPLES


def test_the_same_examples_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    write_examples(first, EXAMPLES)
    write_examples(second, [dict(reversed(example.items())) for example in EXAMPLES])
    assert first.read_bytes() == second.read_bytes()


def test_crc32c_is_the_castagnoli_sum_masked_as_tensorflow_masks_it() -> None:
    crc = 0xE3069283  # the check value of CRC-32C over "123456789"
    assert masked_crc(b"123456789") == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) % 2**32


def test_the_encoding_is_the_protobuf_wire_format() -> None:
    # Example{1: Features{1: {1: "a", 2: Feature{3: Int64List{1: packed [1, 2]}}}}}, written out by hand
    assert encode_example({"a": [1, 2]}) == bytes.fromhex("0a0d0a0b0a0161120 61a040a020102".replace(" ", ""))
    assert decode_example(bytes.fromhex("0a0b0a090a016212040a020a00")) == {"b": [b""]}


@given(
    st.dictionaries(
        st.text(max_size=8).filter(lambda s: s.isascii()),
        st.one_of(
            st.lists(st.binary(max_size=20)),
            st.lists(st.integers(-(2**63), 2**63 - 1)),
            st.lists(st.floats(width=32, allow_nan=False)),
        ),
        max_size=5,
    )
)
def test_round_trip(example: Features) -> None:
    assert decode_example(encode_example(example)) == example


@pytest.mark.parametrize("bad", [{"a": [True]}, {"a": ["text"]}, {"a": [1, 2.0]}])
def test_values_of_another_type_are_refused(bad: Features) -> None:
    with pytest.raises(TypeError, match="feature 'a'"):
        encode_example(bad)


def test_an_empty_file_has_no_examples(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    assert list(read_examples(tmp_path / "a")) == []


def test_plain_records_whose_length_looks_like_gzip_are_plain(tmp_path: Path) -> None:
    example: Features = {"a": [b"z" * (0x8B1F - 23)]}
    data = frame(encode_example(example))
    assert data[:2] == b"\x1f\x8b"
    (tmp_path / "a").write_bytes(data)
    assert list(read_examples(tmp_path / "a")) == [example]


@pytest.mark.parametrize("cut", [1, 4, 5, 13])
def test_a_torn_record_names_its_offset_and_keeps_those_before(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a"
    write_examples(path, EXAMPLES[:2], gzip=False)
    data = path.read_bytes()
    start = len(frame(encode_example(EXAMPLES[0])))
    path.write_bytes(data[:-cut])
    got = []
    with pytest.raises(TFRecordError) as caught:
        for example in read_examples(path):
            got.append(example)
    assert got == EXAMPLES[:1]
    assert (caught.value.offset, caught.value.path) == (start, path)
    assert "ends inside this record" in str(caught.value)


def test_a_truncated_gzip_keeps_the_whole_records(tmp_path: Path) -> None:
    path = tmp_path / "a"
    many: list[Features] = [{"a": [bytes((i * j) % 251 for j in range(3000))]} for i in range(40)]
    write_examples(path, many)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    *good, last = scan_examples(path)
    assert isinstance(last, TFRecordError)
    assert 0 < len(good) < 40
    assert good == many[: len(good)]
    assert "gzip stream ends early" in str(last)


def test_damaged_data_is_named_and_the_next_record_still_comes(tmp_path: Path) -> None:
    records = [frame(encode_example(example)) for example in EXAMPLES]
    broken = bytearray(records[1])
    broken[14] ^= 0xFF
    (tmp_path / "a").write_bytes(records[0] + bytes(broken) + records[2])
    first, error, third = scan_examples(tmp_path / "a")
    assert (first, third) == (EXAMPLES[0], EXAMPLES[2])
    assert isinstance(error, TFRecordError) and "checksum" in str(error)
    assert error.offset == len(records[0])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"not a record file at all", "length doesn't fit its checksum"),
        (struct.pack("<Q", 1 << 60) + struct.pack("<I", masked_crc(struct.pack("<Q", 1 << 60))), "above the limit"),
        (gzip.compress(b"x" * 100, mtime=0)[:10] + b"\xff" * 40, "gzip stream is damaged"),
        (frame(b"\xff\xff\xff"), "not a tf.train.Example"),
    ],
)
def test_other_files_are_refused_with_the_reason(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(TFRecordError, match=why):
        list(read_examples(tmp_path / "a"))


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_examples(tmp_path / "none"))
