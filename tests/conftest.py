"""Shared fixtures: where the research data lies, and skipping with the reason where it does not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared_folder() -> Path:
    """The research data: $SOLAR_SHARED, or `shared` beside the checkout."""
    return Path(os.environ.get("SOLAR_SHARED", ROOT.parent / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The research data's folder; skips the test where it is absent."""
    folder = shared_folder()
    if not (folder / "data").is_dir():
        pytest.skip(f"the research data is not at {folder} (set SOLAR_SHARED)")
    return folder


@pytest.fixture(scope="session")
def cases(shared: Path) -> dict[str, dict[str, Any]]:
    """All public bug cases by id."""
    out: dict[str, dict[str, Any]] = {}
    for path in sorted((shared / "cases").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                case = json.loads(line)
                out[case["id"]] = case
    return out
