"""`solar-eval compare A B`: is B better than A, by how much, how sure, and on which steps.

Paired: only steps that both runs have answered and both protocols count are compared, and the rest is counted as
overlap that is missing. A step whose label or goal differs between the runs is no pair; more than 1 % of such steps is
a mismatch. Differences are B minus A. Episodes are compared if both runs hold the same counted steps of it and its
outcome is known: every step answered or, where a run goes on with its own history and stops at its first error, failed
by that error. p values are adjusted over the metrics by Holm's method.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from solar_eval import paired
from solar_eval.compare_runs import Side, choose, mismatches, other_differences, refuse
from solar_eval.errors import UsageError
from solar_eval.scoring.metrics import LENGTH_BUCKETS

if TYPE_CHECKING:
    import pandas as pd

OTHER_LABEL_SHARE = 0.01
STEP_METRICS: tuple[tuple[str, str], ...] = (
    ("type_match", "counted"),
    ("step_sr", "stepped"),
    ("grounding", "pointed"),
)
"""Metric of steps and the column that says which steps are in its denominator."""
DIMENSIONS = ("action", "app", "length")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Counted steps (or episodes): in both runs, in one alone, and pairs lost because the labels differ."""

    common: int
    only_a: int
    only_b: int
    other_label: int = 0


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric over the common units. a, b: fractions. p_holm: adjusted over all rows of the comparison."""

    metric: str
    a: float
    b: float
    difference: paired.Difference
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class Discordance:
    """Episodes by who succeeded."""

    both: int
    only_a: int
    only_b: int
    neither: int


@dataclass(frozen=True, slots=True)
class GroupRow:
    """Flips of step SR in one group. a, b: right steps of each run."""

    dimension: str
    name: str
    n: int
    a: int
    b: int
    fixed: int
    broken: int


@dataclass(frozen=True, slots=True)
class Flip:
    """One step that B fixed or broke."""

    step: str
    fixed: bool
    action: str
    app: str
    length: str
    goal: str
    label: str
    said_a: str
    said_b: str
    why: str
    """Reason of the run that is wrong."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is told; see `report/comparison.py` for the tables."""

    a: Side
    b: Side
    protocols: tuple[str, str]
    mismatches: tuple[str, ...]
    differences: tuple[str, ...]
    steps: Overlap
    episodes: Overlap
    metrics: tuple[MetricRow, ...]
    discordance: Discordance
    groups: tuple[GroupRow, ...]
    flips: tuple[Flip, ...]
    remarks: tuple[str, ...]


def compare(a: Side, b: Side, protocol: str = "", across: bool = False) -> Comparison:
    """Compares two runs. Raises UsageError where benchmark, subset or rules differ, unless `across`."""
    chosen = choose(a, b, protocol)
    left, right = _counted(a, chosen[0]), _counted(b, chosen[1])
    pairs, steps = _pairs(left, right)
    found = mismatches(a, b, chosen) + _label_mismatch(steps)
    refuse(found, across)
    if pairs.empty:
        raise UsageError("the two runs have no answered step in common: there is nothing to compare")
    pairs = _described(pairs, a, b)
    episodes, episode_overlap, remarks = _episodes(left, right, a.history == "own", b.history == "own")
    remarks += _owed(a, "A") + _owed(b, "B")
    rows = _step_rows(pairs) + _episode_rows(episodes)
    adjusted = paired.holm([row.difference.p for row in rows])
    metrics = tuple(
        MetricRow(row.metric, row.a, row.b, row.difference, p) for row, p in zip(rows, adjusted, strict=True)
    )
    return Comparison(
        a, b, chosen, tuple(found), tuple(other_differences(a, b)), steps, episode_overlap, metrics,
        _discordance(episodes), tuple(_groups(pairs)), tuple(_flips(pairs)), tuple(remarks),
    )  # fmt: skip


# ---- pairing
def _counted(side: Side, protocol: str) -> pd.DataFrame:
    """The steps in the protocol's denominator, owed ones left out, verdict columns under their bare names."""
    from solar_eval.compare_runs import BASE_COLUMNS, VERDICTS

    names = {f"{protocol}/{name}": name for name in VERDICTS}
    frame = side.samples[[*BASE_COLUMNS, *names]].rename(columns=names)
    frame = frame[frame["counted"] & (frame["fault"] != "owed")]
    return frame.assign(answered=frame["in_file"] & (frame["fault"] != "missing")).set_index("id", drop=False)


