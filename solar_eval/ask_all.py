"""The loop of a run: workers take jobs, every reply is stored raw at once, and a run that can't succeed is ended.

With the labels' history a job is a step; with the model's own it is an episode, whose steps follow each other. Replies
are stored in the order in which they come. A cancelled run (Ctrl-C) keeps everything that was stored.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TextIO

import anyio
import anyio.lowlevel

from solar_eval.asking import Answer, Asker, fault_kind, is_asked, label_history
from solar_eval.dialects.prompting import Turn
from solar_eval.errors import InfrastructureError, SolarEvalError, UsageError
from solar_eval.progress import Display, Meter
from solar_eval.records import Benchmark, Episode, Reply, Step
from solar_eval.run_dir import RunDir
from solar_eval.selection import History
from solar_eval.semi_online import Judge, OwnEpisode
from solar_eval.standing import OfflineResult, standing

REFUSED_AT_START = 3
"""So many refusals before the first answer end the run: the request is wrong, not the server."""
Job = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class OfflineOptions:
    """`concurrency`: questions in flight at once. `max_faults`: failed questions in a row that end the run."""

    history: History = "labels"
    concurrency: int = 8
    max_faults: int = 20


@dataclass
class Stop:
    """Ends a run that can't succeed: refusals from the start, or `max_faults` failed questions in a row.

    `answers` starts with those that a resumed run has. `error` says why the run ended; `fatal`: it is the user's to
    mend, and there is no result worth writing.
    """

    max_faults: int
    answers: int = 0
    in_a_row: int = 0
    refusals: int = 0
    refusal: SolarEvalError | None = None
    error: SolarEvalError | None = None
    fatal: bool = False

    def saw(self, answer: Answer) -> bool:
        """Counts one answer; True if the run should end."""
        if answer.reply.text is not None:
            self.answers, self.in_a_row = self.answers + 1, 0
        elif fault_kind(answer.reply) != "input":
            self.in_a_row += 1
            self._fault(answer)
        return self.error is not None

    def _fault(self, answer: Answer) -> None:
        if answer.refused is not None:
            self.refusals, self.refusal = self.refusals + 1, answer.refused
            if self.answers == 0 and self.refusals >= REFUSED_AT_START:
                self.error, self.fatal = answer.refused, True
                return
        if self.in_a_row >= self.max_faults:
            what = f"{self.in_a_row} questions in a row failed; the last: {answer.reply.error}"
            self.error = InfrastructureError(what, fix="see to the server, then run the same command again")


@dataclass
class Loop:
    """One run in progress."""

    asker: Asker
    run_dir: RunDir
    display: Display
    stop: Stop
    _scope: anyio.CancelScope | None = None

    async def run(self, jobs: Iterator[Job], concurrency: int) -> None:
        """Works all jobs off. Raises what a worker can't go on from (a full disk, a template's unknown name)."""
        async with anyio.create_task_group() as outer:
            outer.start_soon(self.display.heartbeat)
            async with anyio.create_task_group() as workers:
                self._scope = workers.cancel_scope
                for _ in range(concurrency):
                    workers.start_soon(self._work, jobs)
            outer.cancel_scope.cancel()
        if self.stop.answers == 0 and self.stop.refusal is not None:
            raise self.stop.refusal
        if self.stop.fatal and self.stop.error is not None:
            raise self.stop.error

    async def _work(self, jobs: Iterator[Job]) -> None:
        for job in jobs:
            try:
                await job()
            except SolarEvalError as error:
                self._end(error, fatal=True)
            await anyio.lowlevel.checkpoint()

    def _end(self, error: SolarEvalError | None = None, fatal: bool = False) -> None:
        if error is not None:
            self.stop.error, self.stop.fatal = error, fatal
        if self._scope is not None:
            self._scope.cancel()

    async def ask(self, episode: Episode, step: Step, history: Sequence[Turn]) -> Reply:
        """Asks, stores, counts."""
        with self.display.asking() as seen:
            answer = await self.asker.ask(episode, step, history)
            self.run_dir.append(answer.reply, answer.key, answer.extra)
            seen.answered = answer.reply.text is not None
        if self.stop.saw(answer):
            self._end()
        return answer.reply

    # ---- jobs
    def steps(self, benchmark: Benchmark) -> Iterator[Job]:
        """One job for every step without an answer; the history is the labels'."""
        done = self.run_dir.done()
        for episode in benchmark.episodes:
            for step in episode.steps:
                if is_asked(step) and step.id not in done:
                    yield partial(self._step, episode, step)

    async def _step(self, episode: Episode, step: Step) -> None:
        await self.ask(episode, step, label_history(episode, step))

    def episodes(self, benchmark: Benchmark, judge: Judge) -> Iterator[Job]:
        """One job for every episode; what is answered already is walked without asking."""
        for episode in benchmark.episodes:
            yield partial(self._episode, OwnEpisode(episode, self.asker.plan, judge))

    async def _episode(self, own: OwnEpisode) -> None:
        own.replay(self.run_dir.done())
        while (step := own.next_step()) is not None:
            reply = await self.ask(own.episode, step, own.history)
            if reply.text is None:
                return
            own.take(step, reply)
        if own.standing == "stopped":
            self.display.meter.total -= own.length - own.right - 1


async def run_offline(
    benchmark: Benchmark,
    asker: Asker,
    run_dir: RunDir,
    options: OfflineOptions,
    judge: Judge | None = None,
    stream: TextIO | None = None,
) -> OfflineResult:
    """Asks every step of `benchmark` that has no answer in `run_dir`, storing each reply as it comes.

    `judge` ends semi-online episodes and is needed for them. Raises RequestRefused when the server takes none of the
    requests, and RunDirError when replies can't be stored; faults of single steps are records.
    """
    if (options.history == "own") != (judge is not None):
        raise UsageError("own history, and no other, needs a judge that says when an episode stops", "history")
    asked = [step.id for step in benchmark.steps if is_asked(step)]
    meter = Meter(len(asked), len(run_dir.done().keys() & set(asked)))
    stop = Stop(options.max_faults, len(run_dir.done()))
    with Display(meter, stream or sys.stderr) as display:
        loop = Loop(asker, run_dir, display, stop)
        jobs = loop.steps(benchmark) if judge is None else loop.episodes(benchmark, judge)
        await loop.run(jobs, options.concurrency)
    return standing(benchmark, asker.plan, run_dir, judge, stop.error)
