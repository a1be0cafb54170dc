"""The accessibility forest: android_env's protobuf message, which AndroidControl also stores.

Built as google-research/android_world@d9c569f's accessibility forwarder builds it from a real phone: one tree a
window, nodes layer by layer with ids counted from 0, children by id, also nodes out of sight (not
visible_to_user). Needs android_env (the `android` extra); imported only when a forest is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from emulator.pocket.hierarchy import full_id, spoken_text
from emulator.pocket.views import Bounds, View, Window

if TYPE_CHECKING:
    from android_env.proto.a11y.android_accessibility_forest_pb2 import AndroidAccessibilityForest

KINDS = {"application": 1, "input_method": 2, "system": 3}
FOCUS, CLEAR_FOCUS, SELECT, CLICK, LONG_CLICK = 1, 2, 4, 16, 32
SCROLL_FORWARD, SCROLL_BACKWARD, SET_TEXT = 4096, 8192, 2097152


def build(windows: Iterable[Window]) -> AndroidAccessibilityForest:
    """The forest of all windows, topmost first; ImportError if android_env is not installed."""
    from android_env.proto.a11y import android_accessibility_forest_pb2 as pb

    forest = pb.AndroidAccessibilityForest()
    listed = list(windows)
    for index, window in enumerate(listed):
        info = forest.windows.add()
        info.id = index + 1
        info.layer = len(listed) - index
        info.title = window.title
        info.window_type = KINDS[window.kind]
        info.is_active = info.is_focused = window.active
        _rect(info.bounds_in_screen, window.bounds)
        _tree(info.tree, window, index + 1)
    return forest


def _tree(tree: Any, window: Window, window_id: int) -> None:
    """Breadth first; a node's id is its place in the list."""
    queue: list[tuple[View, int, int]] = [(window.root, 0, 0)]
    position = 0
    while position < len(queue):
        view, depth, order = queue[position]
        first = len(queue)
        queue.extend((child, depth + 1, n) for n, child in enumerate(view.children))
        node = tree.nodes.add()
        node.unique_id = position
        node.window_id = window_id
        node.depth = depth
        node.drawing_order = order
        node.child_ids.extend(range(first, len(queue)))
        _fill(node, view, window.package)
        position += 1


def _fill(node: Any, view: View, package: str) -> None:
    visible = view.visible
    _rect(node.bounds_in_screen, view.visible_bounds if visible else view.bounds)
    node.class_name = view.cls
    node.package_name = package
    node.view_id_resource_name = full_id(view, package)
    node.text = spoken_text(view)
    node.content_description = view.desc
    node.hint_text = view.hint
    node.is_checkable = view.checkable
    node.is_checked = view.checked
    node.is_clickable = view.clickable
    node.is_editable = view.editable
    node.is_enabled = view.enabled
    node.is_focusable = view.focusable
    node.is_focused = view.focused
    node.is_long_clickable = view.long_clickable
    node.is_password = view.password
    node.is_scrollable = view.scrollable
    node.is_selected = view.selected
    node.is_visible_to_user = visible
    node.text_selection_start, node.text_selection_end = view.caret or (-1, -1)
    for action in _actions(view):
        node.actions.add().id = action


def _actions(view: View) -> list[int]:
    found = [SELECT]
    if view.focusable:
        found.append(CLEAR_FOCUS if view.focused else FOCUS)
    if view.clickable:
        found.append(CLICK)
    if view.long_clickable:
        found.append(LONG_CLICK)
    if view.scroll_at < view.scroll_max:
        found.append(SCROLL_FORWARD)
    if view.scroll_at > 0:
        found.append(SCROLL_BACKWARD)
    if view.editable:
        found.append(SET_TEXT)
    return found


def _rect(rect: Any, bounds: Bounds) -> None:
    rect.left, rect.top, rect.right, rect.bottom = bounds
