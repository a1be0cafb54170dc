"""Early warnings of a collapsing policy, from the metrics of each update.

Why these: in a public GRPO collapse on AndroidControl format errors went from 2.3 % to 10.6 %, the share of clicks from
51.7 % to 84.1 %, finish from 15.3 % to 0.3 % (facts, section 6); entropy that falls to nothing or explodes, groups
without variance and a clipped prefix show the same earlier. Limits are ours. A quantity is compared, as a mean over
the last `window` updates, with its mean over the phase's first `window`; an alarm is raised once, and again only after
the quantity came back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Watch:
    """One limit. How: `above` and `below` an absolute limit; `rise` by `limit` and `fall` below `limit` x the start.

    matters_from: a fall is only looked at where the start was at least this. advice: what to look at.
    """

    metric: str
    how: Literal["above", "below", "rise", "fall", "times"]
    limit: float
    advice: str
    matters_from: float = 0.0


WATCHES = (
    Watch("format_error", "rise", 0.05, "replies leave the format: lower lr, raise kl or the format reward"),
    Watch("share/click", "rise", 0.2, "the policy turns to clicks: look at the other kinds' validity"),
    Watch("share/finish", "fall", 0.25, "the policy stops finishing", 0.02),
    Watch("share/finish", "rise", 0.2, "the policy ends episodes early"),
    Watch("entropy", "fall", 0.1, "samples become equal: no group will have variance; raise temperature or entropy"),
    Watch("entropy", "times", 3.0, "the distribution flattens: lower lr, raise kl", 0.01),
    Watch("clip_rate", "above", 0.05, "prefix rewards are clipped at 0: look at the shaping weights"),
    Watch("zero_variance", "above", 0.9, "almost no group has an advantage: tasks are all solved or all hopeless"),
    Watch("alive_at_step_1", "below", 2.0, "most candidates fail at step 0: lengthen the atomic stage"),
    Watch("cut", "above", 0.2, "replies end at the length limit: raise max_reply_tokens"),
)


@dataclass(frozen=True, slots=True)
class Alarm:
    """One warning: the metric, its mean now and at the start, and what to do."""

    metric: str
    value: float
    start: float
    text: str


@dataclass
class Health:
    """Watches one phase. `state` and `load` carry it over a resume."""

    watches: tuple[Watch, ...] = WATCHES
    window: int = 10
    _start: dict[str, list[float]] = field(default_factory=dict)
    _recent: dict[str, list[float]] = field(default_factory=dict)
    _raised: set[str] = field(default_factory=set)

    def observe(self, metrics: Mapping[str, Any]) -> list[Alarm]:
        """Takes one update's metrics; returns the alarms that are new. Metrics that are missing are not judged."""
        for name in {watch.metric for watch in self.watches}:
            value = metrics.get(name)
            if isinstance(value, int | float) and math.isfinite(value):
                start, recent = self._start.setdefault(name, []), self._recent.setdefault(name, [])
                if len(start) < self.window:
                    start.append(float(value))
                recent.append(float(value))
                del recent[: -self.window]
        return [alarm for watch in self.watches if (alarm := self._judged(watch)) is not None]

    def _judged(self, watch: Watch) -> Alarm | None:
        recent = self._recent.get(watch.metric, [])
        if len(recent) < self.window:
            return None
        now, start = sum(recent) / len(recent), sum(self._start[watch.metric]) / self.window
        key = f"{watch.metric} {watch.how}"
        if not _beyond(watch, now, start):
            self._raised.discard(key)
            return None
        if key in self._raised:
            return None
        self._raised.add(key)
        text = f"{watch.metric} is {now:.3g} over the last {self.window} updates, {start:.3g} at first: {watch.advice}"
        return Alarm(watch.metric, now, start, text)

    def state(self) -> dict[str, Any]:
        """Plain data."""
        return {"start": self._start, "recent": self._recent, "raised": sorted(self._raised)}

    def load(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""
        self._start = {name: list(values) for name, values in state["start"].items()}
        self._recent = {name: list(values) for name, values in state["recent"].items()}
        self._raised = set(state["raised"])


def _beyond(watch: Watch, now: float, start: float) -> bool:
    match watch.how:
        case "above":
            return now > watch.limit
        case "below":
            return now < watch.limit
        case "rise":
            return now > start + watch.limit
        case "fall":
            return start >= watch.matters_from and now < start * watch.limit
        case "times":
            return now > max(start, watch.matters_from) * watch.limit
