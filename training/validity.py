"""Validity and atomic score of candidates: whether a predicted action equals the labelled one, and how nearly.

Source: SOLAR-RL (arXiv 2604.22558) names a Gaussian kernel for coordinate actions, token F1 for text, similarity for
app launch and exact match for system actions; widths and thresholds are ours (facts, section 3). Validity is
`solar_eval.scoring.match.judge` under a protocol: the matcher that evaluates also rewards. The default protocol
`solar_rl` stands here; any preset or protocol file of solar_eval can take its place.

    click, long press, double tap   s = exp(-d^2 / (2 sigma^2)), sigma = d0 / sqrt(2 ln 2): s = 1/2 at the radius d0
    ... with boxes="ellipse"        s = exp(-reach / 2) about the centre of the labelled box, valid iff s >= exp(-1)
    swipe                           0 for a wrong direction; 1 where only a direction is labelled; else
                                    1/2 + 1/2 max(0, cos) kernel(start points, sigma .1189)
    typed text, answer              token-multiset F1, valid iff >= .5
    open_app                        name similarity, valid iff >= .8 (launch="similarity") or equal names ("exact")
    press, wait, finish, call_user  1 or 0
    wrong type, unreadable reply    0, invalid
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from solar_eval.actions import KINDS, Action, Kind, Swipe
from solar_eval.dialects.base import Parsed
from solar_eval.protocols import ClickRule, Family, Protocol, TextRule, TextTest
from solar_eval.records import Step
from solar_eval.scoring import geometry
from solar_eval.scoring.columns import INFRASTRUCTURE, KIND, MISSING, READ, Columns, Prediction, build
from solar_eval.scoring.match import POINTING, judge
from solar_eval.scoring.similarity import app_similarity, bag_f1
from training.errors import BadShape, EmptyGroup
from training.groups import Number, StepGroups
from training.ragged import Bools, Floats, offsets_of

RADIUS = {"android_control": 0.04, "gui_odyssey": 0.14}
"""d0, fraction of the screen: the benchmarks' own radii."""
START_SIGMA = 0.14 / math.sqrt(2 * math.log(2))
"""Width of the kernel on a swipe's start point, fraction of the screen: .1189."""
TEXT_THRESHOLD, APP_THRESHOLD = 0.5, 0.8
_EXACT: tuple[Kind, ...] = ("press", "wait", "finish", "call_user")
SkipReason = Literal["no steps", "label unreadable", "dropped by the protocol", "candidate missing"]


def solar_protocol(launch: Literal["similarity", "exact"] = "similarity", boxes: bool = False) -> Protocol:
    """The validity rules of the module's table. launch: the published texts say both. boxes: ellipses where known."""
    limit = APP_THRESHOLD if launch == "similarity" else 1.0
    shape: Literal["ellipse", "none"] = "ellipse" if boxes else "none"
    return Protocol(
        name="solar_rl",
        title="SOLAR-RL's validity of a step, with our widths and thresholds",
        source="arXiv 2604.22558; docs/training.md",
        click=ClickRule(boxes=shape, max_area=0.5, distance=RADIUS["android_control"]),
        click_gui_odyssey=ClickRule(boxes=shape, max_area=0.5, distance=RADIUS["gui_odyssey"]),
        text=TextRule(any_of=(TextTest(kind="bag_f1", threshold=TEXT_THRESHOLD),), normalise="none"),
        app=TextRule(any_of=(TextTest(kind="app_name", threshold=limit),), normalise="none"),
        finish="status",
    )


def sigma_of_radius(radius: float) -> float:
    """The kernel's sigma for which s = 1/2 at `radius` (same unit): .04 gives .03397."""
    return radius / math.sqrt(2 * math.log(2))


