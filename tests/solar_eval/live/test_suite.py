"""The suite: three outcomes, retries on fresh phones, resume, tear-down always, one table with and without faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from live_fakes import OnePhonePool, OneTask, Tasks

from emulator.device_errors import DeviceOffline
from solar_eval.errors import InfrastructureError, RunDirError
from solar_eval.live import numbers
from solar_eval.live.benchmarks import items_of
from solar_eval.live.board import Board
from solar_eval.live.episode import Rules
from solar_eval.live.scripted import ScriptedAgent
from solar_eval.live.store import LiveStore
from solar_eval.live.suite import Suite, SuiteOptions, Verdict


def play(
    path: Path, benchmark: Any, pool: Any = None, kind: Any = "expert", seeds: tuple[int, ...] = (30,),
    repeats: int = 1, options: SuiteOptions | None = None, rules: Rules | None = None,
) -> tuple[Verdict, dict[str, Any], LiveStore]:  # fmt: skip
    items = items_of(benchmark, benchmark.templates, seeds, repeats)
    with LiveStore.create_or_resume(path, {"agent": kind}, {}, {}) as store:
        suite = Suite(benchmark, ScriptedAgent(kind), rules or Rules(), store, pool or OnePhonePool(),
                      Board(len(items)), options or SuiteOptions())  # fmt: skip
        verdict = suite.run(items)
        rows = numbers.rows_of(items, benchmark.templates, store.scored(), store.attempts)
        summary = numbers.summary(rows)
        store.write_results(summary, numbers.sample_rows(rows), numbers.effort(rows))
        return verdict, summary, store


def test_expert_solves_and_noop_does_not(tmp_path: Path) -> None:
    _, expert, store = play(tmp_path / "a", Tasks())
    assert expert["strict_sr"]["value"] == 1.0 and expert["episodes"]["scored"] == 3
    assert expert["steps"]["solved_over_optimal_mean"] == 1.0
    _, idle, _ = play(tmp_path / "b", Tasks(), kind="noop")
    assert idle["strict_sr"]["value"] == 0.0 and idle["failures"] == {"wrong finish": 3}
    folder = store.path / store.attempts[0].folder
    assert {"steps.jsonl", "000.png", "000.xml", "004.png"} <= {p.name for p in folder.iterdir()}


def test_strict_mean_and_official_rules_are_told_apart_and_a_crash_is_owed(tmp_path: Path) -> None:
    """V6: {1.0, 0.0, 0.5, exception} is 0.50 upstream; here 1 of 3 is solved, the mean is 0.5, one episode is owed."""
    scores = {"Task0": 1.0, "Task1": 0.0, "Task2": 0.5}

    def fate(task: OneTask) -> None:
        def check(device: Any, said: Any) -> float:
            return scores[task.template.name]  # KeyError for the fourth: the benchmark's own fault

        task.check = check

    verdict, summary, store = play(tmp_path / "run", Tasks(4, fate))
    assert summary["strict_sr"]["value"] == pytest.approx(1 / 3)
    assert summary["mean_reward"]["value"] == pytest.approx(0.5) == summary["mean_reward_over_templates"]
    assert summary["strict_sr_worst"]["value"] == 0.25
    assert summary["episodes"] == {
        "wanted": 4,
        "scored": 3,
        "owed": 1,
        "model_fault": 0,
        "owed_by_kind": {"benchmark": 1},
    }
    assert len(verdict.given_up) == 1
    tries = [a for a in store.attempts if a.template == "Task3"]
    assert len(tries) == 3 and all(a.score is None and "KeyError" in a.error for a in tries)


def test_damaged_lines_are_told_and_played_again(tmp_path: Path) -> None:
    """V7: upstream drops a truncated checkpoint, or one without a field, without a word."""
    _, whole, store = play(tmp_path / "run", Tasks())
    lines = store.lines.path.read_bytes().splitlines(keepends=True)
    store.lines.path.write_bytes(lines[0] + b'{"key": "x", "outcome": "scored"}\n' + lines[2][:40])
    benchmark = Tasks()
    _, again, resumed = play(tmp_path / "run", benchmark)
    assert resumed.torn is not None and resumed.torn.read_bytes() == lines[2][:40]
    assert again == whole and len(resumed.scored()) == 3
    assert [task.calls for task in benchmark.made].count(["initialize", "score", "tear_down"]) == 2


def test_a_failing_tear_down_loses_nothing_and_ends_nothing(tmp_path: Path) -> None:
    """V9: upstream aborts the suite and loses the finished episode."""

    def fate(task: OneTask) -> None:
        def fail() -> None:
            raise RuntimeError("tear down failed")

        task.on_tear_down = fail

    pool = OnePhonePool()
    _, summary, store = play(tmp_path / "run", Tasks(3, fate), pool)
    assert summary["strict_sr"]["value"] == 1.0 and summary["episodes"]["owed"] == 0
    assert all("tear down failed" in a.tear_down_error for a in store.attempts) and len(pool.faults) == 3


@pytest.mark.parametrize("error", [ValueError("benchmark"), DeviceOffline("gone", "x"), InfrastructureError("server")])
def test_tear_down_runs_after_every_kind_of_failure(tmp_path: Path, error: Exception) -> None:
    """V9: upstream skips tear_down where an episode raises, so that its state leaks into the next one."""

    def fate(task: OneTask) -> None:
        def check(device: Any, said: Any) -> float:
            raise error

        task.check = check

    benchmark = Tasks(1, fate)
    _, summary, _ = play(tmp_path / "run", benchmark, options=SuiteOptions(tries=2))
    assert summary["episodes"]["owed"] == 1 and summary["strict_sr"]["value"] is None
    played = [task.calls for task in benchmark.made if task.calls]
    assert played == [["initialize", "score", "tear_down"]] * 2


def test_faults_of_phones_change_the_number_of_tries_and_nothing_else(tmp_path: Path) -> None:
    _, calm, quiet = play(tmp_path / "calm", Tasks(6), seeds=(30, 31))
    options = SuiteOptions(tries=200, max_faults=500)
    _, rough, noisy = play(tmp_path / "rough", Tasks(6), OnePhonePool(2, 0.05), seeds=(30, 31), options=options)
    assert rough == calm
    assert (tmp_path / "rough/summary.json").read_bytes() == (tmp_path / "calm/summary.json").read_bytes()
    assert len(noisy.attempts) > len(quiet.attempts) == 12
    assert {a.fault for a in noisy.attempts if not a.counts} == {"device"}


def test_a_run_stops_when_everything_fails_and_owes_the_rest(tmp_path: Path) -> None:
    options = SuiteOptions(tries=2, max_faults=5)
    verdict, summary, store = play(tmp_path / "run", Tasks(6), OnePhonePool(1, 1.0), options=options)
    assert isinstance(verdict.error, InfrastructureError) and len(store.attempts) == 5
    assert summary["episodes"]["owed"] == 6 and summary["strict_sr_worst"]["value"] == 0.0


def test_resume_refuses_another_configuration(tmp_path: Path) -> None:
    play(tmp_path / "run", Tasks(1))
    with pytest.raises(RunDirError, match="agent"):
        play(tmp_path / "run", Tasks(1), kind="noop")


def test_done_required_or_not(tmp_path: Path) -> None:
    """An expert cut off by its budget has the state right and did not say so."""
    _, official, _ = play(tmp_path / "a", Tasks(1), rules=Rules(budget=3))
    _, lenient, _ = play(tmp_path / "b", Tasks(1), rules=Rules(budget=3, require_done=False))
    assert official["strict_sr"]["value"] == 0.0 and official["strict_sr_state_only"]["value"] == 1.0
    assert official["failures"] == {"done but not said": 1} and lenient["strict_sr"]["value"] == 1.0


def test_pass_at_k(tmp_path: Path) -> None:
    def fate(task: OneTask) -> None:
        task.check = lambda device, said: float(task.seed == 30)

    _, summary, _ = play(tmp_path / "run", Tasks(2, fate), seeds=(30, 31))
    assert summary["pass_at_k"]["over_seeds"]["1"] == {"pass": 0.5, "all": 0.5, "units": 2}
    assert summary["pass_at_k"]["over_seeds"]["2"] == {"pass": 1.0, "all": 0.0, "units": 2}
