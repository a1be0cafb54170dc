"""Episodes that the tests of this folder share."""

from __future__ import annotations

import io

from PIL import Image

from solar_eval.actions import Click, Finish, Point, Press
from solar_eval.records import Episode, Step

LABELS = (Click(Point(0.5, 0.5)), Press("back"), Click(Point(0.25, 0.75)), Finish("success"))


def png(size: tuple[int, int] = (280, 560)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (20, 40, 60)).save(out, "PNG")
    return out.getvalue()


def episode(name: str = "7") -> Episode:
    steps = tuple(
        Step(f"{name}/{i}", name, i, "Do it", f"step {i}", label, (280, 560), screenshot=png)
        for i, label in enumerate(LABELS)
    )
    return Episode(name, "Do it", steps)
