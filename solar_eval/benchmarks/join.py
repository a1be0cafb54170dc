"""GUI-R1's AndroidControl rows joined to the label file: real step ids, episodes, tags and candidate boxes.

Rows carry no id. A High row is found by goal and history (the earlier step instructions, word for word), a Low row by
its step instruction; both need the same kind of action, the same scroll word or text, and a point within 10 pixels per
axis (`gt_bbox` was rounded in a resize, by up to 4). What then still fits several steps is assigned by the nearest
point and the place in the file: answers came back roughly in the order of the subset's id list, so a row's place says
where in the labels it belongs, to a few dozen steps. Each label step is given to one row at most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from solar_eval.actions import Action, Click, LongPress, OpenApp, Swipe, Type
from solar_eval.benchmarks.chains import read_history
from solar_eval.benchmarks.gui_r1 import ReplyFile
from solar_eval.errors import DataError
from solar_eval.records import Benchmark, Episode, Reply, Step

WITHIN_PX = 10
NEIGHBOURS = 15
"""Rows whose place is certain, on whose median displacement a row's own place is guessed."""
PLACES_PER_PX = 20.0
FAR_PLACES = 1000.0
_NEVER = 1e6


@dataclass(frozen=True, slots=True)
class Joined:
    """The rows under the label file's step ids, episode by episode, and their replies under the same ids.

    `unjoined`: ids of rows that fit no label step; they stand in `benchmark` as they were. `certain`: rows that fit one
    step only; `chosen`: rows that fit several.
    """

    benchmark: Benchmark
    replies: tuple[Reply, ...]
    certain: int
    chosen: int
    unjoined: tuple[str, ...]


def join_android_control(rows: ReplyFile, labels: Benchmark) -> Joined:
    """Joins; see the module text. `labels`: best the subset that was asked (test_7708), in its list's order.

    Steps keep their own labels and screens and gain low instruction, boxes, tags and `extra["file_label"]` (the label
    file's action, whose text is whole). Raises DataError for GUI-Odyssey rows.
    """
    if not rows.benchmark.name.startswith("android_control"):
        raise DataError(f"rows of {rows.benchmark.name} can't be joined to AndroidControl labels")
    own = sorted(rows.benchmark.steps, key=lambda step: _extra(step, "row") or 0)
    known = labels.scored_steps
    high = rows.benchmark.name != "android_control_low"
    fits = _fits(own, known, labels, high)
    places = _places([fit[0] if len(fit) == 1 else None for fit in fits])
    partner = _assigned(own, known, fits, places)
    made = _rebuilt(rows, own, known, labels, partner)
    certain = sum(len(fit) == 1 and i in partner for i, fit in enumerate(fits))
    unjoined = tuple(step.id for i, step in enumerate(own) if i not in partner)
    note = f"{len(partner)} of {len(own)} rows joined to {labels.subset or labels.name} ({certain} fit one step only)"
    made = replace(made, notes=(*made.notes, note))
    renamed = {own[i].id: known[j].id for i, j in partner.items()}
    replies = tuple(replace(reply, step=renamed.get(reply.step, reply.step)) for reply in rows.replies)
    return Joined(made, replies, certain, len(partner) - certain, unjoined)


def missing_from(subset: Benchmark, replies: Iterable[Reply]) -> tuple[str, ...]:
    """Ids of the subset's scored steps that no reply answers, in the subset's order."""
    answered = {reply.step for reply in replies}
    return tuple(step.id for step in subset.scored_steps if step.id not in answered)


def with_whole_texts(rows: Benchmark) -> Benchmark:
    """The same steps with typed texts and app names in full where they are known, instead of their first word.

    From the label file on AndroidControl (joined rows), from the next row's history on GUI-Odyssey. Published values
    rest on the rows as they are; 7B AndroidControl-High loses .003 step SR under substring matching by this.
    """
    episodes = tuple(replace(episode, steps=tuple(_whole(step) for step in episode.steps)) for episode in rows.episodes)
    changed = sum(a.label != b.label for old, new in zip(rows.episodes, episodes, strict=True)
                  for a, b in zip(old.steps, new.steps, strict=True))  # fmt: skip
    notes = tuple(note for note in rows.notes if not note.startswith("labels:"))
    return replace(rows, episodes=episodes, notes=(f"labels: the rows' own, {changed} texts made whole", *notes))


def _whole(step: Step) -> Step:
    known = dict(step.extra)
    whole, said = known.get("file_label"), known.get("full_text")
    if isinstance(step.label, Type) and isinstance(said, str):
        return replace(step, label=Type(said))
    if isinstance(step.label, Type | OpenApp) and isinstance(whole, type(step.label)):
        return replace(step, label=whole)
    return step


def _extra(step: Step, name: str) -> int:
    return next((value for key, value in step.extra if key == name and isinstance(value, int)), 0)


def _fits(own: Sequence[Step], known: Sequence[Step], labels: Benchmark, high: bool) -> list[list[int]]:
    """For each row the label steps that it can be."""
    by_key: dict[tuple[object, ...], list[int]] = defaultdict(list)
    history = _histories(labels) if high else {}
    for j, step in enumerate(known):
        by_key[
            (step.goal, history[step.id], *_content(step.label)) if high else (step.low, *_content(step.label))
        ].append(j)
    fits = []
    for step in own:
        told = next((value for key, value in step.extra if key == "history"), "")
        body = read_history(str(told)).body
        key = (step.goal, body, *_content(step.label)) if high else (step.goal, *_content(step.label))
        fits.append([j for j in by_key.get(key, ()) if _apart(step, known[j]) <= WITHIN_PX])
    return fits


