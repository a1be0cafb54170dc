"""GUI-Odyssey annotations made here in both versions: labels, splits, boxes, and what is missing or odd."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from solar_eval.actions import Box, Click, Finish, LongPress, Point, Press, Swipe, Type
from solar_eval.benchmarks.counts import counts
from solar_eval.benchmarks.gui_odyssey import load_odyssey
from solar_eval.benchmarks.table import load
from solar_eval.errors import DataError, UsageError

STEPS: list[dict[str, Any]] = [
    {"step": 0, "screenshot": "a_0.png", "action": "CLICK", "info": [[500, 250]], "ps": ""},
    {"step": 1, "screenshot": "a_1.png", "action": "CLICK", "info": "KEY_HOME", "ps": ""},
    {"step": 2, "screenshot": "a_2.png", "action": "SCROLL", "info": [[500, 800], [510, 200]], "ps": [[500, 800]]},
    {"step": 3, "screenshot": "a_3.png", "action": "TEXT", "info": "10:30", "ps": ""},
    {"step": 4, "screenshot": "a_4.png", "action": "LONG_PRESS", "info": [[100, 100]], "ps": ""},
    {"step": 5, "screenshot": "a_5.png", "action": "INCOMPLETE", "info": "", "ps": "cannot"},
]
NEW = {"description": "d", "intention": "i", "context": "c", "low_level_instruction": "tap it"}


def _annotation(name: str, steps: list[Any] | None = None, **changes: Any) -> dict[str, Any]:
    return {
        "episode_id": name,
        "device_info": {"product": "p", "h": 2400, "w": 1080, "device_name": "Medium Phone"},
        "task_info": {"category": "General_Tool", "app": ["Clock", "Maps"], "meta_task": "m", "task": "t",
                      "instruction": "do it"},
        "step_length": 6,
        "steps": STEPS if steps is None else steps,
    } | changes  # fmt: skip


def _data(folder: Path, annotations: dict[str, Any], **splits: dict[str, list[str]]) -> Path:
    (folder / "annotations").mkdir()
    (folder / "splits").mkdir()
    for name, data in annotations.items():
        text = data if isinstance(data, str) else json.dumps(data)
        (folder / "annotations" / f"{name}.json").write_text(text)
    for split, lists in splits.items():
        (folder / "splits" / f"{split}_split.json").write_text(json.dumps(lists))
    return folder


def test_version_1(tmp_path: Path) -> None:
    (tmp_path / "screenshots").mkdir()
    (tmp_path / "screenshots" / "a_0.png").write_bytes(b"pixels")
    made = load_odyssey(_data(tmp_path, {"a": _annotation("a")}, random={"train": [], "test": ["a.json"]}))
    assert [step.label for step in made.steps] == [
        Click(Point(0.5, 0.25)), Press("home"), Swipe("up", word="up"), Type("10:30"), LongPress(Point(0.1, 0.1)),
        Finish("infeasible"),
    ]  # fmt: skip
    assert made.subset == "random_v1"
    assert {step.box_source for step in made.steps} == {"none"} and {step.boxes for step in made.steps} == {None}
    first = made.steps[0]
    assert (first.id, first.goal, first.low, first.screen, first.app) == (
        "a/0",
        "do it",
        "",
        (1080, 2400),
        "Clock, Maps",
    )
    assert made.episodes[0].tags == ("category:General_Tool", "device:Medium Phone")
    assert first.screenshot is not None and first.screenshot() == b"pixels"
    assert any("published are 1933" in note for note in made.notes)
    assert made.steps[1].screenshot is not None
    with pytest.raises(DataError, match=r"a_1\.png"):
        made.steps[1].screenshot()


def test_version_2_has_boxes_and_low_instructions(tmp_path: Path) -> None:
    boxes: list[Any] = [[100, 200, 900, 300], [], [], [], [[50, 50, 150, 150]], []]
    steps = [step | NEW | {"sam2_bbox": box} for step, box in zip(STEPS, boxes, strict=True)]
    data = _data(tmp_path, {"a": _annotation("a", steps)}, task={"train": [], "test": ["a"]})
    made = load_odyssey(data, "task")
    assert made.subset == "task_v2"
    assert (made.steps[0].boxes, made.steps[0].box_source) == ((Box(0.1, 0.2, 0.9, 0.3),), "sam2")
    assert made.steps[4].boxes == (Box(0.05, 0.05, 0.15, 0.15),)
    assert made.steps[2].boxes is None
    assert made.steps[0].low == "tap it"
    with pytest.raises(DataError, match="the annotations are version 2"):
        load_odyssey(data, "task_v1")
    assert load("gui_odyssey_task", data, "task_v2").name == "gui_odyssey_task"


def test_an_empty_box_is_known_to_be_empty(tmp_path: Path) -> None:
    data = _data(tmp_path, {"a": _annotation("a", [STEPS[0] | {"sam2_bbox": []}])})
    assert load_odyssey(data, "all").steps[0].boxes == ()


@pytest.mark.parametrize("split", ["random", "task", "device", "app"])
def test_all_four_splits_and_both_parts(tmp_path: Path, split: str) -> None:
    annotations = {name: _annotation(name) for name in "abc"}
    data = _data(tmp_path, annotations, **{split: {"train": ["a.json", "b.json"], "test": ["c.json"]}})
    assert [e.id for e in load(f"gui_odyssey_{split}", data).episodes] == ["c"]
    assert [e.id for e in load_odyssey(data, split, "train").episodes] == ["a", "b"]
    assert len(load_odyssey(data, "all").episodes) == 3


def test_the_list_of_os_atlas_is_the_task_split_and_says_so(tmp_path: Path) -> None:
    data = _data(tmp_path, {"a": _annotation("a")}, task={"test": ["a.json"]})
    made = load("gui_odyssey", data, "os_atlas_17920")
    assert made.subset == "os_atlas_17920"
    assert any("not public" in note for note in made.notes) and any("17920" in note for note in made.notes)


def test_bad_items_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    odd = [STEPS[0] | {"info": [[float("nan"), 3]]}, STEPS[0] | {"action": "FLY"}, 7,
           STEPS[0] | {"sam2_bbox": [1, 2, 3]}, {"action": "SCROLL", "info": [[1, 2]]}]  # fmt: skip
    annotations: dict[str, Any] = {
        "a": _annotation("a"), "torn": '{"episode_id": "to', "list": [1], "empty": _annotation("empty", []),
        "size": _annotation("size", device_info={"w": 0, "h": 5}), "goal": _annotation("goal", task_info={}),
        "odd": _annotation("odd", odd), "again": _annotation("a"),
    }  # fmt: skip
    names = [f"{name}.json" for name in (*annotations, "absent")]
    made = load_odyssey(_data(tmp_path, annotations, random={"test": names}))
    assert [e.id for e in made.episodes] == ["a", "odd"]
    files = [item.where.rpartition("/")[2] for item in made.unreadable if "odd/" not in item.where]
    assert sorted(files) == sorted(f"{n}.json" for n in ("torn", "list", "empty", "size", "goal", "again", "absent"))
    assert sum("sam2_bbox" in item.why and "odd/3" in item.where for item in made.unreadable) == 1
    assert [bool(step.label_fault) for step in made.episodes[1].steps] == [True, True, True, False, True]
    shown = counts(made)
    assert shown["unreadable"]["n"] == 8 and shown["label_faults"]["n"] == 4  # type: ignore[index,call-overload]


def test_missing_files_say_where_they_are_to_be_had(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="OpenGVLab/GUI-Odyssey"):
        load("gui_odyssey", _data(tmp_path, {"a": _annotation("a")}))
    with pytest.raises(DataError, match="OpenGVLab/GUI-Odyssey"):
        load("gui_odyssey", tmp_path / "nowhere")
    with pytest.raises(UsageError, match="random"):
        load("gui_odyssey", tmp_path, "randon")


def test_a_split_file_of_another_shape(tmp_path: Path) -> None:
    data = _data(tmp_path, {"a": _annotation("a")}, random={"train": []})
    with pytest.raises(DataError, match="no list named 'test'"):
        load_odyssey(data)
    (data / "splits" / "random_split.json").write_text("{")
    with pytest.raises(DataError, match="not readable as JSON"):
        load_odyssey(data)
