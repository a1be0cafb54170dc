"""pocket_world as a live benchmark (`solar_eval.live.task.LiveBenchmark`)."""

from __future__ import annotations

from solar_eval.benchmarks.pocket_world.spec import Spec, Task
from solar_eval.benchmarks.pocket_world.table import SPECS
from solar_eval.errors import unknown_name
from solar_eval.live.task import Template

NAME = "pocket_world"
VERSION = "2"
"""Changes whenever a score may change."""


class PocketWorld:
    """The suite. `specs`: the templates, all of them by default."""

    name = NAME
    version = VERSION

    def __init__(self, specs: tuple[Spec, ...] = SPECS) -> None:
        self.specs = {spec.name: spec for spec in specs}

    @property
    def templates(self) -> tuple[Template, ...]:
        """All templates, in a fixed order."""
        return tuple(spec.template for spec in self.specs.values())

    def instantiate(self, template: str, seed: int) -> Task:
        """The task of a template at a seed. UsageError, with the nearest names, for an unknown template."""
        if template not in self.specs:
            raise unknown_name("pocket_world template", template, self.specs)
        spec = self.specs[template]
        return Task(spec, seed, spec.params(seed))
