"""Many episodes on many phones: a queue, one lease an episode, three outcomes.

scored: the task judged the phone. model_fault: not one reply could be read; the score is 0. infrastructure_fault: the
phone, the server or the benchmark's own code failed; there is no score, the episode is tried again on a fresh phone
and, when its tries are used up, it stays owed: in the counts, in the report, in the exit code. One line is stored the
moment an attempt ends; a run that is killed loses only the attempts in progress.
"""

from __future__ import annotations

import shutil
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Protocol

from emulator.device import Device
from emulator.device_errors import DeviceError
from solar_eval.errors import DataError, InfrastructureError, RunDirError, SolarEvalError
from solar_eval.live.agents import Agent
from solar_eval.live.board import Board
from solar_eval.live.checks import fingerprint, leftovers, ready
from solar_eval.live.episode import Interrupted, Played, Rules, StepRecord, Watcher, run_episode
from solar_eval.live.seeing import Observation
from solar_eval.live.store import Attempt, Evidence, FaultKind, Item, LiveStore
from solar_eval.live.task import LiveBenchmark
from solar_eval.live.work import Queue
from solar_eval.models.base import RequestRefused

REFUSED_AT_START = 3
LOOK_UP_S = 2.0
"""How often a worker that waits for a phone looks whether the run was ended."""


class Leased(Protocol):
    """A `with` block with a phone in it. A DeviceError that leaves the block counts against the phone."""

    def __enter__(self) -> Device: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def fault(self, error: DeviceError) -> None:
        """Counts an error that was handled inside."""


class Pool(Protocol):
    """Phones to lease, each checked before and renewed after (emulator.fleet.Fleet is one)."""

    size: int

    def lease(self, timeout: float | None = None, *, avoid: frozenset[str] = frozenset()) -> Leased:
        """A phone for one episode; waits for a free one. Entering raises DeviceError if there is none."""


@dataclass(frozen=True)
class SuiteOptions:
    """tries: how often an episode is tried in this session. max_faults: failed attempts in a row that end the run.

    patience_s: longest wait for a phone.
    """

    tries: int = 3
    patience_s: float = 900.0
    max_faults: int = 20


@dataclass
class Verdict:
    """How the run ended. error: why it was stopped. interrupted: by the person. given_up: keys tried in vain."""

    error: SolarEvalError | None = None
    interrupted: bool = False
    given_up: frozenset[str] = frozenset()


