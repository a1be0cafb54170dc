"""The loop with a policy that is a table of logits: learning, exact resume, signals, what can't be trained on."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the embedded trainer needs torch: pip install 'solar-eval[train]'")

from solar_eval.actions import Action, Click, Finish, Point, Press, Swipe  # noqa: E402
from solar_eval.errors import UsageError  # noqa: E402
from solar_eval.records import RecordedParse, Step  # noqa: E402
from solar_eval.scoring.columns import MISSING  # noqa: E402
from training import batch  # noqa: E402
from training.batch import judge_batch  # noqa: E402
from training.checkpoint import Checkpoints  # noqa: E402
from training.errors import BadRules, CheckpointError, Diverged, EmptyGroup  # noqa: E402
from training.groups import StepGroups  # noqa: E402
from training.health import Health  # noqa: E402
from training.loop import Evaluation, Phase, Trainer, evaluate  # noqa: E402
from training.loss import LossRules  # noqa: E402
from training.metrics_log import MetricsLog, read_metrics, sinks_named  # noqa: E402
from training.mix import Order, Source, atomic, bucket_of, trajectories  # noqa: E402
from training.policy import Sampled, Scored, Task, TrainStep  # noqa: E402
from training.rows import Rows  # noqa: E402
from training.rules import CreditRules  # noqa: E402

ACTIONS: tuple[Action, ...] = (
    Press("back"), Press("home"), Swipe("up"), Swipe("down"), Click(Point(0.5, 0.5)), Finish(),
)  # fmt: skip


class TablePolicy:
    """A row of logits for every step id; three tokens a reply would be the same, so it has one."""

    name = "table"

    def __init__(self, ids: Sequence[str]) -> None:
        self.place = {name: i for i, name in enumerate(ids)}
        self.logits = torch.nn.Parameter(torch.zeros(len(ids), len(ACTIONS)))
        self.kept: Any = None
        self.missing: frozenset[str] = frozenset()
        self.poison = False

    def identity(self) -> dict[str, object]:
        return {"table": list(self.logits.shape)}

    def parameters(self) -> Iterator[Any]:
        yield self.logits

    def _rows(self, steps: Sequence[TrainStep]) -> Any:
        return torch.tensor([self.place[one.step.id] for one in steps])

    def sample(self, steps: Sequence[TrainStep], count: int, temperature: float, seed: int) -> Sampled:
        logp = torch.log_softmax(self.logits.detach()[self._rows(steps)] / temperature, dim=1)
        chosen = torch.multinomial(logp.exp(), count, True, generator=torch.Generator().manual_seed(seed))
        said = [[RecordedParse(ACTIONS[int(a)]) for a in row] for row in chosen]
        predictions: Any = [
            [MISSING] * count if one.step.id in self.missing else row for one, row in zip(steps, said, strict=True)
        ]
        return self._made(steps, predictions, chosen, logp.gather(1, chosen))

    def demonstrate(self, steps: Sequence[TrainStep]) -> Sampled:
        chosen = torch.tensor([[ACTIONS.index(one.target)] for one in steps])
        said: Any = [[RecordedParse(one.target)] for one in steps]
        return self._made(steps, said, chosen, torch.zeros(chosen.shape))

    def _made(self, steps: Sequence[TrainStep], said: Any, chosen: Any, logp: Any) -> Sampled:
        rows = self._rows(steps).repeat_interleave(chosen.shape[1])
        flat = logp.reshape(-1, 1)
        return Sampled(said, flat, torch.ones_like(flat, dtype=torch.bool), [], (rows, chosen.reshape(-1)))

    def log_probs(self, sampled: Sampled, rows: Any, temperature: float = 1.0) -> Scored:
        steps, chosen = sampled.tokens
        table = self.kept if self.kept is not None and not torch.is_grad_enabled() else self.logits
        logp = torch.log_softmax(table[steps[rows]] / temperature, dim=1)
        entropy = -(logp.exp() * logp).sum(dim=1, keepdim=True)
        if self.poison:
            logp = logp + (self.logits.sum() - self.logits.sum()) ** 0.5 * 0
        taken = logp.gather(1, chosen[rows][:, None])
        return Scored(taken, entropy, torch.ones_like(taken, dtype=torch.bool))

    def freeze_reference(self) -> None:
        self.kept = self.logits.detach().clone()

    @contextmanager
    def reference(self) -> Iterator[None]:
        with torch.no_grad():
            yield

    def state(self) -> dict[str, Any]:
        return {"logits": self.logits.detach().clone(), "kept": self.kept}

    def load_state(self, state: Mapping[str, Any]) -> None:
        self.logits.data.copy_(state["logits"])
        self.kept = state["kept"]

    def export(self, folder: Path) -> None:
        torch.save(self.logits, folder / "table.pt")


def task(number: int, labels: Sequence[int]) -> Task:
    steps = tuple(
        TrainStep(Step(f"e{number}/{i}", f"e{number}", i, "", "", ACTIONS[label], (1080, 2400)))
        for i, label in enumerate(labels)
    )
    return Task(f"e{number}", steps)


def world(count: int = 6) -> tuple[Task, ...]:
    rng = np.random.default_rng(0)
    return tuple(task(e, rng.integers(0, len(ACTIONS), 2 + e % 3)) for e in range(count))


TASKS = world()
IDS = [one.step.id for t in TASKS for one in t.steps]


def phases(rule: str = "solar", updates: int = 12, **changes: Any) -> list[Phase]:
    source = Source("table", TASKS)
    first = Phase("atomic", "reinforce", 4, 8, Order(atomic(source), 1), "per_step", lr=0.1)
    second = Phase("trajectory", "reinforce", updates, 3, Order([source], 2), rule, lr=0.1, warmup=2)
    return [Phase("sft", "supervised", 3, 8, Order(atomic(source), 0), lr=0.05), first, replace(second, **changes)]


def trainer(folder: Path, policy: TablePolicy, steps: list[Phase], save_every: int = 5) -> Trainer:
    kept = Checkpoints(folder / "checkpoints", {"policy": policy.identity()})
    found = kept.latest()
    log = MetricsLog(folder, found[0] if found else 0)
    made = Trainer(policy, steps, log, kept, save_every, seed=7, tell=lambda line: None)
    if found:
        made.load(*found)
    return made


@pytest.mark.parametrize("rule", ["solar", "sparse_grpo", "ui_s1", "gigpo", "per_step"])
def test_every_rule_learns_a_table(tmp_path: Path, rule: str) -> None:
    policy = TablePolicy(IDS)
    plan = Evaluation(TASKS)
    before = evaluate(policy, plan, 0)
    trainer(tmp_path, policy, phases(rule, 40)).run()
    after = evaluate(policy, plan, 0)
    print(rule, [(name, round(before[name], 2), round(after[name], 2)) for name in ("success", "score")])
    assert after["score"] > before["score"] + 0.3
    assert torch.isfinite(policy.logits).all()


@pytest.mark.parametrize("stop", [3, 5, 7, 11])
@pytest.mark.parametrize("changes", [{}, {"passes": 2, "minibatches": 2}], ids=["once", "again"])
def test_a_resumed_run_has_the_same_bytes(tmp_path: Path, stop: int, changes: dict[str, int]) -> None:
    """Stops at the end of phases (3, 7), at an epoch boundary (atomic: 18 steps, trajectory: 6 tasks) and within."""
    whole = trainer(tmp_path / "a", TablePolicy(IDS), phases(**changes))
    whole.run()
    cut = trainer(tmp_path / "b", TablePolicy(IDS), phases(**changes), save_every=stop)
    note = cut._note

    def stopping(phase: Phase, made: dict[str, Any], clock: Any) -> None:
        note(phase, made, clock)
        cut._stop = cut.updates == stop

    cut._note = stopping  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        cut.run()
    again = trainer(tmp_path / "b", TablePolicy(IDS), phases(**changes))
    assert again.updates == stop
    again.run()
    first, second = (sorted((tmp_path / n / "checkpoints").iterdir())[-1] for n in "ab")
    assert first.name == second.name == "update-000019"
    assert (first / "state.pt").read_bytes() == (second / "state.pt").read_bytes()
    lines = [read_metrics(tmp_path / n) for n in "ab"]
    timeless = [[{k: v for k, v in line.items() if not k.endswith(("_s", "seconds"))} for line in x] for x in lines]
    assert timeless[0] == timeless[1]


def test_a_signal_ends_the_update_and_saves(tmp_path: Path) -> None:
    made = trainer(tmp_path, TablePolicy(IDS), phases(), save_every=100)
    sample = made.policy.sample

    def interrupted(*args: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return sample(*args)

    made.policy.sample = interrupted  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        made.run()
    assert made.updates == 4
    assert [p.name for p in made.checkpoints.paths()] == ["update-000004"]  # type: ignore[union-attr]


def test_lines_beyond_the_checkpoint_and_a_torn_one_are_moved_away(tmp_path: Path, cases: dict[str, Any]) -> None:
    assert cases["T12"]["expected"]["resume"] == "truncate partial line, redo id 7"
    trainer(tmp_path, TablePolicy(IDS), phases(), save_every=5).run()
    whole = (tmp_path / "metrics.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "metrics.jsonl").write_bytes(b"".join(whole[:6]) + whole[6][:20])
    log = MetricsLog(tmp_path, 5)
    assert log.torn is not None
    assert log.undone is not None
    log.write(6, {"loss": 1.0, "score": float("nan")})
    log.close()
    assert [line["update"] for line in read_metrics(tmp_path)] == [1, 2, 3, 4, 5, 6]
    assert read_metrics(tmp_path)[-1] == {"update": 6, "loss": 1.0, "score": None, "not_finite": ["score"]}


def test_gradients_that_are_not_finite_change_nothing_and_end_the_run(tmp_path: Path) -> None:
    policy = TablePolicy(IDS)
    made = trainer(tmp_path, policy, phases(updates=30))
    policy.poison = True
    with pytest.raises(Diverged, match="20 updates in a row"):
        made.run()
    assert (policy.logits == 0).all()
    assert {line["skipped_update"] for line in read_metrics(tmp_path)} == {"gradient not finite"}


def test_a_reward_that_is_no_number_skips_the_update_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One NaN would reach a whole group's mean; the update is left out instead, the others go on."""
    true_rule, calls = batch.credit, iter(range(1000))

    def spoiled(name: str, groups: Any, rules: Any) -> Any:
        made = true_rule(name, groups, rules)
        if next(calls) % 3 == 0:
            made.reward[0, 0] = np.nan
        return made

    monkeypatch.setattr(batch, "credit", spoiled)
    policy = TablePolicy(IDS)
    trainer(tmp_path, policy, phases()).run()
    lines = [line for line in read_metrics(tmp_path) if line["phase"] != "sft"]
    skipped = [line for line in lines if "skipped_update" in line]
    assert {line["skipped_update"] for line in skipped} == {"BadScore"}
    assert all("rewards are not finite" in line["why"] for line in skipped)
    assert len(skipped) == 6 < len(lines) == 16
    assert torch.isfinite(policy.logits).all()


