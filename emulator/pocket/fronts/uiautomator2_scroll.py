"""Descendants of a node, and scrolling in it, for uiautomator2's server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from emulator.pocket.fronts.uiautomator2_session import ObjectNotFound, Selector, Session


def child_by(attribute: str) -> Callable[..., dict[str, Any]]:
    """childByText and childByDescription: the selector of a descendant that has such a node in it."""

    def find(session: Session, selector: Selector, inner: Selector, text: str, scroll: bool = False) -> dict[str, Any]:
        for index, candidate in enumerate(session.nodes(_below(selector, inner))):
            if any(node.attributes.get(attribute) == text for node in candidate.walk()):
                return _below(selector, {**inner, "instance": index})
        raise ObjectNotFound(text)

    return find


def _below(selector: Selector, inner: Selector) -> dict[str, Any]:
    """The selector of what `inner` means below `selector`."""
    return {
        **selector,
        "childOrSibling": [*(selector.get("childOrSibling") or []), "child"],
        "childOrSiblingSelector": [*(selector.get("childOrSiblingSelector") or []), dict(inner)],
    }


def child_by_instance(session: Session, selector: Selector, inner: Selector, number: int) -> dict[str, Any]:
    """childByInstance: the selector of the numbered descendant."""
    session.node(selector)
    return _below(selector, {**inner, "instance": number})


def scroll(session: Session, selector: Selector, vertical: bool = True, forward: bool = True) -> bool:
    """One scroll in a node; True if the screen changed."""
    left, top, right, bottom = session.node(selector).bounds
    x, y = (left + right) // 2, (top + bottom) // 2
    near, far = ((x, top + (bottom - top) // 5), (x, bottom - (bottom - top) // 5))
    if not vertical:
        near, far = (left + (right - left) // 5, y), (right - (right - left) // 5, y)
    with session.phone.lock:
        before = session.phone.hierarchy_xml()
        session.phone.swipe(*(far if forward else near), *(near if forward else far), 300)
        return bool(session.phone.hierarchy_xml() != before)


def scroll_one(forward: bool) -> Callable[..., bool]:
    """scrollForward or scrollBackward."""

    def act(session: Session, selector: Selector, vertical: bool = True, steps: int = 55) -> bool:
        return scroll(session, selector, vertical, forward)

    return act


def scroll_all(forward: bool) -> Callable[..., bool]:
    """scrollToEnd or scrollToBeginning."""

    def act(session: Session, selector: Selector, vertical: bool = True, swipes: int = 500, steps: int = 55) -> bool:
        for _ in range(min(int(swipes), 100)):
            if not scroll(session, selector, vertical, forward):
                break
        return True

    return act


def scroll_to(session: Session, selector: Selector, wanted: Selector, vertical: bool = True) -> bool:
    """Scroll from the beginning until `wanted` is on screen."""
    scroll_all(False)(session, selector, vertical)
    for _ in range(100):
        if session.nodes(wanted):
            return True
        if not scroll(session, selector, vertical):
            return bool(session.nodes(wanted))
    return False
