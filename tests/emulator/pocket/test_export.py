"""Expert episodes in AndroidControl's schema, and their way back through the offline loader."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from emulator.pocket.experts.driver import Action
from emulator.pocket.experts.episodes import ERRANDS
from emulator.pocket.export import (
    ExportError,
    android_control_action,
    expert_episodes,
    export_android_control,
    scroll_word,
)
from emulator.tfrecord import read_examples

SMALL = (540, 1200)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("export")
    export_android_control(target, episodes=len(ERRANDS), size=SMALL, seed=3, shard_size=4)
    return target


def test_the_schema_is_androidcontrols(folder: Path) -> None:
    pytest.importorskip("android_env")
    from android_env.proto.a11y.android_accessibility_forest_pb2 import AndroidAccessibilityForest

    files = sorted(folder.glob("android_control-*"))
    assert [file.name for file in files] == ["android_control-00000-of-00002", "android_control-00001-of-00002"]
    assert files[0].read_bytes()[:2] == b"\x1f\x8b"
    examples = [example for file in files for example in read_examples(file)]
    assert [example["episode_id"] for example in examples] == [[i] for i in range(len(ERRANDS))]
    kinds = set()
    for example in examples:
        steps = len(example["actions"])
        assert steps >= 2 and len(example["step_instructions"]) == steps
        for name in ("screenshots", "accessibility_trees", "screenshot_widths", "screenshot_heights"):
            assert len(example[name]) == steps + 1
        for png in example["screenshots"]:
            assert Image.open(io.BytesIO(png)).size == SMALL  # type: ignore[arg-type]
        for tree in example["accessibility_trees"]:
            assert AndroidAccessibilityForest.FromString(tree).windows
        for raw in example["actions"]:
            assert isinstance(raw, bytes)
            action = json.loads(raw)
            kinds.add(action["action_type"])
            if "x" in action:
                assert 0 <= action["x"] < 540 and 0 <= action["y"] < 1200
    assert kinds == {"click", "scroll", "input_text", "open_app", "navigate_back", "navigate_home", "wait"}
    assert json.loads((folder / "splits.json").read_text())["test"] == list(range(len(ERRANDS)))


def test_the_offline_loader_reads_it_back(folder: Path) -> None:
    pytest.importorskip("android_env")
    android_control = pytest.importorskip("solar_eval.benchmarks.android_control")
    from solar_eval.actions import Click, Swipe

    benchmark = android_control.load_tfrecords(folder)
    assert not benchmark.unreadable
    assert len(benchmark.episodes) == len(ERRANDS)
    labels = [step.label for episode in benchmark.episodes for step in episode.steps]
    assert any(isinstance(label, Click) for label in labels) and any(isinstance(label, Swipe) for label in labels)
    swipe = next(label for label in labels if isinstance(label, Swipe))
    assert swipe.direction == "up", "the raw word `down` is a finger that moves up"


def test_same_seed_same_bytes(tmp_path: Path, folder: Path) -> None:
    export_android_control(tmp_path, episodes=len(ERRANDS), size=SMALL, seed=3, shard_size=4)
    for file in folder.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()
    other = next(iter(expert_episodes(1, SMALL, seed=4, errands=[ERRANDS[4]])))
    assert other["goal"] != next(iter(expert_episodes(1, SMALL, seed=5, errands=[ERRANDS[4]])))["goal"]


def test_every_errand_reaches_its_goal_at_many_seeds() -> None:
    assert len(list(expert_episodes(18, SMALL, seed=100))) == 18


@pytest.mark.parametrize(
    ("end", "word"), [((50, 10), "down"), ((50, 90), "up"), ((10, 50), "right"), ((90, 50), "left")]
)
def test_scroll_words_are_what_is_revealed(end: tuple[int, int], word: str) -> None:
    assert scroll_word((50, 50), end) == word


def test_what_the_schema_has_no_word_for_is_an_error() -> None:
    with pytest.raises(ExportError, match="no action for key 'ENTER'"):
        android_control_action(Action("key", text="ENTER"), str)
