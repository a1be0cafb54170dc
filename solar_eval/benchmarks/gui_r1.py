"""Recorded replies in GUI-R1's form: each row carries its own label, a raw reply and that repository's reading of it.

Fields (ritzz-ai/GUI-R1 guir1/inference; files of YangRui2015/GUI-R1 @4be56980): instruction, history, gt_action,
gt_bbox ([x, y] of the label, ORIGINAL screen pixels), gt_input_text, orig_w, orig_h, image_size (what the model saw),
pred (raw reply), pred_action, pred_coord (ORIGINAL pixels, whole), pred_input_text.

* Scroll labels: on AndroidControl `gt_input_text` is the raw content word (flipped here, all four), on GUI-Odyssey the
  finger's. A predicted scroll word is read as the finger's.
* `gt_input_text` is only what stands before the first blank of the text or app name: none of the 3,321 text labels of
  the files at hand has a second word, 13 and 98 of them are empty because the text begins with a blank, and 497 of
  AndroidControl's 1,123 differ from the label file. Labels are kept as recorded, since the published values rest on
  them; where the next row's history tells the whole text, `extra["full_text"]` has it.
* A recorded reading keeps verb, point and text of any verb: GUI-R1's own rule compares them whatever the verb. Verbs
  outside its vocabulary (swipe, enter, drag) are no action, as its own comparison has it.

Each step's extra: row (its number in the files, from 1), gt_action, gt_input_text, gt_point_px, image_size, and on
AndroidControl High history, which `join.py` reads.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from solar_eval.actions import (
    DIRECTIONS,
    Action,
    Box,
    Click,
    Direction,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)  # fmt: skip
from solar_eval.benchmarks.chains import History, Linked, chain, read_history, typed_in_full
from solar_eval.benchmarks.labels import LabelFault, boxes, content_swipe, direction, number, pixel_point, text
from solar_eval.benchmarks.lines import Line, files_of, read_lines
from solar_eval.dialects.frames import Size
from solar_eval.errors import DataError
from solar_eval.records import Benchmark, Episode, RecordedParse, Reply, Step, Unreadable

RowsOf = Literal["android_control_high", "android_control_low", "gui_odyssey"]
ODYSSEY_ONLY = frozenset({"press_home", "press_recent", "complete", "impossible"})
SUBSET: dict[RowsOf, str] = {
    "android_control_high": "test_7708", "android_control_low": "test_7708", "gui_odyssey": "os_atlas_17920",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReplyFile:
    """Replies and the labels that came with them, step by step."""

    benchmark: Benchmark
    replies: tuple[Reply, ...]


@dataclass(slots=True)
class _Row:
    """A row that is understood but for its episode."""

    linked: Linked
    label: Action | None
    fault: str
    boxes: tuple[Box, ...]
    extra: tuple[tuple[str, object], ...]
    text: str | None
    error: str
    image: Size | None
    recorded: RecordedParse | None

    def step(self, episode: str, index: int, low: str, more: tuple[tuple[str, object], ...]) -> Step:
        """The labelled step in its place."""
        return Step(
            id=f"{episode}/{index}", episode=episode, index=index, goal=self.linked.instruction, low=low,
            label=self.label, screen=self.linked.screen, boxes=self.boxes or None,
            box_source="candidates" if self.boxes else "none",
            label_fault=self.fault, extra=self.extra + more,
        )  # fmt: skip

    def reply(self, step: str) -> Reply:
        """The answer to it."""
        return Reply(step, self.text, self.image, error=self.error, recorded=self.recorded)


def read_gui_r1(path: Path, rows_of: RowsOf | None = None) -> ReplyFile:
    """All rows of a file, a directory of chunks, or a glob, as one benchmark and its replies.

    `rows_of`: which benchmark they are of; None: by file name, then by the fields. Raises DataError if no row can be
    read or the files are of several benchmarks.
    """
    files = files_of(path, (".jsonl", ".jsonl.gz", ".json"))
    _refuse_merged(files, path)
    unreadable: list[Unreadable] = []
    lines: list[Line] = []
    for file in files:
        for line in read_lines(file):
            (unreadable if isinstance(line, Unreadable) else lines).append(line)  # type: ignore[arg-type]
    found = rows_of or _kind(files, lines, path)
    rows: list[_Row] = []
    for row_number, line in enumerate(lines, start=1):
        try:
            rows.append(_row(line, row_number, found))
        except LabelFault as error:
            unreadable.append(Unreadable(line.where, str(error)))
    if not rows:
        why = f"; the first: {unreadable[0].where}: {unreadable[0].why}" if unreadable else ""
        raise DataError(f"no row could be read ({len(unreadable)} unreadable items{why})", str(path))
    return _as_episodes(rows, found, tuple(unreadable))


def _refuse_merged(files: list[Path], path: Path) -> None:
    names = {file.name.split(".")[0] for file in files}
    for name in names:
        if any(other.startswith(f"{name}_") and other[len(name) + 1 :][:1].isdigit() for other in names):
            raise DataError(f"holds both {name} and its chunks: every row would count twice", str(path),
                            "give the one file, or a glob of the chunks")  # fmt: skip


def _kind(files: list[Path], lines: list[Line], path: Path) -> RowsOf:
    named: set[RowsOf] = set()
    for file in files:
        plain = file.name.lower().replace("_", "").replace("-", "")
        for kind, words in (("gui_odyssey", ("odyssey",)), ("android_control_high", ("androidcontrolhigh",)),
                            ("android_control_low", ("androidcontrollow",))):  # fmt: skip
            if any(word in plain for word in words):
                named.add(kind)  # type: ignore[arg-type]  # the three names of RowsOf
    if len(named) > 1:
        raise DataError(
            f"files of {' and '.join(sorted(named))}", str(path), "give the files of one benchmark (a glob)"
        )
    if named:
        return named.pop()
    if any(line.data.get("gt_action") in ODYSSEY_ONLY for line in lines if isinstance(line.data.get("gt_action"), str)):
        return "gui_odyssey"
    return "android_control_high" if any("history" in line.data for line in lines) else "android_control_low"


def _row(line: Line, row_number: int, kind: RowsOf) -> _Row:
    data = line.data
    screen, image = _size(data, "orig_w", "orig_h"), _image(data.get("image_size"))
    instruction, verb = text(data, "instruction"), text(data, "gt_action")
    history, said, raw = data.get("history"), data.get("gt_input_text"), data.get("pred")
    history, said = history if isinstance(history, str) else "", said if isinstance(said, str) else ""
    label, fault, own_boxes = _label(data, verb, screen, kind)
    point_px = _point_px(data.get("gt_bbox"))
    extra: tuple[tuple[str, object], ...] = (
        ("row", row_number), ("gt_action", verb), ("gt_input_text", said), ("gt_point_px", point_px),
        ("image_size", image),
    )  # fmt: skip
    if kind == "android_control_high":
        extra = (*extra, ("history", history))
    content = "\x1f".join((instruction, str(sorted(screen)), history, verb, str(point_px), said))
    return _Row(
        linked=Linked(instruction, screen, history, verb, point_px or (-1, -1), said, content), label=label,
        fault=fault, boxes=own_boxes, extra=extra, text=raw if isinstance(raw, str) else None, image=image,
        error="" if isinstance(raw, str) else f"pred: text is needed, not {raw!r:.80}",
        recorded=_recorded(data, screen) if "pred_action" in data else None,
    )  # fmt: skip


def _size(data: dict[str, Any], w: str, h: str) -> Size:
    width, height = int(number(w, data.get(w))), int(number(h, data.get(h)))
    if width <= 0 or height <= 0:
        raise LabelFault(f"{w}, {h}: {width} x {height} is no screen")
    return width, height


def _image(value: object) -> Size | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2:
        return _size({"image_size": value[0], "its height": value[1]}, "image_size", "its height")
    raise LabelFault(f"image_size: [width, height] is needed, not {value!r:.80}")


def _point_px(value: object) -> tuple[float, float] | None:
    if isinstance(value, list) and len(value) == 2 and all(type(v) in (int, float) for v in value):
        return value[0], value[1]
    return None


def _label(data: dict[str, Any], verb: str, screen: Size, kind: RowsOf) -> tuple[Action | None, str, tuple[Box, ...]]:
    """The label, why there is none, and the label's own box where `gt_bbox` is one (four numbers)."""
    try:
        if verb not in ("click", "long_press"):
            return _pointless(verb, data, kind), "", ()
        recorded = data.get("gt_bbox")
        own: tuple[Box, ...] = ()
        if isinstance(recorded, list) and len(recorded) == 4:
            own = boxes([recorded], screen)
            point = pixel_point((recorded[0] + recorded[2]) / 2, (recorded[1] + recorded[3]) / 2, screen)
        elif isinstance(recorded, list) and len(recorded) == 2:
            point = pixel_point(recorded[0], recorded[1], screen)
        else:
            raise LabelFault(f"gt_bbox: two numbers [x, y] are needed, not {recorded!r:.80}")
        return (Click(point) if verb == "click" else LongPress(point)), "", own
    except LabelFault as error:
        return None, str(error), ()


