"""AndroidControl from TFRecords made here: labels, forests, screenshots, subsets, and damaged shards."""

from __future__ import annotations

import builtins
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmark_fakes import episode_example, forest, png

from emulator.tfrecord import Features, write_examples
from solar_eval.actions import Box, Click, Finish, OpenApp, Point, Press, Swipe, Type, Wait
from solar_eval.benchmarks.android_control import KEPT_EPISODES, Options, load_tfrecords, shards_of
from solar_eval.benchmarks.counts import counts
from solar_eval.benchmarks.subsets import FINISH_LOW
from solar_eval.benchmarks.table import load
from solar_eval.errors import DataError, UsageError

ACTIONS: list[dict[str, Any]] = [
    {"action_type": "open_app", "app_name": "Clock"},
    {"action_type": "click", "x": 20, "y": 40},
    {"action_type": "scroll", "direction": "right"},
    {"action_type": "input_text", "text": "7:30"},
    {"action_type": "wait"},
    {"action_type": "navigate_back"},
]


def _shard(folder: Path, examples: Sequence[Features], name: str = "android_control-00000-of-00001") -> Path:
    write_examples(folder / name, examples)
    return folder / name


def _data(folder: Path) -> Path:
    """Four episodes in two shards: 1 train, 2 validation, 3 and 4 test."""
    _shard(folder, [episode_example(i, ACTIONS) for i in (1, 2)], "android_control-00000-of-00002")
    _shard(folder, [episode_example(i, ACTIONS[:2]) for i in (3, 4)], "android_control-00001-of-00002")
    (folder / "splits.json").write_text(json.dumps({"train": [1], "validation": [2], "test": [3, 4]}))
    (folder / "test_subsplits.json").write_text(json.dumps({"IDD": [3], "app_unseen": [4], "task_unseen": [4]}))
    return folder


def test_labels_screens_and_instructions(tmp_path: Path) -> None:
    made = load_tfrecords(_shard(tmp_path, [episode_example(9, ACTIONS)]))
    steps = made.steps
    assert [step.label for step in steps] == [
        OpenApp("Clock"), Click(Point(0.2, 0.2)), Swipe("left", word="right"), Type("7:30"), Wait(), Press("back"),
    ]  # fmt: skip
    assert [step.id for step in steps] == [f"9/{i}" for i in range(6)]
    assert {step.screen for step in steps} == {(100, 200)}
    assert (steps[3].low, steps[3].goal) == ("step 3", "do it")
    assert made.unreadable == ()


def test_boxes_are_every_bounds_that_is_set_windows_first_on_pointing_labels(tmp_path: Path) -> None:
    trees = [forest([(0, 0, 100, 200), (10, 20, 30, 60), None, (0, 0, 0, 0)], [None, (10, 20, 30, 60)])] * 7
    made = load_tfrecords(_shard(tmp_path, [episode_example(9, ACTIONS, accessibility_trees=trees)]))
    assert made.steps[1].boxes == (
        Box(0, 0, 1, 1), Box(0.1, 0.1, 0.3, 0.3), Box(0, 0, 0, 0), Box(0.1, 0.1, 0.3, 0.3),
    )  # fmt: skip
    assert made.steps[1].box_source == "forest"
    assert all(step.boxes is None and step.box_source == "none" for i, step in enumerate(made.steps) if i != 1)


def test_screenshots_come_from_the_shard_in_any_order(tmp_path: Path) -> None:
    n = KEPT_EPISODES + 4
    made = load_tfrecords(_shard(tmp_path, [episode_example(i, ACTIONS[:1]) for i in range(n)]), Options(finish=True))
    for i in (0, n - 1, 3, 0, n - 2):
        first, last = made.episodes[i].steps
        assert first.screenshot is not None and last.screenshot is not None
        assert first.screenshot() == png(100, 200, i % 10)
        assert last.screenshot() == png(100, 200, 10 + i % 10)


def test_finish_is_appended_on_the_last_screenshot(tmp_path: Path) -> None:
    last = load_tfrecords(_shard(tmp_path, [episode_example(9, ACTIONS)]), Options(finish=True)).steps[-1]
    assert (last.id, last.label, last.appended, last.low) == ("9/6", Finish("success"), True, FINISH_LOW)
    assert last.screenshot is not None and last.screenshot() == png(100, 200, 69)


@pytest.mark.parametrize(
    ("subset", "episodes", "scored", "history", "appended"),
    [("test_8444", 2, 4, 0, 0), ("test_9987", 2, 6, 0, 2), ("val_test_10814", 3, 13, 0, 3),
     ("val_test_10161", 3, 10, 3, 3), ("test_7868", 2, 4, 0, 0), ("all", 4, 16, 0, 0)],
)  # fmt: skip
def test_subsets(tmp_path: Path, subset: str, episodes: int, scored: int, history: int, appended: int) -> None:
    made = counts(load("android_control_low", _data(tmp_path), subset))
    assert (made["episodes"], made["steps"], made["history_only"], made["appended"]) == (
        episodes,
        scored,
        history,
        appended,
    )
    if subset != "all":
        assert any("published are" in note for note in made["notes"])  # type: ignore[attr-defined]


