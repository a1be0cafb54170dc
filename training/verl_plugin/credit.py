"""From verl's rows back to the batch of `training.groups`, through a rule of `training.rules`, to one number a row.

Every row carries what its whole session scored, so that the batch is complete although only some steps became rows.
This is the only place where rewards and advantages are made for verl; verl's own estimators are not asked. Numpy only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from training.errors import BadShape
from training.groups import StepGroups, alive_by_step
from training.ragged import Bools, Floats, offsets_of
from training.rules import Credit, CreditRules, credit


@dataclass(frozen=True, slots=True)
class RowInfo:
    """What one row knows. uid: its episode in this batch. candidate: its session. step: which step its tokens are.

    score, valid, type_ok, format_ok, usable: the whole session's, one entry a step of the episode.
    """

    uid: str
    candidate: int
    step: int
    score: Sequence[float]
    valid: Sequence[bool]
    type_ok: Sequence[bool]
    format_ok: Sequence[bool]
    usable: Sequence[bool]

    def as_json(self) -> dict[str, object]:
        """Plain values for verl's extra fields (uid and candidate stand in the row's key already)."""
        return {
            "step": self.step, "score": list(self.score), "valid": list(self.valid), "type_ok": list(self.type_ok),
            "format_ok": list(self.format_ok), "usable": list(self.usable),
        }  # fmt: skip


def row_info(key: str, found: Mapping[str, object]) -> RowInfo:
    """The row under verl's key "{uid}_{session}_{index}" with what `as_json` wrote. Raises BadShape."""
    parts = key.rsplit("_", 2)
    if len(parts) != 3 or not parts[1].isdigit():
        raise BadShape(f"{key!r} is no key of a row (uid_session_index)")
    step, lists = found.get("step"), [found.get(n) for n in ("score", "valid", "type_ok", "format_ok", "usable")]
    if not isinstance(step, int) or not all(isinstance(one, list) for one in lists):
        raise BadShape(f"row {key} lacks what the agent loop writes", key)
    score, valid, type_ok, format_ok, usable = lists
    return RowInfo(parts[0], int(parts[1]), step, score, valid, type_ok, format_ok, usable)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class RowCredit:
    """One entry a row given. reward, advantage: 0 where not kept. kept: whether the row is trained.

    metrics: numbers for the log, by name.
    """

    reward: Floats
    advantage: Floats
    kept: Bools
    metrics: dict[str, float] = field(default_factory=dict)


def credit_rows(rows: Sequence[RowInfo], rule: str, rules: CreditRules | None = None,
                candidates: int | None = None) -> RowCredit:  # fmt: skip
    """Rewards and advantages of all rows of a batch under a rule of `training.rules`.

    candidates: sessions an episode must have (verl's rollout.n). An episode that lacks one, or holds a reply that never
    came, trains nothing: its rows get reward and advantage 0, kept False, and are counted. A batch in which no episode
    can be trained on has all rows not kept. Raises BadShape where sessions of one episode differ in length.
    """
    tasks: dict[str, dict[int, RowInfo]] = defaultdict(dict)
    for row in rows:
        tasks[row.uid].setdefault(row.candidate, row)
    width = candidates or max((len(sessions) for sessions in tasks.values()), default=0)
    chosen = [uid for uid, sessions in tasks.items() if _whole(uid, sessions, width)]
    out = RowCredit(np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(len(rows), dtype=bool),
                    {"solar/tasks_left_out": float(len(tasks) - len(chosen))})  # fmt: skip
    if not chosen:
        return out
    groups = _batch([tasks[uid] for uid in chosen])
    found = credit(rule, groups, rules)
    first = dict(zip(chosen, groups.offsets[:-1].tolist(), strict=True))
    column = {uid: {c: i for i, c in enumerate(sorted(tasks[uid]))} for uid in chosen}
    for i, row in enumerate(rows):
        if row.uid in first:
            cell = first[row.uid] + row.step, column[row.uid][row.candidate]
            out.reward[i], out.advantage[i] = found.reward[cell], found.advantage[cell]
            out.kept[i] = found.kept[cell]
    out.metrics.update(_metrics(groups, found, out))
    return out


def _whole(uid: str, sessions: Mapping[int, RowInfo], width: int) -> bool:
    if len({len(session.score) for session in sessions.values()}) != 1:
        raise BadShape("candidates of one episode have different numbers of steps", uid)
    return len(sessions) == width and all(all(session.usable) for session in sessions.values())


def _batch(tasks: Sequence[Mapping[int, RowInfo]]) -> StepGroups:
    def cells(name: str, kind: type) -> NDArray[np.generic]:
        columns: list[NDArray[np.generic]] = [
            np.array([getattr(task[c], name) for c in sorted(task)], dtype=kind).T for task in tasks
        ]
        return np.concatenate(columns)

    lengths = np.array([len(next(iter(task.values())).score) for task in tasks], dtype=np.int64)
    return StepGroups(
        cells("score", np.float64), cells("valid", np.bool_), offsets_of(lengths), lengths,  # type: ignore[arg-type]
        cells("type_ok", np.bool_), cells("format_ok", np.bool_),  # type: ignore[arg-type]
    ).checked()  # fmt: skip


def _metrics(groups: StepGroups, found: Credit, out: RowCredit) -> dict[str, float]:
    """What to watch (facts: solar_rl.md section 5): scores, shares of dead groups, candidates alive by step."""
    named = {
        "solar/step_score": float(groups.score.mean()), "solar/step_sr": float(groups.valid.mean()),
        "solar/type_match": float(groups.type_ok.mean()) if groups.type_ok is not None else 0.0,
        "solar/format_errors": float((~groups.format_ok).mean()) if groups.format_ok is not None else 0.0,
        "solar/dead_at_start": float(groups.dead_at_start.mean()), "solar/clip_rate": found.clip_rate,
        "solar/rows_kept": float(out.kept.sum()), "solar/dropped_by_rule": float(found.dropped),
    }  # fmt: skip
    for name, stats in found.groups.items():
        named[f"solar/zero_variance_{name}"] = stats.zero_variance
    for step, alive in enumerate(alive_by_step(found.kept, groups.offsets)[:16]):
        named[f"solar/alive_step_{step:02d}"] = float(alive)
    return named


def session_metrics(score: Sequence[float], valid: Sequence[bool], type_ok: Sequence[bool],
                    format_ok: Sequence[bool], usable: Sequence[bool]) -> dict[str, float]:  # fmt: skip
    """Validation numbers of one session: step SR as verl's `acc`, TM, episode SR, share before the failure point.

    NaN throughout where a reply never came: no score, so that no average takes it for a failure.
    """
    n = len(valid)
    if not all(usable):
        return dict.fromkeys(
            ("acc", "type_match", "step_score", "episode_sr", "prefix_share", "format_ok"), float("nan")
        )
    prefix = next((t for t, ok in enumerate(valid) if not ok), n)
    return {
        "acc": sum(valid) / n, "type_match": sum(type_ok) / n, "step_score": sum(score) / n,
        "episode_sr": float(prefix == n), "prefix_share": prefix / n, "format_ok": sum(format_ok) / n,
    }  # fmt: skip
