"""What each preset makes of the same pair: the rule table of the field, as a test."""

from __future__ import annotations

import pytest

from solar_eval import protocols
from solar_eval.actions import (
    Answer,
    Box,
    CallUser,
    Click,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.records import RecordedParse, Step
from solar_eval.scoring.columns import INFRASTRUCTURE, MISSING, build
from solar_eval.scoring.match import REASONS, judge, judge_one

ALL = list(protocols.presets())
CENTRE = Point(0.5, 0.5)


def exact(name: str, label, predicted, **more) -> bool:  # type: ignore[no-untyped-def]
    return judge_one(protocols.get(name), label, predicted, **more).exact_match


GOLD = (
    Click(CENTRE), LongPress(CENTRE), Swipe(direction="left", word="right"), Swipe(start=CENTRE, end=Point(0.5, 0.1)),
    Type("New York"), OpenApp("Google Maps"), Press("back"), Press("home"), Press("recents"), Wait(), Finish(),
    Finish("infeasible"), Answer("42"),
)  # fmt: skip


@pytest.mark.parametrize("name", ALL)
def test_gold_scores_one_or_its_exception_is_known(name: str) -> None:
    known = {("agentcpm", "long_press"), ("ui_s1_sop", "finish")}
    for family in ("android_control", "gui_odyssey"):
        for action in GOLD:
            verdict = judge_one(protocols.get(name), action, RecordedParse(action), family=family)
            if verdict.counted and (name, action.kind) not in known:
                stepped = name != "gui_r1" or action.kind in {"click", "long_press", "swipe", "type", "open_app"}
                assert verdict.exact_match or not stepped, (action, verdict)
                assert verdict.type_match


@pytest.mark.parametrize(
    ("distance", "right"),
    [
        (0.03, set(ALL)),
        (0.10, {"os_atlas", "gui_r1", "ui_agile", "odyssey_v1", "odyssey_v2", "ui_genie", "os_genesis", "magicgui",
                "clawgui_2026_06", "ui_r1"}),
        (0.139, {"os_atlas", "gui_r1", "ui_agile", "odyssey_v1", "odyssey_v2", "ui_genie", "os_genesis", "magicgui",
                 "clawgui_2026_06", "ui_r1"}),
        (0.20, {"ui_genie", "os_genesis", "clawgui_2026_06"}),
        (0.35, set()),
    ],
)  # fmt: skip
def test_horizontal_distance_without_boxes(distance: float, right: set[str]) -> None:
    label, predicted = Click(CENTRE), Click(Point(0.5 + distance, 0.5))
    assert {name for name in ALL if exact(name, label, predicted)} == right | (
        {"ui_genie", "os_genesis", "clawgui_2026_06"} if distance < 0.34 else set()
    )


def test_scroll_senses_differ() -> None:
    label = Swipe(direction="up", word="down")
    finger, content = Swipe(direction="up", word="up"), Swipe(direction="down", word="down")
    raw = {"os_atlas", "gui_r1", "ui_agile", "os_genesis"}
    free = {"ui_s1_sop", "ui_r1"}
    assert {n for n in ALL if exact(n, label, content)} == raw | free
    assert {n for n in ALL if exact(n, label, finger)} == (set(ALL) - raw) | free
    two_points = Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2))
    assert {n for n in ALL if exact(n, label, two_points)} == set(ALL)
    flipped = protocols.get("ui_agile").model_copy(update={"scroll": "raw_word_vertical_flipped"})
    assert judge_one(flipped, label, Swipe(word="up")).exact_match
    assert not judge_one(flipped, Swipe(direction="left", word="right"), Swipe(word="left")).exact_match


def test_os_genesis_takes_the_prompts_own_word() -> None:
    label = Swipe(direction="up", word="down")
    step = Step("s", "e", 0, "", "Scroll up to the top", label, (1080, 2400))
    protocol = protocols.get("os_genesis")
    assert judge_one(protocol, label, Swipe(direction="up", word="up"), step=step).exact_match
    assert not judge_one(protocol, label, Swipe(direction="up", word="up")).exact_match