def kernel(distance: Floats, sigma: float) -> Floats:
    """exp(-d^2 / (2 sigma^2)) in 0..1; 0 where the distance is NaN (a point is missing)."""
    value: Floats = np.exp(-(distance**2) / (2 * sigma**2))
    return np.nan_to_num(value, nan=0.0)


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """M candidates against their labels, all (M,).

    score: Phi in [0, 1]. valid: judged right under the protocol. type_ok: the action's type is right. format_ok: the
    reply kept to its family's grammar. usable: there is a label that the protocol scores and a reply to score;
    where False the other fields mean nothing and the candidate must not be trained on.
    """

    score: Floats
    valid: Bools
    type_ok: Bools
    format_ok: Bools
    usable: Bools


def score_candidates(
    steps: Sequence[Step],
    predictions: Sequence[Prediction],
    protocol: Protocol | None = None,
    family: Family = "android_control",
) -> CandidateScores:
    """Scores M predictions against the labels of M steps; repeat a step for each of its candidates."""
    protocol = protocol or solar_protocol()
    columns = build(steps, predictions)
    verdicts = judge(columns, protocol, family)
    usable = verdicts.counted & verdicts.stepped & ~np.isin(columns.state, (MISSING, INFRASTRUCTURE))
    graded = np.where(verdicts.type_ok, _graded(columns, predictions, protocol, family, verdicts.step_ok), 0.0)
    credited = verdicts.step_ok & (columns.label.kind != columns.predicted.kind)
    score = np.where(credited & (graded == 0), 1.0, graded)
    kept_format = np.array([_kept_format(p) for p in predictions], dtype=bool)
    return CandidateScores(score, verdicts.step_ok, verdicts.type_ok, kept_format, usable)


def _kept_format(prediction: Prediction) -> bool:
    if isinstance(prediction, int):
        return False
    return prediction.strict_ok if isinstance(prediction, Parsed) else prediction.action is not None


def _graded(
    columns: Columns, predictions: Sequence[Prediction], protocol: Protocol, family: Family, right: Bools
) -> Floats:
    """Phi by the label's kind, for predictions of the right type: (M,)."""
    kind = columns.label.kind
    score = np.where(np.isin(kind, [KIND[k] for k in _EXACT]), right.astype(np.float64), 0.0)
    pointing = np.isin(kind, [KIND[k] for k in POINTING])
    score[pointing] = _near(columns, protocol, family)[pointing]
    for row in np.flatnonzero((kind == KIND["swipe"]) & right):
        score[row] = swipe_score(columns.steps[row].label, _action(predictions[int(row)]), columns.screen[row])
    exact_app = any(test.kind == "exact" or test.threshold >= 1 for test in protocol.app_rule(family).any_of)
    for row in np.flatnonzero(columns.state == READ):
        label, predicted = columns.label.text[row], columns.predicted.text[row]
        if KINDS[kind[row]] in {"type", "answer"}:
            score[row] = bag_f1(predicted, label)
        elif KINDS[kind[row]] == "open_app":
            score[row] = float(right[row]) if exact_app else app_similarity(predicted, label)
    return score


def _near(columns: Columns, protocol: Protocol, family: Family) -> Floats:
    """The Gaussian kernel of every predicted point, in the protocol's own norm and radius: (M,)."""
    rule = protocol.click_rule(family)
    radius = rule.distance if rule.distance is not None else RADIUS["android_control"]
    norm = rule.norm if rule.distance is not None else "axis"
    distance = geometry.distances(columns, norm, protocol.space == "gui_r1_mixed")
    near = kernel(distance, sigma_of_radius(radius))
    if rule.boxes != "ellipse":
        return near
    reach = geometry.ellipse_reach(columns, rule.max_area)
    return np.where(np.isnan(reach), near, np.exp(-reach / 2))


def _action(prediction: Prediction) -> Action | None:
    return None if isinstance(prediction, int) else prediction.action


