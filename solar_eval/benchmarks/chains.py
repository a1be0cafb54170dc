"""Episodes from rows that carry their history as text: what precedes a row is the row whose history is a line shorter.

GUI-R1's files give each step alone, in the order in which answers came back. Their history reads " \\nNone\\n" or
" \\nStep 1: ...\\nStep 2: ...\\n\\n": on AndroidControl the earlier step instructions, on GUI-Odyssey the earlier label
actions (points 0-1000, texts whole). Rows of one instruction and device (screen size, turned or not) are linked by it.
Where several rows fit, the one whose own action is the last line's is taken; where that leaves a choice, the order of
content decides, so that two files of the same steps give the same episodes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_LAST = re.compile(r"Step (\d+): ", re.ASCII)
_POINT = re.compile(r"(CLICK|LONG_PRESS) <point>\[\[(-?\d+), ?(-?\d+)\]\]</point>$")
_WORDED = re.compile(r"(SCROLL|TYPE) \[(.*)\]$", re.DOTALL)


Heads = dict[tuple[str, tuple[int, int], str], list[int]]
"""Rows that nothing follows yet, by instruction, device and history."""


@dataclass(frozen=True, slots=True)
class Linked:
    """What a row needs for linking. `point`: pixels of the screen; `content`: everything that tells rows apart."""

    instruction: str
    screen: tuple[int, int]
    history: str
    verb: str
    point: tuple[float, float]
    text: str
    content: str


@dataclass(frozen=True, slots=True)
class History:
    """depth: number of earlier steps. body: their lines; parent: all but the last; last: the last one's text."""

    depth: int
    body: str
    parent: str
    last: str


def read_history(history: str) -> History:
    """The parts of one history text. A text without "Step n: " has no earlier steps."""
    body = history.removeprefix(" ").removeprefix("\n")
    body = body.removesuffix("\n").removesuffix("\n") if body.endswith("\n\n") else body.removesuffix("\n")
    return _split(body)


def _split(body: str) -> History:
    end = len(body)
    while end > 0:
        at = body.rfind("Step ", 0, end)
        if at < 0:
            break
        marker = _LAST.match(body, at)
        if marker and (at == 0 or body[at - 1] == "\n"):
            parent = body[: at - 1] if at else ""
            return History(int(marker.group(1)), body, parent, body[marker.end() :])
        end = at
    return History(0, "", "", "")


def chain(rows: Sequence[Linked], histories: Sequence[History]) -> list[list[int]]:
    """Row numbers episode by episode, in step order. Every row is in exactly one episode.

    `histories`: `read_history` of each row. A row whose predecessor is not there follows the nearest earlier step
    that is.
    """
    order = sorted(range(len(rows)), key=lambda i: (histories[i].depth, rows[i].content))
    heads: Heads = defaultdict(list)
    episodes: dict[int, list[int]] = {}
    for i in order:
        row, history = rows[i], histories[i]
        before = _predecessor(rows, heads, row, history)
        episodes[i] = [] if before is None else episodes.pop(before)
        episodes[i].append(i)
        heads[row.instruction, _device(row), history.body].append(i)
    return list(episodes.values())


def _device(row: Linked) -> tuple[int, int]:
    return min(row.screen), max(row.screen)


def _predecessor(rows: Sequence[Linked], heads: Heads, row: Linked, history: History) -> int | None:
    part = history
    while part.depth > 0:
        waiting = heads.get((row.instruction, _device(row), part.parent))
        if waiting:
            fitting = [i for i in waiting if follows(rows[i], part.last)]
            if fitting:
                waiting.remove(fitting[0])
                return fitting[0]
        part = _split(part.parent)
    return None


def follows(row: Linked, line: str) -> bool:
    """Whether a history line can be that row's own action. A step instruction (AndroidControl) can be anything."""
    pointed = _POINT.match(line)
    if pointed:
        near = (_near(int(pointed.group(2 + axis)), row.point[axis], row.screen[axis]) for axis in (0, 1))
        return row.verb == pointed.group(1).lower() and all(near)
    worded = _WORDED.match(line)
    if worded:
        verb, text = worded.group(1).lower(), worded.group(2)
        return row.verb == verb and row.text in (text, text.split(" ")[0])
    if line in ("PRESS_HOME", "PRESS_BACK", "PRESS_RECENT", "COMPLETE", "IMPOSSIBLE"):
        return row.verb == line.lower()
    return True


def _near(grid: int, pixel: float, side: int) -> bool:
    """Whether a 0-1000 coordinate and a pixel are the same place, give or take two grid lines and a pixel."""
    return abs(grid * side / 1000 - pixel) <= side / 500 + 1


def typed_in_full(line: str) -> str | None:
    """The whole text of a `TYPE [...]` line, None for other lines."""
    worded = _WORDED.match(line)
    return worded.group(2) if worded and worded.group(1) == "TYPE" else None
