"""From the XML of a hierarchy to a `Tree`, or NoFreshTree: broken, empty, or another app's than the one in front."""

from __future__ import annotations

from typing import Literal
from xml.etree import ElementTree

from emulator.device import Tree
from emulator.device_errors import NoFreshTree
from emulator.ui_tree import parse

Source = Literal["uiautomator2", "uiautomator dump", "accessibility", "pocket"]


def made(xml: str, source: Source, front: str, where: str) -> Tree:
    """The tree in `xml`, which must belong to package `front`; NoFreshTree says what is wrong."""
    try:
        elements = tuple(parse(xml))
    except ElementTree.ParseError as error:
        raise NoFreshTree(f"the hierarchy is no XML ({error}): {xml[:100]!r}", where) from error
    if not elements:
        raise NoFreshTree("the hierarchy is empty: every screen has at least one node", where)
    if elements[0].package != front:
        raise NoFreshTree(f"the hierarchy is of {elements[0].package!r}, in front is {front!r}", where)
    return Tree(elements, elements[0].package, source, xml)