def test_tasks_without_candidates_are_skipped_by_name(tmp_path: Path) -> None:
    policy = TablePolicy(IDS)
    policy.missing = frozenset({"e0/0", "e1/1"})
    trainer(tmp_path, policy, phases()).run()
    reasons = [line.get("skipped_tasks", {}) for line in read_metrics(tmp_path)]
    assert sum(r.get("candidate missing", 0) for r in reasons) > 0
    assert torch.isfinite(policy.logits).all()
    with pytest.raises(EmptyGroup, match="none of 1 tasks"):
        judge_batch([TASKS[0]], [[MISSING]] * len(TASKS[0].steps))


def test_a_batch_in_which_all_fail_at_step_0_has_no_gradient_and_no_nan(tmp_path: Path) -> None:
    """All candidates wrong and alike: zero variance, nothing learned, nothing broken."""
    policy = TablePolicy(IDS)
    with torch.no_grad():
        for t in TASKS:
            for one in t.steps:
                wrong = 4 if one.step.label != ACTIONS[4] else 5
                policy.logits[policy.place[one.step.id], wrong] = 60.0
    before = policy.logits.detach().clone()
    trainer(tmp_path, policy, [phases(loss=LossRules(kl=0))[2]]).run()
    lines = read_metrics(tmp_path)
    assert all(line["zero_variance"] == 1 and line["dead_at_start"] == 1 for line in lines)
    assert (policy.logits - before).abs().max() < 1e-6


