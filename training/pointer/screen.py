"""What the pointer policy sees of a phone: elements as names and places, the apps, and what was done before.

Elements come from the window hierarchy (`emulator.ui_tree`). A thing that can be touched but says nothing is named
after the words near it, as a person would call the switch beside "Wi-Fi". Ours; no source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emulator.ui_tree import Element

MAX_ITEMS = 64
"""Elements of one screen that are offered; what comes later in the document is left out."""


@dataclass(frozen=True, slots=True)
class Item:
    """One element that can be pointed at.

    x, y: its middle; width, height: its size; all fractions of the screen. name: its text or description, else that
    of the elements in it. near: the last words before it in the document. twin: how many items of this name come
    before it. role: the short class name.
    """

    name: str
    near: str
    id: str
    role: str
    x: float
    y: float
    width: float
    height: float
    twin: int
    editable: bool
    long_clickable: bool
    checkable: bool
    checked: bool
    selected: bool
    focused: bool


@dataclass(frozen=True, slots=True)
class Screen:
    """One moment of a phone. size: pixels. package: the app in front. scrolls: something on it can be scrolled."""

    items: tuple[Item, ...]
    package: str
    scrolls: bool
    size: tuple[int, int]

    @property
    def typing(self) -> bool:
        """Whether a text field has the focus."""
        return any(item.focused and item.editable for item in self.items)


@dataclass(frozen=True, slots=True)
class Done:
    """An earlier action as the policy remembers it: its kind and the words it was about."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Moment:
    """All that one decision is made from. apps: names of the installed apps. history: oldest first."""

    goal: str
    screen: Screen
    apps: tuple[str, ...]
    history: tuple[Done, ...] = ()


def read_screen(elements: Sequence[Element], size: tuple[int, int]) -> Screen:
    """A screen of a hierarchy's elements (parents first), bounds in pixels of `size`."""
    inner, held = _inner_words(elements), _held(elements)
    items: list[Item] = []
    seen: dict[str, int] = {}
    near = ""
    for element in elements:
        own = element.label
        if _offered(element, own, inner[element.index]) and len(items) < MAX_ITEMS:
            name = own or inner[element.index] or ""
            items.append(_item(element, name, near, size, seen.get(name, 0), held[element.index]))
            seen[name] = seen.get(name, 0) + 1
        near = own or near
    front = next((e.package for e in elements if e.package), "")
    return Screen(tuple(items), front, any(e.scrollable for e in elements), size)


def _offered(element: Element, own: str, inner: str) -> bool:
    """Whether it has words of its own, or can be touched and no worded element in it could be touched instead."""
    left, top, right, bottom = element.bounds
    if right <= left or bottom <= top:
        return False
    touchable = element.clickable or element.checkable or element.editable or element.long_clickable
    return bool(own) or (touchable and not inner)


def _inner_words(elements: Sequence[Element]) -> list[str]:
    """For each element the words of the first worded element inside it."""
    words = [""] * len(elements)
    for element in reversed(elements):
        said = element.label or words[element.index]
        if element.parent >= 0 and said:
            words[element.parent] = said
    return words


def _held(elements: Sequence[Element]) -> list[bool]:
    """For each element whether it, or something around it, answers to a long press."""
    held: list[bool] = []
    for element in elements:
        held.append(element.long_clickable or (element.parent >= 0 and held[element.parent]))
    return held


def _item(element: Element, name: str, near: str, size: tuple[int, int], twin: int, held: bool) -> Item:
    left, top, right, bottom = element.bounds
    x, y = element.center
    return Item(
        name, near, element.id, element.cls.rpartition(".")[2], x / size[0], y / size[1], (right - left) / size[0],
        (bottom - top) / size[1], twin, element.editable, held, element.checkable, element.checked,
        element.selected, element.focused,
    )  # fmt: skip
