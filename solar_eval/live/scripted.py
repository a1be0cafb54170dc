"""Agents without a model: the task's expert, an expert that errs, chance, and one that does nothing.

An expert script runs in a thread of its own and is stopped at each action until the episode has carried it out and
looked again, so that its actions go through the same loop, the same `execute` and the same budget as a model's. With a
dialect every action is rendered in the family's words and parsed again on its way: an expert then tests the family's
coordinates and grammar on a phone. What a family has no words for is done all the same and marked "not in dialect".

scripted:noisy:P errs before an action with probability P (a touch elsewhere, HOME, the notification shade, a swipe),
then goes back to the screen it was on, if it can; where it can't, the script goes on and may fail, as people do.
Everything random is drawn from (seed, task, repeat).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from emulator.pocket.experts.driver import NotOnScreen
from solar_eval.actions import DIRECTIONS, Action, Answer, Click, Finish, OpenApp, Point, Press, Swipe, Type, Wait
from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.errors import UsageError, unknown_name
from solar_eval.live.agents import Agent, AgentRun, Decision, Start
from solar_eval.live.puppet import Puppet
from solar_eval.live.seeing import Observation, Seeing, middle
from solar_eval.models.scripted import APPS, WORDS, anywhere

Kind = Literal["expert", "noisy", "random", "noop"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RETURN_TRIES = 3


@dataclass(frozen=True)
class ScriptedAgent(Agent):
    """`scripted:KIND`. wrong: how likely a noisy expert errs before an action (0..1)."""

    kind: Kind
    seed: int = 0
    wrong: float = 0.2
    dialect: Dialect | None = None
    seeing: Seeing = "elements"

    @property
    def spec(self) -> str:
        """scripted:KIND, for noisy with its probability."""
        return f"scripted:noisy:{self.wrong:g}" if self.kind == "noisy" else f"scripted:{self.kind}"

    @property
    def needs_tree(self) -> bool:
        """Experts read the hierarchy."""
        return self.kind in ("expert", "noisy")

    def identity(self) -> Mapping[str, object]:
        """See `Agent.identity`."""
        return {"model": self.spec, "dialect": self.dialect.name if self.dialect else "", "model_seed": self.seed}

    def begin(self, start: Start) -> AgentRun:
        """See `Agent.begin`. UsageError if the task has no expert and needs one."""
        rng = random.Random(f"{self.seed}:{self.kind}:{start.task.name}:{start.repeat}")
        if self.kind == "noop":
            return Steps(iter([Finish("success")]), self.dialect)
        if self.kind == "random":
            return Steps(_chance(rng), self.dialect)
        if start.task.expert is None:
            raise UsageError(
                f"{start.task.name} has no scripted solution", "scripted:expert", "leave it out of --tasks"
            )
        return ExpertRun(
            Puppet(start.task.expert, start.device), rng if self.kind == "noisy" else None, self.wrong, self.dialect
        )


def from_spec(rest: str, seed: int, dialect: Dialect | None) -> ScriptedAgent:
    """What stands after `scripted:`. Raises UsageError."""
    kind, _, right = rest.partition(":")
    kinds: dict[str, Kind] = {name: name for name in KINDS}
    if kind not in kinds:
        raise unknown_name("scripted agent", kind, KINDS)
    if right and kind != "noisy":
        raise UsageError(f"scripted:{kind} takes no {right!r}", "--model", "only noisy takes a probability")
    try:
        wrong = float(right) if right else ScriptedAgent.wrong
    except ValueError:
        wrong = -1.0
    if not 0 <= wrong <= 1:
        raise UsageError(f"{right!r} is no probability", "--model", "for example scripted:noisy:0.2")
    return ScriptedAgent(kinds[kind], seed, wrong, dialect)


def through(dialect: Dialect | None, decision: Decision, observation: Observation) -> Decision:
    """The decision as the dialect says and reads it; as it is without a dialect."""
    if dialect is None or decision.action is None:
        return decision
    frame = dialect.frame_for(observation.size)
    try:
        reply = dialect.render(decision.action, frame)
    except CannotExpress:
        return Decision(decision.action, mistake=decision.mistake, flags=("not in dialect",), target=decision.target)
    parsed = dialect.parse(reply, frame)
    fault = (parsed.fault.code, parsed.fault.detail) if parsed.fault else ("", "")
    return Decision(parsed.action, (), *fault, decision.mistake, reply, parsed.thought, tuple(parsed.flags),
                    parsed.strict_ok, decision.target, frame.image)  # fmt: skip


def _chance(rng: random.Random) -> Iterator[Action]:
    makers: tuple[Callable[[], Action], ...] = (
        lambda: Click(anywhere(rng)), lambda: Click(anywhere(rng)), lambda: Click(anywhere(rng)),
        lambda: Swipe(direction=rng.choice(DIRECTIONS)), lambda: Press(rng.choice(("back", "home"))),
        lambda: Type(rng.choice(WORDS)), lambda: OpenApp(rng.choice(APPS)), Wait,
    )  # fmt: skip
    while True:
        yield Finish("success") if rng.random() < 0.02 else rng.choice(makers)()


@dataclass
class Steps(AgentRun):
    """Actions that don't depend on what is seen; after the last one, "done"."""

    actions: Iterator[Action]
    dialect: Dialect | None = None

    def decide(self, observation: Observation) -> Decision:
        """The next one."""
        return through(self.dialect, Decision(next(self.actions, Finish("success"))), observation)

    def close(self) -> None:
        """Nothing runs."""


