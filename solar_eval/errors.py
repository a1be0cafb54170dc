"""One exception class per boundary, each with what went wrong, where, and what to do about it.

A command ends with `exit_code`: 2 usage or data, 3 infrastructure (work is still owed), 4 a run directory
that refuses. Faults of a model's reply are not exceptions: they are data (`dialects.base.Fault`).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class SolarEvalError(Exception):
    """Base of every error that a user is meant to read."""

    exit_code = 2

    def __init__(self, what: str, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(": ".join(part for part in (where, what) if part) + (f"\n  {fix}" if fix else ""))


class UsageError(SolarEvalError):
    """A flag, a name or a configuration that does not fit."""


class DataError(SolarEvalError):
    """A benchmark or reply file that can't be read as what it says it is."""


class InfrastructureError(SolarEvalError):
    """A server or a device failed; the step is still owed and can be asked again."""

    exit_code = 3


class RunDirError(SolarEvalError):
    """A run directory is locked, of another configuration, or damaged."""

    exit_code = 4


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """A usage error for a name that is not in a table, with the nearest names as the suggestion."""
    names = sorted(known)
    close = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names)}"
    return UsageError(f"unknown {kind} {name!r}", fix=hint)


@contextmanager
def boundary(kind: type[SolarEvalError], where: str, fix: str = "") -> Iterator[None]:
    """Turns any foreign exception raised inside into `kind`, keeping its text and cause."""
    try:
        yield
    except SolarEvalError:
        raise
    except Exception as error:
        raise kind(f"{type(error).__name__}: {error}", where, fix) from error
