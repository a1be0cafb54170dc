"""From recorded episodes to what is trained on: named filters, everything that is left out counted and listed.

A step goes for one of FILTERS; the first that applies is its reason. A step that goes leaves the others of its
episode for the atomic stage, but the episode is no trajectory any more: nothing can be spliced through a gap. Filters
that look at tokens (`too long`) need a policy and come last, in `fit`. Nothing is shortened: a prompt that does not fit
is left out whole, so that no image placeholder is ever cut (EasyR1#175; case T07).
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from solar_eval.actions import Action, to_json
from solar_eval.asking import PromptPlan, label_history
from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.dialects.frames import Frame
from solar_eval.errors import SolarEvalError
from solar_eval.models.base import image_indices
from solar_eval.models.scripted import mistaken
from solar_eval.protocols import Family, Protocol
from solar_eval.records import Benchmark, Episode, RecordedParse, Step
from training.policy import Task, TrainStep
from training.screens import Screen, ScreenStore
from training.validity import score_candidates, solar_protocol

Filter = Literal[
    "label unreadable", "history only", "label fails its own scorer", "dialect has no words for the label",
    "label fails through the dialect", "screenshot missing", "screenshot unreadable", "duplicate", "too long prompt",
    "too long reply", "label not on the menu",
]  # fmt: skip
EXAMPLES = 5
"""Step ids kept for each filter and shown in the report."""
Fits = Callable[[TrainStep], tuple[int, int]]


@dataclass
class Report:
    """What became of the steps and episodes. unreadable: items that the loaders could not read at all."""

    steps: int = 0
    episodes: int = 0
    kept_steps: int = 0
    kept_episodes: int = 0
    unreadable: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    dropped_episodes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def drop(self, step: str, why: Filter, detail: str = "") -> None:
        """Counts one step."""
        self.dropped[why] += 1
        shown = self.examples.setdefault(why, [])
        if len(shown) < EXAMPLES:
            shown.append(f"{step}: {detail}" if detail else step)

    def to_json(self) -> dict[str, object]:
        """Plain data."""
        return {
            "steps": self.steps, "episodes": self.episodes, "kept_steps": self.kept_steps,
            "kept_episodes": self.kept_episodes, "unreadable_items": self.unreadable,
            "dropped_steps": dict(self.dropped), "dropped_episodes": dict(self.dropped_episodes),
            "examples": self.examples,
        }  # fmt: skip

    def lines(self) -> list[str]:
        """For people: totals, then a line a filter with an example."""
        head = f"{self.kept_steps} of {self.steps} steps, {self.kept_episodes} of {self.episodes} whole episodes kept"
        left = [
            f"  {n} steps left out: {why} (for instance {self.examples[why][0]})" for why, n in self.dropped.items()
        ]
        left += [f"  {n} episodes left out: {why}" for why, n in self.dropped_episodes.items()]
        return [head, *left] + ([f"  {self.unreadable} items unreadable"] if self.unreadable else [])


@dataclass
class Curated:
    """whole: episodes of which every step is good. loose: the good steps of the others, for the atomic stage alone."""

    whole: list[Task]
    loose: list[Task]
    report: Report

    @property
    def steps(self) -> list[TrainStep]:
        """All kept steps."""
        return [step for task in (*self.whole, *self.loose) for step in task.steps]


def curate(
    benchmark: Benchmark, family: Family, plan: PromptPlan | None, store: ScreenStore | None,
    protocol: Protocol | None = None, noise: float = 0.0, seed: int = 0,
) -> Curated:  # fmt: skip
    """Everything but lengths. plan None: a policy without text; store None: one without pictures.

    noise: share of demonstrations replaced by a plausible mistake (`scripted.mistaken`); labels stay.
    """
    report = Report(unreadable=len(benchmark.unreadable))
    made = Curated([], [], report)
    seen: set[str] = set()
    protocol = protocol or solar_protocol()
    for episode in benchmark.episodes:
        report.episodes += 1
        report.steps += len(episode.steps)
        kept = _Episode(episode, family, plan, store, protocol, report).steps()
        kept = [_noisy(step, noise, seed, plan) for step in kept]
        key = fingerprint(kept)
        if kept and key in seen:
            for step in kept:
                report.drop(step.step.id, "duplicate")
            report.dropped_episodes["duplicate"] += 1
            continue
        seen.add(key)
        _place(made, episode, kept, family)
    _count(made)
    return made


def fit(curated: Curated, lengths: Fits, context: int, reply: int) -> Curated:
    """Leaves out steps whose prompt (image tokens expanded) and longest reply exceed `context`, or whose target
    exceeds `reply` tokens. `lengths` gives both of a step."""  # fmt: skip
    made = Curated([], [], curated.report)
    for task in (*curated.whole, *curated.loose):
        kept = []
        for step in task.steps:
            prompt, target = lengths(step)
            if prompt + reply > context:
                made.report.drop(step.step.id, "too long prompt", f"{prompt} + {reply} of {context} tokens")
            elif target > reply:
                made.report.drop(step.step.id, "too long reply", f"{target} of {reply} tokens")
            else:
                kept.append(step)
        whole = task in curated.whole and len(kept) == len(task.steps)
        if whole:
            made.whole.append(task)
        elif kept:
            made.loose.append(replace(task, steps=tuple(kept)))
        if not whole and task in curated.whole:
            made.report.dropped_episodes["a step was left out"] += 1
    _count(made)
    return made


def _place(made: Curated, episode: Episode, kept: Sequence[TrainStep], family: Family) -> None:
    asked = [step for step in episode.steps if not step.history_only]
    if kept and len(kept) == len(asked) == len(episode.steps):
        made.whole.append(Task(episode.id, tuple(kept), family))
        return
    made.report.dropped_episodes["a step was left out"] += 1
    if kept:
        made.loose.append(Task(episode.id, tuple(kept), family))


def _count(made: Curated) -> None:
    made.report.kept_steps, made.report.kept_episodes = len(made.steps), len(made.whole)


@dataclass
class _Episode:
    """One episode on its way through the filters; its screenshots are read once, in order."""

    episode: Episode
    family: Family
    plan: PromptPlan | None
    store: ScreenStore | None
    protocol: Protocol
    report: Report
    screens: dict[int, Screen] = field(default_factory=dict)

    def steps(self) -> list[TrainStep]:
        """The steps that pass."""
        return [made for step in self.episode.steps if (made := self._passed(step)) is not None]

    def _passed(self, step: Step) -> TrainStep | None:
        screen = self._screen(step)
        if step.history_only:
            self.report.drop(step.id, "history only")
        elif step.label is None:
            self.report.drop(step.id, "label unreadable", step.label_fault)
        elif not _valid(step, RecordedParse(step.label), self.protocol, self.family):
            self.report.drop(step.id, "label fails its own scorer", json.dumps(to_json(step.label))[:120])
        elif self.store is not None and isinstance(screen, str):
            missing = step.screenshot is None
            self.report.drop(step.id, "screenshot missing" if missing else "screenshot unreadable", screen[:160])
        else:
            return self._told(step, step.label, screen if isinstance(screen, Screen) else None)
        return None

    def _screen(self, step: Step) -> Screen | str:
        """The kept screenshot, or why there is none."""
        if self.store is None or step.screenshot is None:
            return "no screenshot is recorded"
        try:
            made = self.store.add(step.screenshot, f"screenshot of step {step.id}")
        except SolarEvalError as error:
            return error.what
        self.screens[step.index] = made
        return made

    def _told(self, step: Step, label: Action, screen: Screen | None) -> TrainStep | None:
        size = screen.size if screen is not None else (0, 0)
        history = tuple(label_history(self.episode, step))
        made = TrainStep(step, None, history, size, {}, family=self.family)
        if self.plan is None:
            return made
        frame = frame_of(self.plan.dialect, made)
        try:
            text = self.plan.dialect.render(label, frame, step.low)
        except CannotExpress as error:
            self.report.drop(step.id, "dialect has no words for the label", error.what)
            return None
        if not _valid(step, self.plan.dialect.parse(text, frame), self.protocol, self.family):
            self.report.drop(step.id, "label fails through the dialect", text[:120])
            return None
        return self._pictured(made, frame)

    def _pictured(self, made: TrainStep, frame: Frame) -> TrainStep | None:
        """With the keys of all pictures that the prompt shows."""
        if self.store is None or self.plan is None:
            return made
        plan = replace(self.plan, benchmark=self.family)
        shown = image_indices(plan.messages(made.step, frame, made.history))
        absent = [index for index in shown if index not in self.screens]
        if absent:
            self.report.drop(made.step.id, "screenshot unreadable", f"of the earlier steps {absent}")
            return None
        return replace(made, screens={index: self.screens[index].key for index in shown})


def frame_of(dialect: Dialect, step: TrainStep) -> Frame:
    """What the reply's coordinates refer to: the picture at the size that stands with the step."""
    made = dialect.frame_for(step.step.screen, step.family)
    return Frame(made.screen, step.image if step.image != (0, 0) else made.image, made.scroll_sense)


def _valid(step: Step, prediction: object, protocol: Protocol, family: Family) -> bool:
    found = score_candidates([step], [prediction], protocol, family)  # type: ignore[list-item]
    return bool(found.usable[0] and found.valid[0])


def _noisy(step: TrainStep, noise: float, seed: int, plan: PromptPlan | None) -> TrainStep:
    """Its demonstration replaced by a mistake with probability `noise`; the same for the same seed and step."""
    rng = random.Random(f"{seed}:demonstration:{step.step.id}")
    label = step.step.label
    if label is None or rng.random() >= noise:
        return step
    for _ in range(20):
        wrong = mistaken(rng, label)
        if plan is None or plan.dialect.can_express(wrong):
            return replace(step, demonstration=wrong)
    return step


def fingerprint(steps: Iterable[TrainStep]) -> str:
    """The same for trajectories that show the same goal, pictures and labels; without pictures the step ids count."""
    told = [
        (one.step.goal, one.step.low, sorted(one.screens.values()) or one.step.id,
         to_json(one.step.label) if one.step.label else None)
        for one in steps
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
