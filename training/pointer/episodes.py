"""Expert episodes of the pocket phone as the pointer policy learns from them: a moment and a label a step.

Two sources: the templates of pocket_world, and chains of the phone's own errands (several errands as one goal, for
length). At random steps the recorder errs before the expert acts: it taps something else, and where BACK brings the
very same screen back, the episode gets a step whose label is "press back", seen with the mistake in the history. The
mistake itself is no step; nobody is trained to make it. All randomness comes from the episode's name. No picture is
drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from emulator.pocket.apps import APPS
from emulator.pocket.experts.driver import Action as Made
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.episodes import ERRANDS, Errand
from emulator.pocket.phone import Phone
from emulator.ui_tree import Element
from solar_eval.actions import Action, Answer, Finish, Press, Swipe, Type
from solar_eval.benchmarks.pocket_world.access import PhoneAccess, run
from solar_eval.benchmarks.pocket_world.suite import PocketWorld
from solar_eval.benchmarks.pocket_world.trajectories import SIZE, Watcher, elements_of, translated
from solar_eval.live.task import INFEASIBLE, Said
from training.pointer.screen import Done, Moment, Screen, read_screen

SourceName = Literal["pocket_world", "errands"]
MAX_ERRANDS = 4
APP_NAMES = tuple(sorted(app.label for app in APPS))


@dataclass(frozen=True, slots=True)
class Recorded:
    """One decision with its label. slip: the label takes back a mistake that the recorder made."""

    moment: Moment
    label: Action
    slip: bool = False


@dataclass(frozen=True, slots=True)
class Episode:
    """One solved task. id: "<template>/<seed>"; template: what its siblings share."""

    id: str
    template: str
    goal: str
    steps: tuple[Recorded, ...]


class NotSolved(Exception):
    """The script did not reach the goal, or not by actions of the vocabulary; the message says which."""


class Recorder(Watcher):
    """A driver that notes moments, and errs before a step with probability `slips`."""

    def __init__(self, phone: Phone, goal: str, rng: random.Random, slips: float) -> None:
        super().__init__(phone)
        self.goal, self.rng, self.slips = goal, rng, slips
        self.recorded: list[Recorded] = []
        self.history: list[Done] = []

    def _note(self, action: Made) -> None:
        if self.rng.random() < self.slips:
            self._err()
        try:
            label = translated(action, self.phone.display_size)
        except ValueError as error:
            raise NotSolved(f"an action outside the vocabulary: {error}") from error
        words = action.target.label if action.target is not None else words_of(label)
        self._step(label, words)

    def finish(self, label: Action) -> None:
        """The last step: nothing is done on the phone."""
        self._step(label, words_of(label))

    def _step(self, label: Action, words: str, slip: bool = False) -> None:
        moment = Moment(self.goal, self._look(), APP_NAMES, tuple(self.history))
        self.recorded.append(Recorded(moment, label, slip))
        self.history.append(Done(label.kind, words))

    def _look(self) -> Screen:
        return read_screen(self.elements(), self.phone.display_size)

    def _err(self) -> None:
        """Tap something else and come back; without a trace where BACK does not undo it."""
        before, kept = self.elements(), self.phone.snapshot()
        places = [e for e in before if e.clickable and not e.editable and e.label]
        if not places or self.phone.faults.waiting():
            return
        wrong = self.rng.choice(places)
        self.phone.tap(*wrong.center)
        after = elements_of(self.phone)
        self.phone.key("BACK")
        undone = _same(elements_of(self.phone), before) and not _same(after, before)
        self.phone.restore(kept)
        self._seen.clear()
        if not undone:
            return
        self.phone.tap(*wrong.center)
        self._seen.clear()
        self.history.append(Done("click", wrong.label))
        self._step(Press("back"), "back", slip=True)
        self.phone.key("BACK")
        self._seen.clear()


def _same(one: Sequence[Element], other: Sequence[Element]) -> bool:
    return list(one) == list(other)


def words_of(action: Action) -> str:
    """What an action without an element is about, in words."""
    if isinstance(action, Swipe):
        return action.finger or ""
    if isinstance(action, Press):
        return action.key
    if isinstance(action, Type | Answer):
        return action.text
    return str(getattr(action, "name", "") or getattr(action, "status", ""))


@dataclass(frozen=True)
class Job:
    """A task before it is done: its name, and how to do it on a phone. `prepare` gives the goal's script and test."""

    id: str
    template: str
    goal: str
    prepare: Callable[[Phone], None]
    do: Callable[[Driver], None]
    done: Callable[[Phone, str], bool]


def record(phone: Phone, job: Job, slips: float) -> Episode:
    """Do a job on a phone and write it down. NotSolved where its test says no."""
    job.prepare(phone)
    recorder = Recorder(phone, job.goal, random.Random(f"slips/{job.id}"), slips)
    try:
        job.do(recorder)
    except (LookupError, StopIteration) as error:  # NotOnScreen, and what else a lost script runs into
        raise NotSolved(f"{job.id}: {error}") from error
    if not job.done(phone, recorder.answered):
        raise NotSolved(job.id)
    if not recorder.recorded or not isinstance(recorder.recorded[-1].label, Finish):
        recorder.finish(Finish("success"))
    return Episode(job.id, job.template, job.goal, tuple(recorder.recorded))


def jobs(source: SourceName, count: int, first: int = 0) -> Iterator[Job]:
    """`count` jobs from number `first` on; the same number is the same job on every machine."""
    make = _world_jobs() if source == "pocket_world" else errand_chain
    for number in range(first, first + count):
        yield make(number)


def _world_jobs() -> Callable[[int], Job]:
    benchmark = PocketWorld()
    names = sorted(benchmark.specs)

    def make(number: int) -> Job:
        return world_job(benchmark, names[number % len(names)], number // len(names))

    return make


def world_job(benchmark: PocketWorld, template: str, seed: int) -> Job:
    """A pocket_world task; every other seed by its own detour where it has one."""
    task = benchmark.instantiate(template, seed)

    def done(phone: Phone, answered: str) -> bool:
        said = Said(answered, "infeasible" if answered == INFEASIBLE else "success")
        return task.score(PhoneAccess(phone), said) == 1.0

    script = task.detour if task.detour is not None and seed % 2 else task.expert
    return Job(task.name, template, task.goal, lambda phone: task.initialize(PhoneAccess(phone)), script, done)


def errand_chain(number: int) -> Job:
    """One to MAX_ERRANDS errands, one after the other, as one goal; judged by the last one's test."""
    rng = random.Random(f"errands/{number}")
    chain: list[Errand] = [make(rng) for make in rng.sample(ERRANDS, 1 + number % MAX_ERRANDS)]

    def do(driver: Driver) -> None:
        for errand in chain:
            errand.do(driver)

    def prepare(phone: Phone) -> None:
        run(PhoneAccess(phone), "pocket reset")

    goal = " Then: ".join(errand.goal for errand in chain)
    template = chain[0].name if len(chain) == 1 else f"{len(chain)} errands"
    return Job(f"errands/{number}", template, goal, prepare, do, lambda phone, _: chain[-1].done(phone))


def new_phone() -> Phone:
    """A phone of the size that pocket_world records on."""
    return Phone(size=SIZE)
