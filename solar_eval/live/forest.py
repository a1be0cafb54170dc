"""A hierarchy as android_env's accessibility forest, for judges that read forests.

The hierarchy comes from `Device.ui_tree`, which is fresh or an error; the forwarder of android_env keeps giving its
last one after it has stopped. One window, the active one. `uiautomator dump` of Android 13 does not tell a
field's hint apart from its text; `tells_hints` says whether the hierarchy does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from android_env.proto.a11y.android_accessibility_forest_pb2 import AndroidAccessibilityForest

    from emulator.device import Tree

FLAGS = {
    "is_checkable": "checkable", "is_checked": "checked", "is_clickable": "clickable", "is_enabled": "enabled",
    "is_focusable": "focusable", "is_focused": "focused", "is_scrollable": "scrollable",
    "is_long_clickable": "long-clickable", "is_password": "password", "is_selected": "selected",
}  # fmt: skip


def tells_hints(tree: Tree) -> bool:
    """Whether nodes carry their hint."""
    return ' hint="' in tree.xml


def forest_of(tree: Tree) -> AndroidAccessibilityForest:
    """The forest of one hierarchy; every node of it is visible."""
    from android_env.proto.a11y import android_accessibility_forest_pb2 as pb

    forest = pb.AndroidAccessibilityForest()
    window = forest.windows.add()
    window.id, window.window_type, window.is_active, window.is_focused = 1, 1, True, True
    xml = iter(ElementTree.fromstring(tree.xml.strip()).iter("node"))
    for element, node in zip(tree.elements, xml, strict=True):
        made = window.tree.nodes.add()
        made.unique_id, made.window_id = element.index, 1
        box = made.bounds_in_screen
        box.left, box.top, box.right, box.bottom = element.bounds
        made.class_name, made.package_name = element.cls, element.package
        made.view_id_resource_name = node.get("resource-id", "")
        made.text, made.content_description = element.text, element.desc
        made.hint_text = node.get("hint", "")
        made.is_editable, made.is_visible_to_user = element.editable, True
        for name, attribute in FLAGS.items():
            setattr(made, name, node.get(attribute) == "true")
        if element.parent >= 0:
            window.tree.nodes[element.parent].child_ids.append(element.index)
    return forest
