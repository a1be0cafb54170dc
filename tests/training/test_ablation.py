"""The ablation: arms, settings, numbers and verdicts from runs; one tiny run of everything."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the ablation needs torch: pip install 'solar-eval[train]'")

from solar_eval.paired import Difference  # noqa: E402
from training.ablation import claims  # noqa: E402
from training.ablation.arms import ARMS, ATOMIC, BY_NAME, SFT  # noqa: E402
from training.ablation.claims import CLAIMS, COLLAPSE  # noqa: E402
from training.ablation.measures import Measured  # noqa: E402
from training.ablation.plan import FULL, QUICK, DataPlan, Plan  # noqa: E402
from training.ablation.report import command  # noqa: E402
from training.ablation.table import MEASURES, Results, band, values  # noqa: E402
from training.rules import RULES  # noqa: E402

ROOT = Path(__file__).parents[2]


def made_up(arm: str, seed: int, right: Sequence[int], curve: Sequence[float] = (0.5, 0.5)) -> dict[str, Any]:
    """A run of six steps: one episode of two, one of four; buckets short, long; the last step is a press back."""
    return {
        "arm": arm, "seed": seed, "final": {}, "live": [{"success": bool(right[0])}, {"success": False}],
        "steps": {"right": list(right), "bucket": [0, 0, 1, 1, 1, 1], "episode": [3, 3, 8, 8, 8, 8],
                  "back": [0, 0, 0, 0, 0, 1], "slip": [0] * 6, "expected": [0.5] * 6},
        "evaluations": [{"update": 10 * at, "expected_reward": value} for at, value in enumerate(curve)],
        "updates": [],
    }  # fmt: skip


def test_arms_share_one_budget_and_known_rules() -> None:
    assert len(BY_NAME) == len(ARMS)
    for arm in ARMS:
        stages = arm.stages(650, 1 / 3)
        assert sum(count for _, count in stages) == (0 if arm.rule is None else 650)
        assert all(rule in RULES or rule == SFT for rule, _ in stages)
        assert not arm.two_stage or stages[0] == (ATOMIC, 217)
    assert {arm for claim in CLAIMS for arm in claim.arms} <= set(BY_NAME)


def test_plans_name_their_runs_by_all_that_decides_them() -> None:
    assert FULL.key() != QUICK.key()
    assert FULL.key() == FULL.changed(("sft", "start"), None, None, None).key()
    assert FULL.changed(("sft", "start"), None, None, None).arms == ("start", "sft")
    for other in (replace(FULL, warm_noise=0.2), FULL.changed((), 6, None, None), FULL.changed((), None, 100, None)):
        assert other.key() != FULL.key()
    assert FULL.changed((), 3, 100, 700) == replace(
        FULL, seeds=(0, 1, 2), updates=100, every=10, data=replace(FULL.data, episodes=700)
    )


def test_the_report_names_the_command_that_makes_it() -> None:
    assert command(FULL) == "scripts/reproduce_ablation"
    assert command(QUICK) == "scripts/reproduce_ablation --quick"
    other = replace(FULL.changed(("sft", "start"), 6, 100, 700), live=3)
    assert command(other) == ("scripts/reproduce_ablation --updates 100 --every 10 --live 3 --episodes 700 --seeds 6 "
                              "--arms start sft")  # fmt: skip


def test_rates_of_measured_steps() -> None:
    episode = np.array([4, 4, 9, 9, 9])
    right = np.array([True, True, True, False, True])
    back = np.array([False, True, False, True, False])
    found = Measured(right, np.full(5, 0.25), episode, np.array([0, 0, 2, 2, 2]), back, np.zeros(5, bool)).rates()
    assert found == {
        "expected_reward": 0.25, "action_sr": 0.8, "episode_sr": 0.5, "press_back": 0.5, "press_back_after_slip": None,
        "action_sr_short": 1.0, "action_sr_long": None, "action_sr_super_long": pytest.approx(2 / 3),
    }  # fmt: skip


def test_values_of_every_measure() -> None:
    run = made_up("a", 0, [1, 1, 1, 0, 1, 0])
    found = {name: values(run, name).tolist() for name, _ in MEASURES}
    assert found["episode_sr"] == [1.0, 0.0] and found["press_back"] == [0.0] and found["live_sr"] == [1.0, 0.0]
    assert found["action_sr_short"] == [1.0, 1.0] and found["action_sr_long"] == [1.0, 0.0, 1.0, 0.0]
    assert found["action_sr_super_long"] == found["press_back_after_slip"] == []


def test_differences_are_paired_by_step_and_clustered_by_seed() -> None:
    good = [made_up("good", seed, [1, 1, 1, 1, 0, 0]) for seed in range(5)]
    bad = [made_up("bad", seed, [1, 0, 0, seed % 2, 0, 0]) for seed in range(5)]
    found = Results([*good, *bad]).difference("good", "bad", "action_sr")
    assert found.value == pytest.approx((2 * 2 / 6 + 3 * 3 / 6) / 5)
    assert found.n == 30 and found.clusters == 5 and found.low is not None and found.low > 0
    assert claims.by_sign(found) == "holds"
    assert claims.by_sign(Results([*good, *bad]).difference("bad", "good", "action_sr")) == "fails"


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.01, 0.2, "holds"), (-0.2, -0.01, "fails"), (-0.1, 0.1, "undecided"), (None, None, "undecided")],
)
def test_a_verdict_needs_the_whole_interval(low: float | None, high: float | None, verdict: str) -> None:
    assert claims.by_sign(Difference(0.05, low, high, None, 10, 5)) == verdict


@pytest.mark.parametrize(
    ("curve", "verdict"),
    [((0.3, 0.6, 0.6 - 4 * COLLAPSE), "holds"), ((0.3, 0.6, 0.59), "fails"), ((0.3, 0.5, 0.6), "fails")],
)
def test_collapse_is_a_fall_from_the_best_point(curve: Sequence[float], verdict: str) -> None:
    runs = [made_up("a", seed, [1] * 6, [value + 0.003 * (seed * at % 5) for at, value in enumerate(curve)])
            for seed in range(5)]  # fmt: skip
    assert claims.collapses("a", "expected_reward", "reward")(Results(runs)).verdict == verdict


def test_an_arm_that_was_not_run_decides_nothing() -> None:
    assert {found.verdict for _, found in claims.judge(Results([made_up("start", 0, [1] * 6)]))} == {"not run"}


def test_band_is_the_t_interval_of_the_mean() -> None:
    mean, low, high = band(np.array([[0.1], [0.2], [0.3]]))
    assert mean[0] == pytest.approx(0.2) and high[0] - 0.2 == pytest.approx(0.2 - low[0])
    assert high[0] == pytest.approx(0.2 + 4.3027 * 0.1 / np.sqrt(3), abs=1e-4)


TINY = Plan(
    DataPlan("errands", 40, 0.3), seeds=(0, 1), arms=("start", "sft", "grpo_two_stage", "solar_two_stage"),
    warm_episodes=12, warm_updates=12, updates=12, every=6, live=2,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_everything_once_and_again(tmp_path: Path) -> None:
    from training.ablation import report
    from training.ablation.run import run

    told: list[str] = []
    runs = run(TINY, tmp_path / "work", 2, told.append)
    assert [(one["arm"], one["seed"]) for one in runs] == [(arm, seed) for arm in TINY.arms for seed in TINY.seeds]
    written = report.write(TINY, runs, tmp_path / "out", tmp_path / "work")
    first = {path.name: path.read_bytes() for path in written}
    assert {"README.md", "table.csv", "curves.csv", "claims.json", "runs.json", "curves.svg"} <= set(first)
    assert sum(map(len, first.values())) < 2_000_000
    page = first["README.md"].decode()
    assert "pointer policy, pocket" in page and "two-stage SOLAR-RL" in page and "not run" in page
    rows = list(csv.DictReader(first["table.csv"].decode().splitlines()))
    assert len(rows) == len(TINY.arms) * len(MEASURES)
    assert [point["update"] for point in runs[-1]["evaluations"]] == [0, 6, 12]
    assert {one["name"] for one in json.loads(first["claims.json"])} == {claim.name for claim in CLAIMS}

    folder = tmp_path / "work" / TINY.key()
    for name in ("solar_two_stage-1.json", "start-1.pt"):
        (folder / name).unlink()
    told.clear()
    again = run(TINY, tmp_path / "work", 1, told.append)
    assert any("7 of 8 runs are there, 1 to do" in line for line in told)
    assert [_timeless(one) for one in again] == [_timeless(one) for one in runs]
    report.write(TINY, again, tmp_path / "out", tmp_path / "work")
    assert {path.name: path.read_bytes() for path in written} == first


def _timeless(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in run.items() if name != "cpu_s"}


@pytest.mark.parametrize("words", [["--arms", "solar_drect"], ["--seeds", "1"], ["--updates", "3"]])
def test_wrong_options_are_refused_before_anything_is_run(words: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "training.ablation", *words, "--work", str(tmp_path), "--out", str(tmp_path)]
    found = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=100, check=False)
    assert found.returncode == 2 and "error:" in found.stderr and not list(tmp_path.iterdir())


def _workers_of(parent: int) -> set[int]:
    """Processes that a parent started, and theirs, from /proc."""
    found: set[int] = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, _, rest = status.read_text().partition(" ")
            if int(rest.rpartition(")")[2].split()[1]) == parent:
                found |= {int(pid), *_workers_of(int(pid))}
    return found


def _ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize(("number", "code"), [("SIGTERM", 143), ("SIGINT", 130), ("SIGKILL", -9)])
def test_no_worker_outlives_its_parent(number: str, code: int, tmp_path: Path) -> None:
    """A signal to the parent alone, as `kill` sends it, while its workers record episodes."""
    command = [sys.executable, "-m", "training.ablation", "--quick", "--processes", "2", "--work", str(tmp_path)]
    parent = subprocess.Popen(command, cwd=ROOT, env=os.environ, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        began = time.monotonic()
        while len(workers := _workers_of(parent.pid)) < 3 and time.monotonic() - began < 120:  # two and the tracker
            time.sleep(0.2)
        assert len(workers) >= 3 and parent.poll() is None
        time.sleep(3)
        parent.send_signal(getattr(signal, number))
        assert parent.wait(60) == code
        began = time.monotonic()
        while not all(map(_ended, workers)) and time.monotonic() - began < 60:
            time.sleep(0.2)
        assert [pid for pid in workers if not _ended(pid)] == []
    finally:
        parent.kill()
        parent.wait()
