"""One episode: observe, ask, act, until the agent finishes or answers, or the budget is spent; then judge.

The state of the phone decides, not what the agent says (droidrun-android-world#1: "success" with an environment score
of 0). Budgets and the stop rule follow AndroidWorld @d9c569f (suite_utils.py): int(10 * complexity) steps, and with
"done required" a task solved by an agent that never says so counts as 0 there; both rules are recorded, and so is the
score without the second one. A reply that can't be read costs a step and does nothing.

What goes wrong with phone or server is raised (`DeviceError`, `InfrastructureError`) and never becomes a score;
`tear_down` runs all the same, and its own failure is noted, not raised: it neither loses the episode that was played
nor ends the suite (android_world @d9c569f does both).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from emulator.device import Device
from emulator.device_errors import DeviceError
from solar_eval.actions import Action, Answer, Finish, to_json
from solar_eval.errors import InfrastructureError
from solar_eval.live.agents import Agent, AgentRun, Decision, Start
from solar_eval.live.execute import Done, execute
from solar_eval.live.seeing import Observation, look
from solar_eval.live.task import LiveTask, Said

Ending = Literal["finish", "answer", "budget"]
SAME_IN_A_ROW = 3
"""So many equal actions on an unchanged screen at the end of an episode are called repeated."""


@dataclass(frozen=True)
class Rules:
    """How episodes are run and scored; part of a run's identity.

    budget: steps an episode may take, None for int(10 * complexity). require_done: a task solved by an agent that never
    finished scores 0 (the official rule). answer_ends: an answer ends the episode. settle_s: longest wait for a screen
    to stand still before a look; 0 looks at once.
    """

    budget: int | None = None
    require_done: bool = True
    answer_ends: bool = True
    settle_s: float = 0.0

    def steps(self, complexity: float) -> int:
        """The budget of a task."""
        return int(10 * complexity) if self.budget is None else self.budget


@dataclass(frozen=True)
class StepRecord:
    """One step: what was seen (kept apart), decided and done. seconds: of looking, deciding and acting."""

    index: int
    decision: Decision
    done: Done
    front: str
    look_s: float
    decide_s: float
    act_s: float
    no_tree: str = ""
    settled: bool = True

    def to_json(self) -> dict[str, object]:
        """A line of steps.jsonl; what is empty is left out."""
        d = self.decision
        out: dict[str, object] = {
            "step": self.index, "front": self.front, "action": to_json(d.action) if d.action else None,
            "keys": list(d.keys), "fault": d.fault, "detail": d.detail, "mistake": d.mistake, "done": self.done.what,
            "note": self.done.note, "target": d.target, "reply": d.reply, "thought": d.thought, "flags": list(d.flags),
            "strict_ok": d.strict_ok, "image": list(d.image) if d.image else None, "key": d.key,
            "reasoning": d.reasoning, "finish_reason": d.finish_reason, "prompt_tokens": d.prompt_tokens,
            "completion_tokens": d.completion_tokens, "latency_s": d.latency_s, "no_tree": self.no_tree,
            "settled": self.settled,
            "seconds": {name: round(s, 5) for name, s in
                        (("look", self.look_s), ("decide", self.decide_s), ("act", self.act_s))},
        }  # fmt: skip
        return {key: value for key, value in out.items() if value not in (None, "", [])}


class Watcher(Protocol):
    """Hears of every step as it happens (the store, the progress display, the page)."""

    def observed(self, index: int, observation: Observation) -> None:
        """What was seen before step `index`; the last call of an episode is what was seen at its end."""

    def stepped(self, record: StepRecord) -> None:
        """What was decided and done."""


@dataclass
class Played:
    """What an episode came to. state_score: as the task judges the phone; score: under the rules.

    unreadable: steps whose reply could not be read. repeated: the episode ended in the same action on an unchanged
    screen. tear_down_error: what went wrong after the score, "" if nothing.
    """

    ending: Ending
    said: Said
    steps: int
    budget: int
    state_score: float = 0.0
    score: float = 0.0
    unreadable: int = 0
    noted: int = 0
    mistakes: int = 0
    repeated: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    tear_down_error: str = ""
    unsettled: int = 0

    @property
    def finished(self) -> bool:
        """The agent said itself that it was over."""
        return self.ending != "budget"

    @property
    def model_fault(self) -> bool:
        """Not one reply could be read: wrong, whatever the phone's state is."""
        return self.steps > 0 and self.unreadable == self.steps


class Interrupted(Exception):
    """The person ended the run; the episode is owed."""


