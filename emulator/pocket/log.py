"""The phone's log, which logcat shows."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from emulator.pocket.clock import Clock

KEPT = 5_000


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: when (seconds since 1970, virtual), priority letter (V D I W E F), tag, text."""

    time: float
    priority: str
    tag: str
    text: str


class DeviceLog:
    """The last 5,000 lines. `log("text")` writes an information line."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.lines: deque[LogLine] = deque(maxlen=KEPT)
        self.count = 0

    def __call__(self, text: str, tag: str = "pocket") -> None:
        """One line of information."""
        self.write("I", tag, text)

    def write(self, priority: str, tag: str, text: str) -> None:
        """One entry; several lines of text make several lines."""
        for line in text.splitlines() or [""]:
            self.lines.append(LogLine(self.clock.now(), priority, tag, line))
            self.count += 1

    def info(self, tag: str, text: str) -> None:
        """Priority I."""
        self.write("I", tag, text)

    def warning(self, tag: str, text: str) -> None:
        """Priority W."""
        self.write("W", tag, text)

    def error(self, tag: str, text: str) -> None:
        """Priority E."""
        self.write("E", tag, text)

    def clear(self) -> None:
        """`logcat -c`."""
        self.lines.clear()
