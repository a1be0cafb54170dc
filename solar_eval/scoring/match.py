"""One scorer, driven by a protocol: columns of labels and predictions in, verdicts out.

`judge` scores N steps at once; `judge_one` is the same code on one step, for `solar-eval match` and for training's
validity, with the reason in words. Type first, then what the type needs: a point, a direction, a text, a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from solar_eval.actions import DIRECTIONS, OPPOSITE, Action, Box, Kind
from solar_eval.protocols import Family, Protocol, TextRule
from solar_eval.records import RecordedParse, Step
from solar_eval.scoring import geometry
from solar_eval.scoring.columns import (
    DIRECTION,
    FAULT,
    INFRASTRUCTURE,
    KEY,
    KIND,
    MISSING,
    READ,
    Bools,
    Codes,
    Columns,
    Prediction,
    Side,
    build,
)
from solar_eval.scoring.explain import explain
from solar_eval.scoring.text import same_text

Reason = Literal[
    "right", "label unreadable", "dropped by the protocol", "owed", "missing", "unparseable", "out of range", "type",
    "point", "direction", "text", "app", "key", "status", "answer",
]  # fmt: skip
REASONS: tuple[Reason, ...] = get_args(Reason)
R: dict[Reason, int] = {reason: index for index, reason in enumerate(REASONS)}
POINTING: tuple[Kind, ...] = ("click", "long_press", "double_tap")
TEXTUAL: tuple[Kind, ...] = ("type", "open_app", "swipe")
"""GUI-R1's "text" labels: its scroll word is an input_text."""
RANGE_SLACK = 1e-3
"""Coordinates are cut to whole thousandths before upstream schemas test them against 1000."""
CORNER = 0.15


@dataclass(frozen=True, slots=True)
class Verdicts:
    """N verdicts.

    counted: in the denominator of type match. stepped: in the denominator of step SR. pointed: in the denominator of
    grounding. type_ok, step_ok, point_ok: the hits. reason: index into REASONS, why a step is not right.
    """

    counted: Bools
    stepped: Bools
    pointed: Bools
    type_ok: Bools
    step_ok: Bools
    point_ok: Bools
    reason: Codes


def judge(columns: Columns, protocol: Protocol, family: Family = "android_control") -> Verdicts:
    """Applies a protocol's rules for a benchmark family to all steps."""
    label, predicted = columns.label, columns.predicted
    state = _states(columns, protocol)
    read = state == READ
    label_kind, predicted_kind = (
        _kinds(label, protocol, labels=True),
        _kinds(predicted, protocol, labels=False),
    )
    if not protocol.type_required:
        predicted_kind = np.where(read, predicted_kind, columns.verb).astype(np.int8)
    answered = read | _ignores_reading(columns, protocol)
    same = _types(label, label_kind, protocol) == _types(predicted, predicted_kind, protocol)
    type_ok = answered & (label_kind >= 0) & same
    point_ok = geometry.within(columns, protocol.click_rule(family), protocol.space == "gui_r1_mixed")
    detail, why = _details(columns, label_kind, protocol, family, point_ok)
    step_ok = detail & (type_ok | (not protocol.type_required)) & answered
    if not protocol.type_required:
        step_ok |= type_ok & ~np.isin(label_kind, _codes(POINTING + TEXTUAL))
    type_ok, step_ok = _credits(columns, protocol, label_kind, predicted_kind, read, type_ok, step_ok)
    counted = (label.kind >= 0) & ~np.isin(label.kind, _codes(protocol.drop)) & (state != INFRASTRUCTURE)
    if protocol.unparseable == "drop":
        counted &= state != FAULT
    stepped, pointed = counted.copy(), counted & np.isin(label_kind, _codes(POINTING))
    if protocol.step_over == "pointing_and_text":
        stepped &= np.isin(label_kind, _codes(POINTING + TEXTUAL))
    if protocol.grounding == "type_matched":
        pointed &= type_ok & (label_kind == KIND["click"])
    reason = _reasons(columns, protocol, state, type_ok, step_ok, why)
    return Verdicts(counted, stepped, pointed, type_ok & counted, step_ok & stepped,
                    point_ok & answered & pointed, reason)  # fmt: skip


def _codes(kinds: tuple[Kind, ...]) -> list[int]:
    return [KIND[kind] for kind in kinds]


def _states(columns: Columns, protocol: Protocol) -> Codes:
    state = columns.state.copy()
    if protocol.out_of_range == "reject":
        state[(state == READ) & (columns.over >= RANGE_SLACK)] = FAULT
    return state


