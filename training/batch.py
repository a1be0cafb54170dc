"""Candidates of a batch judged, credited and summed up: what the loop does between sampling and the loss.

numpy only, and the same for every policy. A batch may mix benchmarks: each task is judged by its family's rules under
the one protocol. Tasks that can't be trained on are left out whole and counted by reason (`training.validity`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from solar_eval.actions import KINDS
from solar_eval.protocols import Protocol
from solar_eval.scoring.columns import Prediction
from training.advantage import advantages
from training.errors import EmptyGroup
from training.groups import StepGroups, alive_by_step
from training.policy import Task
from training.ragged import Ints, offsets_of
from training.reconstruct import reconstruct
from training.rules import Credit, CreditRules, credit, prefix_share, success_rate
from training.validity import step_groups

FORMAT_RULES = ("solar", "per_step")
"""Rules whose rewards a format part may be added to; UI-S1 has its own, the others pay trajectories only."""
SHOWN_ALIVE = 16
"""Steps for which the number of candidates alive is logged."""


@dataclass(frozen=True)
class Judged:
    """A batch's candidates, scored. rows: (S',) which of the batch's steps the rows of `groups` are.

    tasks: positions of the tasks that are left. skipped: how many tasks were left out, by reason.
    """

    groups: StepGroups
    rows: Ints
    tasks: tuple[int, ...]
    skipped: dict[str, int]


def judge_batch(
    tasks: Sequence[Task], predictions: Sequence[Sequence[Prediction]], protocol: Protocol | None = None
) -> Judged:
    """Scores the candidates of all steps of `tasks`, which lie end to end in `predictions` (S lists of C).

    Raises EmptyGroup where no task can be trained on, and what `validity.step_groups` raises.
    """
    offsets = offsets_of(np.array([len(task.steps) for task in tasks], dtype=np.int64))
    parts: list[tuple[StepGroups, list[int]]] = []
    skipped: Counter[str] = Counter()
    for family in sorted({task.family for task in tasks}):
        chosen = [i for i, task in enumerate(tasks) if task.family == family]
        episodes = [[one.step for one in tasks[i].steps] for i in chosen]
        answers = [predictions[offsets[i] : offsets[i + 1]] for i in chosen]
        try:
            groups, kept, left_out = step_groups(episodes, answers, protocol, family)
        except EmptyGroup:
            skipped["nothing usable in its family's tasks"] += len(chosen)
            continue
        skipped.update(one.reason for one in left_out)
        parts.append((groups, [chosen[k] for k in kept]))
    if not parts:
        raise EmptyGroup(f"none of {len(tasks)} tasks can be trained on ({dict(skipped)})")
    positions = [i for _, kept in parts for i in kept]
    rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in positions])
    return Judged(_joined([groups for groups, _ in parts]), rows, tuple(positions), dict(skipped))


def _joined(parts: Sequence[StepGroups]) -> StepGroups:
    if len(parts) == 1:
        return parts[0]
    type_ok = [p.type_ok for p in parts if p.type_ok is not None]
    format_ok = [p.format_ok for p in parts if p.format_ok is not None]
    return StepGroups(
        np.concatenate([p.score for p in parts]), np.concatenate([p.valid for p in parts]),
        offsets_of(np.concatenate([p.lengths for p in parts])), np.concatenate([p.n_ref for p in parts]),
        np.concatenate(type_ok), np.concatenate(format_ok),
    ).checked()  # fmt: skip


def credit_batch(name: str, groups: StepGroups, rules: CreditRules, format_reward: float = 0.0) -> Credit:
    """`rules.credit`, with `format_reward` for each reply in its family's format outside the shaped sum.

    The format part counts in the advantages only and never in R_target (facts, section 3). Rules that are not in
    FORMAT_RULES ignore it.
    """
    made = credit(name, groups, rules)
    if format_reward == 0 or name not in FORMAT_RULES or groups.format_ok is None:
        return made
    reward = made.reward + np.where(made.kept, format_reward * groups.format_ok, 0.0)
    grouping = replace(rules.advantage, group="step") if name == "per_step" else rules.advantage
    found = advantages(reward, made.kept, groups.offsets, grouping)
    stats = {key: value for key, value in (("step", found.step), ("episode", found.episode)) if value is not None}
    return replace(made, advantage=found.advantage, groups=stats)


def batch_metrics(judged: Judged, predictions: Sequence[Sequence[Prediction]]) -> dict[str, object]:
    """What the candidates look like before any credit: shares and means over all S' x C of them.

    score: mean atomic score (the paper's mean action reward). valid: step success. success: share of spliced
    trajectories without an invalid step. prefix: mean t* / n_ref. share/KIND, valid/KIND: how often a kind was
    predicted; how often steps labelled with it were right. alive: candidates alive at step 0, 1, ...
    """
    groups = judged.groups
    path = reconstruct(groups)
    alive = alive_by_step(path.kept, groups.offsets)[:SHOWN_ALIVE]
    out: dict[str, object] = {
        "score": float(groups.score.mean()), "valid": float(groups.valid.mean()),
        "success": success_rate(groups), "prefix": prefix_share(groups),
        "alive": [round(float(a), 3) for a in alive],
        "dead_at_start": float(groups.dead_at_start.mean()),
    }  # fmt: skip
    if groups.format_ok is not None:
        out["format_error"] = 1 - float(groups.format_ok.mean())
    if len(alive) > 1:
        out["alive_at_step_1"] = float(alive[1])
    said = [one for row in judged.rows for one in predictions[int(row)]]
    kinds = Counter(_kind(one) for one in said)
    out |= {f"share/{kind}": kinds[kind] / len(said) for kind in KINDS if kinds[kind]}
    out |= {"share/click": kinds["click"] / len(said), "share/finish": kinds["finish"] / len(said)}
    return out


def _kind(prediction: Prediction) -> str:
    action = None if isinstance(prediction, int) else prediction.action
    return "none" if action is None else action.kind


def label_metrics(tasks: Sequence[Task], judged: Judged) -> dict[str, float]:
    """valid/KIND: share of right candidates at steps labelled with this kind; for press, valid/press_KEY as well."""
    hits: dict[str, list[float]] = {}
    labels = [one.step.label for i in judged.tasks for one in tasks[i].steps]
    for label, right in zip(labels, judged.groups.valid.mean(axis=1), strict=True):
        assert label is not None
        hits.setdefault(label.kind, []).append(float(right))
        if label.kind == "press":
            hits.setdefault(f"press_{label.key}", []).append(float(right))
    return {f"valid/{kind}": sum(values) / len(values) for kind, values in sorted(hits.items())}


def credit_metrics(made: Credit) -> dict[str, float]:
    """What the credit rule made of the batch: rewards of kept rows, clip rate, groups that teach nothing."""
    groups = list(made.groups.values())
    total = sum(stats.groups for stats in groups)
    return {
        "reward": float(made.reward[made.kept].mean()) if made.kept.any() else 0.0,
        "kept": float(made.kept.mean()), "clip_rate": made.clip_rate, "dropped_tasks": float(made.dropped),
        "zero_variance": sum(s.single + s.flat for s in groups) / total if total else 0.0,
        "single_groups": sum(s.single for s in groups) / total if total else 0.0,
    }  # fmt: skip
