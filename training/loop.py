"""The embedded trainer: one process, read top to bottom, the same for every policy.

    for each phase (supervised, atomic, trajectory):        fresh optimiser, the reference is the phase's start
        for each update:
            draw tasks -> sample N candidates a step -> score -> credit -> log-probabilities -> clipped loss -> step

Source of the schedule: SOLAR-RL (arXiv 2604.22558), atomic adaptation then trajectory optimisation with the GRPO
objective; supervised warm-up is ours (a random policy gives groups without variance). Everything random is a function
of the seed and the update's number, so a resumed run continues with the same bytes. What can't be trained on is
skipped by name and counted; an update whose gradient is not finite changes nothing.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import torch

from solar_eval.errors import DataError, unknown_name
from solar_eval.protocols import Protocol
from training.batch import Judged, batch_metrics, credit_batch, credit_metrics, judge_batch, label_metrics
from training.checkpoint import Checkpoints
from training.critic import critic_optimiser, fit, valued, whitened, with_values
from training.errors import BadRules, Diverged, EmptyGroup, TrainingError
from training.health import Health
from training.loss import GrpoLoss, LossRules
from training.metrics_log import MetricsLog
from training.mix import Order
from training.policy import Policy, Sampled, Task
from training.progress import Clock
from training.ragged import Ints
from training.rows import Rows, Sums, loss_inputs, minibatches, parts
from training.rules import RULES, Credit, CreditRules
from training.screens import ScreenStore

MAX_SKIPPED = 20
"""So many updates in a row without a step end the run: something is wrong that more updates won't mend."""


@dataclass(frozen=True)
class Phase:
    """A stretch of updates of one kind.

    kind: supervised imitates the steps' targets; reinforce samples, credits by `rule` and descends on the GRPO loss.
    batch: tasks an update. candidates, temperature: of sampling. lr rises linearly over `warmup` updates. passes,
    minibatches: optimiser steps made of one batch are passes x minibatches; 1 x 1 is exactly on policy. micro_steps:
    steps whose rows go through the policy at once. format_reward: see `batch.credit_batch`. critic_lr: of the critic
    that some rules need (`training.critic`).
    """

    name: str
    kind: Literal["supervised", "reinforce"]
    updates: int
    batch: int
    order: Order
    rule: str = "solar"
    candidates: int = 8
    temperature: float = 1.0
    lr: float = 1e-6
    warmup: int = 0
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    passes: int = 1
    minibatches: int = 1
    micro_steps: int = 16
    format_reward: float = 0.1
    loss: LossRules = field(default_factory=LossRules)
    credit: CreditRules = field(default_factory=CreditRules)
    critic_lr: float = 1e-3

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise unknown_name("credit rule", self.rule, RULES)
        numbers = (self.batch, self.candidates, self.passes, self.minibatches, self.micro_steps)
        if min(numbers) < 1 or self.updates < 0 or self.lr < 0 or self.temperature <= 0:
            raise BadRules("a count is below 1, or lr or temperature is not positive", f"phase {self.name}")


@dataclass(frozen=True)
class Evaluation:
    """Held-out tasks, sampled at the end of each phase and every `every` updates (0: never), `candidates` a step.

    live: a measurement of its own, made once, when all updates are done.
    """

    tasks: tuple[Task, ...]
    every: int = 0
    candidates: int = 8
    temperature: float = 1.0
    live: Callable[[], Mapping[str, float]] | None = None


