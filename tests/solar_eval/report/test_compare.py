"""`compare` on made-up runs whose differences are known, on what it refuses, and on the recorded replies."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solar_eval.actions import Click, Point
from solar_eval.commands import compare as verb
from solar_eval.compare import Comparison, compare
from solar_eval.compare_runs import open_side
from solar_eval.errors import DataError, RunDirError, UsageError
from solar_eval.paired import mcnemar_exact
from solar_eval.records import Benchmark
from solar_eval.report.comparison import brief, render

_spec = importlib.util.spec_from_file_location("compare_conftest", Path(__file__).with_name("conftest.py"))
assert _spec is not None and _spec.loader is not None
made_up = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made_up)
MakeRun = Callable[..., Path]
MADE: Benchmark = made_up.benchmark_of(made_up.episodes(6))


def compared(a: Path, b: Path, protocol: str = "strict", across: bool = False) -> Comparison:
    return compare(open_side(a), open_side(b), protocol, across)


def metric(made: Comparison, name: str) -> Any:
    return next(row for row in made.metrics if row.metric == name)


@pytest.fixture
def pair(tmp_path: Path, make_run: MakeRun) -> tuple[Path, Path]:
    """A: e0/1, e1/1, e2/3 wrong. B: e2/3, e3/2 wrong. 24 steps, 6 episodes."""
    a = make_run(tmp_path / "a", MADE, made_up.answers(MADE, ["e0/1", "e1/1", "e2/3"]), model="openai:a")
    b = make_run(tmp_path / "b", MADE, made_up.answers(MADE, ["e2/3", "e3/2"]), model="openai:b")
    return a, b


def test_means_differences_flips_and_episodes(pair: tuple[Path, Path]) -> None:
    made = compared(*pair)
    step = metric(made, "step_sr")
    assert (step.a, step.b) == (pytest.approx(21 / 24), pytest.approx(22 / 24))
    assert step.difference.value == pytest.approx(1 / 24)
    assert step.difference.low < 1 / 24 < step.difference.high
    assert {flip.step: flip.fixed for flip in made.flips} == {"e0/1": True, "e1/1": True, "e3/2": False}
    assert all(flip.why == "type" for flip in made.flips)
    assert made.discordance == type(made.discordance)(both=2, only_a=1, only_b=2, neither=1)
    episode = metric(made, "episode_sr")
    assert (episode.a, episode.b, episode.difference.p) == (0.5, pytest.approx(4 / 6), mcnemar_exact(1, 2))
    progress = metric(made, "goal_progress")
    assert progress.a == pytest.approx((1 / 4 + 1 / 4 + 3 / 4 + 3) / 6)
    assert progress.b == pytest.approx((3 / 4 + 2 / 4 + 4) / 6)
    assert all(row.p_holm >= row.difference.p for row in made.metrics)
    assert {row.metric for row in made.metrics} == {"type_match", "step_sr", "grounding", "goal_progress", "episode_sr"}


def test_flips_by_action_app_and_length(pair: tuple[Path, Path]) -> None:
    groups = {(row.dimension, row.name): row for row in compared(*pair).groups}
    click = groups["action", "click"]
    assert (click.n, click.a, click.b, click.fixed, click.broken) == (6, 4, 6, 2, 0)
    assert groups["action", "type"].broken == 1
    assert groups["app", "Clock"].n == 24
    assert (groups["length", "1-4"].fixed, groups["length", "1-4"].broken) == (2, 1)


def test_a_run_against_itself(pair: tuple[Path, Path]) -> None:
    made = compared(pair[0], pair[0])
    assert not made.flips
    assert all(row.difference.value == 0 and row.difference.p == 1 for row in made.metrics)


def test_swapping_the_runs_turns_every_sign(pair: tuple[Path, Path]) -> None:
    there, back = compared(*pair), compared(*reversed(pair))  # type: ignore[arg-type]
    for one, other in zip(there.metrics, back.metrics, strict=True):
        assert one.difference.value == pytest.approx(-other.difference.value)
        assert one.difference.p == pytest.approx(other.difference.p)
    assert {f.step: f.fixed for f in there.flips} == {f.step: not f.fixed for f in back.flips}


# ---- overlap
def test_only_steps_that_both_answered_are_paired(tmp_path: Path, make_run: MakeRun) -> None:
    a = make_run(tmp_path / "a", MADE, made_up.answers(MADE, missing=["e0/1"]))
    b = make_run(tmp_path / "b", MADE, made_up.answers(MADE, missing=["e1/0", "e1/1"]), owed=["e2/0"])
    made = compared(a, b)
    assert (made.steps.common, made.steps.only_a, made.steps.only_b) == (20, 3, 1)
    assert made.episodes.common == 3
    assert any("1 steps of B are owed" in remark for remark in made.remarks)
    assert metric(made, "step_sr").difference.n == 20


def test_a_reply_that_cant_be_read_is_an_answer_and_wrong(tmp_path: Path, make_run: MakeRun) -> None:
    a = make_run(tmp_path / "a", MADE, made_up.answers(MADE))
    b = make_run(tmp_path / "b", MADE, made_up.answers(MADE) | {"e0/1": None})
    made = compared(a, b)
    assert made.steps.common == 24
    assert [(flip.step, flip.fixed, flip.why, flip.said_b) for flip in made.flips] == [
        ("e0/1", False, "unparseable", "(no verb)")
    ]


def test_episodes_that_stop_at_their_error_failed(tmp_path: Path, make_run: MakeRun) -> None:
    """Own history: what comes after the first error was never asked, yet the episode is known to have failed."""
    own = {"history": "own", "level": "high"}
    whole = make_run(tmp_path / "a", MADE, made_up.answers(MADE), run=own)
    said = made_up.answers(MADE, wrong=["e0/1"], missing=["e0/2", "e0/3"])
    stopped = make_run(tmp_path / "b", MADE, said, run=own)
    made = compared(whole, stopped)
    assert made.episodes.common == 6
    assert metric(made, "episode_sr").b == pytest.approx(5 / 6)
    assert metric(made, "goal_progress").b == pytest.approx((1 / 4 + 5) / 6)
    assert made.steps.common == 22


def test_a_missing_reply_of_a_labels_run_leaves_its_episode_out(tmp_path: Path, make_run: MakeRun) -> None:
    whole = make_run(tmp_path / "a", MADE, made_up.answers(MADE))
    torn = make_run(tmp_path / "b", MADE, made_up.answers(MADE, wrong=["e0/1"], missing=["e0/2"]))
    made = compared(whole, torn)
    assert made.episodes.common == 5
    assert any("no reply" in remark for remark in made.remarks)


def test_steps_that_a_protocol_does_not_count_are_no_pairs(pair: tuple[Path, Path]) -> None:
    assert compared(*pair, "guievalkit_2025_09").steps.common == 18  # open_app leaves the score


def test_gui_r1s_step_is_over_pointing_and_text_labels(tmp_path: Path, make_run: MakeRun) -> None:
    runs = [make_run(tmp_path / n, MADE, made_up.answers(MADE), protocols="gui_r1") for n in "ab"]
    made = compared(*runs, "gui_r1")
    assert metric(made, "step_sr").difference.n == 18
    assert metric(made, "type_match").difference.n == 24


# ---- refusals
def refused(a: Path, b: Path, protocol: str = "strict") -> str:
    with pytest.raises(UsageError) as caught:
        compared(a, b, protocol)
    return str(caught.value)


def test_other_benchmark_subset_level_and_history_are_refused_and_named(tmp_path: Path, make_run: MakeRun) -> None:
    low = made_up.benchmark_of(MADE.episodes, "android_control_low", "half")
    a = make_run(tmp_path / "a", MADE, made_up.answers(MADE), run={"history": "labels", "level": "high"})
    b = make_run(tmp_path / "b", low, made_up.answers(low), run={"history": "own", "level": "low"})
    message = refused(a, b)
    assert "benchmark: android_control_high / android_control_low" in message
    assert "subset: made_up / half" in message
    assert "history: labels / own" in message
    assert "--across" in message
    made = compared(a, b, across=True)
    assert len(made.mismatches) == 3
    assert "COMPARED ACROSS: subset: made_up / half" in render(made, "text", 5)


def test_two_protocols_need_across(pair: tuple[Path, Path]) -> None:
    assert "protocol: guievalkit_2025_09 / strict" in refused(*pair, "guievalkit_2025_09,strict")
    made = compared(*pair, "guievalkit_2025_09,strict", across=True)
    assert made.protocols == ("guievalkit_2025_09", "strict")
    assert (made.steps.common, made.steps.only_a, made.steps.only_b) == (18, 0, 6)


def test_another_version_of_the_rules_is_refused(pair: tuple[Path, Path]) -> None:
    file = pair[1] / "summary.json"
    summary = json.loads(file.read_text())
    summary["protocols"]["strict"]["version"] = "2"
    file.write_text(json.dumps(summary))
    assert "protocol version: 1 / 2" in refused(*pair)


def test_no_common_protocol(tmp_path: Path, make_run: MakeRun) -> None:
    a = make_run(tmp_path / "a", MADE, made_up.answers(MADE), protocols="strict")
    b = make_run(tmp_path / "b", MADE, made_up.answers(MADE), protocols="qwen")
    assert "no common protocol: A was scored under strict, B under qwen" in refused(a, b, "")
    assert "did you mean strict?" in refused(a, b, "strikt")


def test_the_default_protocol_is_taken_where_both_have_it(pair: tuple[Path, Path]) -> None:
    assert compared(*pair, "").protocols == ("guievalkit_2025_09", "guievalkit_2025_09")


def test_steps_with_another_label_are_no_pairs_and_many_are_refused(tmp_path: Path, make_run: MakeRun) -> None:
    big = made_up.benchmark_of(made_up.episodes(60))
    moved = Click(Point(0.9, 0.9))
    first = big.episodes[0]
    steps = (first.steps[0], replace(first.steps[1], label=moved), *first.steps[2:])
    one = replace(big, episodes=(replace(first, steps=steps), *big.episodes[1:]))
    a = make_run(tmp_path / "a", big, made_up.answers(big))
    b = make_run(tmp_path / "b", one, made_up.answers(one))
    assert (compared(a, b).steps.common, compared(a, b).steps.other_label) == (239, 1)
    other = made_up.benchmark_of(made_up.episodes(60, goal="Another goal"))
    c = make_run(tmp_path / "c", other, made_up.answers(other))
    assert "240 of 240 common steps have another label or goal" in refused(a, c)


def test_nothing_in_common_is_an_error_even_across(tmp_path: Path, make_run: MakeRun) -> None:
    other = made_up.benchmark_of(tuple(replace(e, id="x", steps=()) for e in MADE.episodes[:1]) + MADE.episodes[5:])
    a = make_run(tmp_path / "a", MADE, made_up.answers(MADE, missing=[s.id for s in MADE.episodes[5].steps]))
    b = make_run(tmp_path / "b", other, made_up.answers(other))
    with pytest.raises(UsageError, match="no answered step in common"):
        compared(a, b, across=True)


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "samples.parquet"])
def test_an_unfinished_run_is_named(pair: tuple[Path, Path], name: str) -> None:
    (pair[1] / name).unlink()
    with pytest.raises(RunDirError, match=f"has no {name}"):
        compared(*pair)


def test_a_damaged_parquet_is_named(pair: tuple[Path, Path]) -> None:
    (pair[0] / "samples.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataError, match=r"samples\.parquet"):
        compared(*pair)


# ---- output
@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_every_form_says_the_numbers_and_the_flips(pair: tuple[Path, Path], form: Any, tmp_path: Path) -> None:
    out = io.StringIO()
    assert verb.run(*pair, protocol="strict", form=form, out=out) == 0
    text = out.getvalue()
    for wanted in ("87.50", "91.67", "+4.17", "McNemar", "e0/1", "openai:a"):
        assert wanted in text, wanted
    assert verb.run(*pair, protocol="strict", form=form, to=tmp_path / "file") == 0
    assert (tmp_path / "file").read_text() == text


def test_a_list_of_flips_is_cut_and_says_so(pair: tuple[Path, Path]) -> None:
    text = render(compared(*pair), "text", 1)
    assert "1 of 2 (--flips N lists more)" in text
    assert "e0/1" in text and "e1/1" not in text


def test_a_hostile_goal_is_text_in_every_form(tmp_path: Path, make_run: MakeRun) -> None:
    goal = "</script><script>alert(1)</script> | x\n\u202e" + "y" * 1_000_000
    made = made_up.benchmark_of(made_up.episodes(2, goal=goal))
    a = make_run(tmp_path / "a", made, made_up.answers(made, wrong=["e0/1"]))
    b = make_run(tmp_path / "b", made, made_up.answers(made))
    comparison = compared(a, b)
    for form in ("text", "markdown", "html"):
        text = render(comparison, form, 5)  # type: ignore[arg-type]
        assert len(text) < 50_000
        assert "\u202e" not in text
        assert form == "text" or "<script" not in text


def test_actions_in_a_few_words() -> None:
    assert brief('{"kind": "click", "point": [0.52, 0.25291]}') == "click 0.520,0.253"
    assert brief('{"kind": "type", "text": "a \\"b\\""}') == 'type "a \\"b\\""'
    assert brief('{"kind": "finish", "status": "success", "text": ""}') == "finish status=success"
    assert brief("(missing)") == "(missing)"


# ---- recorded replies
@pytest.mark.shared
def test_3b_against_7b_replies(tmp_path: Path, shared: Path) -> None:
    """GUI-R1's 3B and 7B files on AndroidControl-High under candidate boxes: facts section 7, paired."""
    from solar_eval.commands import score
    from solar_eval.protocols import select

    folder = shared / "data" / "gui_r1_predictions"
    runs = []
    for size in ("3b", "7b"):
        (file,) = folder.glob(f"*_{size}_*androidcontrol_high*")
        options = score.ScoreOptions(tuple(select("guievalkit_2025_09")), parse="recorded", as_json=True,
                                     data=shared / "data" / "android_control", out=tmp_path / size)  # fmt: skip
        score.run([file], options)
        runs.append(tmp_path / size)
    made = compared(*runs, "")
    step = metric(made, "step_sr")
    assert (made.steps.common, made.steps.only_a, made.steps.only_b) == (7095, 57, 0)
    assert step.b == pytest.approx(0.6689, abs=0.0003)
    assert step.difference.low > 0.08 and step.difference.high < 0.12
    assert step.p_holm < 1e-4
    fixed = sum(flip.fixed for flip in made.flips)
    assert fixed - (len(made.flips) - fixed) == round(step.difference.value * 7095)
