"""JSON lines from standard input to standard output, for the verbs that people pipe replies through.

A line that can't be read becomes an output line {"line": n, "error": ...}; the rest goes on, and the exit code is 2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TextIO


def transform(source: TextIO, sink: TextIO, each: Callable[[dict[str, Any]], Iterable[dict[str, Any]]]) -> int:
    """Feeds every object to `each` and writes what it yields. Returns the exit code (0, or 2 after bad lines)."""
    code = 0
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        for out in _one(number, line, each):
            code = 2 if "error" in out else code
            sink.write(json.dumps(out, ensure_ascii=True) + "\n")
    return code


def _one(
    number: int, line: str, each: Callable[[dict[str, Any]], Iterable[dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    name: dict[str, Any] = {}
    try:
        data = json.loads(line)
        if not isinstance(data, dict):
            raise ValueError("not a JSON object")
        name = {"id": data["id"]} if "id" in data else {}
        yield from each(data)
    except (ValueError, RecursionError) as error:
        yield {"line": number} | name | {"error": str(error) or type(error).__name__}


def size_field(data: dict[str, Any], name: str) -> tuple[int, int] | None:
    """[width, height] in pixels under `name`, None where it is not given. Raises ValueError for anything else."""
    value = data.get(name)
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2 and all(isinstance(v, int) and v > 0 for v in value):
        return value[0], value[1]
    raise ValueError(f"{name}: {value!r} is not [width, height] in pixels")
