"""The GRPO loss against a loop, numpy against torch where it is installed, and verl where that is."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.errors import BadRules, BadScore, BadShape
from training.loss import Aggregate, GrpoLoss, LossInputs, LossRules

AGGREGATES = Aggregate.__args__  # type: ignore[attr-defined]


def made(seed: int, rows: int = 5, length: int = 7, spread: float = 0.4) -> LossInputs:
    rng = np.random.default_rng(seed)
    logp = rng.normal(-1.5, 0.7, (rows, length))
    mask = rng.random((rows, length)) < 0.7
    mask[0, 0] = True
    if rows > 2:
        mask[2] = False
    return LossInputs(
        logp, logp + rng.normal(0, spread, logp.shape), rng.normal(size=rows), mask,
        logp + rng.normal(0, spread, logp.shape), rng.random(logp.shape),
    )  # fmt: skip


def by_loop(x: LossInputs, rules: LossRules) -> float:
    """The formulas as they stand in the papers, token by token."""
    rows = []
    for b in range(len(x.logp)):
        terms = []
        for t in np.flatnonzero(x.mask[b]):
            ratio, a = math.exp(x.logp[b, t] - x.old_logp[b, t]), x.advantage[b]
            clipped = min(max(ratio, 1 - rules.clip_low), 1 + rules.clip_high)
            gain = min(ratio * a, clipped * a)
            if rules.dual_clip is not None and a < 0:
                gain = max(gain, rules.dual_clip * a)
            gap = x.ref_logp[b, t] - x.logp[b, t]
            terms.append(-gain + rules.kl * (math.exp(gap) - gap - 1) - rules.entropy * x.entropy[b, t])
        rows.append(terms)
    tokens, filled = sum(map(len, rows)), [r for r in rows if r]
    return {
        "token_sum": sum(map(sum, rows)),
        "token_mean": sum(map(sum, rows)) / tokens,
        "row_mean_token_mean": sum(sum(r) / len(r) for r in filled) / len(filled),
        "row_mean_token_sum": sum(map(sum, filled)) / len(filled),
    }[rules.aggregate]


@pytest.mark.parametrize("aggregate", AGGREGATES)
@pytest.mark.parametrize("dual", [None, 1.5])
@given(seed=st.integers(0, 10_000))
def test_against_a_loop(aggregate: Any, dual: float | None, seed: int) -> None:
    rules = LossRules(aggregate=aggregate, dual_clip=dual, kl=0.05, entropy=0.01)
    inputs = made(seed)
    assert float(GrpoLoss(rules)(inputs).loss) == pytest.approx(by_loop(inputs, rules), abs=1e-9)


def test_on_policy_nothing_is_clipped_and_the_loss_is_minus_the_mean_advantage() -> None:
    x = made(0)
    out = GrpoLoss()(replace(x, old_logp=x.logp, ref_logp=x.logp))
    tokens = x.mask.sum(axis=1)
    assert float(out.policy) == pytest.approx(-(x.advantage * tokens).sum() / tokens.sum())
    for name in ("approx_kl", "clip_fraction", "clip_high_fraction", "clip_low_fraction", "dual_clip_fraction"):
        assert float(out.diagnostics[name]) == 0
    assert float(out.kl) == 0
    assert float(out.diagnostics["ratio_max"]) == 1
    assert int(out.diagnostics["tokens"]) == x.mask.sum()
    assert int(out.diagnostics["rows"]) == (tokens > 0).sum()


def test_diagnostics_count_what_clipping_decided() -> None:
    ratio = np.array([[2.0, 0.5, 1.0, 1.1]])
    inputs = LossInputs(np.log(ratio), np.zeros((1, 4)), np.array([1.0]), np.ones((1, 4), bool))
    up = GrpoLoss()(inputs).diagnostics
    assert (up["clip_fraction"], up["clip_high_fraction"], up["clip_low_fraction"]) == (0.25, 0.25, 0.25)
    down = GrpoLoss(LossRules(dual_clip=1.5))(replace(inputs, advantage=np.array([-1.0]))).diagnostics
    assert (down["clip_fraction"], down["dual_clip_fraction"]) == (0.25, 0.25)
    assert up["approx_kl"] == pytest.approx(-np.log(ratio).mean())
    assert GrpoLoss()(replace(inputs, advantage=np.array([0.0]))).diagnostics["zero_advantage"] == 1


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_micro_batches_add_up_to_the_batch(aggregate: Any) -> None:
    x = made(4, rows=6)
    loss = GrpoLoss(LossRules(aggregate=aggregate, kl=0.1))
    whole = float(loss(x).loss)
    totals = {"total_tokens": float(x.mask.sum()), "total_rows": float(x.mask.any(axis=1).sum())}

    def rows(part: slice) -> LossInputs:
        return LossInputs(x.logp[part], x.old_logp[part], x.advantage[part], x.mask[part], x.ref_logp[part], **totals)

    pieces = [float(loss(rows(slice(i, i + 2))).loss) for i in (0, 2, 4)]
    assert sum(pieces) == pytest.approx(whole)


def test_masked_tokens_do_not_count_however_odd() -> None:
    x = made(1)
    plain = float(GrpoLoss()(x).loss)
    for odd in (-np.inf, np.nan):
        arrays = [np.where(x.mask, a, odd) for a in (x.logp, x.old_logp, x.ref_logp)]
        assert float(GrpoLoss()(LossInputs(arrays[0], arrays[1], x.advantage, x.mask, arrays[2])).loss) == plain


def test_a_batch_without_tokens_has_loss_zero() -> None:
    x = made(2)
    for aggregate in AGGREGATES:
        out = GrpoLoss(LossRules(aggregate=aggregate))(replace(x, mask=np.zeros_like(x.mask)))
        assert float(out.loss) == 0
        assert int(out.diagnostics["tokens"]) == 0


def test_zero_advantage_leaves_only_the_pull_to_the_reference() -> None:
    x = replace(made(3), advantage=np.zeros(5))
    out = GrpoLoss(LossRules(kl=0.5))(x)
    assert float(out.policy) == 0
    assert float(out.loss) == pytest.approx(0.5 * float(out.kl))
    assert float(out.kl) > 0


def test_row_weights_scale_the_policy_term_only() -> None:
    x = made(5)
    plain, halved = GrpoLoss()(x), GrpoLoss()(replace(x, row_weight=np.full(5, 0.5)))
    assert float(halved.policy) == pytest.approx(0.5 * float(plain.policy))
    assert float(halved.kl) == float(plain.kl)


@pytest.mark.parametrize("name", ["logp", "old_logp", "ref_logp", "entropy"])
def test_values_that_are_not_finite_are_named(name: str) -> None:
    x = made(6)
    array = getattr(x, name).copy()
    array[0, 0] = np.nan
    fields = {f: getattr(x, f) for f in ("logp", "old_logp", "advantage", "mask", "ref_logp", "entropy")}
    with pytest.raises(BadScore, match=rf"rows \[0\]: {name} is not finite in 1 tokens"):
        GrpoLoss()(LossInputs(**(fields | {name: array})))
    with pytest.raises(BadScore, match="advantage"):
        GrpoLoss()(replace(x, advantage=np.array([np.nan] * 5)))


def test_shapes_and_rules_that_do_not_fit() -> None:
    x = made(7)
    with pytest.raises(BadShape, match="mask"):
        GrpoLoss()(replace(x, mask=x.mask[:, :3]))
    with pytest.raises(BadShape, match="advantage"):
        GrpoLoss()(replace(x, advantage=x.advantage[:2]))
    for rules in ({"clip_low": 1.0}, {"clip_high": -0.1}, {"dual_clip": 1.0}, {"aggregate": "mean"}):
        with pytest.raises(BadRules):
            LossRules(**rules)  # type: ignore[arg-type]


def test_nothing_here_imports_torch() -> None:
    import subprocess

    code = "import sys, training.loss, training.rules, training.validity, training.cli; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_torch_gives_the_same_numbers_and_finite_gradients(aggregate: Any) -> None:
    torch = pytest.importorskip("torch")
    x = made(8)
    logp = torch.tensor(np.where(x.mask, x.logp, -np.inf), requires_grad=True)
    tensors = LossInputs(logp, *(torch.tensor(a) for a in (x.old_logp, x.advantage, x.mask, x.ref_logp, x.entropy)))
    rules = LossRules(aggregate=aggregate, dual_clip=3.0, kl=0.1, entropy=0.01)
    ours, theirs = GrpoLoss(rules)(x), GrpoLoss(rules)(tensors)
    assert float(theirs.loss.detach()) == pytest.approx(float(ours.loss), abs=1e-12)
    for name, value in ours.diagnostics.items():
        assert float(theirs.diagnostics[name]) == pytest.approx(float(value), abs=1e-6)
    theirs.loss.backward()
    assert bool(torch.isfinite(logp.grad).all())
    assert bool((logp.grad[~tensors.mask] == 0).all())


def test_verl_gives_the_same_loss() -> None:
    algos = pytest.importorskip("verl.trainer.ppo.core_algos", exc_type=ImportError)
    torch = pytest.importorskip("torch")
    x = made(9)
    t = {n: torch.tensor(getattr(x, n)) for n in ("logp", "old_logp", "ref_logp", "mask")}
    advantage = torch.tensor(x.advantage)[:, None].expand(*x.logp.shape)
    loss, clipped, kl, dual = algos.compute_policy_loss(
        t["old_logp"], t["logp"], advantage, t["mask"], cliprange=0.2, cliprange_high=0.28, clip_ratio_c=3.0
    )
    penalty = algos.agg_loss(algos.kl_penalty(t["logp"], t["ref_logp"], "low_var_kl"), t["mask"], "token-mean")
    ours = GrpoLoss(LossRules(dual_clip=3.0))(x)
    assert float(ours.policy) == pytest.approx(float(loss), abs=1e-6)
    assert float(ours.kl) == pytest.approx(float(penalty), abs=1e-6)
    assert float(ours.diagnostics["clip_fraction"]) == pytest.approx(float(clipped), abs=1e-6)
    assert float(ours.diagnostics["approx_kl"]) == pytest.approx(float(kl), abs=1e-6)
    assert float(ours.diagnostics["dual_clip_fraction"]) == pytest.approx(float(dual), abs=1e-6)
