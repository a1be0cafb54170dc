"""Qwen-space label lines: made here for every way they can be odd, and the real files for their counts and evidence."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmark_fakes import png

from solar_eval.actions import OPPOSITE, Box, Click, Finish, OpenApp, Point, Swipe, Type
from solar_eval.benchmarks.android_control_jsonl import Options, load_jsonl
from solar_eval.benchmarks.counts import counts
from solar_eval.benchmarks.labels import from_android_control
from solar_eval.benchmarks.screens import infer
from solar_eval.benchmarks.table import load
from solar_eval.errors import DataError, UsageError
from solar_eval.records import Benchmark

WriteLines = Callable[..., Path]


def _click(**changes: Any) -> dict[str, Any]:
    label = {"action": "click", "coordinate": [540, 1200], "candidate_bbox": [[0, 0, 1080, 2400]]} | changes
    return {"action_content": {"action": "click", "coordinate": [540, 1200]}, "check_options": label,
            "screenshot": "/d/images/5_0.png", "step_instruction": "tap it"}  # fmt: skip


def _swipe(check: dict[str, Any] | None, start: list[float], end: list[float]) -> dict[str, Any]:
    content = {"action": "swipe", "coordinate": start, "coordinate2": end}
    return {"action_content": content, "screenshot": "x"} | ({"check_options": check} if check is not None else {})


def _episode(*steps: Any, number: int = 5) -> dict[str, Any]:
    return {"goal": "g", "is_successful": True, "episode_id": number, "steps": list(steps)}


def test_a_step(write_lines: WriteLines) -> None:
    (step,) = load_jsonl(write_lines([_episode(_click())])).steps
    assert (step.id, step.goal, step.low, step.screen) == ("5/0", "g", "tap it", (1080, 2400))
    assert step.label == Click(Point(0.5, 0.5))
    assert (step.boxes, step.box_source) == ((Box(0, 0, 1, 1),), "candidates")


def test_a_word_is_flipped_and_the_drawn_points_are_not_read(write_lines: WriteLines) -> None:
    steps = [_swipe({"action": "swipe", "direction": word}, [540, 600], [540, 1800]) for word in OPPOSITE]
    made = load_jsonl(write_lines([_episode(*steps)]))
    assert [step.label for step in made.steps] == [Swipe(finger, word=word) for word, finger in OPPOSITE.items()]


def test_s04_two_points_in_check_options_are_the_finger(write_lines: WriteLines) -> None:
    check = {"action": "swipe", "coordinate": [540, 1500], "coordinate2": [540, 500]}
    (step,) = load_jsonl(write_lines([_episode(_swipe(check, [540, 1500], [540, 500]))])).steps
    assert isinstance(step.label, Swipe) and step.label.finger == "up"
    assert step.screen == (1080, 2400)


def test_without_check_options_the_line_is_the_raw_word(write_lines: WriteLines) -> None:
    path = write_lines([_episode(_swipe(None, [540, 600], [540, 1800]))])
    made = load_jsonl(path)
    assert made.steps[0].label == Swipe("up", word="down")
    assert any("1 swipes have no direction word" in note for note in made.notes)
    other = load_jsonl(path, Options(paths="finger")).steps[0].label
    assert isinstance(other, Swipe) and other.finger == "down" and other.word is None


def test_terminate_counts_as_appended_and_finish_is_not_appended_twice(write_lines: WriteLines) -> None:
    end = {"action_content": {"action": "terminate", "status": "success"}, "screenshot": "5_1.png"}
    made = load_jsonl(write_lines([_episode(_click(), end), _episode(_click(), number=6)]), Options(finish=True))
    assert [(s.id, s.label == Finish("success"), s.appended) for s in made.steps] == [
        ("5/0", False, False), ("5/1", True, True), ("6/0", False, False), ("6/1", True, True),
    ]  # fmt: skip


def test_boxes_beside_open_are_the_icons(write_lines: WriteLines) -> None:
    check = {"action": "open", "text": "Clock", "candidate_bbox": [[0, 0, 540, 240]] * 4}
    (step,) = load_jsonl(write_lines([_episode({"action_content": {}, "check_options": check})])).steps
    assert step.label == OpenApp("Clock")
    assert dict(step.extra)["icon_boxes"] == (Box(0, 0, 0.5, 0.1),) * 4
    assert step.boxes is None


def test_an_empty_box_list_is_known_to_be_empty(write_lines: WriteLines) -> None:
    (step,) = load_jsonl(write_lines([_episode(_click(candidate_bbox=[]))])).steps
    assert (step.boxes, step.box_source) == ((), "candidates")


def test_odd_boxes_leave_the_label_and_are_named(write_lines: WriteLines) -> None:
    path = write_lines([_episode(_click(candidate_bbox=[[1, 2, 3]]), _click(candidate_bbox=[0, 0, 1080, 2400]))])
    made = load_jsonl(path)
    assert made.steps[0].label is not None and made.steps[0].boxes is None
    assert made.steps[1].boxes == (Box(0, 0, 1, 1),)
    (bad,) = made.unreadable
    assert bad.where == f"{path}:1 step 5/0" and "candidate_bbox" in bad.why


@pytest.mark.parametrize(
    "step",
    [_click(coordinate=[math.nan, 1]), _click(coordinate=None), {"check_options": {"action": "click"}}, {}, None, 7,
     {"action_content": "click"}, {"action_content": {"action": ["click"]}}],
)  # fmt: skip
def test_a_label_that_cannot_be_read_stays_as_a_fault(write_lines: WriteLines, step: object) -> None:
    made = load_jsonl(write_lines([_episode(step, _click())]))
    assert made.steps[0].label is None and made.steps[0].label_fault
    assert made.steps[1].label is not None
    faults = counts(made)["label_faults"]
    assert isinstance(faults, dict) and faults["n"] == 1 and "5/0" in faults["first"][0]


def test_bad_lines_are_named_and_the_rest_is_kept(write_lines: WriteLines) -> None:
    rows = [_episode(_click()), "{torn", {"goal": "g", "steps": []}, {"steps": [_click()]}, _episode(_click()),
            _episode(_click(), number=6)]  # fmt: skip
    path = write_lines(rows)
    made = load_jsonl(path)
    assert [e.id for e in made.episodes] == ["5", "6"]
    assert [item.where for item in made.unreadable] == [f"{path}:{n}" for n in (2, 3, 4, 5)]
    assert f"{path}:1" in made.unreadable[3].why


def test_nothing_readable_is_an_error(write_lines: WriteLines) -> None:
    with pytest.raises(DataError, match="no episode could be read"):
        load_jsonl(write_lines(["{", "[]"]))


def test_pictures_decide_the_screen_and_a_missing_one_is_named(write_lines: WriteLines, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "5_0.png").write_bytes(png(2160, 2400))
    (tmp_path / "images" / "5_1.png").write_bytes(b"no picture")
    path = write_lines([_episode(_click(), _click(screenshot="5_1.png") | {"screenshot": "a/5_1.png"})])
    made = load_jsonl(path, Options(images=tmp_path / "images", finish=True))
    assert made.steps[0].label == Click(Point(0.25, 0.5))
    assert made.steps[0].screenshot is not None and made.steps[0].screenshot() == png(2160, 2400)
    assert len(made.unreadable) == 1 and "5_1.png" in made.unreadable[0].why
    assert made.steps[2].screenshot is not None
    with pytest.raises(DataError, match=r"5_2\.png"):
        made.steps[2].screenshot()


def test_screens_by_drawn_paths_and_points() -> None:
    assert infer([], [(720, 780, 720, 2340)]) == (1440, 3120)
    assert infer([], [(540.0000001, 540, 540, 1620)]) == (1080, 2160)
    assert infer([], [(270, 1200, 810, 1200)]) == (1080, 2400)
    assert infer([], [(500, 500, 500, 1500)]) == (1080, 2400)  # fits none: no evidence
    assert infer([(1300, 5)], []) == (1440, 3120)
    assert infer([(math.nan, 5)], [(0, 0, 0, 0)]) == (1080, 2400)


# ---- the real files


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "android_control"


@pytest.fixture(scope="module")
def official(folder: Path) -> Benchmark:
    return load("android_control", folder)


@pytest.mark.shared
def test_counts_of_the_official_test_split(official: Benchmark) -> None:
    made = counts(official)
    assert (made["episodes"], made["steps"], made["unreadable"]) == (1543, 8444, {"n": 0, "first": []})
    assert made["kinds"] == {
        "click": 5074, "long_press": 9, "open_app": 608, "press": 343, "swipe": 1211, "type": 632, "wait": 567,
    }  # fmt: skip
    assert made["boxes"] == {"candidates": 5083, "without": 211}
    assert Counter(len(s.boxes) for s in official.steps if s.boxes is not None) == {0: 211, 1: 3605, 2: 969, 3: 298}
    tags = made["tags"]
    assert isinstance(tags, dict)
    assert {tag: row["episodes"] for tag, row in tags.items()} == {
        "IDD": 721, "category_unseen": 700, "app_unseen": 631, "task_unseen": 803, "split:test": 1543,
    }  # fmt: skip
    assert made["label_faults"] == {"n": 0, "first": []}
    assert made["labels_out_of_range"] == ["12571/0"]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("subset", "episodes", "kinds"),
    [
        ("test_7708", 1412, {"click": 4598, "swipe": 1138, "type": 569, "open_app": 554, "wait": 527, "press": 315,
                             "long_press": 7}),
        ("test_7868", 1543, {"click": 5074, "swipe": 1211, "type": 632, "open_app": 608, "press": 343}),
        ("test_9987", 1543, {"click": 5074, "swipe": 1211, "type": 632, "open_app": 608, "wait": 567, "press": 343,
                             "long_press": 9, "finish": 1543}),
        ("test_9979", 1542, {"click": 5071, "swipe": 1211, "type": 631, "open_app": 607, "wait": 565, "press": 343,
                             "long_press": 9, "finish": 1542}),
    ],
)  # fmt: skip
def test_counts_of_subsets_are_the_published_ones(
    folder: Path, subset: str, episodes: int, kinds: dict[str, int]
) -> None:
    made = load("android_control_high", folder, subset)
    shown = counts(made)
    assert (shown["episodes"], shown["kinds"]) == (episodes, kinds)
    assert shown["steps"] == int(subset.partition("_")[2])
    assert not any("published are" in note for note in made.notes)


@pytest.mark.shared
def test_7868_keeps_waits_and_long_presses_as_history(folder: Path) -> None:
    made = load("android_control", folder, "test_7868")
    left_out = [step for step in made.steps if step.history_only]
    assert Counter(step.label.kind for step in left_out if step.label) == {"wait": 567, "long_press": 9}
    assert len(made.steps) == 8444


@pytest.mark.shared
def test_validation_needs_the_records(folder: Path) -> None:
    with pytest.raises(DataError, match="validation split"):
        load("android_control", folder, "val_test_10161")
    with pytest.raises(UsageError, match="test_7708"):
        load("android_control", folder, "test_7780")


@pytest.mark.shared
def test_the_raw_actions_are_the_same_labels(folder: Path, official: Benchmark) -> None:
    labels = {step.id: step for step in official.steps}
    raw = json.loads((folder / "test_steps.raw_actions.json").read_text())
    assert len(raw) == 7868
    for row in raw:
        match = re.fullmatch(r"episode_(\d+)-screenshot_(\d+)\.png", row["image"])
        assert match is not None
        step = labels[f"{match[1]}/{match[2]}"]
        assert step.label == from_android_control(row["gt"], step.screen), step.id
        assert step.low == row["task"]


@pytest.mark.shared
def test_step_instructions_show_that_raw_words_are_the_contents_direction(official: Benchmark) -> None:
    said: Counter[tuple[str | None, str]] = Counter()
    agrees: Counter[bool] = Counter()
    for step in official.steps:
        for word in OPPOSITE if isinstance(step.label, Swipe) else ():
            if f"swipe {word}" in step.low.lower():
                assert isinstance(step.label, Swipe)
                said[step.label.word, word] += 1
                agrees[step.label.direction == word] += 1
    assert (said["down", "up"], said["right", "left"], said["left", "right"], said["left", "left"]) == (419, 66, 20, 1)
    assert agrees[True] > 7 * agrees[False]


@pytest.mark.shared
def test_odd_labels_are_kept_as_they_are(official: Benchmark) -> None:
    steps = {step.id: step for step in official.steps}
    assert steps["8629/2"].label == Type('"Delicious and yummy dessert!! It is a very easy recipe"')
    assert steps["16860/2"].label == Type('"warm Wishes"')
    assert steps["17102/4"].label == Type('"iPhone 15 Pro Max (256GB) in Blue Titanium')
    assert steps["9128/0"].label == OpenApp("\xa0Word Office")
    assert steps["19242/0"].label == OpenApp("Audio\xadmack")
    assert steps["11843/0"].label == OpenApp("Dictionary")
    icons = dict(steps["11843/0"].extra)["icon_boxes"]
    assert isinstance(icons, tuple) and len(icons) == 4
    label = steps["12571/0"].label
    assert isinstance(label, Click) and label.point.y > 1


@pytest.mark.shared
def test_the_training_sample(folder: Path) -> None:
    made = load_jsonl(folder / "train_sample.qwen_space.jsonl")
    kinds = counts(made)["kinds"]
    assert isinstance(kinds, dict) and kinds["finish"] == len(made.episodes) == 32
    swipes = [step.label for step in made.steps if isinstance(step.label, Swipe)]
    assert swipes == [Swipe("up", word="down")] * 19
    assert sum(step.box_source == "candidates" for step in made.steps) == 74
    with pytest.raises(DataError, match="none of its episodes is in the test split"):
        load("android_control", folder / "train_sample.qwen_space.jsonl")
    assert len(load("android_control", folder / "train_sample.qwen_space.jsonl", "all").episodes) == 32
