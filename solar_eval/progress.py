"""Progress on standard error that never looks stuck: a live bar on a terminal, plain lines elsewhere.

Plain lines come every `interval` seconds whether or not something happened, with how long ago the last answer
came.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass
class Meter:
    """Counts of a run in progress. `total` may shrink (an episode that stops early drops its further steps)."""

    total: int
    done_before: int = 0
    clock: Callable[[], float] = time.monotonic
    answered: int = 0
    faults: int = 0
    in_flight: int = 0
    started: float = field(init=False)
    last_answer: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.last_answer = self.clock()

    def line(self) -> str:
        """Everything in one line."""
        now = self.clock()
        elapsed = max(now - self.started, 1e-9)
        rate = self.answered / elapsed
        left = self.total - self.done_before - self.answered - self.faults
        parts = [f"{self.done_before + self.answered}/{self.total} replies", f"{rate:.1f}/s", f"{self.faults} faults"]
        parts.append(f"{self.in_flight} in flight, last answer {now - self.last_answer:.0f} s ago")
        if rate > 0 and left > 0:
            parts.append(f"about {_duration(left / rate)} left")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@dataclass
class Seen:
    """What became of one question."""

    answered: bool = False


@dataclass
class Display:
    """Shows a meter. Use as a context manager, and `asking` around each question."""

    meter: Meter
    stream: TextIO = field(default_factory=lambda: sys.stderr)
    interval: float = 10.0
    _bar: Progress | None = None
    _task: TaskID | None = None
    _next: float = 0.0

    def __enter__(self) -> Self:
        self._next = self.meter.clock() + self.interval
        if self.stream.isatty():
            self._bar, self._task = _bar_for(self.meter, self.stream)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self.refresh()
            self._bar.stop()
        else:
            self._print()

    @contextmanager
    def asking(self) -> Iterator[Seen]:
        """Around one question; set `answered` on what it yields once the answer or the fault is stored."""
        self.meter.in_flight += 1
        seen = Seen()
        try:
            yield seen
        finally:
            self.meter.in_flight -= 1
        if seen.answered:
            self.meter.answered += 1
            self.meter.last_answer = self.meter.clock()
        else:
            self.meter.faults += 1
        self.refresh()

    def refresh(self) -> None:
        """Redraws the bar, or prints a line if it is time for one."""
        if self._bar is not None and self._task is not None:
            done = self.meter.done_before + self.meter.answered
            self._bar.update(self._task, completed=done, total=self.meter.total, line=self.meter.line())
        elif self.meter.clock() >= self._next:
            self._print()

    def _print(self) -> None:
        print(self.meter.line(), file=self.stream, flush=True)
        self._next = self.meter.clock() + self.interval

    async def heartbeat(self) -> None:
        """Keeps the display alive while nothing comes back; run it beside the work and cancel it at the end."""
        import anyio

        while True:
            await anyio.sleep(min(1.0, self.interval))
            self.refresh()


def _bar_for(meter: Meter, stream: TextIO) -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.fields[line]}"))
    bar = Progress(*columns, console=Console(file=stream))
    return bar, bar.add_task("asking", total=meter.total, completed=meter.done_before, line=meter.line())
