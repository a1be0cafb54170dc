"""All templates, in a fixed order. A new module of templates is a line here."""

from __future__ import annotations

from solar_eval.benchmarks.pocket_world.spec import Spec
from solar_eval.benchmarks.pocket_world.tasks import settings

SPECS: tuple[Spec, ...] = (*settings.SPECS,)
