"""Synthetic data made on the fly: pictures, forests, AndroidControl examples, GUI-R1 rows."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from emulator.tfrecord import Features


def png(width: int, height: int, shade: int = 0) -> bytes:
    """A one-colour PNG."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("L", (width, height), shade).save(buffer, "PNG")
    return buffer.getvalue()


def forest(*windows: Sequence[tuple[int, int, int, int] | None]) -> bytes:
    """A serialised forest: of each window its own bounds first (None: not set), then its nodes' bounds."""
    from android_env.proto.a11y import android_accessibility_forest_pb2 as pb

    made = pb.AndroidAccessibilityForest()
    for bounds in windows:
        window = made.windows.add()
        for n, box in enumerate(bounds):
            part = window if n == 0 else window.tree.nodes.add(unique_id=n)
            if box is not None:
                rect = part.bounds_in_screen
                rect.SetInParent()
                rect.left, rect.top, rect.right, rect.bottom = box
    return made.SerializeToString()


def episode_example(episode: int, actions: Sequence[dict[str, Any] | bytes], **changes: Any) -> Features:
    """One AndroidControl example on 100 x 200 screenshots, each in a shade of its own."""
    n = len(actions)
    example: dict[str, Any] = {
        "episode_id": [episode],
        "goal": [b"do it"],
        "actions": [a if isinstance(a, bytes) else json.dumps(a).encode() for a in actions],
        "step_instructions": [f"step {i}".encode() for i in range(n)],
        "screenshots": [png(100, 200, 10 * i + episode % 10) for i in range(n + 1)],
        "screenshot_widths": [100] * (n + 1),
        "screenshot_heights": [200] * (n + 1),
        "accessibility_trees": [forest([(0, 0, 100, 200), (10, 20, 30, 60), None, (0, 0, 0, 0)])] * (n + 1),
    }
    return example | changes


def gui_r1_row(**changes: Any) -> dict[str, Any]:
    """One row in GUI-R1's form: a click on a 1000 x 2000 screen."""
    return {
        "image": "", "history": " \nNone\n", "instruction": "goal", "gt_action": "click", "gt_bbox": [500, 1000],
        "gt_input_text": "no input text", "group": "android", "ui_type": "click", "orig_w": 1000, "orig_h": 2000,
        "scale": [0.5, 0.5], "image_size": [500, 1000], "pred": "<answer>raw</answer>", "pred_coord": [250, 500],
        "pred_action": "click", "pred_input_text": "no input text",
    } | changes  # fmt: skip
