"""Semi-online asking: the history is the model's own, and an episode ends at its first wrong step.

From UI-S1's SOP evaluation (X-PLUG/MobileAgent @11cea57, UI-S1/evaluation): TSR is the share of episodes
without an error, PG the mean over episodes of correct prefix / length. Departure: upstream sets an episode's
length to 0 when a step raises; here such an episode is owed. Where an episode stands follows from its replies
alone, so a resumed run and a later count use the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from solar_eval.asking import PromptPlan, is_asked, label_turn
from solar_eval.dialects.base import Parsed
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import Turn
from solar_eval.records import Episode, Reply, Step

Judge = Callable[[Step, Parsed], bool]
"""Whether a reply lets the episode go on."""
Standing = Literal["open", "complete", "stopped"]


@dataclass
class OwnEpisode:
    """One episode while it is walked. `right`: steps answered rightly so far."""

    episode: Episode
    plan: PromptPlan
    judge: Judge
    history: list[Turn] = field(default_factory=list)
    right: int = 0
    standing: Standing = "open"
    _position: int = 0

    @property
    def length(self) -> int:
        """Steps of the episode that are asked."""
        return sum(is_asked(step) for step in self.episode.steps)

    def next_step(self) -> Step | None:
        """The step to ask now; steps that are never asked enter the history as their labels. None at the end."""
        while self.standing == "open" and self._position < len(self.episode.steps):
            step = self.episode.steps[self._position]
            if is_asked(step):
                return step
            if (turn := label_turn(step)) is not None:
                self.history.append(turn)
            self._position += 1
        if self.standing == "open":
            self.standing = "complete"
        return None

    def take(self, step: Step, reply: Reply) -> None:
        """Judges an answer to `step` and moves on or stops. `reply.text` is not None."""
        frame = self.plan.frame(step.screen)
        if reply.image is not None:
            frame = Frame(frame.screen, reply.image, frame.scroll_sense)
        whole = reply.prefill + (reply.text or "")
        parsed = self.plan.dialect.parse(whole, frame)
        if parsed.action is None or not self.judge(step, parsed):
            self.standing = "stopped"
            return
        self.right += 1
        self._position += 1
        self.history.append(Turn(parsed.action, "", whole, step.index))

    def replay(self, replies: Mapping[str, Reply]) -> None:
        """Walks as far as the answers that are there reach."""
        while (step := self.next_step()) is not None:
            reply = replies.get(step.id)
            if reply is None or reply.text is None:
                return
            self.take(step, reply)


def walked(episode: Episode, plan: PromptPlan, judge: Judge, replies: Mapping[str, Reply]) -> OwnEpisode:
    """An episode as its replies leave it: "open" means that its next step is owed."""
    own = OwnEpisode(episode, plan, judge)
    own.replay(replies)
    return own


def semi_online_summary(episodes: list[OwnEpisode]) -> dict[str, object]:
    """tsr and pg over the episodes that are not owed, as fractions, with their counts."""
    ended = [own for own in episodes if own.standing != "open" and own.length]
    return {
        "episodes": len(episodes),
        "ended": len(ended),
        "owed": sum(own.standing == "open" for own in episodes),
        "tsr": sum(own.standing == "complete" for own in ended) / len(ended) if ended else None,
        "pg": sum(own.right / own.length for own in ended) / len(ended) if ended else None,
    }
