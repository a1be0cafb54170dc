"""Curation: every filter by name and count; sources; what is too long is left out and never cut (case T07)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solar_eval.actions import Click, Finish, Point, Press, Swipe, Type
from solar_eval.asking import PromptPlan
from solar_eval.dialects import table as dialects
from solar_eval.dialects.frames import ResizeRule
from solar_eval.errors import DataError, UsageError
from solar_eval.records import Benchmark, Episode, Step
from training.curation import Curated, curate, fingerprint, fit
from training.data import SourceSpec, load_source
from training.demo import demo_world, screenshot
from training.screens import ScreenStore

PLAN = PromptPlan(dialects.get("generic_json"), "android_control")
SIZE = (56, 112)


def store() -> ScreenStore:
    return ScreenStore(ResizeRule("smart", 28, 3136, 50_000))


def step(name: str, index: int, label: Any, **changes: Any) -> Step:
    made = Step(f"{name}/{index}", name, index, f"goal {name}", "", label, SIZE, screenshot=lambda: screenshot("clear"))
    return replace(made, **changes)


def benchmark(*episodes: list[Step]) -> Benchmark:
    return Benchmark("android_control", "all", tuple(Episode(e[0].episode, e[0].goal, tuple(e)) for e in episodes))


def broken() -> bytes:
    return screenshot("clear")[:60]


def lost() -> bytes:
    raise DataError("the screenshot is missing", "somewhere.png")


def test_every_filter_is_named_counted_and_shown() -> None:
    data = benchmark(
        [step("good", 0, Click(Point(0.5, 0.5))), step("good", 1, Press("back")), step("good", 2, Finish())],
        [step("a", 0, None, label_fault="no such verb"), step("a", 1, Press("home"))],
        [step("b", 0, Swipe()), step("b", 1, Press("home"))],
        [step("c", 0, Press("home"), screenshot=broken), step("c", 1, Press("back"), screenshot=lost)],
        [step("d", 0, Press("home"), screenshot=None)],
        [step("f", 0, Press("home"), extra=(("history_only", True),)), step("f", 1, Press("back"))],
        [step("g", 0, Click(Point(float("nan"), 0.5)))],
    )  # fmt: skip
    made = curate(data, "android_control", PLAN, store())
    assert [task.id for task in made.whole] == ["good"]
    assert [[s.step.id for s in task.steps] for task in made.loose] == [["a/1"], ["b/1"], ["f/1"]]
    report = made.report
    assert report.dropped == {
        "label unreadable": 1, "label fails its own scorer": 2, "screenshot unreadable": 2, "screenshot missing": 1,
        "history only": 1,
    }  # fmt: skip
    assert report.dropped_episodes == {"a step was left out": 6}
    assert (report.steps, report.kept_steps, report.episodes, report.kept_episodes) == (13, 6, 7, 1)
    assert json.loads(json.dumps(report.to_json()))["examples"]["label unreadable"] == ["a/0: no such verb"]
    told = "\n".join(report.lines())
    assert "6 of 13 steps, 1 of 7 whole episodes kept" in told
    assert "1 steps left out: label unreadable (for instance a/0: no such verb)" in told


def test_labels_the_dialect_can_not_say() -> None:
    solar = PromptPlan(dialects.get("solar"), "android_control")
    data = benchmark([step("a", 0, Type("pear", submit=True)), step("a", 1, Press("back"))])
    made = curate(data, "android_control", solar, store())
    assert made.report.dropped == {"dialect has no words for the label": 1}
    assert [s.step.id for s in made.steps] == ["a/1"]


def test_duplicates_go_and_other_labels_on_the_same_screen_stay() -> None:
    def episode(name: str, goal: str, label: Any) -> list[Step]:
        return [step(name, 0, label, goal=goal)]

    back, home = Press("back"), Press("home")
    data = benchmark(episode("a", "x", back), episode("b", "x", back), episode("c", "x", home), episode("d", "y", back))
    made = curate(data, "android_control", PLAN, store())
    assert [task.id for task in made.whole] == ["a", "c", "d"]
    assert made.report.dropped == {"duplicate": 1}
    assert fingerprint(made.whole[0].steps) != fingerprint(made.whole[1].steps)


def test_the_resized_size_stands_with_every_step_and_coordinates_refer_to_it() -> None:
    from training.curation import frame_of

    data = benchmark([step("a", 0, Click(Point(0.5, 0.25)), screen=(1080, 2400))])
    pixels = PromptPlan(dialects.get("qwen2_5_vl"), "android_control")
    made = curate(data, "android_control", pixels, ScreenStore(ResizeRule("smart", 28, 12_544, 50_000)))
    (one,) = made.steps
    assert one.image == (84, 168)
    assert '"coordinate": [42, 42]' in pixels.dialect.render(Click(Point(0.5, 0.25)), frame_of(pixels.dialect, one))


def test_too_long_with_expanded_image_tokens_is_left_out_whole(cases: dict[str, Any]) -> None:
    """Case T07: 9,214 tokens for 9,861 features came from cutting inside the placeholders; here nothing is cut."""
    assert "prompt too long" in cases["T07"]["expected"]["error_before_step"]
    data = benchmark([step("a", i, Press("back")) for i in range(3)], [step("b", 0, Press("home"))])
    made = curate(data, "android_control", PLAN, store())
    prompt = {"a/0": 100, "a/1": 121, "a/2": 100, "b/0": 120}
    fitted = fit(made, lambda one: (prompt[one.step.id], 30 if one.step.id == "a/2" else 8), 140, 20)
    assert [task.id for task in fitted.whole] == ["b"]
    assert [s.step.id for s in fitted.loose[0].steps] == ["a/0"]
    assert fitted.report.dropped == {"too long prompt": 1, "too long reply": 1}
    assert fitted.report.examples["too long prompt"] == ["a/1: 121 + 20 of 140 tokens"]
    assert fitted.report.dropped_episodes == {"a step was left out": 1}
    assert (fitted.report.kept_steps, fitted.report.kept_episodes) == (2, 1)


def test_noisy_demonstrations_keep_the_label_and_the_seed_decides() -> None:
    made = [curate(demo_world(40), "android_control", PLAN, store(), noise=0.5, seed=s) for s in (1, 1, 2)]
    wrong = [[one.step.id for one in m.steps if one.target != one.step.label] for m in made]
    assert wrong[0] == wrong[1] != wrong[2]
    assert 0.3 < len(wrong[0]) / len(made[0].steps) < 0.7
    assert all(one.step.label is not None for one in made[0].steps)


def test_histories_are_the_labels_of_earlier_steps() -> None:
    made = curate(demo_world(4), "android_control", PLAN, store())
    for task in made.whole:
        for index, one in enumerate(task.steps):
            assert [turn.action for turn in one.history] == [s.step.label for s in task.steps[:index]]
            assert list(one.screens) == [index]


def test_without_plan_and_store_nothing_is_asked_of_text_or_pictures() -> None:
    data = benchmark([step("a", 0, Press("home"), screenshot=None)])
    made = curate(data, "android_control", None, None)
    assert made.report.kept_episodes == 1
    assert isinstance(made, Curated)


# ---- sources
def test_pocket_exports_are_read_with_their_finish_step(tmp_path: Path) -> None:
    from emulator.pocket.export import export_android_control

    export_android_control(tmp_path, episodes=2, size=(270, 600))
    made = load_source(SourceSpec("pocket", tmp_path))
    assert len(made.episodes) == 2
    assert all(isinstance(episode.steps[-1].label, Finish) for episode in made.episodes)
    rule = ResizeRule("smart", 28, 3136, 100_352)
    curated = curate(made, "android_control", PLAN, ScreenStore(rule, tmp_path / "screens"))
    assert curated.report.kept_episodes == 2
    assert all(one.image[0] % 28 == one.image[1] % 28 == 0 for one in curated.steps)
    with pytest.raises(DataError, match="no wanted episode"):
        load_source(SourceSpec("android_control", tmp_path, split="train"))
    assert len(load_source(SourceSpec("android_control", tmp_path, split="test", limit=1)).episodes) == 1


def test_sources_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file or folder"):
        load_source(SourceSpec("android_control", tmp_path / "none"))
    with pytest.raises(DataError, match=r"splits\.json is missing"):
        load_source(SourceSpec("android_control", tmp_path))
    with pytest.raises(UsageError, match="unknown split of gui_odyssey 'trian'"):
        load_source(SourceSpec("gui_odyssey", tmp_path, split="trian"))
    (tmp_path / "splits.json").write_text('{"test": [1]}')
    with pytest.raises(DataError, match="no list named 'train'; it has test"):
        load_source(SourceSpec("android_control", tmp_path))


@pytest.mark.shared
def test_android_control_labels_as_json_lines(shared: Path) -> None:
    """UI-S1's label file has no pictures here: every step goes by name, nothing else does."""
    file = next((shared / "data" / "android_control").glob("*qwen_space*.jsonl*"), None)
    if file is None:
        pytest.skip("the label file is not in shared/data/android_control")
    made = load_source(SourceSpec("android_control", file, split="all", limit=40))
    unseen = curate(made, "android_control", PLAN, store())
    assert unseen.report.kept_steps == 0
    assert unseen.report.dropped["screenshot missing"] > 0.95 * unseen.report.steps
    blind = curate(made, "android_control", PLAN, None)
    print(blind.report.lines())
    assert blind.report.kept_steps > 0.95 * blind.report.steps
