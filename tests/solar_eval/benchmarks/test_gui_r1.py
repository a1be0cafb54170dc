"""GUI-R1's rows: labels, readings, episodes from histories, the join; on rows made here and on the real files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmark_fakes import gui_r1_row

from solar_eval.actions import Action, Box, Click, Finish, LongPress, OpenApp, Point, Press, Swipe, Type, Wait
from solar_eval.benchmarks.chains import read_history
from solar_eval.benchmarks.gui_r1 import read_gui_r1
from solar_eval.benchmarks.join import join_android_control, missing_from, with_whole_texts
from solar_eval.errors import DataError
from solar_eval.records import Benchmark, Episode, RecordedParse, Step

WriteLines = Callable[..., Path]


def test_a_click_row(write_lines: WriteLines) -> None:
    made = read_gui_r1(write_lines([gui_r1_row()], "x__androidcontrol_high.jsonl"))
    (step,), (reply,) = made.benchmark.steps, made.replies
    assert step.label == Click(Point(0.5, 0.5)) and step.screen == (1000, 2000) and step.goal == "goal"
    assert (reply.step, reply.text, reply.image) == (step.id, "<answer>raw</answer>", (500, 1000))
    where = Point(0.25, 0.25)
    assert reply.recorded == RecordedParse(Click(where), "", "click", where, "no input text")
    extra = dict(step.extra)
    assert (extra["gt_point_px"], extra["image_size"]) == ((500, 1000), (500, 1000))
    assert (extra["gt_action"], extra["gt_input_text"], extra["row"]) == ("click", "no input text", 1)
    assert made.benchmark.name == "android_control_high" and made.benchmark.subset == "test_7708"


@pytest.mark.parametrize(
    ("verb", "said", "high", "odyssey"),
    [
        ("scroll", "DOWN", Swipe("up", word="down"), Swipe("down", word="down")),
        ("scroll", "LEFT", Swipe("right", word="left"), Swipe("left", word="left")),
        ("type", "I", Type("I"), Type("I")),
        ("type", "", Type(""), Type("")),
        ("open_app", "Maps", OpenApp("Maps"), OpenApp("Maps")),
        ("wait", "no input text", Wait(), Wait()),
        ("press_back", "no input text", Press("back"), Press("back")),
        ("press_home", "no input text", Press("home"), Press("home")),
        ("press_recent", "no input text", Press("recents"), Press("recents")),
        ("complete", "no input text", Finish("success"), Finish("success")),
        ("impossible", "no input text", Finish("infeasible"), Finish("infeasible")),
    ],
)
def test_labels(write_lines: WriteLines, verb: str, said: str, high: Action, odyssey: Action) -> None:
    path = write_lines([gui_r1_row(gt_action=verb, gt_input_text=said, gt_bbox=[-100, -100])])
    for kind, expected in (("android_control_high", high), ("android_control_low", high), ("gui_odyssey", odyssey)):
        step = read_gui_r1(path, kind).benchmark.steps[0]  # type: ignore[arg-type]
        assert step.label == expected
        assert dict(step.extra)["gt_input_text"] == said


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"pred_action": "long_press"}, LongPress(Point(0.25, 0.25))),
        ({"pred_action": "scroll", "pred_input_text": "UP"}, Swipe("up", word="up")),
        ({"pred_action": "scroll", "pred_input_text": "further"}, Swipe(None, word="further")),
        ({"pred_action": "type", "pred_input_text": "a b"}, Type("a b")),
        ({"pred_action": "open_app", "pred_input_text": "Maps"}, OpenApp("Maps")),
        ({"pred_action": "complete", "pred_coord": [0, 0]}, Finish("success")),
        ({"pred_action": "impossible"}, Finish("infeasible")),
        ({"pred_action": "press_recent"}, Press("recents")),
        ({"pred_coord": [0, 0, 0, 0]}, Click(Point(0, 0))),
        ({"pred_action": "swipe"}, None),
        ({"pred_action": "CLICK"}, None),
        ({"pred_action": None}, None),
        ({"pred_coord": [math.nan, 4]}, None),
        ({"pred_coord": None}, None),
    ],
)
def test_recorded_readings(write_lines: WriteLines, changes: dict[str, Any], expected: Action | None) -> None:
    recorded = read_gui_r1(write_lines([gui_r1_row(**changes)]), "gui_odyssey").replies[0].recorded
    assert recorded is not None and recorded.action == expected
    assert bool(recorded.fault) is (expected is None)
    assert recorded.verb == (changes.get("pred_action", "click") or "")


def test_a_reading_keeps_point_and_text_of_any_verb(write_lines: WriteLines) -> None:
    row = gui_r1_row(pred_action="drag", pred_input_text="up")
    recorded = read_gui_r1(write_lines([row])).replies[0].recorded
    assert recorded is not None and (recorded.point, recorded.text) == (Point(0.25, 0.25), "up")
    del row["pred_action"]
    assert read_gui_r1(write_lines([row])).replies[0].recorded is None


def test_a_label_box_gives_its_centre(write_lines: WriteLines) -> None:
    (step,) = read_gui_r1(write_lines([gui_r1_row(gt_bbox=[100, 200, 300, 400])])).benchmark.steps
    assert step.label == Click(Point(0.2, 0.15)) and step.boxes == (Box(0.1, 0.1, 0.3, 0.2),)


@pytest.mark.parametrize("changes", [{"gt_bbox": None}, {"gt_bbox": [1]}, {"gt_bbox": [math.nan, 2]}, {"gt_bbox": "12"},
                                     {"gt_action": "fly"}, {"gt_action": "scroll"},
                                     {"gt_action": "type", "gt_input_text": None}])  # fmt: skip
def test_a_label_that_cannot_be_read_stays_as_a_fault(write_lines: WriteLines, changes: dict[str, Any]) -> None:
    made = read_gui_r1(write_lines([gui_r1_row(**changes), gui_r1_row(instruction="other")]))
    faulty = [step for step in made.benchmark.steps if step.label is None]
    assert len(faulty) == 1 and faulty[0].label_fault
    assert len(made.replies) == 2


def test_bad_rows_are_named_and_the_rest_is_kept(write_lines: WriteLines) -> None:
    rows = [gui_r1_row(), "{torn", gui_r1_row(orig_w=0), gui_r1_row(orig_h="x"), gui_r1_row(image_size=[1]),
            gui_r1_row(instruction=None), gui_r1_row(gt_action=None), gui_r1_row(orig_w=math.inf),
            gui_r1_row(pred=None, instruction="b")]  # fmt: skip
    path = write_lines(rows)
    made = read_gui_r1(path)
    assert [item.where for item in made.benchmark.unreadable] == [f"{path}:{n}" for n in range(2, 9)]
    assert [reply.text for reply in sorted(made.replies, key=lambda r: r.text is None)] == [
        "<answer>raw</answer>",
        None,
    ]
    with pytest.raises(DataError, match="no row could be read"):
        read_gui_r1(write_lines([gui_r1_row(orig_w=0)]))


def test_which_benchmark_by_name_by_fields_or_by_argument(write_lines: WriteLines) -> None:
    low = gui_r1_row()
    del low["history"]
    for rows, name, kind in (
        ([gui_r1_row()], "m__guiodyssey.jsonl", "gui_odyssey"),
        ([gui_r1_row()], "m_android_control-low.jsonl", "android_control_low"),
        ([gui_r1_row(), gui_r1_row(gt_action="complete")], "x.jsonl", "gui_odyssey"),
        ([gui_r1_row()], "y.jsonl", "android_control_high"),
        ([low], "z.jsonl", "android_control_low"),
    ):
        assert read_gui_r1(write_lines(rows, name)).benchmark.name == kind
    assert read_gui_r1(write_lines([low], "w.jsonl"), "gui_odyssey").benchmark.name == "gui_odyssey"


def test_chunks_of_a_directory_and_what_does_not_go_together(write_lines: WriteLines, tmp_path: Path) -> None:
    for n, name in enumerate(("guiodyssey_0_1", "guiodyssey_1_2", "guiodyssey_10_11")):
        write_lines([gui_r1_row(instruction=f"i{n}")], f"out/{name}.jsonl")
    made = read_gui_r1(tmp_path / "out")
    assert [(step.goal, dict(step.extra)["row"]) for step in made.benchmark.steps] == [
        (goal, n) for goal, n in sorted((s.goal, dict(s.extra)["row"]) for s in made.benchmark.steps)
    ]
    assert sorted(str(dict(s.extra)["row"]) for s in made.benchmark.steps) == ["1", "2", "3"]
    write_lines([gui_r1_row()], "out/guiodyssey.jsonl")
    with pytest.raises(DataError, match="count twice"):
        read_gui_r1(tmp_path / "out")
    write_lines([gui_r1_row()], "both/a_guiodyssey.jsonl")
    write_lines([gui_r1_row()], "both/a_androidcontrol_low.jsonl")
    with pytest.raises(DataError, match="android_control_low and gui_odyssey"):
        read_gui_r1(tmp_path / "both")


# ---- episodes


def _history(*lines: str) -> str:
    return " \n" + ("".join(f"Step {n}: {line}\n" for n, line in enumerate(lines, 1)) + "\n" if lines else "None\n")


def test_histories_are_read_as_they_are_written() -> None:
    assert read_history(" \nNone\n") == read_history("") == read_history(_history())
    read = read_history(_history("open it ", "TYPE [two\nlines Step 9: no]"))
    assert (read.depth, read.last) == (2, "TYPE [two\nlines Step 9: no]")
    assert read.parent == "Step 1: open it " and read_history(f" \n{read.parent}\n\n").depth == 1


def _odyssey_rows() -> list[dict[str, Any]]:
    """Two episodes of one instruction and device that part at the first click, one of them turned half-way."""
    say = {"gt_bbox": [-100, -100]}
    a, b = "CLICK <point>[[500,500]]</point>", "CLICK <point>[[100,500]]</point>"
    return [
        gui_r1_row(history=_history(a, "TYPE [hello world]"), gt_action="complete", **say),
        gui_r1_row(history=_history(), gt_bbox=[100, 1000]),
        gui_r1_row(history=_history(b), gt_action="press_home", orig_w=2000, orig_h=1000, **say),
        gui_r1_row(history=_history()),
        gui_r1_row(history=_history(a), gt_action="type", gt_input_text="hello", **say),
        gui_r1_row(history=_history(b, "PRESS_HOME"), gt_action="impossible", **say),
        gui_r1_row(instruction="another", history=_history()),
    ]


def test_episodes_are_linked_by_history_action_and_device(write_lines: WriteLines) -> None:
    made = read_gui_r1(write_lines(_odyssey_rows()), "gui_odyssey").benchmark
    rows = {tuple(dict(step.extra)["row"] for step in episode.steps) for episode in made.episodes}
    assert rows == {(4, 5, 1), (2, 3, 6), (7,)}
    assert all([step.index for step in episode.steps] == list(range(len(episode.steps))) for episode in made.episodes)
    typed = next(step for step in made.steps if isinstance(step.label, Type))
    assert typed.label == Type("hello") and dict(typed.extra)["full_text"] == "hello world"


def test_ids_depend_on_content_not_on_order(write_lines: WriteLines) -> None:
    rows = _odyssey_rows()
    first = read_gui_r1(write_lines(rows), "gui_odyssey").benchmark
    second = read_gui_r1(write_lines([*rows[3:], *rows[:3]], "other.jsonl"), "gui_odyssey").benchmark
    assert {step.id: step.label for step in first.steps} == {step.id: step.label for step in second.steps}
    assert len({step.id for step in first.steps}) == 7


def test_equal_rows_get_ids_of_their_own(write_lines: WriteLines) -> None:
    for kind in ("gui_odyssey", "android_control_low"):
        made = read_gui_r1(write_lines([gui_r1_row()] * 3), kind)  # type: ignore[arg-type]
        assert len({step.id for step in made.benchmark.steps}) == 3
        assert {reply.step for reply in made.replies} == {step.id for step in made.benchmark.steps}


def test_a_missing_row_does_not_tear_its_episode(write_lines: WriteLines) -> None:
    lows = ["a", "b", "c"]
    rows = [gui_r1_row(history=_history(*lows[:n])) for n in (0, 1, 3)]
    made = read_gui_r1(write_lines(rows), "android_control_high").benchmark
    assert [[step.index for step in episode.steps] for episode in made.episodes] == [[0, 1, 3]]


# ---- the join


def _labels(*episodes: Episode) -> Benchmark:
    return Benchmark("android_control", "test_7708", episodes)


def _labelled(episode: str, goal: str, *steps: tuple[str, Action]) -> Episode:
    made = tuple(
        Step(id=f"{episode}/{i}", episode=episode, index=i, goal=goal, low=low, label=label, screen=(1000, 2000),
             boxes=(Box(0, 0, 1, 1),), box_source="candidates")
        for i, (low, label) in enumerate(steps)
    )  # fmt: skip
    return Episode(episode, goal, made, ("IDD",))


def _click(x: float, y: float) -> Click:
    return Click(Point(x / 1000, y / 2000))


def test_high_rows_are_joined_by_goal_and_history(write_lines: WriteLines) -> None:
    same = [("tap", _click(500, 1000)), ("tap", _click(500, 1000)), ("tap", _click(900, 1000))]
    labels = _labels(_labelled("7", "goal", *same), _labelled("8", "other", *same))
    rows = [gui_r1_row(history=_history("tap"), gt_bbox=[503, 997]), gui_r1_row(), gui_r1_row(instruction="unknown")]
    joined = join_android_control(read_gui_r1(write_lines(rows), "android_control_high"), labels)
    assert {dict(s.extra)["row"]: s.id for s in joined.benchmark.steps if s.episode == "7"} == {1: "7/1", 2: "7/0"}
    assert (joined.certain, joined.chosen, len(joined.unjoined)) == (2, 0, 1)
    step = next(step for step in joined.benchmark.steps if step.id == "7/1")
    assert step.label == Click(Point(0.503, 0.4985))  # its own label
    assert dict(step.extra)["file_label"] == _click(500, 1000)
    assert (step.boxes, step.box_source, step.low) == ((Box(0, 0, 1, 1),), "candidates", "tap")
    assert joined.benchmark.episodes[0].tags == ("IDD",)
    assert {reply.step for reply in joined.replies} == {step.id for step in joined.benchmark.steps}
    assert missing_from(labels, joined.replies) == ("7/2", "8/0", "8/1", "8/2")
    assert any("2 of 3 rows joined" in note for note in joined.benchmark.notes)


def test_low_rows_are_joined_by_instruction_content_and_nearest_point(write_lines: WriteLines) -> None:
    labels = _labels(
        _labelled("1", "g", ("tap", _click(100, 100)), ("up", Swipe("up", word="down")), ("type", Type("a b"))),
        _labelled("2", "g", ("tap", _click(107, 100)), ("up", Swipe("down", word="up")), ("type", Type(" b"))),
    )
    say = {"gt_bbox": [-100, -100], "instruction": "type", "gt_action": "type"}
    rows = [
        gui_r1_row(instruction="tap", gt_bbox=[106, 99]),
        gui_r1_row(instruction="tap", gt_bbox=[104, 99]),
        gui_r1_row(instruction="tap", gt_bbox=[104, 99]),
        gui_r1_row(instruction="up", gt_action="scroll", gt_input_text="UP", gt_bbox=[-100, -100]),
        gui_r1_row(**say, gt_input_text="a"),
        gui_r1_row(**say, gt_input_text=""),
    ]
    joined = join_android_control(read_gui_r1(write_lines(rows), "android_control_low"), labels)
    by_row = {dict(step.extra)["row"]: step.id for step in joined.benchmark.steps}
    assert by_row[1] == "2/0" and "1/0" in {by_row[2], by_row[3]}
    assert (by_row[4], by_row[5], by_row[6]) == ("2/1", "1/2", "2/2")
    assert len(joined.unjoined) == 1
    assert {step.goal for step in joined.benchmark.steps} == {"g", "tap"}


def test_whole_texts_from_the_label_file_and_from_histories(write_lines: WriteLines) -> None:
    labels = _labels(_labelled("1", "g", ("open", OpenApp("To Do List")), ("tap", _click(100, 100))))
    rows = [gui_r1_row(instruction="open", gt_action="open_app", gt_input_text="To"),
            gui_r1_row(instruction="tap", gt_bbox=[102, 100])]  # fmt: skip
    joined = join_android_control(read_gui_r1(write_lines(rows), "android_control_low"), labels).benchmark
    assert [step.label for step in with_whole_texts(joined).steps] == [OpenApp("To Do List"), joined.steps[1].label]
    made = with_whole_texts(read_gui_r1(write_lines(_odyssey_rows()), "gui_odyssey").benchmark)
    assert [step.label for step in made.steps if isinstance(step.label, Type)] == [Type("hello world")]
    assert made.notes[0] == "labels: the rows' own, 1 texts made whole"


def test_equal_rows_are_assigned_in_order(write_lines: WriteLines) -> None:
    labels = _labels(*(_labelled(str(n), "g", ("go", Wait())) for n in range(4)))
    rows = [gui_r1_row(instruction="go", gt_action="wait", gt_bbox=[-100, -100])] * 3
    joined = join_android_control(read_gui_r1(write_lines(rows), "android_control_low"), labels)
    assert [(dict(s.extra)["row"], s.id) for s in joined.benchmark.steps] == [(1, "0/0"), (2, "1/0"), (3, "2/0")]


def test_a_far_point_or_another_word_is_not_joined(write_lines: WriteLines) -> None:
    labels = _labels(_labelled("1", "goal", ("tap", _click(500, 1000))))
    for changes in ({"gt_bbox": [511, 1000]}, {"gt_action": "wait"}, {"gt_bbox": None}):
        made = join_android_control(read_gui_r1(write_lines([gui_r1_row(**changes)]), "android_control_high"), labels)
        assert len(made.unjoined) == 1 and len(made.replies) == 1
        assert made.benchmark.steps[0].id == made.replies[0].step


def test_odyssey_rows_are_not_joined(write_lines: WriteLines) -> None:
    with pytest.raises(DataError, match="gui_odyssey"):
        join_android_control(read_gui_r1(write_lines([gui_r1_row()]), "gui_odyssey"), _labels())
