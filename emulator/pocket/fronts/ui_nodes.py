"""Nodes of a dumped hierarchy, and uiautomator selectors over them.

Selector fields: openatx/uiautomator2@39742b7 _selector.py and androidx UiSelector; `...Matches` are full matches of a
regular expression, `instance` counts from 0 among the matches in document order, `index` is the node's own.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
TEXTS = {"text": "text", "description": "content-desc", "className": "class", "packageName": "package"}
TEXTS |= {"resourceId": "resource-id"}
FLAGS = {
    "checkable": "checkable",
    "checked": "checked",
    "clickable": "clickable",
    "longClickable": "long-clickable",
    "scrollable": "scrollable",
    "enabled": "enabled",
    "focusable": "focusable",
    "focused": "focused",
    "selected": "selected",
}


@dataclass(eq=False)
class Node:
    """One node: its attributes as dumped, its parent and children, its bounds (left, top, right, bottom)."""

    attributes: Mapping[str, str]
    parent: Node | None
    bounds: tuple[int, int, int, int]
    children: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """This node and all below, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()

    def centre(self) -> tuple[int, int]:
        """The middle of the bounds."""
        left, top, right, bottom = self.bounds
        return (left + right) // 2, (top + bottom) // 2


def parse(xml: str) -> Node:
    """The tree under an artificial root that stands for `<hierarchy>`."""
    root = Node({}, None, (0, 0, 0, 0))
    _adopt(ET.fromstring(xml.partition("?>")[2] if xml.startswith("<?xml") else xml), root)
    return root


def _adopt(element: ET.Element, parent: Node) -> None:
    for inner in element:
        match = BOUNDS.fullmatch(inner.get("bounds", ""))
        left, top, right, bottom = (int(value) for value in match.groups()) if match else (0, 0, 0, 0)
        node = Node(inner.attrib, parent, (left, top, right, bottom))
        parent.children.append(node)
        _adopt(inner, node)


def find_all(root: Node, selector: Mapping[str, Any]) -> list[Node]:
    """Every node the selector means; child and sibling selectors narrow step by step. ValueError for a bad regex."""
    found = [node for node in root.walk() if node.parent is not None and _fits(node, selector)]
    found = _instance(found, selector)
    relations = selector.get("childOrSibling") or []
    for relation, inner in zip(relations, selector.get("childOrSiblingSelector") or [], strict=False):
        bases = [node if relation == "child" else node.parent for node in found]
        candidates = dict.fromkeys(
            candidate
            for base in bases
            if base is not None
            for candidate in (base.walk() if relation == "child" else base.children)
            if candidate is not base
        )
        found = _instance([node for node in candidates if _fits(node, inner)], inner)
    return found


def _instance(found: list[Node], selector: Mapping[str, Any]) -> list[Node]:
    if "instance" not in selector:
        return found
    number = int(selector["instance"])
    return found[number : number + 1] if number >= 0 else []


def _fits(node: Node, selector: Mapping[str, Any]) -> bool:
    for name, wanted in selector.items():
        if name in ("mask", "instance", "childOrSibling", "childOrSiblingSelector"):
            continue
        if name == "index":
            if node.attributes.get("index") != str(wanted):
                return False
        elif name in FLAGS:
            if (node.attributes.get(FLAGS[name]) == "true") != bool(wanted):
                return False
        elif not _text_fits(node, name, str(wanted)):
            return False
    return True


def _text_fits(node: Node, name: str, wanted: str) -> bool:
    match = re.fullmatch(r"(\w+?)(Contains|Matches|StartsWith)?", name)
    if not match or match[1] not in TEXTS:
        raise ValueError(f"unknown selector field {name!r}")
    value, kind = node.attributes.get(TEXTS[match[1]], ""), match[2]
    if kind == "Contains":
        return wanted.lower() in value.lower()
    if kind == "StartsWith":
        return value.lower().startswith(wanted.lower())
    if kind == "Matches":
        try:
            return re.fullmatch(wanted, value, re.DOTALL) is not None
        except re.error as error:
            raise ValueError(f"bad regular expression {wanted!r}: {error}") from error
    return value == wanted


def describe(node: Node) -> dict[str, Any]:
    """What objInfo tells about a node."""
    left, top, right, bottom = node.bounds
    bounds = {"left": left, "top": top, "right": right, "bottom": bottom}
    flags = {name: node.attributes.get(key) == "true" for name, key in FLAGS.items()}
    return {
        **flags,
        "bounds": bounds,
        "visibleBounds": dict(bounds),
        "childCount": len(node.children),
        "className": node.attributes.get("class", ""),
        "contentDescription": node.attributes.get("content-desc", ""),
        "packageName": node.attributes.get("package", ""),
        "resourceName": node.attributes.get("resource-id", "") or None,
        "text": node.attributes.get("text", ""),
    }
