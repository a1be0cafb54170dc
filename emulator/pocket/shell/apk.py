"""The package name and version in an APK: as much of Android's binary XML as that takes.

Definition: AOSP ResourceTypes.h (ResXMLTree, ResStringPool). An APK is a zip; only AndroidManifest.xml is read, in
memory, and at most MANIFEST_LIMIT bytes of it.
"""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass

STRING_POOL, START_ELEMENT = 0x0001, 0x0102
UTF8_FLAG = 1 << 8
TYPE_STRING = 0x03
MANIFEST_LIMIT = 4 << 20


class BadApk(Exception):
    """The bytes are no APK with a readable manifest."""


@dataclass(frozen=True)
class Manifest:
    """What `<manifest>` says."""

    package: str
    version_name: str
    version_code: int


def read_manifest(apk: bytes) -> Manifest:
    """The manifest's own attributes; BadApk for anything that isn't an APK."""
    try:
        with zipfile.ZipFile(io.BytesIO(apk)) as archive, archive.open("AndroidManifest.xml") as file:
            data = file.read(MANIFEST_LIMIT)
        attributes = _manifest_attributes(data)
    except (zipfile.BadZipFile, KeyError, struct.error, IndexError, UnicodeDecodeError, NotImplementedError) as error:
        raise BadApk(f"no readable AndroidManifest.xml: {type(error).__name__}") from error
    package = str(attributes.get("package", ""))
    if not package:
        raise BadApk("the manifest names no package")
    code = attributes.get("versionCode", 1)
    return Manifest(package, str(attributes.get("versionName", "1.0")), code if isinstance(code, int) else 1)


def _manifest_attributes(data: bytes) -> dict[str, str | int]:
    strings: list[str] = []
    position = 8
    while position + 8 <= len(data):
        kind, header, size = struct.unpack_from("<HHI", data, position)
        if size < 8:
            break
        if kind == STRING_POOL:
            strings = _strings(data[position : position + size])
        elif kind == START_ELEMENT:
            return _attributes(data, position, header, strings)
        position += size
    raise IndexError("no element")


def _strings(chunk: bytes) -> list[str]:
    count, _, flags, start, _ = struct.unpack_from("<5I", chunk, 8)
    offsets = struct.unpack_from(f"<{count}I", chunk, 28)
    return [_string(chunk, start + offset, utf8=bool(flags & UTF8_FLAG)) for offset in offsets]


def _string(chunk: bytes, position: int, *, utf8: bool) -> str:
    if not utf8:
        length = struct.unpack_from("<H", chunk, position)[0]
        position += 2
        if length & 0x8000:
            length = ((length & 0x7FFF) << 16) | struct.unpack_from("<H", chunk, position)[0]
            position += 2
        return chunk[position : position + 2 * length].decode("utf-16-le")
    position += 2 if chunk[position] & 0x80 else 1
    length = chunk[position]
    position += 1
    if length & 0x80:
        length = ((length & 0x7F) << 8) | chunk[position]
        position += 1
    return chunk[position : position + length].decode("utf-8", "replace")


def _attributes(data: bytes, position: int, header: int, strings: list[str]) -> dict[str, str | int]:
    start, size, count = struct.unpack_from("<HHH", data, position + header + 8)
    found: dict[str, str | int] = {}
    for index in range(count):
        at = position + header + start + index * size
        _, name, _, _, _, kind, value = struct.unpack_from("<IIIHBBI", data, at)
        found[strings[name]] = strings[value] if kind == TYPE_STRING else value
    return found
