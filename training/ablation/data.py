"""The episodes of a plan, recorded in shards by several processes and kept in one file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from training.ablation.plan import DataPlan, Plan
from training.ablation.workers import workers
from training.mix import BUCKETS
from training.pointer.dataset import Curation, Pack, build, joined
from training.pointer.episodes import Episode, NotSolved, jobs, new_phone, record
from training.ragged import Ints

SHARD = 200
"""Episodes a process records at a time; independent of how many processes there are."""


def prepare(plan: Plan, folder: Path, processes: int) -> Path:
    """The packed episodes of a plan: recorded unless they are there. Beside it `.json` says what was left out."""
    path = folder / f"episodes-{plan.data_key()}.npz"
    if path.exists():
        return path
    starts = range(0, plan.data.episodes, SHARD)
    with workers(processes) as pool:
        parts = list(pool.map(_shard, [plan.data] * len(starts), starts))
    pack = joined([pack for pack, _ in parts])
    folder.mkdir(parents=True, exist_ok=True)
    found = _described(pack, [curation for _, curation in parts])
    path.with_suffix(".json").write_text(json.dumps(found, sort_keys=True), encoding="utf-8")
    pack.save(path)
    return path


def _described(pack: Pack, parts: Sequence[Curation]) -> dict[str, object]:
    """What the episodes are, in counts."""
    left_out = sum((Counter(one.left_out) for one in parts), Counter[str]())
    firsts = [first for _, first in BUCKETS]
    bucket = np.searchsorted(firsts, pack.lengths, side="right") - 1
    return {
        "offered": sum(one.offered for one in parts), "kept": sum(one.kept for one in parts),
        "left_out": dict(left_out), "templates": len(pack.templates), "steps": int(pack.start[-1]),
        "options": int(pack.option_start[-1]), "press_back": int(pack.back.sum()),
        "press_back_after_slip": int(pack.slip.sum()),
        "episodes_by_length": {name: int((bucket == at).sum()) for at, (name, _) in enumerate(BUCKETS)},
    }  # fmt: skip


def _shard(data: DataPlan, first: int) -> tuple[Pack, Curation]:
    unsolved: list[str] = []
    count = min(SHARD, data.episodes - first)
    pack, curation = build(_episodes(data, first, count, unsolved))
    reasons = curation.left_out | ({"the script did not reach the goal": len(unsolved)} if unsolved else {})
    return pack, Curation(count, curation.kept, reasons)


def _episodes(data: DataPlan, first: int, count: int, unsolved: list[str]) -> Iterator[Episode]:
    phone = new_phone()
    for job in jobs(data.source, count, first):
        try:
            yield record(phone, job, data.slips)
        except NotSolved:
            unsolved.append(job.id)


def fold(pack: Pack, plan: Plan, seed: int) -> tuple[Ints, Ints]:
    """(training, test) episodes of a seed, sorted. The cut into folds is one for all seeds."""
    order = np.random.default_rng(20_260_422).permutation(len(pack.lengths))
    part = np.arange(len(order)) % plan.folds == seed % plan.folds
    return np.sort(order[~part]), np.sort(order[part])


def demonstrations(pack: Pack, plan: Plan, train: Ints, seed: int) -> tuple[Ints, Ints]:
    """The few episodes of the warm-up, and targets (S of the pack) of which some are random options."""
    rng = np.random.default_rng([seed, 1])
    few = np.sort(rng.choice(train, min(plan.warm_episodes, len(train)), replace=False))
    sizes = np.diff(pack.option_start)
    noisy = rng.random(len(pack.label)) < plan.warm_noise
    other = (rng.random(len(pack.label)) * sizes).astype(np.int64)
    return few, np.where(noisy, other, pack.label)