def test_a_rule_that_needs_values_is_refused_by_a_policy_without_a_critic(tmp_path: Path) -> None:
    with pytest.raises(BadRules, match="rule bi_level_gae needs a critic, and policy table has none"):
        trainer(tmp_path, TablePolicy(IDS), [phases("bi_level_gae")[2]]).run()


class ValuedTable(TablePolicy):
    """With a value for every row of the table."""

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__(ids)
        self.critic = torch.nn.Embedding(len(ids), 1)
        torch.nn.init.zeros_(self.critic.weight)

    def values(self, sampled: Sampled, rows: Any) -> Any:
        return self.critic(sampled.tokens[0][rows])[:, 0]


def test_bi_level_gae_learns_a_table_and_its_critic_the_returns(tmp_path: Path) -> None:
    policy = ValuedTable(IDS)
    atomic_first = phases("bi_level_gae", 80, critic_lr=0.05)
    before = evaluate(policy, Evaluation(TASKS), 0)
    trainer(tmp_path, policy, atomic_first).run()
    after = evaluate(policy, Evaluation(TASKS), 0)
    lines = [line for line in read_metrics(tmp_path) if line["phase"] == "trajectory"]
    assert after["success"] > before["success"] + 0.3
    assert "critic_loss" not in read_metrics(tmp_path)[0] and lines[0]["value"] == 0 < lines[-1]["value"]
    assert lines[-1]["critic_explained"] > lines[0]["critic_explained"]