def test_text_rules_differ() -> None:
    def right(label: str, predicted: str) -> set[str]:
        return {n for n in ALL if exact(n, Type(label), Type(predicted))}

    substring = {"guievalkit_2025_09", "agentcpm", "qwen", "ui_genie", "ui_s1_sop", "odyssey_v1", "odyssey_v2"}
    assert right("new york hotels", "york") - {"ui_r1"} == (substring | {"gui_r1", "magicgui", "ui_agile"})
    assert "strict" in right("“Hi”  there", '"hi" there')
    assert right("Hello", "hello") >= substring - {"odyssey_v1", "odyssey_v2"} | {"ui_agile", "gui_r1", "strict"}
    assert "os_atlas" in right("new york", "new delhi")
    assert "os_atlas" not in right("new york", "york")
    assert not exact("odyssey_v1", Type("HELLO"), Type("hello"))


def test_wait_and_finish_classes() -> None:
    assert exact("agentcpm", Wait(), Finish()) and exact("agentcpm", Finish(), Wait())
    assert not exact("guievalkit_2025_09", Wait(), Finish())
    assert exact("guievalkit_2025_09", Finish(), Finish("infeasible"))
    assert exact("guievalkit_2025_09", Finish(), CallUser("help"))
    assert not exact("ui_genie", Finish(), Finish("failure"))
    assert not exact("odyssey_v1", Finish(), Finish("infeasible"))
    assert not exact("ui_s1_sop", Finish(), Finish())


def test_keys() -> None:
    assert judge_one(protocols.get("guievalkit_2025_09"), Press("back"), Press("home")).type_match
    assert not judge_one(protocols.get("odyssey_v1"), Press("back"), Press("home")).type_match
    assert exact("guievalkit_2025_09", Press("recents"), Press("home"))
    assert not exact("strict", Press("recents"), Press("home"))


def test_magicgui_credits_confusions() -> None:
    assert exact("magicgui", Click(CENTRE), Type("x")) and exact("magicgui", Type("x"), Click(CENTRE))
    assert exact("magicgui", Press("back"), Click(Point(0.1, 0.1)))
    assert not exact("magicgui", Press("back"), Click(Point(0.1, 0.2)))
    assert not exact("qwen", Click(CENTRE), Type("x"))


def test_gui_r1_ignores_the_type_but_not_the_point() -> None:
    verdict = judge_one(protocols.get("gui_r1"), Click(CENTRE), LongPress(CENTRE))
    assert verdict.exact_match and not verdict.type_match


def test_dropped_labels_leave_the_denominator() -> None:
    verdict = judge_one(protocols.get("guievalkit_2025_09"), OpenApp("Maps"), OpenApp("Maps"))
    assert not verdict.counted and verdict.reason == "dropped by the protocol"


def test_states_of_a_prediction() -> None:
    label = Step("s", "e", 0, "", "", Press("back"), (1080, 2400))
    bad = Step("s", "e", 0, "", "", None, (1080, 2400), label_fault="no coordinates")
    columns = build([label] * 3 + [bad], [RecordedParse(None), MISSING, INFRASTRUCTURE, RecordedParse(Press("back"))])
    verdicts = judge(columns, protocols.get("strict"))
    assert [REASONS[r] for r in verdicts.reason] == ["unparseable", "missing", "owed", "label unreadable"]
    assert verdicts.counted.tolist() == [True, True, False, False]
    dropped = judge(columns, protocols.get("ui_genie"))
    assert dropped.counted.tolist() == [False, True, False, False]


def test_a_point_outside_the_picture() -> None:
    label, outside = Click(Point(0.99, 0.5)), Click(Point(1.02, 0.5))
    verdict = judge_one(protocols.get("guievalkit_2025_09"), label, outside)
    assert verdict.reason == "out of range" and not verdict.type_match
    assert exact("os_atlas", label, outside)


def test_columns_and_single_pairs_agree() -> None:
    labels = [*GOLD, Click(Point(0.1, 0.1))]
    steps = [Step(str(i), "e", i, "", "", a, (1080, 2400), (Box(0, 0, 0.3, 0.3),), "candidates")
             for i, a in enumerate(labels)]  # fmt: skip
    predictions = [RecordedParse(a) for a in reversed(labels)]
    for name in ALL:
        together = judge(build(steps, predictions), protocols.get(name))
        for i, (step, prediction) in enumerate(zip(steps, predictions, strict=True)):
            alone = judge_one(protocols.get(name), step.label, prediction, step=step)
            assert (alone.type_match, alone.exact_match) == (together.type_ok[i], together.step_ok[i])
