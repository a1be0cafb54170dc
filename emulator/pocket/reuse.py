"""Windows that look as they did in the last frame keep their places, so that nothing is laid out or drawn again.

Most actions change one window or none: status bar, keyboard and often the app stay as they are. A new view tree is
compared with the laid-out one of the last frame, field by field; if nothing that can be seen or felt differs, the new
tree takes over the old one's places (its handlers are its own), and the window its `look`: equal looks mean equal
pixels and equal words for accessibility.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from emulator.pocket.layout import Layout
from emulator.pocket.views import Bounds, View

PLACED = ("measured", "bounds", "clip", "visible_bounds", "visible", "lines", "scroll_at", "scroll_max", "caret",
          "focused")  # fmt: skip
HANDLERS = ("on_tap", "on_long", "on_text", "on_submit", "on_slide", "on_stroke", "on_swipe")
TREE = ("children", "lazy")
_look = attrgetter(*(f.name for f in fields(View) if f.name not in {*PLACED, *HANDLERS, *TREE}))
_handlers = attrgetter(*HANDLERS)
_places = attrgetter(*PLACED)


@dataclass(slots=True)
class Kept:
    """A window's tree as it was laid out: with what, where it came to lie, and its look."""

    given: tuple[Any, ...]
    root: View
    bounds: Bounds
    scrolls: dict[str, int]
    look: int


class Keeper:
    """The laid-out windows of the last frame by slot (`base`, `panel0`, `keys`, ...)."""

    def __init__(self) -> None:
        self._last: dict[str, Kept] = {}
        self._now: dict[str, Kept] = {}
        self._looks = 0

    def begin(self) -> None:
        """A new frame is composed: what the last composing kept is what it is compared with."""
        self._last, self._now = self._now, {}

    def again(self, slot: str, given: tuple[Any, ...]) -> Kept | None:
        """The window of a slot whose tree follows from `given` alone, if the last frame had it."""
        old = self._last.get(slot)
        if old is None or old.given[: len(given)] != given:
            return None
        self._now[slot] = old
        return old

    def place(self, slot: str, root: View, layout: Layout, given: tuple[Any, ...], work: Callable[[], Bounds]) -> Kept:
        """The window in `slot`, laid out by `work` unless the last frame had its like.

        given: everything else that `work` depends on (sizes, edges); `layout`'s own arguments are added.
        """
        given = (*given, layout.scale, layout.focus, layout.selection)
        old = self._last.get(slot)
        if old is not None and old.given == given and old.scrolls == layout.scrolls and _same(root, old.root, layout):
            _take_over(root, old.root)
            kept = Kept(given, root, old.bounds, old.scrolls, old.look)
        else:
            self._looks += 1
            bounds = work()
            kept = Kept(given, root, bounds, layout.scrolls.copy(), self._looks)
        self._now[slot] = kept
        return kept

    def forget(self) -> None:
        """Compare with nothing next time."""
        self._now = {}


def _same(new: View, old: View, layout: Layout) -> bool:
    """True if the trees differ in nothing but the handlers behind what can be touched."""
    if _look(new) != _look(old) or not _alike(new, old):
        return False
    if new.lazy is not None:
        if old.lazy is None or (new.lazy.count, new.lazy.extent) != (old.lazy.count, old.lazy.extent):
            return False
        first = old.scroll_at // layout.extent(old)
        new.children = [new.lazy.build(i) for i in range(first, first + len(old.children))]
    elif old.lazy is not None or len(new.children) != len(old.children):
        return False
    return all(_same(a, b, layout) for a, b in zip(new.children, old.children, strict=True))


def _alike(new: View, old: View) -> bool:
    """True if both can be touched in the same ways."""
    mine, others = _handlers(new), _handlers(old)
    return mine == others or all((a is None) == (b is None) for a, b in zip(mine, others, strict=True))


def _take_over(new: View, old: View) -> None:
    (new.measured, new.bounds, new.clip, new.visible_bounds, new.visible, new.lines, new.scroll_at, new.scroll_max,
     new.caret, new.focused) = _places(old)  # fmt: skip
    for a, b in zip(new.children, old.children, strict=True):
        _take_over(a, b)
