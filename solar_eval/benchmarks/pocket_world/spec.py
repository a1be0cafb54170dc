"""What one template of pocket_world consists of, and the task it becomes with a seed (`solar_eval.live.task.LiveTask`).

A template is data and small functions: a goal with parameters, a generator of parameters, what the phone holds at the
beginning, the check of the phone's state at the end, a scripted solution, and a script that does something plausible
but wrong (it must score 0.0). All randomness is one `random.Random` made from template name and seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from solar_eval.benchmarks.pocket_world.access import run
from solar_eval.benchmarks.pocket_world.answers import Wanted, right
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.world import World
from solar_eval.live.task import Difficulty, Expert, Said, Template

if TYPE_CHECKING:
    from emulator.device import Device
    from emulator.pocket.experts.driver import Driver
    from solar_eval.benchmarks.pocket_world.access import Access

Params = dict[str, Any]
Script = Callable[["Driver", Params], None]


def _untouched(world: World, params: Params) -> None:
    """Nothing to prepare beyond a new phone."""


def _always(now: Reading, params: Params) -> bool:
    """The state does not matter: only the answer does."""
    return True


@dataclass(frozen=True)
class Spec:
    """One template.

    goal: with the names of parameters in braces. steps: actions of the expert (see Template.optimal_steps), measured.
    setup: fills the phone. check: True if the phone is as it should be. wanted: for a question, what must be said.
    expert, wrong: scripts. detour: a second solution that first runs into the mistake the task is about and comes back.
    infeasible: right is only to say so, with the phone as `check` wants it.
    """

    name: str
    goal: str
    steps: int
    difficulty: Difficulty
    apps: tuple[str, ...]
    draw: Callable[[random.Random], Params]
    expert: Script
    wrong: Script
    check: Callable[[Reading, Params], bool] = _always
    setup: Callable[[World, Params], None] = _untouched
    tags: tuple[str, ...] = ()
    wanted: Callable[[Params], Wanted] | None = None
    detour: Script | None = None
    infeasible: bool = False

    @property
    def template(self) -> Template:
        """The facts, with AndroidWorld's kind of budget: twice the optimal steps, ten at least."""
        tags = list(self.tags)
        for word, holds in (
            ("question", self.wanted is not None), ("infeasible", self.infeasible), ("cross_app", len(self.apps) > 1),
        ):  # fmt: skip
            if holds and word not in tags:
                tags.append(word)
        return Template(self.name, max(1.0, self.steps / 5), self.steps, self.difficulty, tuple(tags), self.apps)

    def params(self, seed: int) -> Params:
        """The parameters of a seed: the same on every machine."""
        return self.draw(random.Random(f"pocket_world/{self.name}/{seed}"))


@dataclass(frozen=True)
class Task:
    """A template with parameters."""

    spec: Spec
    seed: int
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        """ "<template>/<seed>"."""
        return f"{self.spec.name}/{self.seed}"

    @property
    def template(self) -> Template:
        """What all instances share."""
        return self.spec.template

    @property
    def goal(self) -> str:
        """The sentence for the agent."""
        return self.spec.goal.format(**self.params)

    @property
    def expert(self) -> Expert:
        """The scripted solution."""
        return partial(self.spec_script, self.spec.expert)

    @property
    def wrong(self) -> Expert:
        """A script that scores 0.0."""
        return partial(self.spec_script, self.spec.wrong)

    @property
    def detour(self) -> Expert | None:
        """A solution that errs first and recovers, None for most templates."""
        return None if self.spec.detour is None else partial(self.spec_script, self.spec.detour)

    def spec_script(self, script: Script, driver: Driver) -> None:
        """Run one of the template's scripts with the parameters."""
        script(driver, dict(self.params))

    def initialize(self, device: Device | Access) -> None:
        """A new phone with what the task needs, the home screen in front. CommandFailed if a line fails."""
        world = World()
        self.spec.setup(world, dict(self.params))
        world.run(device)

    def score(self, device: Device | Access, said: Said) -> float:
        """1.0 or 0.0; calling a task infeasible that is not is wrong whatever the phone holds."""
        if (said.finish == "infeasible") != self.spec.infeasible:
            return 0.0
        if self.spec.wanted is not None and not right(said.answer, self.spec.wanted(dict(self.params))):
            return 0.0
        return float(self.spec.check(Reading(device), dict(self.params)))

    def tear_down(self, device: Device | Access) -> None:
        """A new phone."""
        run(device, "pocket reset")