def run_episode(
    task: LiveTask, device: Device, agent: Agent, rules: Rules, watcher: Watcher, repeat: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Played:  # fmt: skip
    """Initialize, play, judge, tear down. DeviceError, InfrastructureError, RequestRefused, Interrupted.

    Any other exception is the benchmark's own. After every one of them `tear_down` has been tried.
    """
    started = time.perf_counter()
    failed = True
    try:
        task.initialize(device)
        ready = time.perf_counter()
        played = _play(task, device, agent, rules, watcher, repeat, stopped)
        over = time.perf_counter()
        played.state_score = _checked(task.score(device, played.said), task)
        played.score = _under(rules, played)
        failed = False
    finally:
        before = time.perf_counter()
        problem = _tear_down(task, device)
        if not failed:
            played.tear_down_error = problem
            played.seconds |= {
                "initialize": ready - started, "play": over - ready, "judge": before - over,
                "tear_down": time.perf_counter() - before, "total": time.perf_counter() - started,
            }  # fmt: skip
    return played


def _under(rules: Rules, played: Played) -> float:
    if played.model_fault or (rules.require_done and not played.finished):
        return 0.0
    return played.state_score


def _checked(score: float, task: LiveTask) -> float:
    if not 0.0 <= score <= 1.0:  # NaN too
        raise ValueError(f"{task.name}: the task scored {score!r}, which is not in 0..1")
    return float(score)


def _tear_down(task: LiveTask, device: Device) -> str:
    """What went wrong, "" if nothing: the episode's own result or error comes first."""
    try:
        task.tear_down(device)
    except DeviceError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:  # foreign code of a benchmark; noted with the episode and shown, the device is renewed
        return f"{type(error).__name__}: {error}"
    return ""


def _play(
    task: LiveTask, device: Device, agent: Agent, rules: Rules, watcher: Watcher, repeat: int,
    stopped: Callable[[], bool],
) -> Played:  # fmt: skip
    played = Played("budget", Said(), 0, rules.steps(task.template.complexity))
    run = agent.begin(Start(task, device, repeat))
    loop = _Loop(device, run, agent.needs_tree, rules, watcher, played)
    try:
        while played.steps < played.budget and not loop.over:
            if stopped():
                raise Interrupted
            loop.step()
        watcher.observed(played.steps, look(device))
    finally:
        run.close()
    played.repeated = loop.in_a_row >= SAME_IN_A_ROW
    return played


@dataclass
class _Loop:
    """The steps of one episode. in_a_row: how often the last action was decided on the same pixels."""

    device: Device
    run: AgentRun
    need_tree: bool
    rules: Rules
    watcher: Watcher
    played: Played
    over: bool = False
    in_a_row: int = 0
    _last: tuple[bytes, object] | None = None

    def step(self) -> None:
        """Look, decide, act, record."""
        at = self.played.steps
        t0 = time.perf_counter()
        observation = look(self.device, need_tree=self.need_tree, settle_s=self.rules.settle_s)
        self.watcher.observed(at, observation)
        t1 = time.perf_counter()
        decision = self.run.decide(observation)
        t2 = time.perf_counter()
        done = self._act(decision, observation)
        t3 = time.perf_counter()
        front = f"{observation.foreground.package}/{observation.foreground.activity}"
        record = StepRecord(at, decision, done, front, observation.seconds, t2 - t1, t3 - t2, observation.no_tree,
                            observation.settled)  # fmt: skip
        self._count(record, observation)
        self._time(t1 - t0, t2 - t1, t3 - t2)
        self.watcher.stepped(record)

    def _act(self, decision: Decision, observation: Observation) -> Done:
        for key in decision.keys:
            verb = "keycombination" if "+" in key else "keyevent"
            self.device.shell(["input", verb, *key.split("+")])
        if decision.keys:
            return Done("keys " + " ".join(decision.keys))
        return Done("") if decision.action is None else execute(self.device, decision.action, observation.size)

    def _count(self, record: StepRecord, observation: Observation) -> None:
        played, decision = self.played, record.decision
        played.steps += 1
        played.unreadable += bool(decision.fault)
        played.noted += bool(record.done.note)
        played.mistakes += bool(decision.mistake)
        played.unsettled += not observation.settled
        played.prompt_tokens += decision.prompt_tokens or 0
        played.completion_tokens += decision.completion_tokens or 0
        now = (observation.screenshot.png, decision.action or decision.fault)
        self.in_a_row = self.in_a_row + 1 if now == self._last else 1
        self._last = now
        if decision.action is not None:
            self._heard(decision.action)

    def _heard(self, action: Action) -> None:
        played = self.played
        if isinstance(action, Answer):
            played.said = Said(action.text, played.said.finish)
            if self.rules.answer_ends:
                played.ending, self.over = "answer", True
        elif isinstance(action, Finish):
            played.said = Said(played.said.answer or action.text, action.status)
            played.ending, self.over = "finish", True

    def _time(self, looking: float, deciding: float, acting: float) -> None:
        for name, spent in (("look", looking), ("decide", deciding), ("act", acting)):
            self.played.seconds[name] = self.played.seconds.get(name, 0.0) + spent


FAULTS = (DeviceError, InfrastructureError)
"""What makes an episode owed."""