@dataclass
class ExpertRun(AgentRun):
    """A script in step with the episode; with `rng` it errs. `pending`: the right action, put off by an error."""

    puppet: Puppet
    rng: random.Random | None
    wrong: float
    dialect: Dialect | None
    pending: Decision | None = None
    before: Observation | None = None
    returns: int = 0
    said: bool = False
    _back: list[Decision] = field(default_factory=list)

    def decide(self, observation: Observation) -> Decision:
        """See `AgentRun.decide`."""
        return through(self.dialect, self._next(observation), observation)

    def _next(self, observation: Observation) -> Decision:
        if self.pending is not None:
            if (recovering := self._recover(observation)) is not None:
                return recovering
            right, self.pending = self.pending, None
            return right
        right = self._scripted(observation)
        if self.rng is None or isinstance(right.action, Finish | Answer) or self.rng.random() >= self.wrong:
            return right
        self.pending, self.before, self.returns = right, observation, 0
        return self._mistake(self.rng, observation)

    def _scripted(self, observation: Observation) -> Decision:
        if self.said:
            return Decision(Finish("success"))
        try:
            decision = self.puppet.next(observation)
        except NotOnScreen as error:
            self.said = True
            return Decision(Finish("failure", str(error)[:300]))
        if decision is None:
            self.said = True
            return Decision(Finish("success"))
        return decision

    def _mistake(self, rng: random.Random, observation: Observation) -> Decision:
        kind = rng.choice(("touch", "home", "shade", "swipe"))
        if kind == "touch" and (idle := _idle_place(rng, observation)) is not None:
            return Decision(Click(idle), mistake="touch beside")
        if kind == "home":
            return Decision(Press("home"), mistake="home")
        if kind == "shade":
            return Decision(Swipe(start=Point(0.5, 0.002), end=Point(0.5, 0.5)), mistake="notification shade")
        return Decision(Wait(1.0), mistake="needless wait")

    def _recover(self, observation: Observation) -> Decision | None:
        """The way back to the screen before the error; None where it is reached or out of reach."""
        assert self.before is not None
        if _same_screen(observation, self.before) or self.returns >= RETURN_TRIES:
            return None
        self.returns += 1
        home_now = observation.foreground.package != self.before.foreground.package
        if home_now and observation.foreground.package != "com.android.systemui":
            return Decision(OpenApp(self.before.foreground.package), mistake="back after an error")
        return Decision(Press("back"), mistake="back after an error")

    def close(self) -> None:
        """Ends the script's thread."""
        self.puppet.close()


def _same_screen(now: Observation, before: Observation) -> bool:
    if now.tree is None or before.tree is None:
        return now.foreground == before.foreground
    return [(e.cls, e.label, e.bounds) for e in now.tree.elements] == [
        (e.cls, e.label, e.bounds) for e in before.tree.elements
    ]


def _idle_place(rng: random.Random, observation: Observation) -> Point | None:
    """A place on a thing that nothing happens on: words that can't be touched. None if there is no such thing."""
    elements = observation.elements
    touchable = [e for e in elements if e.clickable or e.long_clickable or e.checkable or e.editable]

    def covered(x: int, y: int) -> bool:
        return any(e.bounds[0] <= x < e.bounds[2] and e.bounds[1] <= y < e.bounds[3] for e in touchable)

    idle = [e for e in elements if e.label and e not in touchable and not covered(*e.center)]
    return middle(rng.choice(idle), observation.size) if idle else None