def test_splits_and_sub_splits_are_tags(tmp_path: Path) -> None:
    made = load("android_control", _data(tmp_path), "val_test_10814")
    assert {e.id: e.tags for e in made.episodes} == {
        "2": ("split:validation",), "3": ("split:test", "IDD"), "4": ("split:test", "app_unseen", "task_unseen"),
    }  # fmt: skip


def test_test_episodes_by_the_sub_splits_where_splits_json_is_missing(tmp_path: Path) -> None:
    (_data(tmp_path) / "splits.json").unlink()
    assert [e.id for e in load("android_control", tmp_path).episodes] == ["3", "4"]
    with pytest.raises(DataError, match="'train' is missing"):
        load("android_control", tmp_path, "val_test_10161")


def test_shards_leave_side_files_alone(tmp_path: Path) -> None:
    assert [f.name for f in shards_of(_data(tmp_path))] == [f"android_control-0000{i}-of-00002" for i in (0, 1)]
    assert len(shards_of(tmp_path / "android_control-*")) == 2


def test_a_folder_with_both_forms_means_the_records(tmp_path: Path) -> None:
    label = {"action": "click", "coordinate": [5, 5], "candidate_bbox": []}
    line = {"goal": "g", "episode_id": 3, "steps": [{"check_options": label}]}
    (_data(tmp_path) / "android_control_evaluation_std.jsonl").write_text(json.dumps(line))
    assert load("android_control", tmp_path).steps[1].box_source == "forest"
    named = load("android_control", tmp_path / "android_control_evaluation_std.jsonl")
    assert [step.box_source for step in named.steps] == ["candidates"]


def test_no_shards_names_where_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="gs://gresearch/android_control"):
        load("android_control", tmp_path)


def test_a_truncated_shard_gives_the_episodes_before_the_cut(tmp_path: Path) -> None:
    path = _shard(tmp_path, [episode_example(i, ACTIONS) for i in range(30)])
    path.write_bytes(path.read_bytes()[:-400])
    made = load_tfrecords(path)
    assert 0 < len(made.episodes) < 30
    assert len(made.unreadable) == 1
    assert str(path) in made.unreadable[0].where and "gzip stream ends early" in made.unreadable[0].why


def test_bad_items_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    odd = [{"action_type": "click", "x": None, "y": 3}, {"action_type": "fly"}, b"{not json", b"[1]", ACTIONS[1]]
    examples = [
        episode_example(1, ACTIONS),
        episode_example(1, ACTIONS),
        episode_example(2, ACTIONS, goal=[]),
        {"x": [1]},
        episode_example(3, ACTIONS, screenshot_widths=[0] * 7),
        episode_example(4, ACTIONS, episode_id=[b"4"]),
        episode_example(5, odd, accessibility_trees=[b"\xff\xff"] * 6),  # type: ignore[arg-type]
        episode_example(6, ACTIONS[1:2], accessibility_trees=[]),
    ]
    made = load_tfrecords(_shard(tmp_path, examples))
    assert [e.id for e in made.episodes] == ["1", "5", "6"]
    faults = [step.label_fault for step in made.episodes[1].steps]
    assert all(faults[:4]) and faults[4] == ""
    assert "fly" in faults[1] and "finite number" in faults[0]
    whys = [item.why for item in made.unreadable]
    for words in ("stands at", "need one value each", "episode_id is missing", "positive values",
                  "int values are needed", "tree can't be read", "no accessibility tree"):  # fmt: skip
        assert any(words in why for why in whys), words
    assert len(whys) == 7
    assert made.episodes[1].steps[4].boxes is None


def test_missing_android_env_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("android_env"):
            raise ImportError("No module named 'android_env'")
        return real(name, *args, **kwargs)

    path = _shard(tmp_path, [episode_example(1, ACTIONS)])
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(UsageError, match=r"solar-eval\[android\]"):
        load_tfrecords(path)
    assert len(load_tfrecords(path, Options(boxes=False)).steps) == 6


def test_screenshots_that_are_not_there_say_so(tmp_path: Path) -> None:
    path = _shard(tmp_path, [episode_example(1, ACTIONS, screenshots=[png(100, 200)])])
    made = load_tfrecords(path)
    assert made.steps[0].screenshot is not None and made.steps[1].screenshot is None
    path.unlink()
    with pytest.raises(DataError, match="can't be read"):
        made.steps[0].screenshot()
