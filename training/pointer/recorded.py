"""Episodes of the pocket phone as the embedded trainer's data for the pointer policy: recorded now, curated, told.

They are recorded when a run starts, about 20 a CPU second, and are the same for the same numbers and code: a resume
records them again, and the run's fingerprint of its data says if they changed. What is left out is counted as for any
other source (`training.curation`): a task whose script did not reach the goal, a label that the protocol does not
score, a label that is not on the menu. A step that goes leaves the others of its episode for the atomic stage.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from solar_eval.dialects.base import Parsed
from solar_eval.protocols import Protocol
from training.curation import Curated, Report
from training.pointer.episodes import NotSolved, SourceName, jobs, new_phone, record
from training.pointer.live import play_all, suite
from training.pointer.network import PointerNet
from training.pointer.policy import Menu, tasks
from training.policy import Task, TrainStep
from training.validity import score_candidates

TRIES = 20
"""Random options that are looked at for a wrong demonstration."""


def recorded(
    source: SourceName, count: int, first: int, slips: float, protocol: Protocol, noise: float = 0.0, seed: int = 0
) -> Curated:
    """Jobs `first` to `first + count - 1` of a source, as tasks.

    slips: probability that the recorder errs before a step (`episodes`). noise: share of demonstrations that are
    another option of the menu; labels stay.
    """
    report = Report()
    made = Curated([], [], report)
    for task in _recorded(source, count, first, slips, report):
        report.episodes += 1
        report.steps += len(task.steps)
        kept = tuple(_noisy(step, noise, seed) for step in _scored(task, protocol, report))
        if len(kept) == len(task.steps):
            made.whole.append(task if not noise else replace(task, steps=kept))
            continue
        report.dropped_episodes["a step was left out"] += 1
        if kept:
            made.loose.append(replace(task, steps=kept))
    report.kept_steps, report.kept_episodes = len(made.steps), len(made.whole)
    return made


def _recorded(source: SourceName, count: int, first: int, slips: float, report: Report) -> Iterator[Task]:
    phone = new_phone()
    for job in jobs(source, count, first):
        try:
            yield from tasks([record(phone, job, slips)])
        except NotSolved:
            report.episodes += 1
            report.dropped_episodes["the script did not reach the goal"] += 1


def _scored(task: Task, protocol: Protocol, report: Report) -> Iterator[TrainStep]:
    """The steps whose label the protocol scores and that some option of their menu satisfies."""
    menus = [step.payload.actions for step in task.steps]
    repeated = [step.step for step, menu in zip(task.steps, menus, strict=True) for _ in menu]
    found = score_candidates(repeated, [Parsed(a, strict_ok=True) for menu in menus for a in menu], protocol)
    at = 0
    for step, menu in zip(task.steps, menus, strict=True):
        here = slice(at, at + len(menu))
        at += len(menu)
        label = step.step.label
        kind = "" if label is None else f"a {label.kind}"
        if not found.usable[here].all():
            report.drop(step.step.id, "label fails its own scorer", kind)
        elif not found.valid[here].any():
            report.drop(step.step.id, "label not on the menu", kind)
        else:
            yield step


def _noisy(step: TrainStep, noise: float, seed: int) -> TrainStep:
    """Its demonstration replaced by another option with probability `noise`; the same for the same seed and step."""
    rng = random.Random(f"{seed}:demonstration:{step.step.id}")
    if rng.random() >= noise:
        return step
    menu: Menu = step.payload
    for _ in range(TRIES):
        other = rng.choice(menu.actions)
        found = score_candidates([replace(step.step, label=other)], [Parsed(other, strict_ok=True)])
        if found.valid[0] and found.usable[0] and other != step.step.label:
            return replace(step, demonstration=other)
    return step


def live(net: PointerNet, templates: int, seed: int) -> Callable[[], Mapping[str, float]]:
    """A measurement: so many tasks of pocket_world with parameters that are never recorded, played greedily."""

    def measured() -> Mapping[str, float]:
        played = play_all(net, suite(templates, seed))
        share, steps = (sum(float(value) for value in column) / len(played)
                        for column in zip(*((one.success, one.steps) for one in played), strict=True))  # fmt: skip
        return {"live_success": share, "live_tasks": float(len(played)), "live_steps": steps}

    return measured
