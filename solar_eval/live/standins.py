"""Modules of the standard library as one thread's task sees them: its own chance, clock, sleep and temporary folder.

Tasks of a foreign package draw from the process's `random`, sleep in real time, read the computer's date and write to
fixed names in the temporary folder, so that two of them in one process disturb each other and a seed does not mean one
suite. A stand-in has the module's own name inside that package and behaves like the module, except within
`inside(context)`, where these things belong to the thread. Nothing outside the package changes.
"""

from __future__ import annotations

import datetime as real_datetime
import random as real_random
import tempfile as real_tempfile
import threading
import time as real_time
import uuid as real_uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass
class Context:
    """What belongs to one thread's task. sleep: lets seconds pass (None: really). now: the date, None: the computer's.

    folder: where temporary files go. slept: seconds that passed without the computer's clock.
    """

    rng: real_random.Random
    folder: str
    sleep: Callable[[float], object] | None = None
    now: real_datetime.datetime | None = None
    slept: float = 0.0


_thread = threading.local()


def current() -> Context | None:
    """The context of this thread."""
    found: Context | None = getattr(_thread, "context", None)
    return found


@contextmanager
def inside(context: Context) -> Iterator[Context]:
    """The context for the length of a `with` block, in this thread alone."""
    before = current()
    _thread.context = context
    try:
        yield context
    finally:
        _thread.context = before


class _Module:
    """Looks like `module`; the names in `own` come from functions of this file."""

    def __init__(self, module: ModuleType, own: Mapping[str, Any]) -> None:
        self._module, self._own = module, own

    def __getattr__(self, name: str) -> Any:
        own = self._own.get(name)
        return getattr(self._module, name) if own is None else own


class _Random:
    """`random`: every function of the thread's own generator."""

    def __getattr__(self, name: str) -> Any:
        context = current()
        if context is not None and hasattr(real_random.Random, name) and not name.startswith("_"):
            return getattr(context.rng, name)
        return getattr(real_random, name)


def _sleep(seconds: float) -> None:
    context = current()
    if context is None or context.sleep is None:
        real_time.sleep(seconds)
        return
    context.slept += seconds
    context.sleep(seconds)


def _time() -> float:
    context = current()
    return real_time.time() + (context.slept if context is not None else 0.0)


def _monotonic() -> float:
    context = current()
    return real_time.monotonic() + (context.slept if context is not None else 0.0)


def _uuid4() -> real_uuid.UUID:
    context = current()
    return real_uuid.uuid4() if context is None else real_uuid.UUID(int=context.rng.getrandbits(128), version=4)


def _gettempdir() -> str:
    context = current()
    return real_tempfile.gettempdir() if context is None else context.folder


def _mkdtemp(suffix: str | None = None, prefix: str | None = None, dir: str | None = None) -> str:
    return real_tempfile.mkdtemp(suffix, prefix, dir or _gettempdir())


class _Like(type):
    """So that a real date counts as one of ours."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, real_datetime.datetime)


class _Datetime(real_datetime.datetime, metaclass=_Like):
    """`datetime.datetime` whose now is the task's."""

    @classmethod
    def now(cls, tz: real_datetime.tzinfo | None = None) -> Any:
        """The date of the thread's task, else the computer's."""
        context = current()
        if context is None or context.now is None:
            return real_datetime.datetime.now(tz)
        return context.now if tz is None else context.now.astimezone(tz)


STANDINS: dict[str, tuple[ModuleType, object]] = {
    "random": (real_random, _Random()),
    "time": (real_time, _Module(real_time, {"sleep": _sleep, "time": _time, "monotonic": _monotonic})),
    "uuid": (real_uuid, _Module(real_uuid, {"uuid4": _uuid4})),
    "tempfile": (real_tempfile, _Module(real_tempfile, {"gettempdir": _gettempdir, "mkdtemp": _mkdtemp})),
    "datetime": (real_datetime, _Module(real_datetime, {"datetime": _Datetime})),
}


def install(modules: Mapping[str, ModuleType], dates: frozenset[str]) -> None:
    """Puts the stand-ins into modules (by name) that hold the real ones; `datetime` only in those of `dates`."""
    for name, module in modules.items():
        for word, (real, standin) in STANDINS.items():
            if getattr(module, word, None) is real and (word != "datetime" or name in dates):
                setattr(module, word, standin)