def _histories(labels: Benchmark) -> dict[str, str]:
    """The history body that GUI-R1 writes for each label step."""
    out = {}
    for episode in labels.episodes:
        body = ""
        for n, step in enumerate(episode.steps, start=1):
            out[step.id] = body
            body += f"{'' if n == 1 else chr(10)}Step {n}: {step.low}"
    return out


def _content(label: Action | None) -> tuple[object, ...]:
    """Kind and content of a label, a text as these rows have it: up to the first blank."""
    if isinstance(label, Type | OpenApp):
        said = label.text if isinstance(label, Type) else label.name
        return label.kind, said.split(" ")[0]
    if isinstance(label, Swipe):
        return label.kind, label.word
    return (label.kind if label is not None else None,)


def _apart(row: Step, step: Step) -> float:
    """Pixels between two labels' points, the larger axis; 0 for labels without."""
    if not isinstance(row.label, Click | LongPress) or not isinstance(step.label, Click | LongPress):
        return 0.0
    width, height = row.screen
    dx = row.label.point.x * width - step.label.point.x * step.screen[0]
    dy = row.label.point.y * height - step.label.point.y * step.screen[1]
    return max(abs(dx), abs(dy))


def _places(certain: Sequence[int | None]) -> list[float] | None:
    """Where in the labels each row is expected; None if the two orders have nothing to do with each other."""
    anchors = [(i, j - i) for i, j in enumerate(certain) if j is not None]
    if len(anchors) < NEIGHBOURS:
        return None
    shifts = [shift for _, shift in anchors]
    smooth = [median(shifts[max(0, k - NEIGHBOURS // 2) : k + NEIGHBOURS // 2 + 1]) for k in range(len(anchors))]
    off = median(abs(shift - level) for shift, level in zip(shifts, smooth, strict=True))
    if off > FAR_PLACES / 10:
        return None
    out, k = [], 0
    for i in range(len(certain)):
        while k + 1 < len(anchors) and abs(anchors[k + 1][0] - i) <= abs(anchors[k][0] - i):
            k += 1
        out.append(i + float(smooth[k]))
    return out


def _assigned(
    own: Sequence[Step], known: Sequence[Step], fits: Sequence[Sequence[int]], places: Sequence[float] | None
) -> dict[int, int]:
    """Row number -> label number, each label once. Rows that share candidates are assigned together, at least cost."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    partner: dict[int, int] = {}
    for rows, steps in _components(fits):
        column = {j: c for c, j in enumerate(steps)}
        cost = np.full((len(rows), len(steps)), _NEVER)
        for r, i in enumerate(rows):
            for rank, j in enumerate(fits[i]):
                away = min(abs(places[i] - j), FAR_PLACES) / PLACES_PER_PX if places is not None else 1e-3 * rank
                cost[r, column[j]] = _apart(own[i], known[j]) + away
        for r, c in zip(*(axis.tolist() for axis in linear_sum_assignment(cost)), strict=True):
            if cost[r, c] < _NEVER:
                partner[rows[r]] = steps[c]
    return partner


def _components(fits: Sequence[Sequence[int]]) -> list[tuple[list[int], list[int]]]:
    """Rows and label steps that are linked by candidates, directly or through others."""
    root: dict[int, int] = {}

    def find(j: int) -> int:
        while root.setdefault(j, j) != j:
            root[j] = root[root[j]]
            j = root[j]
        return j

    for fit in fits:
        for j in fit[1:]:
            root[find(j)] = find(fit[0])
    rows: dict[int, list[int]] = defaultdict(list)
    steps: dict[int, list[int]] = defaultdict(list)
    for i, fit in enumerate(fits):
        if fit:
            rows[find(fit[0])].append(i)
    for j in sorted({j for fit in fits for j in fit}):
        steps[find(j)].append(j)
    return [(rows[key], steps[key]) for key in rows]


def _rebuilt(
    rows: ReplyFile, own: Sequence[Step], known: Sequence[Step], labels: Benchmark, partner: dict[int, int]
) -> Benchmark:
    found = {known[j].id: _merged(own[i], known[j]) for i, j in partner.items()}
    episodes = [
        Episode(episode.id, episode.goal, steps, episode.tags)
        for episode in labels.episodes
        if (steps := tuple(found[step.id] for step in episode.steps if step.id in found))
    ]
    alone = {step.id for i, step in enumerate(own) if i not in partner}
    for episode in rows.benchmark.episodes:
        left = tuple(step for step in episode.steps if step.id in alone)
        if left:
            episodes.append(replace(episode, steps=left))
    sources = Counter(step.box_source for step in found.values())
    boxes = f"boxes: joined from {labels.name} ({', '.join(f'{n} {source}' for source, n in sorted(sources.items()))})"
    notes = tuple(boxes if note.startswith("boxes:") else note for note in rows.benchmark.notes
                  if not note.startswith("the rows don't tell"))  # fmt: skip
    return replace(rows.benchmark, episodes=tuple(episodes), notes=notes)


def _merged(row: Step, step: Step) -> Step:
    icons = tuple(pair for pair in step.extra if pair[0] == "icon_boxes")
    kept = tuple(pair for pair in row.extra if pair[0] != "history")
    return replace(
        row, id=step.id, episode=step.episode, index=step.index, goal=step.goal, low=step.low, boxes=step.boxes,
        box_source=step.box_source, app=step.app, screenshot=step.screenshot,
        extra=(*kept, *icons, ("file_label", step.label)),
    )  # fmt: skip