def _pointless(verb: str, data: dict[str, Any], kind: RowsOf) -> Action:
    if verb == "scroll":
        word = text(data, "gt_input_text")
        if kind == "gui_odyssey":
            return Swipe(direction=direction(word), word=direction(word))
        return content_swipe(word)
    if verb == "type":
        return Type(text(data, "gt_input_text"))
    if verb == "open_app":
        return OpenApp(text(data, "gt_input_text"))
    if verb in FIXED:
        return FIXED[verb]
    raise LabelFault(f"gt_action: {verb!r:.80} is no action of these files")


FIXED: dict[str, Action] = {
    "press_back": Press("back"), "press_home": Press("home"), "press_recent": Press("recents"), "wait": Wait(),
    "complete": Finish("success"), "impossible": Finish("infeasible"),
}  # fmt: skip


def _recorded(data: dict[str, Any], screen: Size) -> RecordedParse:
    raw_verb, raw_text = data.get("pred_action"), data.get("pred_input_text")
    verb, said = raw_verb if isinstance(raw_verb, str) else "", raw_text if isinstance(raw_text, str) else ""
    point = _predicted_point(data.get("pred_coord"), screen)
    if verb in ("click", "long_press"):
        if point is None:
            return RecordedParse(None, f"pred_coord: {data.get('pred_coord')!r:.80} is no point", verb, None, said)
        return RecordedParse(Click(point) if verb == "click" else LongPress(point), "", verb, point, said)
    action: Action | None = FIXED.get(verb)
    if verb == "scroll":
        action = Swipe(direction=_word(said), word=said.strip().lower())
    elif verb == "type":
        action = Type(said)
    elif verb == "open_app":
        action = OpenApp(said)
    fault = "" if action is not None else f"pred_action: {raw_verb!r:.80} is none of GUI-R1's actions"
    return RecordedParse(action, fault, verb, point, said)