@dataclass
class Suite:
    """One run in progress."""

    benchmark: LiveBenchmark
    agent: Agent
    rules: Rules
    store: LiveStore
    pool: Pool
    board: Board
    options: SuiteOptions = field(default_factory=SuiteOptions)
    stop: threading.Event = field(default_factory=threading.Event)
    _error: SolarEvalError | None = None
    _in_a_row: int = 0
    _refusals: int = 0
    _scored: int = 0
    _avoid: dict[str, set[str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, items: Sequence[Item]) -> Verdict:
        """Plays every item that has no score. Ctrl-C ends it after tearing down; a second one at once."""
        done = self.store.scored()
        self._scored = len(done)
        queue = Queue([item for item in items if item.key not in done], self.options.tries)
        threads = [
            threading.Thread(target=self._work, args=(queue, number), name=f"episodes-{number}", daemon=True)
            for number in range(self.pool.size)
        ]
        for thread in threads:
            thread.start()
        interrupted = self._wait(threads, queue)
        return Verdict(self._error, interrupted, frozenset(queue.given_up))

    def _wait(self, threads: Sequence[threading.Thread], queue: Queue) -> bool:
        try:
            while any(thread.is_alive() for thread in threads):
                threads[0].join(0.2) if threads[0].is_alive() else time.sleep(0.05)
            return False
        except KeyboardInterrupt:
            self.stop.set()
            queue.close()
            for thread in threads:
                thread.join()
            return True

    # ---- a worker
    def _work(self, queue: Queue, number: int) -> None:
        self.board.idle(number)
        while not self.stop.is_set() and (item := queue.take()) is not None:
            try:
                self._attempt(queue, item, number)
            except Interrupted:
                queue.put_back(item)
            except SolarEvalError as error:
                queue.put_back(item)
                self._end(queue, error)
            self.board.idle(number)

    def _attempt(self, queue: Queue, item: Item, number: int) -> None:
        """One attempt, stored. Interrupted; SolarEvalError where the run can't go on."""
        evidence = self.store.begin(item)
        try:
            attempt = self._guarded(item, evidence, number)
        except Interrupted:
            shutil.rmtree(evidence.place, ignore_errors=True)
            raise
        finally:
            evidence.close()
        again = not attempt.counts and queue.failed(item)
        if attempt.counts:
            queue.done(item)
        self.board.end(number, item, attempt, again)
        self._saw(queue, attempt)

    def _guarded(self, item: Item, evidence: Evidence, number: int) -> Attempt:
        """The attempt as it is stored, whatever came of it."""
        about = _About()
        try:
            self._played(item, evidence, number, about)
        except (Interrupted, RunDirError):
            raise
        except DeviceError as error:
            about.fault, about.error = "device", f"{type(error).__name__}: {error}"
        except RequestRefused as error:
            about.fault, about.error, about.refused = "refused", str(error), error
        except InfrastructureError as error:
            about.fault, about.error = "server", str(error)
        except DataError as error:
            about.fault, about.error = "device", f"screenshot: {error}"
        except SolarEvalError:
            raise
        except Exception as error:  # foreign code of a benchmark: recorded whole, never a score
            about.fault = "benchmark"
            about.error = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
        attempt = about.attempt or Attempt(
            item.key, item.template, item.seed, item.repeat, evidence.number, "infrastructure_fault", goal=about.goal,
            fault=about.fault or "device", error=about.error, device=about.device,
            folder=self._place(evidence),
        )  # fmt: skip
        if about.attempt is None:
            self.store.append(attempt)
            if about.refused is not None:
                self._refused(about.refused)
        return attempt

    def _played(self, item: Item, evidence: Evidence, number: int, about: _About) -> None:
        """Leases a phone and plays. A score is stored before the phone is given back."""
        with self._leased(item) as (lease, device):
            about.device = device.serial
            self._avoid.setdefault(item.key, set()).add(device.serial)
            task = self.benchmark.instantiate(item.template, item.seed)
            about.goal = task.goal
            ready(device)
            before = fingerprint(device)
            reporter = self.board.begin(number, item, task.goal, device.serial,
                                        self.rules.steps(task.template.complexity))  # fmt: skip
            watcher = _Both(evidence, reporter)
            played = run_episode(task, device, self.agent, self.rules, watcher, item.repeat, self.stop.is_set)
            left = self._left(before, device, played)
            made = Attempt.of(item, evidence.number, task.goal, device.serial, played)
            about.attempt = replace(made, leftovers=left, folder=self._place(evidence))
            self.store.append(about.attempt)
            if played.tear_down_error:
                lease.fault(DeviceError(played.tear_down_error, device.serial))

    @contextmanager
    def _leased(self, item: Item) -> Iterator[tuple[Leased, Device]]:
        """A phone, another one than this episode failed on if there is any. Interrupted while it waits."""
        avoid = frozenset(self._avoid.get(item.key, ()))
        end = time.monotonic() + self.options.patience_s
        while True:
            asked = time.monotonic()
            lease = self.pool.lease(LOOK_UP_S, avoid=avoid)
            try:
                device = lease.__enter__()
                break
            except DeviceError:
                if self.stop.is_set():
                    raise Interrupted from None
                now = time.monotonic()
                if now - asked < LOOK_UP_S * 0.9 or now > end:  # refused at once: there will be none
                    raise
        try:
            yield lease, device
        except BaseException as error:
            lease.__exit__(type(error), error, error.__traceback__)
            raise
        lease.__exit__(None, None, None)

    def _place(self, evidence: Evidence) -> str:
        return str(evidence.place.relative_to(self.store.path))

    def _left(self, before: Mapping[str, str], device: Device, played: Played) -> tuple[str, ...]:
        """What the episode left changed; a phone that can't say so is noted like a failed tear-down."""
        try:
            return leftovers(before, fingerprint(device))
        except DeviceError as error:
            played.tear_down_error = played.tear_down_error or f"{type(error).__name__}: {error}"
            return ()

    # ---- when to stop
    def _saw(self, queue: Queue, attempt: Attempt) -> None:
        with self._lock:
            if attempt.counts:
                self._in_a_row, self._scored = 0, self._scored + 1
                return
            self._in_a_row += 1
            too_many = self._in_a_row >= self.options.max_faults
        if too_many:
            what = f"{self._in_a_row} attempts in a row failed; the last: {attempt.error.splitlines()[0][:300]}"
            fix = "see to the devices and the server, then run the same command again"
            self._end(queue, InfrastructureError(what, fix=fix))

    def _refused(self, error: RequestRefused) -> None:
        with self._lock:
            self._refusals += 1
            if self._scored == 0 and self._refusals >= REFUSED_AT_START:
                raise error

    def _end(self, queue: Queue, error: SolarEvalError) -> None:
        self._error = self._error or error
        self.stop.set()
        queue.close()


@dataclass
class _About:
    """What is known of an attempt so far."""

    device: str = ""
    goal: str = ""
    fault: FaultKind = ""
    error: str = ""
    attempt: Attempt | None = None
    refused: RequestRefused | None = None


@dataclass(frozen=True)
class _Both(Watcher):
    """Two watchers as one."""

    one: Watcher
    other: Watcher

    def observed(self, index: int, observation: Observation) -> None:
        """See Watcher."""
        self.one.observed(index, observation)
        self.other.observed(index, observation)

    def stepped(self, record: StepRecord) -> None:
        """See Watcher."""
        self.one.stepped(record)
        self.other.stepped(record)
