"""Data as .js files that a page opened from disk can load: `SOLAR.put("name", {...})`, one file a piece.

A page on file:// may run scripts beside it but not fetch files, so the data are scripts. They are pure ASCII, and no
character of the data can end the script or be markup: everything outside printable ASCII and < > & is written as an
escape. Numbers that JSON does not have become null.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path

from solar_eval.errors import RunDirError

_MARKUP = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\x7f": "\\u007f"}
_RISKY = re.compile("[<>&\x7f]")


def put(name: str, data: object) -> str:
    """The script that hands `data` to the page under `name`."""
    return f"SOLAR.put({_json(name)}, {_json(data)});\n"


def _json(data: object) -> str:
    try:
        text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return _RISKY.sub(lambda found: _MARKUP[found[0]], text)


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def write_put(path: Path, name: str, data: object) -> int:
    """Writes the script; returns its size in bytes. Raises RunDirError."""
    content = put(name, data).encode("ascii")
    write_whole(path, content)
    return len(content)


def write_whole(path: Path, content: bytes) -> None:
    """The old file or the new one, without waiting for the disk: behind thousands of fresh pictures each wait would
    take seconds, and a view can be written again. Raises RunDirError.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunDirError(f"can't write: {error.strerror or error}", str(path)) from None
