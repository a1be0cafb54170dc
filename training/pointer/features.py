"""Moments and menus as numbers: hashed words for the context and each option, and a few dense features an option.

Words are lower-cased, cut at what is no letter or digit, prefixed with their field and hashed with CRC-32 into
BUCKETS. What ties an option to the goal is dense: how far its words stand in the goal, and whether the goal names them
before or after what was done last (the furthest place of the goal that the history has reached). Ours; no source.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from training.pointer.menu import Option
from training.pointer.screen import Done, Moment

BUCKETS = 1 << 14
DENSE = 16
AHEAD = 8
"""Words of the goal behind the reached place that the context names as what comes next."""
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    ("a", "an", "and", "the", "to", "of", "in", "on", "for", "with", "from", "it", "is", "at", "by", "then", "its",
     "as", "be", "or", "do", "not")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Encoded:
    """One moment. context: hashed features. options: hashed features of each option. dense: DENSE floats of each."""

    context: list[int]
    options: list[list[int]]
    dense: list[list[float]]


@lru_cache(maxsize=1 << 18)
def bucket(feature: str) -> int:
    """The bucket of a feature's name, the same on every machine."""
    return zlib.crc32(feature.encode("utf-8", "surrogatepass")) % BUCKETS


@lru_cache(maxsize=1 << 16)
def words(text: str) -> tuple[str, ...]:
    """Words of a text, lower case."""
    return tuple(_WORD.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal's words and where each stands first. reached: words of it that the history has dealt with."""

    words: tuple[str, ...]
    places: dict[str, int]
    reached: int

    def place(self, text: str, start: int = 0) -> int:
        """Where `text`'s words stand together from word `start` on; -1 if they do not."""
        wanted = words(text)
        if not wanted or wanted[0] not in self.places:
            return -1
        last = len(self.words) - len(wanted)
        for at in range(max(start, self.places[wanted[0]]), last + 1):
            if self.words[at : at + len(wanted)] == wanted:
                return at
        return -1


def read_goal(goal: str, history: Sequence[Done]) -> Goal:
    """The goal's words, and how far the actions so far, in their order, have taken its words."""
    found = words(goal)
    places: dict[str, int] = {}
    for at, word in enumerate(found):
        places.setdefault(word, at)
    reached = 0
    for done in history:
        at = Goal(found, places, reached).place(done.words, reached)
        if at >= 0:
            reached = at + len(words(done.words))
    return Goal(found, places, reached)


def encode(moment: Moment, options: Sequence[Option]) -> Encoded:
    """Features of a moment with its menu."""
    goal = read_goal(moment.goal, moment.history)
    counts: dict[tuple[str, str], int] = {}
    for done in moment.history:
        counts[done.kind, done.words] = counts.get((done.kind, done.words), 0) + 1
    context = list({bucket(name) for name in _context(moment, goal)})
    return Encoded(context, [[bucket(name) for name in _option(o)] for o in options],
                   [_dense(moment, goal, o, counts) for o in options])  # fmt: skip


def _context(moment: Moment, goal: Goal) -> Iterator[str]:
    telling = [word for word in goal.words if word not in _COMMON]
    yield from (f"goal {word}" for word in telling)
    yield from (f"goal {one} {two}" for one, two in pairwise(telling))
    yield from (f"next{at // 2} {word}" for at, word in enumerate(goal.words[goal.reached : goal.reached + AHEAD]))
    yield f"left {min(len(goal.words) - goal.reached, 12)}"
    yield f"package {moment.screen.package}"
    yield f"typing {moment.screen.typing}"
    for item in moment.screen.items:
        yield f"sees {' '.join(words(item.name)[:4])}"
        if item.focused:
            yield f"focus {item.id} {item.name if not item.editable else ''}"
        if item.checkable or item.selected:
            yield f"state {item.id} {item.near} {item.checked} {item.selected}"
    for back, done in enumerate(reversed(moment.history[-4:])):
        yield f"did{back} {done.kind}"
        yield f"did{back} {done.kind} {' '.join(words(done.words)[:4])}"
    yield f"step {min(len(moment.history), 6)}"
    yield f"steps {int(math.log2(len(moment.history) + 1) * 2)}"


def _option(option: Option) -> Iterator[str]:
    kind, item = option.action.kind, option.item
    said = words(option.words)
    yield f"kind {kind}"
    yield f"what {kind} {' '.join(said[:4])}"
    if kind in {"type", "answer"}:
        yield f"shape {kind} {len(said)} {option.words[:1].isupper()} {any(c.isdigit() for c in option.words)}"
        return
    if item is None:
        return
    yield from (f"word {word}" for word in said[:4])
    yield f"id {item.id} {item.role}"
    yield f"near {' '.join(words(item.near)[:3])} {item.role}"
    yield f"grid {int(item.x * 3)} {int(item.y * 6)}"
    yield f"twin {min(item.twin, 3)} {' '.join(said[:2])}"
    yield f"flags {item.checkable} {item.checked} {item.selected} {item.focused} {item.editable}"


def _dense(moment: Moment, goal: Goal, option: Option, counts: dict[tuple[str, str], int]) -> list[float]:
    said, item, size = words(option.words), option.item, max(len(goal.words), 1)
    first, ahead = goal.place(option.words), goal.place(option.words, goal.reached)
    inside = sum(word in goal.places for word in said) / max(len(said), 1)
    last = moment.history[-1] if moment.history else None
    times = counts.get((option.action.kind, option.words), 0)
    near = 0.0
    if item is not None:
        telling = [word for word in words(item.near) if word not in _COMMON]
        near = sum(word in goal.places for word in telling) / max(len(telling), 1)
    return [
        inside, float(first >= 0), float(ahead >= 0), (ahead - goal.reached) / size if ahead >= 0 else 1.0,
        float(0 <= ahead - goal.reached <= 3), float(first >= 0 > ahead), min(len(said), 6) / 6 if first >= 0 else 0.0,
        min(times, 4) / 4, float(last is not None and (last.kind, last.words) == (option.action.kind, option.words)),
        near, goal.reached / size, float(moment.screen.typing), float(moment.screen.scrolls),
        item.x if item else 0.0, item.y if item else 0.0, item.height if item else 0.0,
    ]  # fmt: skip