def swipe_score(label: Action | None, predicted: Action | None, size: Floats) -> float:
    """Phi of a swipe whose direction is right: 1 unless the label has end points. size: (2,) the screen in pixels.

    With end points, 1/2 for the direction and up to 1/2 for the angle between the two movements (in pixels) and the
    distance between their start points (in fractions). A prediction without end points gets the first half.
    """
    if not isinstance(label, Swipe) or label.start is None or label.end is None:
        return 1.0
    if not isinstance(predicted, Swipe) or predicted.start is None or predicted.end is None:
        return 0.5
    wanted = (np.array(label.end) - np.array(label.start)) * size
    made = (np.array(predicted.end) - np.array(predicted.start)) * size
    lengths = float(np.hypot(*wanted) * np.hypot(*made))
    cosine = float(wanted @ made) / lengths if lengths > 0 else 0.0
    gap = np.array([math.dist(label.start, predicted.start)])
    return 0.5 + 0.5 * max(0.0, cosine) * float(kernel(gap, START_SIGMA)[0])


@dataclass(frozen=True, slots=True)
class SkippedTask:
    """A task that was left out: its position in the input, its first bad step, and why."""

    task: int
    step: int
    reason: SkipReason


def step_groups(
    episodes: Sequence[Sequence[Step]],
    candidates: Sequence[Sequence[Sequence[Prediction]]],
    protocol: Protocol | None = None,
    family: Family = "android_control",
) -> tuple[StepGroups, list[int], list[SkippedTask]]:
    """Scores C candidates of each step of E episodes and lays them out as a batch.

    candidates[e][t] are the C predictions for episodes[e][t]. A task is left out whole where a step has no readable
    label, leaves the protocol's denominator, or lacks a candidate (an infrastructure fault: no score exists); the
    reasons come back by task. Returns the batch, the positions of its tasks, and the skipped ones. Raises BadShape
    where the nesting does not fit, EmptyGroup where nothing is left.
    """
    width = _width(episodes, candidates)
    flat_steps = [step for episode in episodes for step in episode for _ in range(width)]
    flat = [one for task in candidates for step in task for one in step]
    scores = score_candidates(flat_steps, flat, protocol, family)
    offsets = offsets_of(np.array([len(episode) for episode in episodes], dtype=np.int64))
    usable = scores.usable.reshape(-1, width)
    skipped, chosen = [], []
    for task, episode in enumerate(episodes):
        bad = np.flatnonzero(~usable[offsets[task] : offsets[task + 1]].all(axis=1))
        if len(episode) and not len(bad):
            chosen.append(task)
        else:
            step = int(bad[0]) if len(bad) else 0
            skipped.append(SkippedTask(task, step, _reason(episode, candidates[task], step)))
    if not chosen:
        found = Counter(s.reason for s in skipped)
        raise EmptyGroup(f"none of {len(episodes)} tasks can be trained on ({dict(found)})")
    rows = np.concatenate([np.arange(offsets[task], offsets[task + 1]) for task in chosen])
    lengths = np.array([len(episodes[task]) for task in chosen], dtype=np.int64)

    def cells(array: NDArray[Number]) -> NDArray[Number]:
        made: NDArray[Number] = array.reshape(-1, width)[rows]
        return made

    groups = StepGroups(cells(scores.score), cells(scores.valid), offsets_of(lengths), lengths, cells(scores.type_ok),
                        cells(scores.format_ok))  # fmt: skip
    return groups.checked(), chosen, skipped


def _width(episodes: Sequence[Sequence[Step]], candidates: Sequence[Sequence[Sequence[Prediction]]]) -> int:
    if [len(e) for e in episodes] != [len(c) for c in candidates]:
        raise BadShape("the candidates are not one list for each step of each episode")
    widths = {len(step) for task in candidates for step in task}
    if len(widths) != 1 or 0 in widths:
        raise BadShape(f"steps have {sorted(widths)} candidates; a batch needs one number above 0 (fill with MISSING)")
    return widths.pop()


def _reason(episode: Sequence[Step], candidates: Sequence[Sequence[Prediction]], step: int) -> SkipReason:
    if not episode:
        return "no steps"
    if episode[step].label is None:
        return "label unreadable"
    missing = any(isinstance(one, int) and one in {MISSING, INFRASTRUCTURE} for one in candidates[step])
    return "candidate missing" if missing else "dropped by the protocol"
