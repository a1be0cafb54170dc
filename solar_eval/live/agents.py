"""What an agent is to an episode: it sees an observation and decides; made anew for every episode.

`Agent` is the part that lasts (whom to ask, how); `begin` makes the part that belongs to one episode. `decide` runs in
the thread that holds the device and may block. What the model got wrong is data (`Decision.fault`); a server that
fails raises `InfrastructureError`, one that refuses the request `RequestRefused`, a device `DeviceError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from solar_eval.actions import Action
from solar_eval.live.seeing import Observation, Seeing

if TYPE_CHECKING:
    from emulator.device import Device
    from solar_eval.live.task import LiveTask


@dataclass(frozen=True)
class Decision:
    """One decision. Exactly one of `action`, `keys` and `fault` is set.

    keys: names of keys outside the vocabulary, pressed one after another (only scripted experts). fault: code
    and detail of a reply that can't be read. mistake: a scripted agent erred on purpose, and how. reply: the raw text,
    prefill included. image: pixels of the picture that was sent. key: content hash of the question. The rest is the
    server's: reasoning channel, finish reason, seconds, tokens (None: it did not say).
    """

    action: Action | None = None
    keys: tuple[str, ...] = ()
    fault: str = ""
    detail: str = ""
    mistake: str = ""
    reply: str = ""
    thought: str = ""
    flags: tuple[str, ...] = ()
    strict_ok: bool = True
    target: str = ""
    """What the action is aimed at, in words, where the agent knows (the element's line)."""
    image: tuple[int, int] | None = None
    key: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    latency_s: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Start:
    """What an agent may know of its episode. repeat: from 0, another attempt at the same task."""

    task: LiveTask
    device: Device
    repeat: int = 0


class AgentRun(Protocol):
    """An agent within one episode."""

    def decide(self, observation: Observation) -> Decision:
        """The next action on what is seen now."""

    def close(self) -> None:
        """Ends whatever still runs for this episode; safe to call twice."""


class Agent(Protocol):
    """Whom an evaluation is about. Safe to use from several threads."""

    @property
    def spec(self) -> str:
        """How the user named it."""

    @property
    def seeing(self) -> Seeing:
        """What it is shown."""

    @property
    def needs_tree(self) -> bool:
        """Whether a missing hierarchy is a fault of the device."""

    def identity(self) -> Mapping[str, object]:
        """What makes its numbers what they are: dialect, prompt hash, sampling, picture size, seed."""

    def begin(self, start: Start) -> AgentRun:
        """The part that belongs to one episode."""
