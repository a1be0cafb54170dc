"""The six recorded files: every row read and joined, whole episodes, and the published check values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from solar_eval.actions import Finish, OpenApp, Type
from solar_eval.benchmarks.counts import counts
from solar_eval.benchmarks.gui_r1 import read_gui_r1
from solar_eval.benchmarks.join import join_android_control, missing_from
from solar_eval.benchmarks.reply_files import ReplyFile
from solar_eval.benchmarks.table import load
from solar_eval.records import Benchmark

FILES = {
    (model, kind): f"qwen2_5_vl_{name}_maxres1024_pngv2__{kind}.jsonl.gz"
    for model, name in (("7b", "7b_guir1_grpo_1080p_4gpu_cpt155"), ("3b", "3b_guir1_grpo_1080p_4gpu_global_step_170"))
    for kind in ("androidcontrol_high", "androidcontrol_low", "guiodyssey")
}


@pytest.fixture(scope="module")
def read(shared: Path) -> Callable[[str, str], ReplyFile]:
    cache: dict[tuple[str, str], ReplyFile] = {}

    def get(model: str, kind: str) -> ReplyFile:
        if (model, kind) not in cache:
            cache[model, kind] = read_gui_r1(shared / "data" / "gui_r1_predictions" / FILES[model, kind])
        return cache[model, kind]

    return get


@pytest.fixture(scope="module")
def labels(shared: Path) -> Benchmark:
    return load("android_control", shared / "data" / "android_control", "test_7708")


@pytest.mark.shared
@pytest.mark.parametrize(
    ("model", "kind", "rows", "certain", "missing"),
    [("7b", "androidcontrol_high", 7646, 7592, 62), ("7b", "androidcontrol_low", 7474, 5111, 234),
     ("3b", "androidcontrol_high", 7706, 7652, 2), ("3b", "androidcontrol_low", 7660, 5232, 48)],
)  # fmt: skip
def test_every_real_row_is_joined(
    read: Callable[[str, str], ReplyFile],
    labels: Benchmark,
    model: str,
    kind: str,
    rows: int,
    certain: int,
    missing: int,
) -> None:
    file = read(model, kind)
    assert len(file.benchmark.steps) == len(file.replies) == rows
    assert file.benchmark.unreadable == () and all(step.label is not None for step in file.benchmark.steps)
    joined = join_android_control(file, labels)
    assert (joined.unjoined, joined.certain) == ((), certain)
    assert len(missing_from(labels, joined.replies)) == missing == 7708 - rows
    assert len({step.id for step in joined.benchmark.steps}) == rows
    known = {step.id: step for step in labels.steps}
    for step in joined.benchmark.steps:
        assert step.label is not None and step.label.kind == known[step.id].label.kind  # type: ignore[union-attr]
        if step.label.kind != "click" or dict(step.extra)["gt_action"] != "click":
            continue
        assert step.boxes == known[step.id].boxes


@pytest.mark.shared
def test_texts_of_the_rows_are_the_first_word_of_the_label_files(
    read: Callable[[str, str], ReplyFile], labels: Benchmark
) -> None:
    joined = join_android_control(read("3b", "androidcontrol_high"), labels)
    cut = 0
    for step in joined.benchmark.steps:
        whole = dict(step.extra)["file_label"]
        if isinstance(whole, Type | OpenApp):
            said, own = (getattr(part, "text", None) or getattr(part, "name", "") for part in (whole, step.label))
            assert own == said.split(" ")[0]
            cut += own != said
    assert cut == 497


@pytest.mark.shared
@pytest.mark.parametrize("model", ["7b", "3b"])
def test_odyssey_rows_are_1016_whole_episodes(read: Callable[[str, str], ReplyFile], model: str) -> None:
    made = read(model, "guiodyssey").benchmark
    shown = counts(made)
    assert (shown["episodes"], shown["steps"]) == (1016, 17_920)
    assert shown["kinds"] == {"click": 11_453, "type": 2198, "swipe": 1624, "press": 1500, "finish": 1016,
                              "long_press": 129}  # fmt: skip
    assert all([step.index for step in episode.steps] == list(range(len(episode.steps))) for episode in made.episodes)
    assert all(isinstance(episode.steps[-1].label, Finish) for episode in made.episodes)
    texts = [step for step in made.steps if isinstance(step.label, Type)]
    whole = [str(dict(step.extra)["full_text"]) for step in texts]
    assert all(step.label == Type(text.split(" ")[0]) for step, text in zip(texts, whole, strict=True))


@pytest.mark.shared
def test_both_models_rows_have_the_same_ids_and_labels(read: Callable[[str, str], ReplyFile]) -> None:
    first, second = (
        {step.id: (step.goal, step.label, step.screen) for step in read(model, "guiodyssey").benchmark.steps}
        for model in ("7b", "3b")
    )
    assert first == second


@pytest.mark.shared
def test_gui_r1_type_rates_of_the_recorded_readings(read: Callable[[str, str], ReplyFile]) -> None:
    for (model, kind), expected in {("7b", "androidcontrol_high"): 0.760528, ("3b", "guiodyssey"): 0.645089}.items():
        file = read(model, kind)
        said = {reply.step: reply.recorded.verb if reply.recorded else "" for reply in file.replies}
        hits = sum(said[step.id] == dict(step.extra)["gt_action"] for step in file.benchmark.steps)
        assert hits / len(file.replies) == pytest.approx(expected, abs=5e-7)
        by_kind = Counter(reply.recorded is not None and reply.recorded.action is not None for reply in file.replies)
        assert by_kind[False] < 20


@pytest.mark.shared
@pytest.mark.parametrize(
    ("model", "kind", "expected", "without_apps"),
    [("7b", "androidcontrol_high", 0.6428, 0.6689), ("7b", "androidcontrol_low", 0.7874, 0.8388),
     ("3b", "androidcontrol_high", 0.5300, 0.5707), ("3b", "androidcontrol_low", 0.7629, 0.8219)],
)  # fmt: skip
def test_joined_boxes_give_the_published_check_values(
    read: Callable[[str, str], ReplyFile],
    labels: Benchmark,
    model: str,
    kind: str,
    expected: float,
    without_apps: float,
) -> None:
    from solar_eval.dialects.table import get as dialect
    from solar_eval.protocols import get as preset
    from solar_eval.scoring.pipeline import score

    joined = join_android_control(read(model, kind), labels)
    rule = preset("qwen").model_copy(update={"icon_click": False})
    replies = {reply.step: reply for reply in joined.replies}
    scored = score(joined.benchmark, replies, dialect("gui_r1"), [rule], "recorded")
    right = scored.verdicts[0].step_ok
    apps = [step.label is not None and step.label.kind == "open_app" for step in scored.columns.steps]
    assert right.mean() == pytest.approx(expected, abs=3e-4)
    assert right[[not app for app in apps]].mean() == pytest.approx(without_apps, abs=3e-4)
