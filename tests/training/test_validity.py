"""Validity and atomic scores: the evaluator's matcher with a graded score beside it."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solar_eval.actions import (
    KINDS,
    Action,
    Answer,
    Box,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.benchmarks.table import load
from solar_eval.dialects.base import Fault, Parsed
from solar_eval.protocols import get
from solar_eval.records import RecordedParse, Step
from solar_eval.scoring.columns import INFRASTRUCTURE, MISSING
from solar_eval.scoring.match import judge_one
from solar_eval.scoring.similarity import app_similarity, bag_f1
from training.errors import BadShape, EmptyGroup
from training.groups import StepGroups
from training.validity import SkippedTask, score_candidates, solar_protocol, step_groups

GOLD: list[Action] = [
    Click(Point(0.3, 0.4)), LongPress(Point(0.3, 0.4)), DoubleTap(Point(0.3, 0.4)), Swipe("up"),
    Swipe("left", Point(0.8, 0.5), Point(0.2, 0.5)), Type("Hello, world!"), Type("你好 世界"), OpenApp("Clock"),
    Press("back"), Press("home"), Press("enter"), Press("recents"), Wait(), Answer("4 pm"), Finish(),
    Finish("infeasible"), CallUser(),
]  # fmt: skip


def step(label: Action | None, boxes: tuple[Box, ...] | None = None) -> Step:
    return Step("e/0", "e", 0, "goal", "low", label, (1080, 2400), boxes, "candidates" if boxes else "none")


def one(label: Action | None, predicted: Any, known: tuple[Box, ...] | None = None, **options: Any) -> Any:
    """(score, valid) of one prediction."""
    prediction = predicted if isinstance(predicted, int | Parsed) else RecordedParse(predicted)
    family = options.pop("family", "android_control")
    protocol = options.pop("protocol", None) or solar_protocol(**options)
    made = score_candidates([step(label, known)], [prediction], protocol, family)
    return float(made.score[0]), bool(made.valid[0])


@pytest.mark.parametrize("label", GOLD, ids=lambda a: a.kind)
def test_gold_scores_one_and_every_other_type_zero(label: Action) -> None:
    assert one(label, label) == (1.0, True)
    for other in GOLD:
        if other.kind != label.kind:
            assert one(label, other) == (0.0, False)
    assert {a.kind for a in GOLD} == set(KINDS)


@given(st.floats(0, 0.3), st.floats(0, 2 * math.pi))
def test_points_fall_off_with_the_kernel_and_are_valid_within_the_radius(distance: float, angle: float) -> None:
    label = Point(0.5, 0.5)
    at = Point(0.5 + distance * math.cos(angle), 0.5 + distance * math.sin(angle))
    for family, radius in (("android_control", 0.04), ("gui_odyssey", 0.14)):
        for kind in (Click, LongPress, DoubleTap):
            score, valid = one(kind(label), kind(at), family=family)
            assert score == pytest.approx(2 ** -((distance / radius) ** 2), abs=1e-9)
            assert valid == (distance <= radius) or abs(distance - radius) < 1e-9
            assert valid == (score >= 0.5) or abs(score - 0.5) < 1e-9


@given(st.floats(0.2, 0.8), st.floats(0.2, 0.8))
def test_a_labelled_box_is_an_ellipse_through_its_corners(x: float, y: float) -> None:
    """GUI-G2's kernel: sigma half the width and half the height about the box's centre, valid iff s >= exp(-1)."""
    box = Box(0.4, 0.45, 0.6, 0.5)
    score, valid = one(Click(Point(0.41, 0.46)), Click(Point(x, y)), (box,), boxes=True)
    expected = math.exp(-(((x - 0.5) / 0.1) ** 2 + ((y - 0.475) / 0.025) ** 2) / 2)
    assert score == pytest.approx(expected)
    assert valid == (score >= math.exp(-1)) or abs(score - math.exp(-1)) < 1e-9
    corner = Click(Point(0.6, 0.5))
    assert one(Click(Point(0.41, 0.46)), corner, (box,), boxes=True) == (pytest.approx(math.exp(-1)), True)


def test_the_smallest_box_that_holds_the_label_counts_and_the_radius_where_none_does() -> None:
    boxes = (Box(0.0, 0.0, 1.0, 1.0), Box(0.4, 0.4, 0.6, 0.6), Box(0.45, 0.45, 0.55, 0.55), Box(0.9, 0.9, 0.95, 0.95))
    label = Click(Point(0.5, 0.5))
    assert one(label, Click(Point(0.55, 0.5)), boxes, boxes=True)[0] == pytest.approx(math.exp(-0.5))
    outside = one(label, Click(Point(0.53, 0.5)), boxes[3:], boxes=True)
    assert outside == (pytest.approx(2 ** -((0.03 / 0.04) ** 2)), True)
    screen_sized = one(label, Click(Point(0.9, 0.9)), boxes[:1], boxes=True)
    assert screen_sized[1] is False


def test_swipes() -> None:
    up, left = Swipe("up"), Swipe("left", Point(0.8, 0.5), Point(0.2, 0.5))
    assert one(up, Swipe("up", Point(0.1, 0.9), Point(0.1, 0.1))) == (1.0, True)
    for wrong in ("down", "left", "right", None):
        assert one(up, Swipe(wrong)) == (0.0, False)  # type: ignore[arg-type]
    assert one(left, Swipe("left")) == (0.5, True)
    shifted = one(left, Swipe(None, Point(0.8, 0.6), Point(0.2, 0.6)))
    assert shifted == (pytest.approx(0.5 + 0.5 * 2 ** -((0.1 / 0.14) ** 2)), True)
    slanted = Swipe(None, Point(0.8, 0.5), Point(0.2, 0.65))
    dx, dy = -0.6 * 1080, 0.15 * 2400
    assert one(left, slanted) == (pytest.approx(0.5 - 0.5 * dx / math.hypot(dx, dy)), True)


@pytest.mark.parametrize(
    ("predicted", "label", "expected"),
    [
        ("hello world", "Hello, WORLD!", 1.0), ("hello", "hello world", 2 / 3), ("a a b", "a b b", 2 / 3), ("", "x", 0),
        ("x", "", 0), ("", "", 1), ("?", "?", 1), ("?", "!", 0), ("“quoted”", '"quoted"', 1), ("it’s", "it's", 1),
        ("in\u00advisible", "invisible", 1), ("ｆｕｌｌ", "full", 1), ("Straße", "STRASSE", 1),
        ("你好世界", "你好朋友", 0.5),
        ("a@b.com", "a@b.org", 0), ("banana", "a", 0), ("3.5", "35", 0),
    ],
)  # fmt: skip
def test_text_is_multiset_token_f1(predicted: str, label: str, expected: float) -> None:
    assert bag_f1(predicted, label) == pytest.approx(expected)
    if label:
        assert one(Type(label), Type(predicted)) == (pytest.approx(expected), expected >= 0.5)
        assert one(Answer(label), Answer(predicted)) == (pytest.approx(expected), expected >= 0.5)


@given(st.text(max_size=12), st.text(max_size=12))
def test_text_scores_are_symmetric_and_bounded(left: str, right: str) -> None:
    for measure in (bag_f1, app_similarity):
        assert measure(left, right) == measure(right, left)
        assert 0 <= measure(left, right) <= 1
    assert bag_f1(left, left) == 1


@pytest.mark.parametrize(
    ("predicted", "label", "similar", "same"),
    [
        ("Clock", "clock app", True, True), ("Gmail", "Google Mail", True, True), ("YouTube", "You Tube", True, True),
        ("Google Maps", "Google Mail", False, False), ("Clocks", "Clock", True, False),
        ("Clock", "Gmail", False, False),
        ("", "Clock", False, False), ("Simple Calendar Pro", "Simple Calender Pro", True, False),
        ("X", "Twitter", True, True), ("YouTube", "YouTube Music", False, False),
    ],
)  # fmt: skip
def test_launch_by_similarity_and_exactly(predicted: str, label: str, similar: bool, same: bool) -> None:
    score, valid = one(OpenApp(label), OpenApp(predicted))
    assert valid == similar == (score >= 0.8)
    assert one(OpenApp(label), OpenApp(predicted), launch="exact") == (float(same), same)


def test_system_actions_are_exact() -> None:
    assert one(Press("back"), Press("home")) == (0.0, False)
    assert one(Finish("success"), Finish("infeasible")) == (0.0, False)
    assert one(Wait(3), Wait(9)) == (1.0, True)


def test_what_can_not_be_read_is_invalid_and_what_was_never_asked_is_unusable() -> None:
    label = Click(Point(0.5, 0.5))
    assert one(label, None) == (0.0, False)
    assert one(label, Parsed(None, Fault("no_action"))) == (0.0, False)
    assert one(label, Click(Point(0.5, 1.2))) == (0.0, False)
    assert one(label, Click(Point(math.nan, 0.5))) == (0.0, False)
    steps = [step(label), step(label), step(None), step(label)]
    made = score_candidates(steps, [MISSING, INFRASTRUCTURE, RecordedParse(label), RecordedParse(label)])
    assert list(made.usable) == [False, False, False, True]
    assert np.isfinite(made.score).all()


def test_format_is_the_familys_own_grammar() -> None:
    label = Click(Point(0.5, 0.5))
    loose, strict = Parsed(label, strict_ok=False), Parsed(label, strict_ok=True)
    made = score_candidates([step(label)] * 4, [loose, strict, RecordedParse(label), RecordedParse(None)])
    assert list(made.format_ok) == [False, True, True, False]


ACTIONS = st.one_of(
    st.sampled_from(GOLD),
    st.builds(Click, st.builds(Point, st.floats(-0.2, 1.2), st.floats(-0.2, 1.2))),
    st.builds(Type, st.sampled_from(["", "hello", "hello world", "bye"])),
    st.builds(OpenApp, st.sampled_from(["", "Clock", "clocks", "Gmail"])),
    st.none(),
)


@given(st.sampled_from(GOLD), ACTIONS, st.sampled_from(["guievalkit_2025_09", "strict", "qwen", "odyssey_v1"]))
def test_reward_and_evaluation_are_one_matcher(label: Action, predicted: Action | None, name: str) -> None:
    """Under any protocol a candidate is valid exactly where the evaluator says that the step is right."""
    for protocol in (solar_protocol(), get(name)):
        verdict = judge_one(protocol, label, predicted)
        made = score_candidates([step(label)], [RecordedParse(predicted)], protocol)
        assert bool(made.valid[0]) == verdict.exact_match
        assert bool(made.type_ok[0]) == verdict.type_match
        assert bool(made.usable[0]) == verdict.counted
        assert 0 <= made.score[0] <= 1


@given(st.sampled_from(GOLD), ACTIONS)
def test_under_the_default_protocol_valid_means_a_score_at_the_threshold(label: Action, predicted: Action) -> None:
    score, valid = one(label, predicted)
    assert valid == (score >= (0.8 if label.kind == "open_app" else 0.5))


class TestStepGroups:
    label = Click(Point(0.5, 0.5))
    right, wrong = RecordedParse(Click(Point(0.5, 0.5))), RecordedParse(Press("back"))

    def groups(self, episodes: Any, candidates: Any, **options: Any) -> Any:
        return step_groups(episodes, candidates, **options)

    def test_candidates_become_columns(self) -> None:
        episode = [step(self.label), step(Press("back"))]
        groups, chosen, skipped = self.groups([episode], [[[self.right, self.wrong], [self.wrong, self.right]]])
        assert isinstance(groups, StepGroups)
        assert groups.valid.tolist() == [[True, False], [True, False]]
        assert groups.score.tolist() == [[1.0, 0.0], [1.0, 0.0]]
        assert groups.n_ref.tolist() == [2]
        assert (chosen, skipped) == ([0], [])

    def test_tasks_that_can_not_be_scored_are_skipped_by_name(self) -> None:
        fine, dropped = step(self.label), step(OpenApp("Clock"))
        pair = [self.right, self.wrong]
        episodes = [[fine], [fine, step(None)], [dropped], [fine], [], [fine, fine]]
        candidates: list[Any] = [[pair], [pair, pair], [pair], [[self.right, INFRASTRUCTURE]], [], [pair, pair]]
        groups, chosen, skipped = self.groups(episodes, candidates, protocol=get("guievalkit_2025_09"))
        assert chosen == [0, 5]
        assert skipped == [
            SkippedTask(1, 1, "label unreadable"), SkippedTask(2, 0, "dropped by the protocol"),
            SkippedTask(3, 0, "candidate missing"), SkippedTask(4, 0, "no steps"),
        ]  # fmt: skip
        assert groups.offsets.tolist() == [0, 1, 3]

    def test_nestings_that_do_not_fit(self) -> None:
        episode = [step(self.label)]
        with pytest.raises(BadShape, match="not one list for each step"):
            self.groups([episode], [[]])
        with pytest.raises(BadShape, match=r"\[1, 2\] candidates"):
            self.groups([episode, episode], [[[self.right]], [[self.right, self.wrong]]])
        with pytest.raises(BadShape, match=r"\[0\] candidates"):
            self.groups([episode], [[[]]])
        with pytest.raises(EmptyGroup, match="candidate missing"):
            self.groups([episode], [[[MISSING]]])


@pytest.mark.shared
@pytest.mark.parametrize("boxes", [False, True])
def test_every_recorded_label_earns_its_own_reward(shared: Path, boxes: bool) -> None:
    """AndroidControl's 8,444 test steps: all but one click labelled below the screen's edge (y = 1.055)."""
    steps = load("android_control", shared / "data" / "android_control").scored_steps
    made = score_candidates(steps, [RecordedParse(s.label) for s in steps], solar_protocol(boxes=boxes))
    assert len(steps) == 8444
    assert made.usable.all()
    assert [steps[i].id for i in np.flatnonzero(~made.valid)] == ["12571/0"]
    assert (made.score[made.valid] >= math.exp(-1)).all()
    assert boxes or (made.score[made.valid] == 1).all()


@pytest.mark.slow
def test_scoring_speed() -> None:
    """Batches of an update (20 episodes x 6 steps x 8) must not be noticed beside generation."""
    labels = [step(GOLD[i % len(GOLD)]) for i in range(20_000)]
    predictions = [RecordedParse(GOLD[(i * 7) % len(GOLD)]) for i in range(20_000)]
    start = time.perf_counter()
    score_candidates(labels, predictions)
    seconds = time.perf_counter() - start
    print(f"{len(labels) / seconds:,.0f} candidates a second")
    assert seconds < 5
