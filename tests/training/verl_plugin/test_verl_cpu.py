"""verl's real trainer on a CPU with a tiny Qwen2.5-VL: updates at DP 1 and 2, resume, merge, an answer.

Needs an environment of its own with verl 0.9.1, which `scripts/cluster-env` builds (about 2 GB): .venv-cluster, or the
interpreter that $SOLAR_CLUSTER_PYTHON names. Minutes a run, so it is slow and skipped where there is none.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from training.verl_plugin.rows import write_rows
from training.verl_plugin.settings import read_settings

sys.path.insert(0, str(Path(__file__).parent))
from made_up import episode

ROOT = Path(__file__).parents[3]
CPU = Path(__file__).parent / "cpu"
PYTHON = Path(os.environ.get("SOLAR_CLUSTER_PYTHON", ROOT / ".venv-cluster" / "bin" / "python"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.xdist_group("verl"),
    pytest.mark.skipif(not PYTHON.is_file(), reason="no environment with verl: run scripts/cluster-env"),
]


def run(*words: object, timeout: int = 1200) -> str:
    env = os.environ | {"PYTHONPATH": f"{CPU}:{ROOT}", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run([str(PYTHON), *map(str, words)], env=env, capture_output=True, text=True, timeout=timeout,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-5000:]
    return done.stdout


def prepared(folder: Path) -> Path:
    folder.mkdir()
    plan = read_settings({}).plan("android_control")
    write_rows([episode(str(i)) for i in range(4)], "android_control", plan, folder / "train.jsonl")
    run(CPU / "tiny_checkpoint.py", folder / "model", folder / "train.jsonl", 160)
    return folder


def metrics(folder: Path) -> dict[int, dict[str, float]]:
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return {int(one["step"]): one["data"] for one in map(json.loads, lines) if "actor/ppo_kl" in one["data"]}


def test_updates_resume_at_an_epoch_boundary_and_merge(tmp_path: Path) -> None:
    folder = prepared(tmp_path / "dp1")
    run(CPU / "train.py", folder, 1, 2, "trainer.save_freq=2")  # 4 episodes in batches of 2: step 2 ends an epoch
    first = metrics(folder)
    assert sorted(first) == [1, 2]
    assert first[1]["actor/ppo_kl"] == 0 and first[1]["actor/pg_clipfrac"] == 0
    assert first[1]["training/rollout_probs_diff_max"] < 1e-3
    assert first[1]["solar/step_sr"] > 0
    assert any(step["actor/grad_norm"] > 0 for step in first.values())
    run(CPU / "train.py", folder, 1, 4, "trainer.save_freq=4")
    later = metrics(folder)
    assert max(later) == 4 and 3 in later
    assert all(math.isfinite(value) for step in later.values() for value in step.values())
    out = folder / "merged"
    run("-m", "verl.model_merger", "merge", "--backend", "fsdp", "--local_dir",
        folder / "checkpoints" / "global_step_4" / "actor", "--target_dir", out)  # fmt: skip
    said = run(CPU / "answer.py", out, folder / "train.jsonl")
    assert said.strip()


def test_two_ranks(tmp_path: Path) -> None:
    folder = prepared(tmp_path / "dp2")
    run(CPU / "train.py", folder, 2, 4, "trainer.save_freq=-1", "actor_rollout_ref.rollout.n=4")
    found = metrics(folder)
    assert sorted(found) == [1, 2, 3, 4]
    assert found[1]["actor/ppo_kl"] == 0 and found[1]["actor/pg_clipfrac"] == 0
