"""The pointer policy's choices at one moment: every action it can express there, in a fixed order.

Clicks and long presses on items, four swipes, texts that stand in the goal or on the screen, apps, keys, wait,
answers read from the screen or short, and the two ways to finish. What is not on the menu can't be chosen; episodes
with a step whose label is not on it are counted by `dataset.build` and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from solar_eval.actions import (
    DIRECTIONS,
    KEYS,
    Action,
    Answer,
    Click,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from training.pointer.screen import Item, Moment

MAX_SPANS = 60
MAX_SPAN_WORDS = 12
MAX_COPIED = 12
"""Texts of the screen that can be typed: those of several words, so many at most."""
SHORT_ANSWERS = ("on", "off", "yes", "no", *(str(number) for number in range(10)))
QUESTION = re.compile(r"\?|^(what|which|how|who|when|where|is|are|do|does)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)'([^']+)'(?!\w)")
_NAMED = re.compile(r"\b[A-Z][\w'.-]*(?: [A-Z][\w'.-]*)*")
_NUMBER = re.compile(r"\+?\d[\d.:/-]*\d|\d")
_FILE = re.compile(r"\b[\w-]+(?:[._@][\w-]+)+\b")
_TAIL = re.compile(
    r"(?::|\b(?:saying|says|called|named|titled|text|message|note|with|to|of|as|for|at|and|is))\s+", re.I
)


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: the action, the words it is about, and the item it points at, if any."""

    action: Action
    words: str
    item: Item | None = None


def menu(moment: Moment) -> list[Option]:
    """All choices at a moment; never empty."""
    return [*_pointing(moment), *_texts(moment), *_system(moment)]


def _pointing(moment: Moment) -> Iterator[Option]:
    for item in moment.screen.items:
        point = Point(item.x, item.y)
        yield Option(Click(point), item.name, item)
        if item.long_clickable:
            yield Option(LongPress(point), item.name, item)


def _texts(moment: Moment) -> Iterator[Option]:
    names = [item.name for item in moment.screen.items if item.name]
    if moment.screen.typing:
        shown = [name for name in names if len(name.split()) > 1][:MAX_COPIED]
        for span in dict.fromkeys([*spans(moment.goal), *shown]):
            yield Option(Type(span), span)
    if QUESTION.search(moment.goal):
        for name in dict.fromkeys([*names, *SHORT_ANSWERS]):
            yield Option(Answer(name), name)


def _system(moment: Moment) -> Iterator[Option]:
    for direction in DIRECTIONS:
        yield Option(Swipe(direction), direction)
    for key in KEYS:
        yield Option(Press(key), key)
    for app in moment.apps:
        yield Option(OpenApp(app), app)
    yield Option(Wait(), "")
    yield Option(Finish("success"), "success")
    yield Option(Finish("infeasible"), "infeasible")


def spans(goal: str) -> list[str]:
    """Texts of the goal that somebody might be asked to type, each once: quoted, named, numbers, files, tails."""
    found = [a or b for a, b in _QUOTED.findall(goal)]
    for pattern in (_FILE, _NAMED, _NUMBER):
        found += [match.group() for match in pattern.finditer(goal)]
    found += [name.rpartition(".")[0] for name in found if "." in name]
    found += [part for part in re.split(r"[,;:\n]|\.(?:\s|$)", goal) if len(part.split()) <= MAX_SPAN_WORDS]
    found += [word for name in _NAMED.findall(goal) for word in name.split()]
    for start in _TAIL.finditer(goal):
        tail = re.split(r"[,;\n]|\.(?:\s|$)| and | with | to | in | on | at ", goal[start.end() :], maxsplit=1)[0]
        if 0 < len(tail.split()) <= MAX_SPAN_WORDS:
            found.append(tail)
    cleaned = (text.strip().strip("\"'“”.,;:!?") for text in found)
    return list(dict.fromkeys(text for text in cleaned if text))[:MAX_SPANS]