def test_an_episode_of_one_step_is_trained(tmp_path: Path) -> None:
    one = task(50, [2])
    policy = TablePolicy(["e50/0"])
    trainer(tmp_path, policy, [Phase("t", "reinforce", 30, 1, Order([Source("s", (one,))], 0), lr=0.2)]).run()
    assert int(policy.logits.argmax()) == 2


def test_a_batch_of_two_benchmarks_is_judged_by_each_ones_rules_and_rows_find_their_advantages() -> None:
    """A tap .1 away is right under GUI-Odyssey's radius (.14) and wrong under AndroidControl's (.04)."""
    near, exact = RecordedParse(Click(Point(0.6, 0.5))), RecordedParse(Click(Point(0.5, 0.5)))
    odyssey = Task("o", task(90, [4, 0]).steps, "gui_odyssey")
    tasks = [odyssey, task(91, [4]), Task("p", task(92, [4]).steps, "gui_odyssey")]
    up, down = RecordedParse(Swipe("up")), RecordedParse(Press("back"))
    judged = judge_batch(tasks, [[near, exact], [up, down], [near, exact], [exact, near]])
    assert judged.rows.tolist() == [2, 0, 1, 3]
    assert judged.tasks == (1, 0, 2)
    assert judged.groups.valid.tolist() == [[False, True], [True, True], [False, True], [True, True]]
    made = batch.credit_batch("per_step", judged.groups, CreditRules())
    rows = Rows.of(judged, made)
    assert rows.row.tolist() == list(range(8))
    assert rows.step.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    signs = torch.sign(rows.advantage).tolist()
    assert signs == [-1, 1, -1, 1, -1, 1, 1, -1]


def test_the_format_part_counts_in_advantages_and_never_in_the_rewards() -> None:
    score, flags = np.full((1, 4), 0.8), np.ones((1, 4), bool)
    kept_format = np.array([[True, True, False, True]])
    groups = StepGroups(score, flags, np.array([0, 1]), np.array([1]), flags, kept_format)
    plain, added = (batch.credit_batch("solar", groups, CreditRules(), part) for part in (0.0, 0.1))
    assert (plain.advantage == 0).all()
    assert np.array_equal(plain.reward, added.reward)
    assert added.advantage[0, 2] < 0 < added.advantage[0, 0]
    sparse = batch.credit_batch("sparse_grpo", groups, CreditRules(), 0.1)
    assert (sparse.advantage == 0).all()


