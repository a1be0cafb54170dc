"""`solar-eval parse`: what a dialect reads in each reply, for anyone who debugs a model's output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TextIO

from solar_eval.actions import Point, points_of, to_json
from solar_eval.commands.json_lines import size_field, transform
from solar_eval.dialects import table
from solar_eval.dialects.base import Dialect, Parsed
from solar_eval.dialects.frames import Frame, ScrollSense, Size


def run(
    source: TextIO, sink: TextIO, dialect_name: str, screen: Size, image: Size | None, sense: ScrollSense | None,
    benchmark: str = "",
) -> int:  # fmt: skip
    """JSON lines {id, text, screen?, image?} to {id, action | fault, strict_ok, repaired, flags, point, ...}.

    `screen`: pixels of the screenshot; `image`: pixels the model saw, by default what the dialect's own resizing makes
    of the screen. Both can stand in a line too.
    """
    dialect = table.get(dialect_name)

    def each(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        text = data.get("text")
        if not isinstance(text, str):
            raise ValueError(f"text: {text!r} is not a string")
        own_screen = size_field(data, "screen") or screen
        own_image = size_field(data, "image") or (image if own_screen == screen else None)
        frame = _frame(dialect, own_screen, own_image, sense, benchmark)
        yield {"id": data.get("id")} | report(dialect.parse(text, frame), frame)

    return transform(source, sink, each)


def _frame(dialect: Dialect, screen: Size, image: Size | None, sense: ScrollSense | None, benchmark: str) -> Frame:
    made = dialect.frame_for(screen, benchmark)
    return Frame(screen, image or made.image, sense or made.scroll_sense)


def report(parsed: Parsed, frame: Frame) -> dict[str, Any]:
    """One reading as JSON: the action or the fault, how strictly it was read, and its points in two units."""
    out: dict[str, Any] = {
        "action": None if parsed.action is None else to_json(parsed.action),
        "fault": None if parsed.fault is None else {"code": parsed.fault.code, "detail": parsed.fault.detail},
        "strict_ok": parsed.strict_ok,
        "repaired": "repaired" in parsed.flags,
        "flags": list(parsed.flags),
    }
    if parsed.action is not None and (points := points_of(parsed.action)):
        out["point"] = _units(points[0], frame)
        if len(points) > 1:
            out["end"] = _units(points[1], frame)
    if parsed.more:
        out["more"] = [to_json(action) for action in parsed.more]
    if parsed.seen and parsed.action is None:
        out["seen"] = parsed.seen
    if parsed.thought:
        out["thought"] = parsed.thought
    return out | {"screen": list(frame.screen), "image": list(frame.image)}


def _units(point: Point, frame: Frame) -> dict[str, list[float]]:
    pixels = [round(point.x * frame.screen[0], 3), round(point.y * frame.screen[1], 3)]
    return {"fraction": [round(point.x, 6), round(point.y, 6)], "pixels": pixels}
