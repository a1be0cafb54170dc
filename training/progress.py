"""Progress lines of a training run: where it stands, how fast, how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Clock:
    """Progress lines: every `every` seconds, and the last update."""

    tell: Callable[[str], None]
    every: float
    first: int
    total: int
    started: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def tick(self, done: int, phase: str, made: Mapping[str, Any]) -> None:
        """After update number `done`."""
        now = time.monotonic()
        if now - self.told < self.every and done != self.total:
            return
        self.told = now
        pace = (now - self.started) / max(done - self.first, 1)
        shown = [f"{name} {made[name]:.3f}" for name in ("loss", "score", "success", "entropy") if name in made]
        left = duration(pace * (self.total - done))
        self.tell(f"{phase} {done}/{self.total}, {pace:.2f} s an update, {', '.join(shown)}, about {left} left")


def duration(seconds: float) -> str:
    """Seconds for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
