"""Files that are written whole or not at all: a temporary file beside the target, then one rename."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from solar_eval.errors import RunDirError


def write_atomically(path: Path, content: bytes) -> None:
    """Puts `content` at `path`; readers see the old file or the new one. Raises RunDirError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunDirError(f"can't write: {error.strerror or error}", str(path)) from None


def write_json(path: Path, data: Mapping[str, object]) -> None:
    """Indented JSON in the order given; NaN and infinities, which JSON does not have, become null."""
    text = json.dumps(_finite(data), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_atomically(path, text.encode("utf-8", "backslashreplace"))


def _finite(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def write_parquet(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """One column for every key of any row, in the order of first sight; missing is null, mappings are JSON text."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _column([_cell(row.get(name)) for row in rows]) for name in names}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    write_atomically(path, sink.getvalue().to_pybytes())


def _column(cells: list[object]) -> Any:
    """An arrow array; cells of types that don't go together become JSON text."""
    import pyarrow as pa

    try:
        return pa.array(cells)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if cell is None else json.dumps(cell) for cell in cells])


def _cell(value: object) -> object:
    if isinstance(value, Mapping):
        return json.dumps(_finite(value), ensure_ascii=True)
    if isinstance(value, tuple | list):
        return [_cell(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value
