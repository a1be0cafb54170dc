"""Labels and predictions of many steps as arrays, so that a protocol scores all of them at once.

N steps give arrays of length N. Points and boxes are fractions of the screen, NaN where there is none. Codes: kinds
are indices into `actions.KINDS`, directions into `actions.DIRECTIONS`, keys into `actions.KEYS`; -1 is none. Finish
statuses: 0 success, 1 anything else (COMPLETE and IMPOSSIBLE are the two words the field has).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solar_eval.actions import (
    DIRECTIONS,
    KEYS,
    KINDS,
    Action,
    Box,
    Finish,
    Press,
    Swipe,
    finger_direction,
    out_of_range,
    points_of,
)
from solar_eval.dialects.base import Parsed
from solar_eval.records import RecordedParse, Step

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Bools = NDArray[np.bool_]

KIND: Mapping[str, int] = {kind: index for index, kind in enumerate(KINDS)}
DIRECTION: Mapping[str | None, int] = {direction: index for index, direction in enumerate(DIRECTIONS)}
KEY: Mapping[str, int] = {key: index for index, key in enumerate(KEYS)}
READ, FAULT, MISSING, INFRASTRUCTURE = 0, 1, 2, 3
"""States of a prediction."""
Prediction = Parsed | RecordedParse | int
"""What is known of one reply: a parse, or MISSING, or INFRASTRUCTURE."""


@dataclass(frozen=True, slots=True)
class Side:
    """Actions as arrays. `point`: N x 2, the first point of the action. `text`: typed text, app name or answer."""

    kind: Codes
    point: Floats
    direction: Codes
    word: Codes
    key: Codes
    status: Codes
    text: list[str]


@dataclass(frozen=True, slots=True)
class Columns:
    """N labelled steps and what was answered to them.

    state: READ | FAULT | MISSING | INFRASTRUCTURE. over: how far outside 0..1 the worst predicted point is.
    any_text: the prediction's text of any verb, as recorded. verb: its kind, also of a fault's verb. screen, image:
    N x 2 pixel sizes. boxes: M x 4 with box_row: M indices into the steps, sorted. icon_boxes, icon_row: the same for
    app icons. from_forest: the step's boxes are a whole accessibility forest, not a selection recorded with the label.
    """

    steps: tuple[Step, ...]
    label: Side
    predicted: Side
    state: Codes
    over: Floats
    any_text: list[str]
    verb: Codes
    screen: Floats
    image: Floats
    boxes: Floats
    box_row: NDArray[np.int64]
    icon_boxes: Floats
    icon_row: NDArray[np.int64]
    from_forest: Bools

    def __len__(self) -> int:
        """Number of steps."""
        return len(self.steps)


def build(
    steps: Sequence[Step], predictions: Sequence[Prediction], images: Sequence[tuple[int, int] | None] = ()
) -> Columns:
    """Columns of N steps and their N predictions; `images` are the sizes the model saw (None: the screen's)."""
    if len(steps) != len(predictions):
        raise ValueError(f"{len(steps)} steps but {len(predictions)} predictions")
    extras: list[dict[str, Any]] = [dict(step.extra) if step.extra else {} for step in steps]
    sizes = images or [None] * len(steps)
    screen = np.array([step.screen for step in steps], dtype=np.float64).reshape(-1, 2)
    seen = [extra.get("image_size") or size or step.screen
            for step, size, extra in zip(steps, sizes, extras, strict=True)]  # fmt: skip
    actions = [_action(p) for p in predictions]
    boxes, rows = ragged([step.boxes for step in steps])
    icons, icon_rows = ragged([extra.get("icon_boxes") for extra in extras])
    return Columns(
        steps=tuple(steps), label=side([step.label for step in steps], screen),
        predicted=_predicted_side(actions, predictions, screen),
        state=np.array([_state(p) for p in predictions], dtype=np.int8),
        over=np.array([out_of_range(a) if a is not None else 0.0 for a in actions], dtype=np.float64),
        any_text=[_any_text(p, a) for p, a in zip(predictions, actions, strict=True)],
        verb=np.array([_verb(p, a) for p, a in zip(predictions, actions, strict=True)], dtype=np.int8),
        screen=screen, image=np.array(seen, dtype=np.float64).reshape(-1, 2),
        boxes=boxes, box_row=rows, icon_boxes=icons, icon_row=icon_rows,
        from_forest=np.array([step.box_source == "forest" for step in steps], dtype=bool),
    )  # fmt: skip


def side(actions: Sequence[Action | None], screen: Floats) -> Side:
    """Actions as arrays; None leaves NaN, -1 and ''. A swipe's direction is taken in pixels of `screen` (N x 2)."""
    n = len(actions)
    kind, direction, word, key, status = (np.full(n, -1, dtype=np.int8) for _ in range(5))
    point, text = np.full((n, 2), np.nan), [""] * n
    for i, action in enumerate(actions):
        if action is None:
            continue
        kind[i] = KIND[action.kind]
        points = points_of(action)
        if points:
            point[i] = points[0]
        if isinstance(action, Swipe):
            direction[i] = _direction(action, screen[i])
            word[i] = DIRECTION.get(action.word, -1) if action.word else -1
        elif isinstance(action, Press):
            key[i] = KEY[action.key]
        elif isinstance(action, Finish):
            status[i] = action.status != "success"
        text[i] = getattr(action, "text", None) or getattr(action, "name", None) or ""
    return Side(kind, point, direction, word, key, status, text)


def _direction(swipe: Swipe, size: Floats) -> int:
    if swipe.start is None or swipe.end is None:
        return DIRECTION.get(swipe.direction, -1)
    return DIRECTION.get(finger_direction(swipe.start, swipe.end, (float(size[0]), float(size[1]))), -1)


def _action(prediction: Prediction) -> Action | None:
    return None if isinstance(prediction, int) else prediction.action


def _state(prediction: Prediction) -> int:
    if isinstance(prediction, int):
        return prediction
    return READ if prediction.action is not None else FAULT


def _verb(prediction: Prediction, action: Action | None) -> int:
    if action is not None:
        return KIND[action.kind]
    return KIND.get(prediction.seen, -1) if isinstance(prediction, Parsed) else -1


def _any_text(prediction: Prediction, action: Action | None) -> str:
    if isinstance(prediction, RecordedParse) and prediction.text:
        return prediction.text
    if isinstance(prediction, Parsed) and prediction.loose is not None:
        return prediction.loose.text
    if isinstance(action, Swipe):
        return action.word or ""
    return getattr(action, "text", None) or getattr(action, "name", None) or ""


def _predicted_side(actions: list[Action | None], predictions: Sequence[Prediction], screen: Floats) -> Side:
    made = side(actions, screen)
    for i, prediction in enumerate(predictions):
        if isinstance(prediction, RecordedParse) and prediction.point is not None:
            made.point[i] = prediction.point
        elif isinstance(prediction, Parsed) and prediction.loose is not None and prediction.loose.point is not None:
            made.point[i] = prediction.loose.point
    return made


def ragged(boxes: Sequence[Sequence[Box] | None]) -> tuple[Floats, NDArray[np.int64]]:
    """Box lists of N steps as one M x 4 array and M row numbers, in order."""
    flat = [box for row in boxes if row for box in row]
    rows = [i for i, row in enumerate(boxes) if row for _ in row]
    return np.array(flat, dtype=np.float64).reshape(-1, 4), np.array(rows, dtype=np.int64)