def _word(said: str) -> Direction | None:
    return next((known for known in DIRECTIONS if said.strip().lower() == known), None)


def _predicted_point(value: object, screen: Size) -> Point | None:
    """The first two numbers, as GUI-R1 reads them."""
    if not isinstance(value, list) or len(value) < 2:
        return None
    try:
        return pixel_point(value[0], value[1], screen)
    except LabelFault:
        return None


def _as_episodes(rows: list[_Row], kind: RowsOf, unreadable: tuple[Unreadable, ...]) -> ReplyFile:
    low = kind == "android_control_low"
    histories = [read_history("" if low else row.linked.history) for row in rows]
    taken: Counter[str] = Counter()
    episodes: list[Episode] = []
    replies: list[Reply] = []
    for numbers in [[i] for i in range(len(rows))] if low else chain([row.linked for row in rows], histories):
        last = rows[numbers[-1]].linked.content
        digest = hashlib.sha1(last.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:12]
        taken[digest] += 1
        name = digest if taken[digest] == 1 else f"{digest}-{taken[digest]}"
        steps = tuple(_steps(name, [(rows[i], histories[i]) for i in numbers], low))
        episodes.append(Episode(name, steps[0].goal, steps))
        replies += [rows[i].reply(step.id) for i, step in zip(numbers, steps, strict=True)]
    notes = ["labels: the rows' own; texts and app names are their first word only", "boxes: none in these files"]
    if low:
        notes.append("the rows don't tell their episodes: each stands alone until it is joined to a label file")
    made = Benchmark(kind, SUBSET[kind], tuple(episodes), unreadable, tuple(notes))
    return ReplyFile(made, tuple(replies))


def _steps(name: str, rows: list[tuple[_Row, History]], low: bool) -> Iterator[Step]:
    for n, (row, history) in enumerate(rows):
        after = rows[n + 1][1] if n + 1 < len(rows) else None
        whole = typed_in_full(after.last) if after and after.depth == history.depth + 1 else None
        more = () if whole is None else (("full_text", whole),)
        yield row.step(name, history.depth, row.linked.instruction if low else "", more)