def _pairs(left: pd.DataFrame, right: pd.DataFrame) -> tuple[pd.DataFrame, Overlap]:
    """The answered steps of both with suffixes _a and _b, in A's order, and how many there are of each."""
    one, other = left[left["answered"]], right[right["answered"]]
    common = one.index[one.index.isin(other.index)]
    pairs = one.loc[common].add_suffix("_a").join(other.loc[common].add_suffix("_b"))
    same = (pairs["label_a"] == pairs["label_b"]) & (pairs["goal_a"] == pairs["goal_b"])
    overlap = Overlap(int(same.sum()), len(one) - len(common), len(other) - len(common), int((~same).sum()))
    return pairs[same], overlap


def _label_mismatch(steps: Overlap) -> list[str]:
    shared = steps.common + steps.other_label
    if steps.other_label > OTHER_LABEL_SHARE * shared:
        return [f"labels: {steps.other_label} of {shared} common steps have another label or goal in the other run"]
    return []


def _owed(side: Side, name: str) -> list[str]:
    owed = int((side.samples["fault"] == "owed").sum())
    return [f"{owed} steps of {name} are owed (server or data failed) and not compared"] if owed else []


def _described(pairs: pd.DataFrame, a: Side, b: Side) -> pd.DataFrame:
    """Adds what flips are grouped by: action (the label's kind), app, length (bucket of the episode's steps)."""
    lengths = [side.samples["episode"].value_counts() for side in (a, b)]
    longest = np.maximum(
        pairs["episode_a"].map(lengths[0]).to_numpy(), pairs["episode_b"].map(lengths[1]).to_numpy()
    )  # fmt: skip
    opened = _opened_apps(a.samples) | _opened_apps(b.samples)
    apps = pairs["app_a"].where(pairs["app_a"] != "", pairs["episode_a"].map(opened).fillna("-"))
    return pairs.assign(
        action=[_kind(label) for label in pairs["label_a"]], app=apps, length=[_bucket(int(n)) for n in longest]
    )


def _opened_apps(samples: pd.DataFrame) -> dict[str, str]:
    """The app that an episode's first open_app label names, by episode: AndroidControl's steps do not say theirs."""
    found: dict[str, str] = {}
    for episode, label in zip(samples["episode"], samples["label"], strict=True):
        if '"open_app"' in label and episode not in found:
            found[episode] = str(_loaded(label).get("name", "-"))
    return found


def _loaded(label: str) -> dict[str, Any]:
    data = json.loads(label) if label else {}
    return data if isinstance(data, dict) else {}


def _kind(label: str) -> str:
    return str(_loaded(label).get("kind", "-"))


def _bucket(length: int) -> str:
    return next(name for name, low, high in LENGTH_BUCKETS if low <= length <= high)


# ---- metrics
def _step_rows(pairs: pd.DataFrame) -> list[MetricRow]:
    rows = []
    for metric, counted in STEP_METRICS:
        chosen = pairs[pairs[f"{counted}_a"] & pairs[f"{counted}_b"]]
        if len(chosen):
            one, other = (chosen[f"{metric}_{side}"].to_numpy(dtype=np.float64) for side in "ab")
            rows.append(_row(metric, one, other, chosen["episode_a"].to_numpy(dtype=str)))
    return rows


def _row(metric: str, one: Any, other: Any, clusters: Any) -> MetricRow:
    return MetricRow(
        metric, float(one.mean()), float(other.mean()), paired.clustered_difference(other - one, clusters), None
    )


def _episodes(left: pd.DataFrame, right: pd.DataFrame, *own: bool) -> tuple[pd.DataFrame, Overlap, list[str]]:
    """Episodes of both with success and progress of each (columns success_a, progress_a, ...)."""
    one, other = (_outcomes(frame, stops) for frame, stops in zip((left, right), own, strict=True))
    joined = one.add_suffix("_a").join(other.add_suffix("_b"), how="inner")
    same_steps = joined["steps_a"] == joined["steps_b"]
    known = joined["known_a"].astype(bool) & joined["known_b"].astype(bool)
    kept = joined[same_steps & known]
    remarks = []
    if lost := int((~same_steps).sum()):
        remarks.append(f"{lost} episodes are not compared: the runs do not count the same steps of them")
    if lost := int((same_steps & ~known).sum()):
        remarks.append(f"{lost} episodes are not compared: a step of them has no reply in one of the runs")
    only = [len(first.index.difference(second.index)) for first, second in ((one, other), (other, one))]
    return kept, Overlap(len(kept), *only), remarks


