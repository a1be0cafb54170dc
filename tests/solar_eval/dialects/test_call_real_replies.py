"""GUI-R1's 66,000 recorded replies: what our reader makes of them beside upstream's own parse.

Upstream's reader is two patterns (verb and text in single quotes, point of whole numbers). The differences: texts that
it cuts at an apostrophe or misses in double quotes, boxes of four numbers, `CLICK` in capitals, one reply cut short.
Counts are of the files of `../shared/data/gui_r1_predictions` as they stand.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from solar_eval.actions import OpenApp, Swipe, Type
from solar_eval.dialects.base import Parsed
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.gui_r1 import VERBS, GuiR1

SHARED = Path(os.environ.get("SOLAR_SHARED", Path(__file__).parents[3] / "../shared"))
FOLDER = SHARED / "data" / "gui_r1_predictions"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FOLDER.exists(), reason=f"the recorded replies are not there: {FOLDER}"),
]

# file part, rows, read, strict, faults (code, seen), other text, other point, other verb
EXPECTED: list[tuple[str, int, int, int, dict[tuple[str, str], int], int, int, int]] = [
    (
        "_3b_*_high", 7706, 7314, 7303,
        {("missing_argument", "open_app"): 389, ("missing_argument", "type"): 3}, 12, 0, 0,
    ),
    (
        "_3b_*_low", 7660, 7478, 7474,
        {("missing_argument", "open_app"): 173, ("unknown_action", ""): 8, ("missing_argument", "type"): 1}, 5, 0, 0,
    ),
    ("_3b_*odyssey", 17920, 17902, 17778, {("missing_argument", "type"): 17, ("unknown_action", ""): 1}, 123, 0, 0),
    ("_7b_*_high", 7646, 7622, 7618, {("unknown_action", ""): 9, ("missing_argument", "open_app"): 15}, 8, 0, 0),
    ("_7b_*_low", 7474, 7433, 7431, {("unknown_action", ""): 11, ("missing_argument", "open_app"): 30}, 4, 0, 0),
    (
        "_7b_*odyssey", 17920, 17916, 17616,
        {("missing_argument", "click"): 1, ("unknown_action", ""): 2, ("out_of_range", "click"): 1}, 229, 7, 2,
    ),
]  # fmt: skip


def rows(part: str) -> list[dict[str, Any]]:
    (path,) = FOLDER.glob(f"*{part}.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def text_of(parsed: Parsed) -> str | None:
    match parsed.action:
        case Type(text=text):
            return text
        case OpenApp(name=name):
            return name
        case Swipe(word=word):
            return word
    return None


def moved(row: dict[str, Any], parsed: Parsed) -> bool:
    """A click elsewhere than upstream's whole pixel says."""
    if parsed.action is None or parsed.action.kind not in ("click", "long_press"):
        return False
    point = parsed.action.point  # type: ignore[union-attr]
    found = point.x * row["orig_w"], point.y * row["orig_h"]
    return any(abs(a - b) > 1.01 for a, b in zip(found, row["pred_coord"], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("case", EXPECTED, ids=[case[0] for case in EXPECTED])
def test_recorded_replies(case: tuple[str, int, int, int, dict[tuple[str, str], int], int, int, int]) -> None:
    part, count, read, strict, faults, texts, points, verbs = case
    dialect, replies = GuiR1(), rows(part)
    assert len(replies) == count
    found = [dialect.parse(r["pred"], Frame((r["orig_w"], r["orig_h"]), tuple(r["image_size"]))) for r in replies]
    assert sum(p.action is not None for p in found) == read
    assert sum(p.strict_ok for p in found) == strict
    assert Counter((p.fault.code, p.seen) for p in found if p.fault) == faults
    pairs = list(zip(replies, found, strict=True))
    other_texts = [
        (r["pred_input_text"], text_of(p)) for r, p in pairs if text_of(p) not in (None, r["pred_input_text"])
    ]
    assert len([pair for pair in other_texts if (pair[0] or "").lower() != pair[1]]) == texts
    assert sum(moved(r, p) for r, p in pairs) == points
    assert sum((VERBS[r["pred_action"]].kind if r["pred_action"] in VERBS else "") != p.seen for r, p in pairs) == verbs


def test_the_first_replies_of_every_file() -> None:
    """The quick part: upstream's verb, and its point to the pixel, on ordinary replies."""
    for case in EXPECTED:
        for row in rows(case[0])[:200]:
            parsed = GuiR1().parse(row["pred"], Frame((row["orig_w"], row["orig_h"]), tuple(row["image_size"])))
            assert parsed.seen == (VERBS[row["pred_action"]].kind if row["pred_action"] in VERBS else "")
            assert not moved(row, parsed) or parsed.flags
