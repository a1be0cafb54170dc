"""The nodes of a window hierarchy (the XML of `uiautomator dump`, of uiautomator2) as plain values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree

_BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")


@dataclass(frozen=True)
class Element:
    """One node of the hierarchy. `bounds`: (left, top, right, bottom) pixels; `id` without the package.

    An empty field shows its hint as `text`. `index` is its place in the document, `parent` that of its parent (-1).
    """

    index: int
    parent: int
    text: str
    desc: str
    id: str
    cls: str
    package: str
    bounds: tuple[int, int, int, int]
    clickable: bool
    checkable: bool
    checked: bool
    enabled: bool
    selected: bool
    scrollable: bool
    focused: bool
    long_clickable: bool
    password: bool

    @property
    def center(self) -> tuple[int, int]:
        """Its middle, pixels."""
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2

    @property
    def editable(self) -> bool:
        """True for a text field."""
        return self.cls.endswith(("EditText", "AutoCompleteTextView"))

    @property
    def label(self) -> str:
        """Its text, else its description."""
        return self.text or self.desc

    def beside(self, other: Element) -> bool:
        """True if this element's middle is on the same height as `other`."""
        return other.bounds[1] <= self.center[1] < other.bounds[3]


def parse(xml: str) -> list[Element]:
    """All nodes of a `uiautomator dump`, parents first; ElementTree.ParseError if it is no XML."""
    found: list[Element] = []
    stack = [(node, -1) for node in reversed(ElementTree.fromstring(xml.strip()))]
    while stack:
        node, parent = stack.pop()
        number = len(found)
        found.append(_element(node.attrib, number, parent))
        stack.extend((child, number) for child in reversed(node))
    return found


def _element(given: Mapping[str, str], number: int, parent: int) -> Element:
    match = _BOUNDS.fullmatch(given.get("bounds", ""))
    left, top, right, bottom = (int(n) for n in match.groups()) if match else (0, 0, 0, 0)
    flags = {
        name: given.get(name) == "true"
        for name in (
            "clickable",
            "checkable",
            "checked",
            "enabled",
            "selected",
            "scrollable",
            "focused",
            "long-clickable",
            "password",
        )
    }
    return Element(
        number, parent, given.get("text", ""), given.get("content-desc", ""),
        given.get("resource-id", "").rpartition(":id/")[2], given.get("class", ""), given.get("package", ""),
        (left, top, right, bottom), flags["clickable"], flags["checkable"], flags["checked"], flags["enabled"],
        flags["selected"], flags["scrollable"], flags["focused"], flags["long-clickable"], flags["password"],
    )  # fmt: skip
