"""Which steps of a benchmark are asked: all, the first N, or some by id. The rest stays, for histories alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from solar_eval.asking import is_asked
from solar_eval.errors import unknown_name
from solar_eval.records import Benchmark, Step

History = Literal["labels", "own"]
"""Whose earlier actions a prompt shows: the labels' (offline) or the model's own (semi-online)."""


def narrowed(
    benchmark: Benchmark, sample: tuple[str, ...] = (), limit: int | None = None, history: History = "labels"
) -> Benchmark:
    """The benchmark with only some steps asked; the others stay for histories, episodes without any are left out.

    sample: step or episode ids (with own history a step stands for its whole episode). limit: the first N steps, with
    own history the first N episodes. Raises UsageError for an id that is not there.
    """
    if not sample and limit is None:
        return benchmark
    chosen = _chosen(benchmark, sample, history)
    if limit is not None:
        units = set(list(dict.fromkeys(_unit(step, history) for step in chosen))[:limit])
        chosen = [step for step in chosen if _unit(step, history) in units]
    wanted = {step.id for step in chosen}
    episodes = tuple(
        replace(episode, steps=tuple(_kept(step, step.id in wanted) for step in episode.steps))
        for episode in benchmark.episodes
        if any(step.id in wanted for step in episode.steps)
    )
    note = f"only {len(wanted)} of {sum(map(is_asked, benchmark.steps))} steps were selected"
    return replace(benchmark, episodes=episodes, notes=(*benchmark.notes, note))


def _unit(step: Step, history: History) -> str:
    return step.episode if history == "own" else step.id


def _chosen(benchmark: Benchmark, sample: tuple[str, ...], history: History) -> list[Step]:
    asked = [step for step in benchmark.steps if is_asked(step)]
    if not sample:
        return asked
    known = {step.id: step for step in asked}
    episodes = {step.episode for step in asked}
    for name in sample:
        if name not in known and name not in episodes:
            raise unknown_name("sample", name, [*known, *episodes])
    units = {_unit(known[name], history) for name in sample if name in known}
    return [step for step in asked if step.episode in sample or _unit(step, history) in units]


def _kept(step: Step, wanted: bool) -> Step:
    """The step as it is, or marked as one that only histories show."""
    return step if wanted or not is_asked(step) else replace(step, extra=(*step.extra, ("history_only", True)))
