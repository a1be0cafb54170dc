"""The window hierarchy as XML, in the format of `uiautomator dump`.

Attributes, their order and the header are those of AOSP's AccessibilityNodeInfoDumper (frameworks/base,
cmds/uiautomator): only nodes with a visible pixel, bounds cut to what is visible, an empty field shows its hint
as text, characters that XML 1.0 forbids become dots. `all_windows` adds the system's windows, as uiautomator2's
server does; the plain dump has the active window only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from emulator.pocket.views import View, Window

HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile("[&<>\"'\t\n\r]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_BOOL = ("false", "true")


def escape(text: str) -> str:
    """Text as an attribute value."""
    if text.isalnum():
        return text
    text = _FORBIDDEN.sub(".", text)
    return _SPECIAL.sub(lambda m: _ENTITIES.get(m[0]) or f"&#{ord(m[0])};", text)


def spoken_text(view: View) -> str:
    """The text that accessibility reports: the hint of an empty field, dots for a password."""
    if view.password and view.text:
        return "\u2022" * len(view.text)
    return view.text or (view.hint if view.editable else "")


def full_id(view: View, package: str) -> str:
    """`package:id/name` for a short id; ids that already name a package stay."""
    if not view.id or ":" in view.id:
        return view.id
    return f"{package}:id/{view.id}"


def dump(windows: Iterable[Window], rotation: int = 0) -> str:
    """The XML of some windows, topmost first."""
    parts = [HEADER, f'<hierarchy rotation="{rotation}">']
    for index, window in enumerate(windows):
        _node(parts, window.root, index, window.package)
    parts.append("</hierarchy>")
    return "".join(parts)


def _node(parts: list[str], view: View, index: int, package: str) -> None:
    if not view.visible:
        return
    left, top, right, bottom = view.visible_bounds
    parts.append(
        f'<node index="{index}" text="{escape(spoken_text(view))}" resource-id="{escape(full_id(view, package))}"'
        f' class="{view.cls}" package="{package}" content-desc="{escape(view.desc)}"'
        f' checkable="{_BOOL[view.checkable]}" checked="{_BOOL[view.checked]}" clickable="{_BOOL[view.clickable]}"'
        f' enabled="{_BOOL[view.enabled]}" focusable="{_BOOL[view.focusable]}" focused="{_BOOL[view.focused]}"'
        f' scrollable="{_BOOL[view.scrollable]}" long-clickable="{_BOOL[view.long_clickable]}"'
        f' password="{_BOOL[view.password]}" selected="{_BOOL[view.selected]}"'
        f' bounds="[{left},{top}][{right},{bottom}]"'
    )
    inner = [child for child in view.children if child.visible]
    if not inner:
        parts.append(" />")
        return
    parts.append(">")
    for number, child in enumerate(inner):
        _node(parts, child, number, package)
    parts.append("</node>")
