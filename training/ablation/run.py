"""Runs a plan: episodes, one warm-up a seed, then every arm of every seed, each in a process of its own.

A run is one JSON file in `<work>/<plan key>/`, written when the run is over: an interrupted ablation goes on where it
stood, and a run is never repeated. Everything random is a function of the seed, so a run is the same alone or among
others (on one machine and one version of torch).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.ablation.arms import BY_NAME, SFT, Arm
from training.ablation.data import demonstrations, fold, prepare
from training.ablation.measures import measure
from training.ablation.plan import Plan
from training.ablation.workers import workers
from training.pointer.dataset import Pack
from training.pointer.live import play_all, suite
from training.pointer.train import CRITIC_RULE, Done, Learner, draws
from training.ragged import Ints

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Work:
    """One run to be made. start: the file of the seed's warmed-up weights."""

    plan: Plan
    arm: str
    seed: int
    episodes: Path
    start: Path
    result: Path


def run(plan: Plan, work: Path, processes: int, tell: Tell) -> list[dict[str, Any]]:
    """All runs of a plan, made or found; in the order of arms, then seeds."""
    folder = work / plan.key()
    folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    tell(f"episodes: {plan.data.episodes} of {plan.data.source}")
    episodes = prepare(plan, work, processes)
    tell(f"episodes ready after {time.perf_counter() - began:.0f} s: {episodes}")
    todo = [Work(plan, arm, seed, episodes, folder / f"start-{seed}.pt", folder / f"{arm}-{seed}.json")
            for seed in plan.seeds for arm in plan.arms]  # fmt: skip
    warm = {one.seed: one for one in todo if not one.start.exists()}
    _all(warm.values(), _warm_up, processes, lambda one, took: tell(f"warm-up of seed {one.seed}: {took:.0f} s"))
    missing = [one for one in todo if not one.result.exists()]
    tell(f"{len(todo) - len(missing)} of {len(todo)} runs are there, {len(missing)} to do")
    left = _Left(len(missing), tell)
    _all(missing, _run, processes, left.one)
    order = {arm: at for at, arm in enumerate(plan.arms)}
    todo.sort(key=lambda one: (order[one.arm], one.seed))
    return [json.loads(one.result.read_text(encoding="utf-8")) for one in todo]


class _Left:
    """Says after each run how many are left, and how long that takes at the speed so far."""

    def __init__(self, total: int, tell: Tell) -> None:
        self.total, self.tell, self.done, self.began = total, tell, 0, time.perf_counter()

    def one(self, work: Work, took: float) -> None:
        """A run is over."""
        self.done += 1
        left = (time.perf_counter() - self.began) / self.done * (self.total - self.done)
        self.tell(f"{self.done}/{self.total} {work.arm} seed {work.seed}: {took:.0f} s; about {left / 60:.0f} min left")


def _all(
    works: Iterable[Work], task: Callable[[Work], float], processes: int, told: Callable[[Work, float], None]
) -> None:
    """Each work in a worker process; the first error ends everything."""
    with workers(processes) as pool:
        waiting = {pool.submit(task, one): one for one in works}
        for ended in as_completed(waiting):
            told(waiting[ended], ended.result())


@lru_cache(maxsize=1)
def _pack(path: Path) -> Pack:
    return Pack.load(path)


def _warm_up(work: Work) -> float:
    """Supervised training on few, noisy demonstrations; the weights go to `work.start`. CPU seconds."""
    began = time.process_time()
    torch.set_num_threads(1)
    plan, pack = work.plan, _pack(work.episodes)
    train, _ = fold(pack, plan, work.seed)
    few, targets = demonstrations(pack, plan, train, work.seed)
    learner = Learner(replace(plan.train, lr=plan.warm_lr), work.seed)
    order = draws(pack, few, plan.train.steps, work.seed)
    for _ in range(plan.warm_updates):
        learner.supervise(pack, next(order), targets)
    beside = work.start.with_suffix(".part")
    torch.save(learner.net.state_dict(), beside)
    beside.replace(work.start)
    return time.process_time() - began


def _run(work: Work) -> float:
    """Trains one arm from its seed's start, measures, plays; the result goes to `work.result`. CPU seconds."""
    began = time.process_time()
    torch.set_num_threads(1)
    plan, pack, arm = work.plan, _pack(work.episodes), BY_NAME[work.arm]
    train, test = fold(pack, plan, work.seed)
    learner = Learner(plan.train, work.seed, critic=arm.rule == CRITIC_RULE)
    learner.net.load_state_dict(torch.load(work.start, weights_only=True))
    found = _trained(plan, pack, arm, learner, train, test, work.seed)
    trained = time.process_time() - began
    final = measure(learner.net, pack, test)
    played = play_all(learner.net, suite(plan.live, work.seed)) if plan.live else []
    result = {
        "arm": work.arm, "seed": work.seed, **found, "final": final.rates(),
        "steps": {"right": final.right.astype(int).tolist(), "bucket": final.bucket.tolist(),
                  "episode": final.episode.tolist(), "back": final.back.astype(int).tolist(),
                  "slip": final.slip.astype(int).tolist(), "expected": final.expected.round(4).tolist()},
        "live": [asdict(one) for one in played],
        "cpu_s": {"train": round(trained, 1), "all": round(time.process_time() - began, 1)},
    }  # fmt: skip
    beside = work.result.with_suffix(".part")
    beside.write_text(json.dumps(result), encoding="utf-8")
    beside.replace(work.result)
    return time.process_time() - began


def _trained(
    plan: Plan, pack: Pack, arm: Arm, learner: Learner, train: Ints, test: Ints, seed: int
) -> dict[str, list[dict[str, float | None]]]:
    """All updates of an arm. evaluations: held-out rates by update; updates: means of what the updates saw."""
    order = draws(pack, train, plan.train.steps, seed)
    evaluations: list[dict[str, float | None]] = [{"update": 0, **measure(learner.net, pack, test).rates()}]
    seen: list[dict[str, float | None]] = []
    recent: list[Done] = []
    update = 0
    for rule, count in arm.stages(plan.updates, plan.first_stage):
        learner.freeze()
        learner.restart()
        for _ in range(count):
            episodes = next(order)
            if rule == SFT:
                learner.supervise(pack, episodes)
            else:
                recent.append(learner.reinforce(pack, episodes, rule, arm.rules, seed * 1_000_003 + update))
            update += 1
            if update % plan.every == 0 or update == plan.updates:
                evaluations.append({"update": update, **measure(learner.net, pack, test).rates()})
                if recent:
                    seen.append({"update": update, **_means(recent)})
                    recent = []
    return {"evaluations": evaluations, "updates": seen}


def _means(done: list[Done]) -> dict[str, float]:
    names = list(asdict(done[0]))
    return {name: float(np.mean([getattr(one, name) for one in done])) for name in names}
