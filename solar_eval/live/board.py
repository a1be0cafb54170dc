"""What is going on, device by device: fed by the episodes, read by the progress display and the page of `--watch`."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace

from solar_eval.live.episode import StepRecord
from solar_eval.live.seeing import Observation
from solar_eval.live.store import Attempt, Item

KEPT_REPLY = 2000


@dataclass(frozen=True)
class Slot:
    """One place of work: its device and the episode on it. picture: PNG of what was last seen. since: when it began."""

    number: int
    device: str = ""
    episode: str = ""
    goal: str = ""
    step: int = 0
    budget: int = 0
    doing: str = ""
    reply: str = ""
    picture: bytes = field(default=b"", repr=False)
    since: float = 0.0
    played: int = 0


@dataclass
class Board:
    """Counts and slots. Thread-safe. total: episodes wanted; before: those that a resumed run has."""

    total: int
    before: int = 0
    scored: int = 0
    solved: int = 0
    faults: int = 0
    started: float = field(default_factory=time.monotonic)
    last: float = field(default_factory=time.monotonic)
    _slots: dict[int, Slot] = field(default_factory=dict)
    _ended: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def slots(self) -> list[Slot]:
        """All places of work."""
        with self._lock:
            return [self._slots[number] for number in sorted(self._slots)]

    def ended(self) -> list[str]:
        """One line for each episode that ended since this was last asked."""
        with self._lock:
            lines, self._ended = self._ended, []
            return lines

    def idle(self, number: int, device: str = "") -> None:
        """A place waits."""
        with self._lock:
            played = self._slots[number].played if number in self._slots else 0
            self._slots[number] = Slot(number, device, played=played)

    def begin(self, number: int, item: Item, goal: str, device: str, budget: int) -> Reporter:
        """An episode begins; the watcher that reports its steps."""
        with self._lock:
            played = self._slots[number].played if number in self._slots else 0
            self._slots[number] = Slot(number, device, item.name, goal, 0, budget, "preparing",
                                       since=time.monotonic(), played=played)  # fmt: skip
        return Reporter(self, number)

    def change(self, number: int, step: int, doing: str = "", reply: str = "", picture: bytes = b"") -> None:
        """A step went on."""
        with self._lock:
            old = self._slots[number]
            self._slots[number] = replace(old, step=step, doing=doing or old.doing, reply=reply or old.reply,
                                          picture=picture or old.picture)  # fmt: skip

    def end(self, number: int, item: Item, attempt: Attempt, again: bool) -> None:
        """An attempt has ended, scored or not."""
        with self._lock:
            now = time.monotonic()
            if number in self._slots:
                self._slots[number] = replace(self._slots[number], played=self._slots[number].played + 1)
            self.last = now
            if attempt.counts:
                self.scored += 1
                self.solved += attempt.score == 1.0
            else:
                self.faults += 1
            self._ended.append(self._line(item, attempt, again))

    def _line(self, item: Item, attempt: Attempt, again: bool) -> str:
        head = f"{self.before + self.scored}/{self.total} {item.name}"
        where = f"on {attempt.device}" if attempt.device else ""
        if not attempt.counts:
            rest = "will be tried again" if again else "stays owed"
            return f"{head}: {attempt.fault} fault {where}, {rest}: {attempt.error.splitlines()[0][:200]}"
        took = attempt.seconds.get("total", 0.0)
        return (f"{head}: {attempt.score:g} ({attempt.ending}, {attempt.steps}/{attempt.budget} steps, {took:.1f} s) "
                f"{where}")  # fmt: skip

    def line(self) -> str:
        """Everything in one line."""
        with self._lock:
            elapsed = max(time.monotonic() - self.started, 1e-9)
            done = self.before + self.scored
            parts = [f"{done}/{self.total} episodes", f"{self.solved}/{self.scored} solved now"]
            parts.append(f"{self.faults} faults, last ended {time.monotonic() - self.last:.0f} s ago")
            if self.scored:
                left = (self.total - done) * elapsed / self.scored
                parts.append(f"about {left / 60:.0f} min left" if left >= 90 else f"about {left:.0f} s left")
            return ", ".join(parts)


@dataclass
class Reporter:
    """Watcher of one episode (episode.Watcher)."""

    board: Board
    number: int

    def observed(self, index: int, observation: Observation) -> None:
        """See Watcher."""
        self.board.change(self.number, index, "thinking", picture=observation.screenshot.png)

    def stepped(self, record: StepRecord) -> None:
        """See Watcher."""
        decision = record.decision
        doing = record.done.what or (f"unreadable: {decision.fault}" if decision.fault else "")
        self.board.change(self.number, record.index + 1, doing, (decision.reply or decision.thought)[:KEPT_REPLY])
