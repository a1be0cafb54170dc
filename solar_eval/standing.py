"""Where a run stands, from its stored replies alone: what is answered, what is owed, where episodes stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from solar_eval.asking import NOT_ASKED, PromptPlan, fault_kind, is_asked
from solar_eval.errors import SolarEvalError
from solar_eval.records import Benchmark, Reply
from solar_eval.run_dir import RunDir
from solar_eval.semi_online import Judge, OwnEpisode, walked


@dataclass(frozen=True, slots=True)
class OfflineResult:
    """Where a run stands.

    `replies`: by step id in benchmark order, answers and, for every step that is still owed, a fault (also where it
    was not asked yet). A step that a semi-online episode did not reach after its error has none. `stopped`: why the
    run ended early.
    """

    replies: Mapping[str, Reply]
    walks: tuple[OwnEpisode, ...] = ()
    stopped: SolarEvalError | None = None

    @property
    def owed(self) -> list[Reply]:
        """The faults, in benchmark order."""
        return [reply for reply in self.replies.values() if reply.text is None]

    def counts(self) -> dict[str, object]:
        """answered, owed, the owed by kind of fault, why replies ended, tokens."""
        answers = [reply for reply in self.replies.values() if reply.text is not None]
        return {
            "answered": len(answers),
            "owed": len(self.owed),
            "owed_by_kind": dict(sorted(Counter(map(fault_kind, self.owed)).items())),
            "finish_reasons": dict(sorted(Counter(reply.finish_reason or "not given" for reply in answers).items())),
            "prompt_tokens": sum(reply.prompt_tokens or 0 for reply in answers),
            "completion_tokens": sum(reply.completion_tokens or 0 for reply in answers),
        }


def standing(
    benchmark: Benchmark, plan: PromptPlan, run_dir: RunDir, judge: Judge | None, stopped: SolarEvalError | None = None
) -> OfflineResult:
    """What the stored replies amount to; asks nothing. `judge` None: the labels' history."""
    done, faults = run_dir.done(), run_dir.owed()
    walks = [] if judge is None else [walked(episode, plan, judge, done) for episode in benchmark.episodes]
    ended = {own.episode.id for own in walks if own.standing == "stopped"}
    replies: dict[str, Reply] = {}
    for step in benchmark.steps:
        if step.id in done:
            replies[step.id] = done[step.id]
        elif is_asked(step) and step.episode not in ended:
            replies[step.id] = faults.get(step.id) or Reply(step.id, None, error=NOT_ASKED)
    return OfflineResult(replies, tuple(walks), stopped)
