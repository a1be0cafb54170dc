"""An append-only JSON-lines file that survives being killed at any moment.

One record, one `write` of one line, flushed at once (no fsync: a process may die at any moment, the kernel
rarely). A last line without its newline is torn: whole JSON gets its newline, the rest is copied to
`<name>.torn-N` and cut off, so that its record is owed again and nothing is lost. Damage in the middle is
never rewritten: such lines are listed and their records are owed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from solar_eval.errors import RunDirError
from solar_eval.records import Unreadable


@dataclass
class LineFile:
    """`path` need not exist before the first append. `damaged`: lines that the last reading could not use."""

    path: Path
    damaged: list[Unreadable] = field(default_factory=list)
    _handle: BinaryIO | None = None

    def read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Line number (from 1) and content of every whole line that is a JSON object."""
        self.damaged.clear()
        if not self.path.exists():
            return
        with self.path.open("rb") as handle:
            for number, line in enumerate(handle, 1):
                data = _object(line)
                if data is not None and line.endswith(b"\n"):
                    yield number, data
                elif line.strip():
                    why = "not a JSON object" if line.endswith(b"\n") else "torn: the line has no end"
                    self.damaged.append(Unreadable(f"{self.path} line {number}", why))

    def mend_tail(self) -> Path | None:
        """Ends a whole last line, or moves a torn one to a file of its own and returns that file's path."""
        if not self.path.exists():
            return None
        with self.path.open("rb+") as handle:
            start = _start_of_tail(handle)
            handle.seek(start)
            tail = handle.read()
            if not tail:
                return None
            if _object(tail) is not None:
                handle.write(b"\n")
                return None
            copy = _free_name(self.path)
            copy.write_bytes(tail)
            handle.truncate(start)
        return copy

    def append(self, data: Mapping[str, object]) -> None:
        """Writes one line and flushes it. Raises RunDirError if the disk does not take it."""
        line = line_bytes(data)
        try:
            if self._handle is None:
                self._handle = self.path.open("ab")
            self._handle.write(line)
            self._handle.flush()
        except OSError as error:
            raise RunDirError(
                f"can't write: {error.strerror or error}", str(self.path), "everything before is kept"
            ) from None

    def close(self) -> None:
        """Flushes to the disk and closes; may be called twice."""
        if self._handle is not None:
            os.fsync(self._handle.fileno())
            self._handle.close()
            self._handle = None


def line_bytes(data: Mapping[str, object]) -> bytes:
    """One compact JSON line in UTF-8; lone surrogates, which UTF-8 does not have, make the line ASCII escapes."""
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(data, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _start_of_tail(handle: BinaryIO, block: int = 1 << 16) -> int:
    """Offset just behind the last newline (0 where there is none)."""
    position = handle.seek(0, os.SEEK_END)
    while position > 0:
        start = max(0, position - block)
        handle.seek(start)
        found = handle.read(position - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.torn-{number}")).exists():
        number += 1
    return name
