"""The table, loading by name, id lists, subsets as functions, and counts that are the same for the same content."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from solar_eval.actions import Click, Finish, Point, Wait
from solar_eval.benchmarks.counts import counts, labels_sha256
from solar_eval.benchmarks.subsets import SUBSETS, append_finish, apply_subset, read_id_lists, read_step_ids, tagged
from solar_eval.benchmarks.table import BENCHMARKS, default_data, listing, load, spec_of, subset_listing
from solar_eval.errors import DataError, UsageError
from solar_eval.records import Benchmark, Episode, Step, Unreadable


def _episode(name: str, n: int = 2) -> Episode:
    labels = [Click(Point(0.5, 0.5)), Wait(), Click(Point(2.0, 0.5))]
    steps = tuple(
        Step(id=f"{name}/{i}", episode=name, index=i, goal="g", low=f"l{i}", label=labels[i % 3], screen=(10, 20))
        for i in range(n)
    )
    return Episode(name, "g", steps)


def _benchmark(*episodes: Episode) -> Benchmark:
    return Benchmark("android_control", "", episodes, notes=("a note",))


def test_names_levels_and_subsets() -> None:
    assert {name: BENCHMARKS[name].level for name in BENCHMARKS if name.startswith("android")} == {
        "android_control": None, "android_control_high": "high", "android_control_low": "low",
    }  # fmt: skip
    assert set(BENCHMARKS) >= {f"gui_odyssey_{split}" for split in ("random", "task", "device", "app")}
    for spec in BENCHMARKS.values():
        assert spec.default in spec.subsets and spec.where and spec.files and spec.what
    assert spec_of("gui_odyssey_task").subsets == ("task_v1", "task_v2", "task")
    assert [row["name"] for row in listing()] == list(BENCHMARKS)
    assert {row["name"]: row["steps"] for row in subset_listing()}["val_test_10161"] == 10_161
    json.dumps([listing(), subset_listing()])


@pytest.mark.parametrize(
    ("name", "subset", "hint"),
    [("android_kontrol", "", "android_control"), ("gui_odyssey", "randm", "random"),
     ("android_control", "7708", "test_7708")],
)  # fmt: skip
def test_a_wrong_name_gets_a_suggestion(tmp_path: Path, name: str, subset: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        load(name, tmp_path, subset)


def test_default_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOLAR_EVAL_DATA", raising=False)
    assert default_data("android_control_low") == Path("data/android_control")
    monkeypatch.setenv("SOLAR_EVAL_DATA", "/d")
    assert default_data("gui_odyssey_app") == Path("/d/gui_odyssey")


def test_several_label_files_need_a_choice(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl.gz"):
        (tmp_path / name).write_text("")
    with pytest.raises(DataError, match=r"a\.jsonl, b\.jsonl\.gz"):
        load("android_control", tmp_path)


def test_a_subset_by_ids_keeps_their_order_and_the_rest_as_history() -> None:
    made = apply_subset(_benchmark(_episode("1", 3), _episode("2"), _episode("3")), "test_7708", ["2/1", "1/0", "9/0"])
    assert [episode.id for episode in made.episodes] == ["2", "1"]
    assert [step.id for step in made.scored_steps] == ["2/1", "1/0"]
    assert [step.id for step in made.steps if step.history_only] == ["2/0", "1/1", "1/2"]
    assert any("1 steps of the id list are not in the data" in note for note in made.notes)
    with pytest.raises(DataError, match="list of its step ids"):
        apply_subset(made, "test_7708")


def test_dropped_kinds_stay_as_history_once() -> None:
    once = apply_subset(_benchmark(_episode("1", 3)), "test_7868")
    twice = apply_subset(once, "test_7868")
    assert [step.id for step in once.scored_steps] == ["1/0", "1/2"]
    assert once.episodes == twice.episodes


def test_append_finish_once() -> None:
    once = append_finish(_benchmark(_episode("1"), _episode("2")))
    assert [(s.id, s.appended) for s in once.steps if s.label == Finish()] == [("1/2", True), ("2/2", True)]
    assert append_finish(once) == once


def test_id_lists(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("episode_140_screenshot_0\nepisode_3-screenshot_12.png\n\nepisode_140_screenshot_0\n")
    assert read_step_ids(path) == ["140/0", "3/12"]
    path.write_text("episode_1_screenshot_0\nnonsense\n")
    with pytest.raises(DataError, match=r"ids\.txt:2"):
        read_step_ids(path)
    path.write_text('{"a": [1, "2"], "b": []}')
    assert read_id_lists(path) == {"a": frozenset({"1", "2"}), "b": frozenset()}
    for content in ('{"a": 3}', "[1]", "{", "\xff"):
        path.write_text(content, encoding="latin-1")
        with pytest.raises(DataError, match=r"ids\.txt"):
            read_id_lists(path)
    with pytest.raises(DataError, match="can't be read"):
        read_step_ids(tmp_path / "none")


def test_counts() -> None:
    whole = _benchmark(_episode("1", 3), _episode("2"))
    faulty = replace(whole.episodes[1].steps[0], label=None, label_fault="why")
    episodes = (whole.episodes[0], replace(whole.episodes[1], steps=(faulty, whole.episodes[1].steps[1])))
    made = tagged(
        replace(whole, episodes=episodes, unreadable=(Unreadable("f:1", "torn"),)), {"IDD": {"2"}, "x": {"1", "2"}}
    )
    shown = counts(made)
    assert shown == {
        "name": "android_control", "subset": "", "episodes": 2, "steps": 5, "history_only": 0, "appended": 0,
        "kinds": {"click": 2, "wait": 2},
        "tags": {"IDD": {"episodes": 1, "steps": 2}, "x": {"episodes": 2, "steps": 5}},
        "screens": {"10x20": 5}, "boxes": {"none": 2, "without": 2},
        "label_faults": {"n": 1, "first": ["2/0: why"]}, "labels_out_of_range": ["1/2"],
        "unreadable": {"n": 1, "first": ["f:1: torn"]}, "labels_sha256": labels_sha256(made.steps), "notes": ["a note"],
    }  # fmt: skip
    assert json.loads(json.dumps(shown)) == shown


def test_the_hash_is_of_content_not_of_order() -> None:
    steps = _episode("1", 3).steps
    first = labels_sha256(steps)
    assert labels_sha256(steps[::-1]) == first
    for changes in ({"label": Wait()}, {"low": "\ud800"}, {"goal": "h"}, {"screen": (10, 21)}, {"boxes": ()}):
        assert labels_sha256([replace(steps[0], **changes), *steps[1:]]) != first  # type: ignore[arg-type]


def test_every_subset_says_who_uses_it() -> None:
    assert all(subset.used_by for subset in SUBSETS.values())
    assert all(str(subset.steps) in name for name, subset in SUBSETS.items() if name != "all")


def test_importing_the_table_is_light() -> None:
    code = "import sys, solar_eval.benchmarks.table, solar_eval.benchmarks.reply_files; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert loaded.isdisjoint({"numpy", "pandas", "scipy", "PIL", "google.protobuf", "android_env", "torch", "openai"})
