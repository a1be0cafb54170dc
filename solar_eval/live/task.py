"""What a live task and a live benchmark are: the contract that pocket_world and official AndroidWorld both fulfil.

The form is AndroidWorld's (google-research/android_world @d9c569f, task_evals/task_eval.py): a template with parameters
drawn from a seed, `initialize`, success read from the state of the device, `tear_down`. Departures: a task gets the
device as an argument and draws from no global random state; what the agent said (an answer, "infeasible") is an
argument of `score` instead of a cache on the environment; a template's facts can be read without making a task.

An object of `LiveTask` is one episode's: `initialize` once, then the agent, then `score`, then `tear_down` (always,
also after a failed `initialize`). None of the three may touch process-wide state (global `random`, fixed file names,
the working directory): several run in threads of one process. A `DeviceError` passes through; it is never caught and
turned into a score. Any other exception is a fault of the benchmark and is reported as such, never as a 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from solar_eval.actions import FinishStatus

if TYPE_CHECKING:
    from emulator.device import Device
    from emulator.pocket.experts.driver import Driver

Difficulty = Literal["easy", "medium", "hard"]
LengthClass = Literal["short", "medium", "long", "very_long"]
Expert = Callable[["Driver"], None]
"""A scripted solution: sees the hierarchy, acts, and calls `driver.answer(text)` where the task asks a question.

For an infeasible task the expert tries nothing and calls `driver.answer(INFEASIBLE)`.
"""
INFEASIBLE = "infeasible"
LENGTHS: tuple[tuple[int, LengthClass], ...] = ((5, "short"), (12, "medium"), (29, "long"))
"""Upper bounds of optimal steps; above the last one a task is very_long (30 and more)."""


def length_class(optimal_steps: int) -> LengthClass:
    """short: up to 5 steps; medium: 6-12; long: 13-29; very_long: 30 and more."""
    return next((name for bound, name in LENGTHS if optimal_steps <= bound), "very_long")


@dataclass(frozen=True, slots=True)
class Template:
    """What is known of a task before it has parameters.

    complexity: AndroidWorld's unit, the official budget is int(10 * complexity) steps. optimal_steps: actions of the
    shortest known solution, opening the app and a final answer included, the declaration "done" not. tags: free words
    (AndroidWorld's, or "error_recovery", "infeasible", "question", "cross_app"). apps: names as a person says them.
    """

    name: str
    complexity: float
    optimal_steps: int
    difficulty: Difficulty
    tags: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()

    @property
    def length(self) -> LengthClass:
        """Class of its optimal steps."""
        return length_class(self.optimal_steps)


@dataclass(frozen=True, slots=True)
class Said:
    """What the agent said in words. answer: its last `Answer` ("" for none).

    finish: how it declared the episode over; None if it never did (budget, fault). An infeasible task is right only
    with finish "infeasible".
    """

    answer: str = ""
    finish: FinishStatus | None = None


class LiveTask(Protocol):
    """One instance: a template with parameters. `name` is unique in a suite: "<template>/<seed>"."""

    @property
    def name(self) -> str:
        """ "<template>/<seed>"."""

    @property
    def template(self) -> Template:
        """What all instances share."""

    @property
    def goal(self) -> str:
        """The sentence for the agent, the same for the same seed whatever the clock says."""

    @property
    def params(self) -> Mapping[str, object]:
        """The drawn parameters, plain JSON values: part of the run's identity."""

    @property
    def seed(self) -> int:
        """What the parameters were drawn from."""

    @property
    def expert(self) -> Expert | None:
        """The scripted solution, None if there is none."""

    def initialize(self, device: Device) -> None:
        """Brings the phone into the start state: from any state, twice in a row too. The home screen is in front after.

        DeviceError, or any exception where the phone can't be brought there.
        """

    def score(self, device: Device, said: Said) -> float:
        """0..1, read from the state of the phone and from what was said; 1.0 is success. Changes nothing."""

    def tear_down(self, device: Device) -> None:
        """Puts back what `initialize` and the agent changed, as far as the task can know; safe to call twice."""


class LiveBenchmark(Protocol):
    """A table of templates and the one way to make tasks of them. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """As in tables of results ("pocket_world", "android_world")."""

    @property
    def version(self) -> str:
        """Changes whenever a score may change: part of a run's identity."""

    @property
    def templates(self) -> Sequence[Template]:
        """All templates, in a fixed order."""

    def instantiate(self, template: str, seed: int) -> LiveTask:
        """The task of a template at a seed: the same seed gives the same goal and parameters on every machine, on
        every day. UsageError (with the nearest names) for an unknown template.
        """
