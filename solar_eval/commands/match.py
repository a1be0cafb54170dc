"""`solar-eval match`: verdicts on label and prediction pairs, with the reason, under one or several protocols."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TextIO

from solar_eval.actions import Action, Box, from_json
from solar_eval.commands.json_lines import size_field, transform
from solar_eval.dialects import table
from solar_eval.protocols import Family, Protocol
from solar_eval.records import Step
from solar_eval.scoring.columns import Prediction
from solar_eval.scoring.match import judge_one
from solar_eval.scoring.pipeline import Reader

Unit = Literal["fraction", "pixels"]


def run(
    source: TextIO, sink: TextIO, protocols: Sequence[Protocol], family: Family, unit: Unit, dialect: str | None
) -> int:
    """JSON lines {id, label, prediction, screen?, boxes?} to one verdict a protocol.

    label: an action as JSON, {"kind": "click", "point": [0.5, 0.2]}; prediction: the same, null (nothing could be
    read), or with `dialect` the raw reply as a string. screen: [width, height], default 1080 x 2400. boxes: element
    boxes [[left, top, right, bottom], ...]. `unit` says what the numbers of label, prediction and boxes are.
    """
    reader = Reader(table.get(dialect), family) if dialect else None

    def each(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
        screen = size_field(data, "screen") or (1080, 2400)
        scale = screen if unit == "pixels" else (1, 1)
        boxes = _boxes(data.get("boxes"), scale)
        label = _action("label", data.get("label"), scale)
        if label is None:
            raise ValueError("label: there is none")
        icons = _boxes(data.get("icon_boxes"), scale)
        extra = (("icon_boxes", icons),) if icons else ()
        texts = {name: str(data.get(name, "")) for name in ("goal", "low")}
        source_name: Literal["candidates", "none"] = "candidates" if boxes else "none"
        step = Step(str(data.get("id")), "episode", 0, texts["goal"], texts["low"], label, screen, boxes, source_name,
                    extra=extra)  # fmt: skip
        predicted = _prediction(data.get("prediction"), scale, reader, step)
        for protocol in protocols:
            verdict = judge_one(protocol, label, predicted, family=family, step=step)
            yield {
                "id": data.get("id"), "protocol": protocol.name, "type_match": verdict.type_match,
                "exact_match": verdict.exact_match, "counted": verdict.counted, "reason": verdict.reason,
                "detail": verdict.detail,
            }  # fmt: skip

    return transform(source, sink, each)


def _boxes(value: object, scale: tuple[int, int]) -> tuple[Box, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise ValueError(f"boxes: {value!r} is not a list of [left, top, right, bottom]")
    rows = [value] if value and all(isinstance(v, int | float) for v in value) else value
    boxes = []
    for row in rows:
        if not isinstance(row, list) or len(row) != 4 or not all(_number(v) for v in row):
            raise ValueError(f"boxes: {row!r} is not four finite numbers [left, top, right, bottom]")
        boxes.append(Box(row[0] / scale[0], row[1] / scale[1], row[2] / scale[0], row[3] / scale[1]))
    return tuple(boxes)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _action(name: str, value: object, scale: tuple[int, int]) -> Action | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(f"{name}: {value!r} is not an action object with a kind")
    data = dict(value)
    for key in ("point", "start", "end"):
        point = data.get(key)
        if isinstance(point, list) and len(point) == 2 and all(isinstance(v, int | float) for v in point):
            data[key] = [point[0] / scale[0], point[1] / scale[1]]
            if not all(math.isfinite(v) for v in data[key]) and name == "label":
                raise ValueError(f"{name}.{key}: {point!r} is not finite")
    try:
        return from_json(data)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _prediction(value: object, scale: tuple[int, int], reader: Reader | None, step: Step) -> Prediction | Action | None:
    if isinstance(value, str):
        if reader is None:
            raise ValueError("prediction: a raw reply needs --dialect")
        return reader.dialect.parse(value, reader.frame(step.screen, None))
    return _action("prediction", value, scale)
