"""VLC's orange, its cone, its bar of places, and the pictures of films in lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from emulator.pocket import frames
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import FRAME, IMAGE_VIEW, column, icon, picture, row, stack, text

ORANGE = (255, 136, 0)


def cone(size: float) -> View:
    """The traffic cone that stands for what has no picture."""
    return stack(icon("cone", size, ORANGE), width=size, height=size)


def thumbnail(data: bytes | None, width: float, height: float, glyph: str = "cone") -> View:
    """A film's first picture, or a symbol."""
    shown = frames.frame(data, 0) if data is not None else None
    inside = picture(shown, height=height) if shown is not None else icon(glyph, min(width, height) * 0.5, ORANGE)
    return stack(inside, width=width, height=height, align="center", justify="center", radius=4,
                 background="black" if shown is not None else "surface_high", id="ml_item_thumbnail")  # fmt: skip


def places_bar(items: Sequence[tuple[str, str]], selected: int, on_select: Callable[[int], object]) -> View:
    """The bar at the bottom: orange is where one is."""
    views = []
    for i, (name, label) in enumerate(items):
        color: Color = ORANGE if i == selected else "text_dim"
        entry = column(icon(name, 24, color), text(label, size=12, bold=1, color=color, lines=1), align="center",
                       justify="center", weight=1, height=FILL, gap=2, on_tap=partial(on_select, i))  # fmt: skip
        entry.cls, entry.selected, entry.desc = FRAME, i == selected, label
        views.append(entry)
    return row(*views, height=60, background="surface_high", id="navigation")


def more(action: Callable[[], object]) -> View:
    """The three dots of an entry."""
    return View(IMAGE_VIEW, icon="more", color="text_dim", width=44, height=44, icon_size=22, desc="More Actions",
                on_tap=action, id="item_more")  # fmt: skip
