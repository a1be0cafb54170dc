"""Makes `live_fakes` importable (test folders are no packages)."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_spec = importlib.util.spec_from_file_location("live_fakes", Path(__file__).with_name("fakes.py"))
assert _spec is not None and _spec.loader is not None
_fakes = importlib.util.module_from_spec(_spec)
sys.modules["live_fakes"] = _fakes
_spec.loader.exec_module(_fakes)


@pytest.fixture(autouse=True)
def _quiet_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server() -> Iterator[Any]:
    made = _fakes.FakeServer()
    yield made
    made.close()


@pytest.fixture
def phone() -> Any:
    """A small pocket phone of this process, as a Device."""
    return _fakes.pocket()