# ---- the order of draws
def test_every_task_once_an_epoch_and_batches_span_epochs() -> None:
    order = Order([Source("a", TASKS)], 3)
    drawn = [t.id for u in range(6) for t in order.batch(u, 4)]
    for epoch in range(4):
        assert sorted(drawn[epoch * 6 : epoch * 6 + 6]) == sorted(t.id for t in TASKS)
    assert drawn[:6] != drawn[6:12]
    assert [t.id for t in Order([Source("a", TASKS)], 3).batch(5, 4)] == drawn[20:24]


def test_shares_hold_and_a_large_source_is_used_up() -> None:
    small, large = tuple(task(100 + i, [0]) for i in range(3)), tuple(task(200 + i, [1]) for i in range(30))
    order = Order([Source("small", small, 0.5), Source("large", large, 0.5)], 0)
    drawn = [t.id for e in range(2) for t in order.epoch(e)]
    assert sum(name.startswith("e1") for name in drawn[:33]) in (16, 17)
    assert len({name for name in drawn if name.startswith("e2")}) == 30


def test_flattening_draws_rare_kinds_and_long_episodes_as_often() -> None:
    tasks = tuple(task(i, [0] * 9 if i == 0 else [4, 4]) for i in range(10))
    flat = Order(atomic(Source("s", tasks), 1.0), 0)
    kinds = [t.steps[0].step.label.kind for t in flat.epoch(0)]  # type: ignore[union-attr]
    assert abs(kinds.count("press") - kinds.count("click")) <= 1
    lengths = [bucket_of(t) for t in Order(trajectories(Source("s", tasks), 1.0), 0).epoch(0)]
    assert lengths.count("long") == lengths.count("short") == 5


def test_orders_that_can_not_be() -> None:
    with pytest.raises(EmptyGroup, match="no task to train on"):
        Order([Source("s", ())], 0)
    with pytest.raises(BadRules, match="some sources have a share"):
        Order([Source("a", TASKS, 0.5), Source("b", TASKS)], 0)
    with pytest.raises(BadRules, match="not numbers above 0"):
        Order([Source("a", TASKS, float("nan")), Source("b", TASKS, 1.0)], 0)


# ---- warnings
def test_the_public_collapse_is_noticed() -> None:
    """Format errors 2.3 -> 10.6 %, clicks 51.7 -> 84.1 %, finish 15.3 -> 0.3 % (facts, section 6)."""
    health = Health(window=3)
    start = {"format_error": 0.023, "share/click": 0.517, "share/finish": 0.153, "entropy": 0.8}
    end = {"format_error": 0.106, "share/click": 0.841, "share/finish": 0.003, "entropy": 0.8}
    assert [health.observe(start) for _ in range(5)] == [[]] * 5
    alarms = [alarm for _ in range(4) for alarm in health.observe(end)]
    assert {a.metric for a in alarms} == {"format_error", "share/click", "share/finish"}
    again = Health(window=3)
    again.load(json.loads(json.dumps(health.state())))
    assert again.observe(end) == []
    assert [a.metric for _ in range(4) for a in again.observe(start | {"zero_variance": 0.95})] == ["zero_variance"]


def test_curves_go_to_a_tracker_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """wandb and trackio share three calls; here a module that only remembers them."""
    seen: list[Any] = []
    fake: Any = ModuleType("trackio")
    fake.init = lambda **settings: seen.append(settings["name"])
    fake.log = lambda metrics, step: seen.append((step, metrics))
    fake.finish = lambda: seen.append("end")
    monkeypatch.setitem(sys.modules, "trackio", fake)
    log = MetricsLog(tmp_path, 0, sinks_named(["trackio"], tmp_path, {"lr": 0.1}))
    log.write(1, {"phase": "sft", "loss": 0.5, "alive": [8.0], "reward": float("inf")})
    log.close()
    assert seen == [tmp_path.name, (1, {"loss": 0.5}), "end"]
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(UsageError, match="pip install wandb"):
        sinks_named(["wandb"], tmp_path, {})


def test_an_unknown_logger_is_named(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="unknown logger 'tensorbord'"):
        sinks_named(["tensorbord"], tmp_path, {})
    with pytest.raises(CheckpointError):
        Checkpoints(tmp_path, {"a": 1}).load(tmp_path / "update-1")
