"""Audio Recorder's colours and parts: white on blue grey, in light and dark mode alike (its own theme)."""

from __future__ import annotations

from collections.abc import Sequence

from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import IMAGE_BUTTON, column, row, text

GROUND = (69, 90, 100)
DEEP = (55, 71, 79)
FAINT = (176, 190, 197)
RED = (239, 83, 80)
WAVE = (207, 216, 220)
TALL = 140.0


def bar(title: str, back: Action | None = None, buttons: Sequence[View] = ()) -> View:
    """The line on top."""
    lead = [tool("back", "Navigate up", back, "btn_back")] if back is not None else []
    name = text(title, size=20, bold=1, color="white", lines=1, weight=1, id="txt_title", padding=(12, 0, 12, 0))
    return row(*lead, name, *buttons, height=56, padding=(4, 0, 4, 0), id="toolbar")


def tool(name: str, desc: str, action: Action, id: str, side: float = 48) -> View:
    """A button that is only a symbol."""
    return View(IMAGE_BUTTON, icon=name, desc=desc, color="white", width=side, height=side, on_tap=action, id=id,
                icon_size=side / 2)  # fmt: skip


def wave(ms: int, wide: float, share: float = 1.0, moving: bool = False) -> View:
    """A sound as upright lines. `moving`: the present stands in the middle; else the whole, `share` of it played."""
    step = 4.0
    count = int(wide / step)
    now = ms // 100
    strokes = []
    for i in range(count):
        at = now - count // 2 + i if moving else i * 7
        if moving and not 0 <= at <= now:
            continue
        half = 3 + TALL / 2 * 0.75 * loudness(at + (0 if moving else ms))
        color = WAVE if moving or i / count <= share else FAINT
        x = i * step + step / 2
        strokes.append((((x, TALL / 2 - half), (x, TALL / 2 + half)), color, 2.0))
    middle = wide / 2
    if moving:
        strokes.append((((middle, 4), (middle, TALL - 4)), RED, 2.0))
    made = View(width=wide, height=TALL, strokes=strokes, id="recording_view" if moving else "record")
    return column(made, align="center", width=FILL, height=TALL)


def loudness(at: int) -> float:
    """Something between 0 and 1 that always is the same for a number."""
    mixed = (at * 2_654_435_761) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    return ((mixed * 2_246_822_519) & 0xFFFF) / 0xFFFF