def _ignores_reading(columns: Columns, protocol: Protocol) -> Bools:
    """Steps whose point and text count although the verb was not understood (a rule without type match)."""
    if protocol.type_required:
        return np.zeros(len(columns), dtype=bool)
    return np.isin(columns.state, (READ, FAULT))


def _kinds(side: Side, protocol: Protocol, labels: bool) -> Codes:
    """Kinds after the protocol's merges."""
    kind = side.kind.copy()
    if protocol.long_press_label_is_click and labels:
        kind[kind == KIND["long_press"]] = KIND["click"]
    if protocol.call_user_is_finish:
        kind[kind == KIND["call_user"]] = KIND["finish"]
    if protocol.wait_is_finish:
        kind[kind == KIND["wait"]] = KIND["finish"]
    return kind


def _keys(side: Side, protocol: Protocol) -> Codes:
    if not protocol.recents_is_home:
        return side.key
    return np.where(side.key == KEY["recents"], KEY["home"], side.key).astype(np.int8)


def _types(side: Side, kind: Codes, protocol: Protocol) -> NDArray[np.int16]:
    """One number a type: the kind, and where every command word is a type, also the key or the status."""
    types = kind.astype(np.int16) * 16
    if protocol.types == "word":
        types += np.where(kind == KIND["press"], _keys(side, protocol), 0)
        types += np.where(kind == KIND["finish"], np.maximum(side.status, 0), 0)
    return types


def _details(columns: Columns, kind: Codes, protocol: Protocol, family: Family, point_ok: Bools) -> tuple[Bools, Codes]:
    """Whether what each label's kind needs agrees, and the reason if it does not. `kind`: merged label kinds."""
    n = len(columns)
    ok, why = np.ones(n, dtype=bool), np.full(n, R["type"], dtype=np.int8)

    def put(rows: Bools, right: Bools, reason: Reason) -> None:
        ok[rows], why[rows] = right[rows], R[reason]

    put(np.isin(kind, _codes(POINTING)), point_ok, "point")
    put(kind == KIND["swipe"], _scrolls(columns, protocol), "direction")
    put(kind == KIND["press"], _keys(columns.label, protocol) == _keys(columns.predicted, protocol), "key")
    put(kind == KIND["finish"], _finishes(columns, protocol), "status")
    typed = kind == KIND["type"]
    put(typed, _texts(columns, typed, protocol.text_rule(family), protocol), "text")
    opened = kind == KIND["open_app"]
    put(opened, _texts(columns, opened, protocol.app_rule(family), protocol), "app")
    answered = kind == KIND["answer"]
    put(answered, _texts(columns, answered, protocol.text_rule(family), protocol), "answer")
    return ok, why


def _texts(columns: Columns, rows: Bools, rule: TextRule, protocol: Protocol) -> Bools:
    texts = columns.predicted.text if protocol.type_required else columns.any_text
    right = np.zeros(len(columns), dtype=bool)
    for i in np.flatnonzero(rows & ((columns.state == READ) | (columns.state == FAULT))):
        right[i] = same_text(rule, texts[i], columns.label.text[i])
    return right


def _finishes(columns: Columns, protocol: Protocol) -> Bools:
    if protocol.finish == "status":
        return np.equal(np.maximum(columns.label.status, 0), np.maximum(columns.predicted.status, 0))
    return np.full(len(columns), protocol.finish == "any")


def _scrolls(columns: Columns, protocol: Protocol) -> Bools:
    label, predicted = columns.label, columns.predicted
    if protocol.scroll == "ignored":
        return np.ones(len(columns), dtype=bool)
    if protocol.scroll == "finger":
        return np.equal(label.direction, predicted.direction) & (label.direction >= 0)
    wanted, written = _raw_words(columns)
    if protocol.scroll == "raw_word_vertical_flipped":
        up, down = DIRECTION["up"], DIRECTION["down"]
        wanted = np.where(wanted == up, down, np.where(wanted == down, up, wanted)).astype(np.int8)
    right = np.equal(wanted, written) & (wanted >= 0)
    if protocol.scroll == "raw_word_or_prompt":
        right |= _prompt_word(columns, written)
    return right