@dataclass
class Trainer:
    """One run. `run()` goes on where the newest checkpoint stands; `tell` gets lines for people.

    after_update: called with the number of updates done, after each one is logged and saved.
    """

    policy: Policy
    phases: Sequence[Phase]
    log: MetricsLog
    checkpoints: Checkpoints | None = None
    save_every: int = 50
    evaluation: Evaluation | None = None
    protocol: Protocol | None = None
    seed: int = 0
    tell: Callable[[str], None] = print
    tell_every_s: float = 10.0
    screens: ScreenStore | None = None
    updates: int = 0
    after_update: Callable[[int], None] | None = None
    _health: Health = field(default_factory=Health)
    _optimiser: torch.optim.Optimizer | None = None
    _critic: torch.optim.Optimizer | None = None
    _gone: set[str] = field(default_factory=set)
    _skipped: int = 0
    _stop: bool = False

    @property
    def total(self) -> int:
        """Updates of all phases."""
        return sum(phase.updates for phase in self.phases)

    # ---- the run
    def run(self) -> dict[str, Any]:
        """All updates that are left. Returns the last metrics; raises KeyboardInterrupt after saving on a signal."""
        clock, last = Clock(self.tell, self.tell_every_s, self.updates, self.total), dict[str, Any]()
        with self._signals():
            for phase, first, update in self._schedule():
                if update == first:
                    self._begin(phase)
                last = self._update(phase, update, update - first)
                self.updates = update + 1
                self._note(phase, last, clock)
                if self._stop:
                    self._interrupted()
        return last

    def _schedule(self) -> Iterator[tuple[Phase, int, int]]:
        """(phase, its first update, update) of all updates that are not done."""
        first = 0
        for phase in self.phases:
            for update in range(max(first, self.updates), first + phase.updates):
                yield phase, first, update
            first += phase.updates

    def _begin(self, phase: Phase) -> None:
        """Fresh optimiser and warnings; the KL term's reference is the policy as the phase finds it."""
        self._optimiser, self._critic = _adamw(self.policy, phase), self._critic_of(phase)
        self._health, self._skipped = Health(), 0
        if phase.kind == "reinforce" and phase.loss.kl > 0:
            self.policy.freeze_reference()
        how = f", rule {phase.rule}, {phase.candidates} candidates" if phase.kind == "reinforce" else ""
        self.tell(f"phase {phase.name}: {phase.updates} updates of {phase.batch} tasks, lr {phase.lr:g}{how}")

    def _critic_of(self, phase: Phase) -> torch.optim.Optimizer | None:
        rule = phase.rule if phase.kind == "reinforce" else ""
        return critic_optimiser(self.policy, rule, phase.critic_lr)

    def _update(self, phase: Phase, update: int, in_phase: int) -> dict[str, Any]:
        assert self._optimiser is not None
        start = time.perf_counter()
        lr = phase.lr * min(1.0, (in_phase + 1) / phase.warmup) if phase.warmup else phase.lr
        for group in self._optimiser.param_groups:
            group["lr"] = lr
        made: dict[str, Any] = {"phase": phase.name, "lr": lr}
        try:
            tasks, gone = self._readable(phase.order.batch(in_phase, phase.batch))
            made |= {"screens_gone": gone} if gone else {}
            made |= (self._supervise if phase.kind == "supervised" else self._reinforce)(phase, tasks, update)
            self._skipped = 0 if not made.get("skipped_update") else self._skipped + 1
        except (TrainingError, DataError) as error:
            self._skipped += 1
            self._optimiser.zero_grad(set_to_none=True)
            made |= {"skipped_update": type(error).__name__, "why": error.what}
        if self._skipped >= MAX_SKIPPED:
            why = f"{made['skipped_update']} {made.get('why', '')}".rstrip()
            raise Diverged(f"{self._skipped} updates in a row changed nothing; the last: {why}",
                           f"update {update + 1}", "the weights are the last good ones")  # fmt: skip
        return made | {"seconds": round(time.perf_counter() - start, 3)}

    def _note(self, phase: Phase, made: dict[str, Any], clock: Clock) -> None:
        """After an update: warnings, evaluation, the line of the log, the checkpoint."""
        if self._evaluation_due():
            made |= self._evaluated()
        if alarms := self._health.observe(made):
            made["alarms"] = [alarm.text for alarm in alarms]
            for alarm in alarms:
                self.tell(f"warning at update {self.updates}: {alarm.text}")
        self.log.write(self.updates, made)
        if self.checkpoints is not None and (self.updates % self.save_every == 0 or self.updates == self.total):
            self.checkpoints.save(self.updates, self.state())
        clock.tick(self.updates, phase.name, made)
        if self.after_update is not None:
            self.after_update(self.updates)

    def _readable(self, tasks: Sequence[Task]) -> tuple[list[Task], int]:
        """The tasks whose pictures can all be read, and how many others there are. EmptyGroup where none is left."""
        left = [
            task for task in tasks if not any(self._lost(key) for one in task.steps for key in one.screens.values())
        ]
        if tasks and not left:
            raise EmptyGroup(f"the screenshots of all {len(tasks)} tasks are gone")
        return left, len(tasks) - len(left)

    def _lost(self, key: str) -> bool:
        fault = None if self.screens is None else self.screens.fault(key)
        if fault and key not in self._gone:
            self.tell(f"warning: {fault}; the tasks that show this screenshot are skipped")
            self._gone.add(key)
        return bool(fault)

    # ---- the two kinds of update
    def _supervise(self, phase: Phase, tasks: Sequence[Task], update: int) -> dict[str, Any]:
        sampled = self.policy.demonstrate([step for task in tasks for step in task.steps])
        rows = np.arange(len(sampled.predictions), dtype=np.int64)
        tokens, total = int(sampled.mask.sum()), 0.0
        for part in parts(rows, phase.micro_steps):
            scored = self.policy.log_probs(sampled, part)
            loss = -torch.where(scored.mask, scored.logp, 0.0).sum() / max(tokens, 1)
            loss.backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        return {"loss": total, "tokens": tokens, **self._step(phase)}

    def _reinforce(self, phase: Phase, tasks: Sequence[Task], update: int) -> dict[str, Any]:
        start = time.perf_counter()
        steps = [step for task in tasks for step in task.steps]
        sampled = self.policy.sample(steps, phase.candidates, phase.temperature, seed_of(self.seed, update, 0))
        drawn = time.perf_counter()
        judged = judge_batch(tasks, sampled.predictions, self.protocol)
        rules = replace(phase.credit, seed=seed_of(self.seed, update, 1))
        made, criticised = self._credited(phase, sampled, judged, rules)
        learned = criticised | self._learn(phase, sampled, Rows.of(judged, made), update)
        lengths = sampled.mask.sum(dim=1).float()
        return {
            **batch_metrics(judged, sampled.predictions), **label_metrics(tasks, judged), **credit_metrics(made),
            **learned, "cut": sampled.cut / len(lengths), "reply_tokens": float(lengths.mean()),
            "sampled_tokens": int(lengths.sum()), "sample_s": round(drawn - start, 3),
            **({"skipped_tasks": judged.skipped} if judged.skipped else {}),
        }  # fmt: skip

    def _credited(
        self, phase: Phase, sampled: Sampled, judged: Judged, rules: CreditRules
    ) -> tuple[Credit, dict[str, float]]:
        """Credit by the phase's rule; where that needs values, the critic is asked before and fitted after."""
        if self._critic is None:
            return credit_batch(phase.rule, judged.groups, rules, phase.format_reward), {}
        policy = valued(self.policy, phase.rule)
        judged = with_values(policy, sampled, judged, phase.micro_steps)
        made = credit_batch(phase.rule, judged.groups, rules, phase.format_reward)
        return whitened(made), fit(policy, self._critic, sampled, judged, made, phase.micro_steps)

    def _learn(self, phase: Phase, sampled: Sampled, rows: Rows, update: int) -> dict[str, Any]:
        """All optimiser steps on one batch; the metrics of the last one, sums of skipped steps."""
        if not len(rows.row):
            return {"skipped_update": "no row kept", "tokens": 0}
        once = phase.passes == phase.minibatches == 1
        old = None if once else self._fixed(phase, sampled, rows)
        reference = self._reference(phase, sampled, rows) if phase.loss.kl > 0 else None
        made: dict[str, Any] = {}
        for turn in range(phase.passes):
            for chosen in minibatches(rows, phase.minibatches, seed_of(self.seed, update, 2 + turn)):
                made = self._descend(phase, sampled, rows, chosen, old, reference)
        return made

    def _descend(
        self, phase: Phase, sampled: Sampled, rows: Rows, chosen: Ints, old: torch.Tensor | None,
        reference: torch.Tensor | None,
    ) -> dict[str, Any]:  # fmt: skip
        """One optimiser step on the rows `chosen` (positions in `rows`), in micro-batches that add up."""
        tokens = float(sampled.mask[rows.row[chosen]].sum())
        filled = float(sampled.mask[rows.row[chosen]].any(dim=1).sum())
        sums = Sums()
        for part in parts(rows.step[chosen], phase.micro_steps):
            here = chosen[part]
            scored = self.policy.log_probs(sampled, rows.row[here], phase.temperature)
            out = GrpoLoss(phase.loss)(loss_inputs(scored, rows, here, old, reference, (tokens, filled)))
            out.loss.backward()
            sums.add(out, scored, sampled.logp[rows.row[here]])
        return {**sums.means(), **self._step(phase)}

    def _fixed(self, phase: Phase, sampled: Sampled, rows: Rows) -> torch.Tensor:
        """Log-probabilities of the rows without gradient: (R, T) in the order of `rows`."""
        made = torch.zeros((len(rows.row), sampled.mask.shape[1]), device=sampled.mask.device)
        with torch.no_grad():
            for part in parts(rows.step, phase.micro_steps):
                scored = self.policy.log_probs(sampled, rows.row[part], phase.temperature)
                made[part, : scored.logp.shape[1]] = torch.where(scored.mask, scored.logp, 0.0).float()
        return made

    def _reference(self, phase: Phase, sampled: Sampled, rows: Rows) -> torch.Tensor:
        with self.policy.reference():
            return self._fixed(phase, sampled, rows)

    def _step(self, phase: Phase) -> dict[str, Any]:
        """Clips the gradient and steps; a gradient that is not finite is thrown away and named."""
        assert self._optimiser is not None
        norm = float(torch.nn.utils.clip_grad_norm_(list(self.policy.parameters()), phase.max_grad_norm))
        good = bool(np.isfinite(norm))
        if good:
            self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        return {"grad_norm": norm, **({} if good else {"skipped_update": "gradient not finite"})}

    # ---- beside the updates
    def _evaluation_due(self) -> bool:
        if self.evaluation is None:
            return False
        ends = np.cumsum([phase.updates for phase in self.phases])
        return self.updates in ends or bool(self.evaluation.every and self.updates % self.evaluation.every == 0)

    def _evaluated(self) -> dict[str, Any]:
        assert self.evaluation is not None
        found, tasks = dict[str, Any](), self.evaluation.tasks
        try:
            left, gone = self._readable(tasks)
            found |= {"screens_gone": gone} if gone else {}
            if tasks:
                plan = replace(self.evaluation, tasks=tuple(left))
                found |= evaluate(self.policy, plan, seed_of(self.seed, self.updates, 99), self.protocol)
        except EmptyGroup as error:
            found["skipped"] = error.what
        if self.evaluation.live is not None and self.updates == self.total:
            found |= self.evaluation.live()
        return {f"eval/{name}": value for name, value in found.items()}

    def state(self) -> dict[str, Any]:
        """Everything an exact resume needs, beside the configuration."""
        assert self._optimiser is not None
        critic = {} if self._critic is None else {"critic_optimiser": self._critic.state_dict()}
        return {"policy": self.policy.state(), "optimiser": self._optimiser.state_dict(), **critic,
                "health": self._health.state(), "skipped": self._skipped}  # fmt: skip

    def load(self, updates: int, state: Mapping[str, Any]) -> None:
        """Goes back to a checkpoint. At the end of a phase the next one begins as if nothing had been interrupted."""
        self.updates = updates
        self.policy.load_state(state["policy"])
        done = 0
        for phase in self.phases:
            if done < updates <= done + phase.updates:
                self._optimiser, self._critic = _adamw(self.policy, phase), self._critic_of(phase)
                self._optimiser.load_state_dict(state["optimiser"])
                if self._critic is not None:
                    self._critic.load_state_dict(state["critic_optimiser"])
            done += phase.updates
        self._health.load(state["health"])
        self._skipped = int(state["skipped"])

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """The first SIGINT or SIGTERM lets the update end and saves; the second one interrupts at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = (signal.SIGINT, signal.SIGTERM)
        before = [signal.getsignal(name) for name in names]

        def handle(number: int, frame: object) -> None:
            self._stop = True
            self.tell("stopping after this update (again: at once)")
            signal.signal(signal.SIGINT, signal.default_int_handler)

        for name in names:
            signal.signal(name, handle)
        try:
            yield
        finally:
            for name, handler in zip(names, before, strict=True):
                signal.signal(name, handler)

    def _interrupted(self) -> None:
        if self.checkpoints is not None:
            where = self.checkpoints.save(self.updates, self.state())
            self.tell(f"stopped after update {self.updates}; {where} goes on from here")
        raise KeyboardInterrupt


def evaluate(policy: Policy, plan: Evaluation, seed: int, protocol: Protocol | None = None) -> dict[str, Any]:
    """Samples the held-out tasks and sums up: score, valid, success, prefix, shares, valid/KIND."""
    steps = [step for task in plan.tasks for step in task.steps]
    sampled = policy.sample(steps, plan.candidates, plan.temperature, seed)
    judged = judge_batch(plan.tasks, sampled.predictions, protocol)
    return {**batch_metrics(judged, sampled.predictions), **label_metrics(plan.tasks, judged)}


def _adamw(policy: Policy, phase: Phase) -> torch.optim.Optimizer:
    return torch.optim.AdamW(policy.parameters(), lr=phase.lr, weight_decay=phase.weight_decay)


def seed_of(seed: int, update: int, purpose: int) -> int:
    """A seed of its own for each update and purpose."""
    return int(np.random.SeedSequence((seed, update, purpose)).generate_state(1, np.uint32)[0])
