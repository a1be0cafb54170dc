"""The settings of an ablation, all of them, and the two that ship: the full one and `--quick`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from training.ablation.arms import ARMS, BY_NAME
from training.pointer.episodes import SourceName
from training.pointer.train import Settings

ROOT = Path(__file__).parents[2]
MODULES = ("advantage", "groups", "loss", "mix", "ragged", "reconstruct", "returns", "rules", "shaping", "splices",
           "validity")  # fmt: skip
CODE = (
    "training/pointer", "training/ablation", *(f"training/{name}.py" for name in MODULES), "solar_eval/scoring",
    "solar_eval/benchmarks/pocket_world", "emulator/pocket/experts",
)  # fmt: skip
"""Sources that decide the results: a change makes kept runs unusable."""
APART = ("training/ablation/report.py", "training/ablation/claims.py", "training/ablation/curves.py",
         "training/ablation/table.py", "training/ablation/__main__.py", "training/ablation/workers.py",
         "training/pointer/policy.py", "training/pointer/recorded.py")  # fmt: skip
"""Files among them that only show or carry results or that the runs do not use."""


@dataclass(frozen=True)
class DataPlan:
    """source, episodes: how many are recorded (numbers 0 and up). slips: probability of an error before a step."""

    source: SourceName = "pocket_world"
    episodes: int = 2000
    slips: float = 0.12


@dataclass(frozen=True)
class Plan:
    """seeds: each trains on its own part: with k seeds the episodes are cut into max(k, 5) folds, seed i is tested on
    fold i and trained on the rest.

    warm_episodes, warm_updates, warm_noise: supervised warm-up on so few demonstrations, of which this share of steps
    has a random action of the menu in place of the label. updates: the budget of every arm. first_stage: share of it
    that two-stage arms spend on the per-step score (not published). every: updates between evaluations. live: tasks
    played on the phone at the end of each run.
    """

    data: DataPlan = field(default_factory=DataPlan)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    arms: tuple[str, ...] = tuple(arm.name for arm in ARMS)
    warm_episodes: int = 150
    warm_updates: int = 150
    warm_noise: float = 0.1
    warm_lr: float = 3e-3
    updates: int = 650
    first_stage: float = 1 / 3
    every: int = 65
    live: int = 40
    train: Settings = field(default_factory=Settings)

    @property
    def folds(self) -> int:
        """Parts the episodes are cut into."""
        return max(len(self.seeds), 5)

    def key(self) -> str:
        """Names the folder of the runs: changes with the code and every setting but the choice of arms and seeds."""
        settings = asdict(self) | {"arms": (), "seeds": (), "folds": self.folds}
        return _hash([settings, _code()])

    def data_key(self) -> str:
        """The same for the recorded episodes alone."""
        return _hash([asdict(self.data), _code()])

    def settings(self) -> dict[str, object]:
        """For people and for results: plain values; of the arms only the names."""
        return asdict(self)

    def changed(self, arms: Sequence[str], seeds: int | None, updates: int | None, episodes: int | None) -> Plan:
        """With some arms only, other seeds, updates or episodes; evaluated ten times as before."""
        known = [arm for arm in BY_NAME if arm in arms] if arms else self.arms
        data = self.data if episodes is None else replace(self.data, episodes=episodes)
        count = self.updates if updates is None else updates
        every = self.every if updates is None else max(1, updates // 10)
        chosen = self.seeds if seeds is None else tuple(range(seeds))
        return replace(self, arms=tuple(known), seeds=chosen, data=data, updates=count, every=every)


FULL = Plan()
QUICK = Plan(
    DataPlan(episodes=350), seeds=(0, 1), warm_episodes=60, warm_updates=60, updates=60, every=20, live=8
)  # fmt: skip


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]


@lru_cache(maxsize=1)
def _code() -> str:
    """A hash of the sources that decide the results."""
    digest = hashlib.sha256()
    for pattern in CODE:
        found = ROOT.glob(pattern) if pattern.endswith(".py") else (ROOT / pattern).rglob("*.py")
        for path in sorted(found):
            if path.relative_to(ROOT).as_posix() not in APART:
                digest.update(path.read_bytes())
    return digest.hexdigest()