def _outcomes(frame: pd.DataFrame, stops_at_error: bool) -> pd.DataFrame:
    """One row an episode: steps (their ids, joined), known, success, progress (right steps before the first error)."""
    import pandas as pd

    rows = {}
    for episode, steps in frame[frame["stepped"]].groupby("episode", sort=False):
        right, answered = steps["step_sr"].to_numpy(dtype=bool), steps["answered"].to_numpy(dtype=bool)
        failed_before_gap = bool((~right[: _first(~answered)]).any())
        known = bool(answered.all()) or (stops_at_error and failed_before_gap)
        rows[episode] = ("\n".join(steps.index), known, bool(right.all()), _first(~right) / len(right))
    return pd.DataFrame.from_dict(rows, orient="index", columns=["steps", "known", "success", "progress"])


def _first(where: Any) -> int:
    """Index of the first True, or the length."""
    return int(where.argmax()) if where.any() else len(where)


def _episode_rows(episodes: pd.DataFrame) -> list[MetricRow]:
    if episodes.empty:
        return []
    names = episodes.index.to_numpy(dtype=str)
    one, other = (episodes[f"progress_{side}"].to_numpy(dtype=np.float64) for side in "ab")
    progress = _row("goal_progress", one, other, names)
    one, other = (episodes[f"success_{side}"].to_numpy(dtype=np.float64) for side in "ab")
    success = _row("episode_sr", one, other, names)
    discordant = _discordance(episodes)
    d = success.difference
    exact = paired.Difference(
        d.value, d.low, d.high, paired.mcnemar_exact(discordant.only_a, discordant.only_b), d.n, d.clusters
    )
    return [progress, MetricRow("episode_sr", success.a, success.b, exact, None)]


def _discordance(episodes: pd.DataFrame) -> Discordance:
    a, b = (episodes[f"success_{side}"].to_numpy(dtype=bool) for side in "ab")
    return Discordance(int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum()), int((~a & ~b).sum()))


# ---- flips
def _groups(pairs: pd.DataFrame) -> list[GroupRow]:
    stepped = pairs[pairs["stepped_a"] & pairs["stepped_b"]]
    a, b = stepped["step_sr_a"].astype(bool), stepped["step_sr_b"].astype(bool)
    counted = stepped.assign(a=a, b=b, fixed=~a & b, broken=a & ~b)
    rows = []
    for dimension in DIMENSIONS:
        for name, group in counted.groupby(dimension, sort=False):
            sums = [int(group[column].sum()) for column in ("a", "b", "fixed", "broken")]
            rows.append(GroupRow(dimension, str(name), len(group), *sums))
    return sorted(rows, key=_group_order)


def _group_order(row: GroupRow) -> tuple[object, ...]:
    """Dimensions as listed; lengths in their order, the rest by flips, most first."""
    buckets = [name for name, _, _ in LENGTH_BUCKETS]
    place = buckets.index(row.name) if row.dimension == "length" else -(row.fixed + row.broken)
    return DIMENSIONS.index(row.dimension), place, -row.n, row.name


def _flips(pairs: pd.DataFrame) -> list[Flip]:
    stepped = pairs[pairs["stepped_a"] & pairs["stepped_b"]]
    flipped = stepped[stepped["step_sr_a"].astype(bool) != stepped["step_sr_b"].astype(bool)]
    return [
        Flip(
            str(row["id_a"]), bool(row["step_sr_b"]), row["action"], row["app"], row["length"], row["goal_a"],
            row["label_a"], _said(row, "a"), _said(row, "b"),
            str(row["reason_a"] if row["step_sr_b"] else row["reason_b"]),
        )
        for row in flipped.to_dict("records")
    ]  # fmt: skip


def _said(row: dict[Any, Any], side: str) -> str:
    """The parsed action, or the fault of a reply that could not be read."""
    return str(row[f"action_{side}"] or f"({row[f'fault_{side}'] or 'no action'})")
