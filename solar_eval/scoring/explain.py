"""Why a step is not right, as a sentence with its numbers: for `solar-eval match` (one step) and the viewer (many)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solar_eval.actions import DIRECTIONS, KINDS
from solar_eval.protocols import ClickRule, Family, Protocol
from solar_eval.scoring import geometry
from solar_eval.scoring.columns import Columns, Floats

QUOTED = 200
"""Characters of a text that a sentence quotes."""


def explain(columns: Columns, protocol: Protocol, family: Family, reasons: Sequence[str]) -> list[str]:
    """A sentence for each of N steps; `reasons`: names out of `match.REASONS`; "" where the name says it all."""
    rule = protocol.click_rule(family)
    gaps: Floats = np.zeros(0)
    boxes = np.zeros(0, dtype=np.int64)
    if "point" in reasons:
        gaps = geometry.distances(columns, rule.norm, protocol.space == "gui_r1_mixed")
        boxes = np.bincount(columns.box_row, minlength=len(columns))
    return [
        _point(rule, float(gaps[row]), int(boxes[row])) if reason == "point" else _other(
            columns, protocol, family, reason, row)
        for row, reason in enumerate(reasons)
    ]  # fmt: skip


def _point(rule: ClickRule, gap: float, known: int) -> str:
    limit = "no distance rule" if rule.distance is None else f"limit {rule.distance:g}"
    boxes = "" if rule.boxes == "none" else f", outside the {rule.boxes} boxes of {known} known"
    return f"{gap:.4f} from the label in {rule.norm} ({limit}){boxes}"


def _other(columns: Columns, protocol: Protocol, family: Family, reason: str, row: int) -> str:
    label, predicted = columns.label, columns.predicted
    if reason in {"text", "app", "answer"}:
        texts = protocol.app_rule(family) if reason == "app" else protocol.text_rule(family)
        tests = " or ".join(test.kind for test in texts.any_of)
        said, wanted = _quoted(predicted.text[row]), _quoted(label.text[row])
        return f"{said} is not {wanted} ({tests}, {texts.normalise})"
    if reason == "direction":
        names = (*DIRECTIONS, "no direction")
        said, wanted = names[predicted.direction[row]], names[label.direction[row]]
        return f"finger {said}, label {wanted} ({protocol.scroll} rule)"
    if reason == "type":
        kinds = (*KINDS, "nothing")
        return f"{kinds[predicted.kind[row]]} is not {kinds[label.kind[row]]}"
    return ""


def _quoted(text: str) -> str:
    return repr(text) if len(text) <= QUOTED else f"{text[:QUOTED]!r}... ({len(text):,} characters)"
