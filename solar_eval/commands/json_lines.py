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
