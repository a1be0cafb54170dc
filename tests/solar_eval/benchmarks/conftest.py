"""Makes `benchmark_fakes` importable (test folders are no packages), and writes lines for tests."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("benchmark_fakes", Path(__file__).with_name("fakes.py"))
assert _spec is not None and _spec.loader is not None
_fakes = importlib.util.module_from_spec(_spec)
sys.modules["benchmark_fakes"] = _fakes
_spec.loader.exec_module(_fakes)

WriteLines = Callable[..., Path]


@pytest.fixture
def write_lines(tmp_path: Path) -> WriteLines:
    """Writes objects (or raw strings) as lines of a file in tmp_path."""

    def write(rows: Sequence[object], name: str = "rows.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
        return path

    return write
