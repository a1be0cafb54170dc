"""Progress of a live run on standard error: a table of devices on a terminal, a line an episode elsewhere.

Elsewhere a line of counts comes every `interval` seconds too, whether or not something happened.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from solar_eval.live.board import Board

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live


class LiveDisplay:
    """Use as a context manager; a thread of its own keeps it alive."""

    def __init__(self, board: Board, stream: TextIO, interval: float = 10.0) -> None:
        self.board, self.stream, self.interval = board, stream, interval
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self.stream.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(self._table(), console=Console(file=self.stream), refresh_per_second=4)
            self._live.start()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(timeout=5)
        self._show()
        if self._live is not None:
            self._live.stop()
        else:
            print(self.board.line(), file=self.stream, flush=True)

    def _run(self) -> None:
        due = time.monotonic() + self.interval
        while not self._over.wait(0.25):
            self._show()
            if self._live is None and time.monotonic() >= due:
                print(self.board.line(), file=self.stream, flush=True)
                due = time.monotonic() + self.interval

    def _show(self) -> None:
        for line in self.board.ended():
            if self._live is not None:
                self._live.console.print(line, markup=False, highlight=False)
            else:
                print(line, file=self.stream, flush=True)
        if self._live is not None:
            self._live.update(self._table())

    def _table(self) -> Group:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for heading in ("device", "episode", "step", "doing"):
            table.add_column(heading, overflow="ellipsis", no_wrap=True)
        for slot in self.board.slots():
            step = f"{slot.step}/{slot.budget}" if slot.episode else ""
            table.add_row(*(Text(cell) for cell in (slot.device or "-", slot.episode or "waiting", step, slot.doing)))
        return Group(table, Text(self.board.line()))
