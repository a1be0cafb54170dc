"""JSON lines from files that may be damaged: what can be read is read, what can't is named with file and line.

A path is a file, a directory or a glob; `.gz` is recognised by its first bytes. Nothing is cleaned: NUL bytes, lone
surrogates and replies of many megabytes come through as they are.
"""

from __future__ import annotations

import glob
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from solar_eval.errors import DataError
from solar_eval.records import Unreadable

MAX_LINE_BYTES = 1 << 28
"""A longer line is passed over as unreadable: a decompression bomb, or no JSON lines file at all."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Line:
    """One JSON object. `file`: its path; `number`: its line, from 1."""

    file: Path
    number: int
    data: dict[str, Any]

    @property
    def where(self) -> str:
        """`file:line`, for messages."""
        return f"{self.file}:{self.number}"


def files_of(path: Path, suffixes: Sequence[str]) -> list[Path]:
    """The files `path` means (itself, a directory's, a glob's), numbers in their names in numeric order.

    Raises DataError where there are none.
    """
    if path.is_dir():
        found = [file for file in path.iterdir() if file.is_file() and file.name.endswith(tuple(suffixes))]
    elif path.exists():
        return [path]
    else:
        names = glob.glob(str(path), recursive=True)  # noqa: PTH207  # Path.glob takes no absolute pattern
        found = [Path(name) for name in names if Path(name).is_file()]
    if not found:
        kind = f"no file ending in {', '.join(suffixes)}" if path.is_dir() else "no such file"
        raise DataError(kind, str(path), "give a file, a directory or a quoted glob")
    return sorted(found, key=lambda file: [*map(_natural, re.split(r"(\d+)", str(file)))])


def _natural(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() and part.isascii() else (1, 0, part)


def read_lines(file: Path) -> Iterator[Line | Unreadable]:
    """Each line that is a JSON object, and an Unreadable in the place of each that is not. Blank lines are skipped.

    A file that is one JSON list gives its items, numbered from 1. Raises DataError if the file can't be opened.
    """
    for number, raw in _raw_lines(file):
        if isinstance(raw, Unreadable):
            yield raw
            continue
        if number == 1 and raw.lstrip()[:1] == b"[":
            yield from _whole_list(file)
            return
        if raw.isspace() or not raw:
            continue
        try:
            data = _DECODER.decode(decoded(raw))
        except (ValueError, RecursionError) as error:
            torn = "" if raw.endswith(b"\n") else "the last line is torn off: "
            yield Unreadable(f"{file}:{number}", f"{torn}not JSON ({error})")
            continue
        yield _line(file, number, data)


def _line(file: Path, number: int, data: object) -> Line | Unreadable:
    if isinstance(data, dict):
        return Line(file, number, data)
    return Unreadable(f"{file}:{number}", f"a JSON object is needed, not {type(data).__name__}")


def _whole_list(file: Path) -> Iterator[Line | Unreadable]:
    try:
        with open_bytes(file) as stream:
            items = _DECODER.decode(decoded(stream.read()))
    except (ValueError, RecursionError, EOFError, zlib.error, OSError) as error:
        yield Unreadable(str(file), f"not a JSON list ({error})")
        return
    for number, data in enumerate(items, start=1):
        yield _line(file, number, data)


def decoded(raw: bytes) -> str:
    """UTF-8 text; encoded lone surrogates are kept, bytes that are no UTF-8 at all become escapes of themselves."""
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    for errors in ("strict", "surrogatepass"):
        try:
            return raw.decode("utf-8", errors)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "surrogateescape")


def open_bytes(file: Path) -> IO[bytes]:
    """The file, gunzipped if its first bytes say so. Raises DataError if it can't be opened."""
    try:
        with file.open("rb") as probe:
            packed = probe.read(2) == b"\x1f\x8b"
        # No further buffer around the GzipFile: it would lose whole lines before the cut of a truncated file.
        return gzip.open(file, "rb") if packed else file.open("rb")  # type: ignore[return-value]  # both read bytes
    except OSError as error:
        raise DataError(f"can't be opened ({error.strerror or error})", str(file)) from error


def _raw_lines(file: Path) -> Iterator[tuple[int, bytes | Unreadable]]:
    number = 0
    with open_bytes(file) as stream:
        while True:
            number += 1
            try:
                raw = stream.readline(MAX_LINE_BYTES)
                if not raw:
                    return
                if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
                    _skip_line(stream)
                    yield number, Unreadable(f"{file}:{number}", f"the line is longer than {MAX_LINE_BYTES} bytes")
                    continue
            except (EOFError, zlib.error, OSError) as error:
                why = "the gzip stream ends early" if isinstance(error, EOFError) else f"reading failed ({error})"
                yield number, Unreadable(f"{file}:{number}", f"{why}; the lines before this one were kept")
                return
            yield number, raw


def _skip_line(stream: IO[bytes]) -> None:
    while (more := stream.readline(MAX_LINE_BYTES)) and not more.endswith(b"\n"):
        pass