def _raw_words(columns: Columns) -> tuple[Codes, Codes]:
    """The label's raw word and the word the model wrote. A model that gives two points wrote no word: its finger
    direction is put in the label's sense, so that it is judged as under the finger rule.
    """
    label, predicted = columns.label, columns.predicted
    opposite = np.array([DIRECTION[OPPOSITE[d]] for d in DIRECTIONS] + [-1], dtype=np.int8)
    wanted = np.where(label.word >= 0, label.word, label.direction)
    content = (label.word >= 0) & (label.word != label.direction)
    in_sense = np.where(content, opposite[predicted.direction], predicted.direction)
    words = [DIRECTION.get(text.strip().lower(), -1) for text in columns.any_text]
    written = np.where(predicted.word >= 0, predicted.word, np.array(words, dtype=np.int8))
    return wanted.astype(np.int8), np.where(written >= 0, written, in_sense).astype(np.int8)


def _prompt_word(columns: Columns, written: Codes) -> Bools:
    """'Scroll up' / 'Scroll down' in the instruction and that word in the reply (OS-Genesis ac_eval.py L165-185)."""
    right = np.zeros(len(columns), dtype=bool)
    for word in ("up", "down"):
        for i in np.flatnonzero((columns.label.kind == KIND["swipe"]) & (written == DIRECTION[word])):
            step = columns.steps[i]
            right[i] |= f"Scroll {word}" in step.low or f"Scroll {word}" in step.goal
    return right


def _credits(
    columns: Columns, protocol: Protocol, label_kind: Codes, predicted_kind: Codes, read: Bools, type_ok: Bools,
    step_ok: Bools,
) -> tuple[Bools, Bools]:  # fmt: skip
    """Wrong types that a protocol credits all the same."""
    clicked = read & (predicted_kind == KIND["click"])
    if protocol.icon_click:
        has, hit = geometry.in_icon(columns, protocol.click.enlarge)
        opened = (label_kind == KIND["open_app"]) & has & clicked
        type_ok, step_ok = type_ok | opened, step_ok | (opened & hit)
    free = np.zeros(len(columns), dtype=bool)
    if "type_for_click" in protocol.confusions:
        free |= read & (predicted_kind == KIND["type"]) & (label_kind == KIND["click"])
    if "click_for_type" in protocol.confusions:
        free |= clicked & (label_kind == KIND["type"])
    if "corner_click_for_press" in protocol.confusions:
        corner = (columns.predicted.point <= CORNER).all(axis=1)
        free |= clicked & corner & (label_kind == KIND["press"])
    return type_ok | free, step_ok | free


def _reasons(columns: Columns, protocol: Protocol, state: Codes, type_ok: Bools, step_ok: Bools, why: Codes) -> Codes:
    reason = why.copy()
    reason[~type_ok & protocol.type_required] = R["type"]
    reason[step_ok] = R["right"]
    unread = state == FAULT if protocol.type_required else (state == FAULT) & ~step_ok
    reason[unread & (columns.state == FAULT)] = R["unparseable"]
    reason[unread & (columns.state != FAULT)] = R["out of range"]
    reason[state == MISSING] = R["missing"]
    reason[state == INFRASTRUCTURE] = R["owed"]
    reason[np.isin(columns.label.kind, _codes(protocol.drop))] = R["dropped by the protocol"]
    reason[columns.label.kind < 0] = R["label unreadable"]
    return reason


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict in words. `counted`: whether the step is in the protocol's denominator at all."""

    type_match: bool
    exact_match: bool
    counted: bool
    reason: Reason
    detail: str


def judge_one(
    protocol: Protocol, label: Action | None, predicted: Prediction | Action | None, *,
    screen: tuple[int, int] = (1080, 2400), boxes: tuple[Box, ...] | None = None, family: Family = "android_control",
    step: Step | None = None,
) -> Verdict:  # fmt: skip
    """Scores one prediction against one label: the same code as `judge` on columns of length one.

    `predicted` None means that no action could be read. `boxes` are fractions of the screen. `step`, where given,
    carries label, screen and boxes itself.
    """
    step = step or Step("step", "episode", 0, "", "", label, screen, boxes, "candidates" if boxes else "none")
    prediction: Prediction
    if predicted is None or (not isinstance(predicted, int) and not hasattr(predicted, "fault")):
        prediction = RecordedParse(predicted)
    else:
        prediction = predicted  # type: ignore[assignment]
    columns = build([step], [prediction])
    verdicts = judge(columns, protocol, family)
    reason = REASONS[int(verdicts.reason[0])]
    return Verdict(bool(verdicts.type_ok[0]), bool(verdicts.step_ok[0]), bool(verdicts.counted[0]), reason,
                   explain(columns, protocol, family, [reason])[0])  # fmt: skip
