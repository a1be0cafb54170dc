"""All templates, in a fixed order. A new module of templates is a line here."""

from __future__ import annotations

from solar_eval.benchmarks.pocket_world.spec import Spec
from solar_eval.benchmarks.pocket_world.tasks import (
    calendar,
    clock,
    contacts,
    cross_app,
    dialer,
    expense,
    files,
    infeasible,
    markor,
    messages,
    recipes,
    recovery,
    settings,
    todo,
)

SPECS: tuple[Spec, ...] = (
    *settings.SPECS,
    *clock.SPECS,
    *contacts.SPECS,
    *dialer.SPECS,
    *messages.SPECS,
    *files.SPECS,
    *markor.SPECS,
    *calendar.SPECS,
    *expense.SPECS,
    *todo.SPECS,
    *recipes.SPECS,
    *cross_app.SPECS,
    *recovery.SPECS,
    *infeasible.SPECS,
)
