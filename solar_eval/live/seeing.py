"""What an agent sees of a phone: the screenshot, the screenshot with numbered marks, or the list of elements.

An `Observation` is one look at the phone, taken while nothing is sent to it. The picture and the hierarchy are kept
with every step whatever the agent sees. A missing hierarchy is a fault only where the agent needs one; the record says
that there was none and why. Marks and list number the same elements: visible, enabled, and of use to a finger or an
eye (clickable, editable, checkable, scrollable, or with words of their own), document order, from 0.
"""

from __future__ import annotations

import io
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, get_args

from emulator.device import Device, Foreground, Screenshot, Tree
from emulator.device_errors import AppNotInFront, NoFreshTree, ScreenshotFailed
from emulator.settle import settle
from emulator.ui_tree import Element
from solar_eval.actions import Point

Seeing = Literal["screenshot", "marks", "elements"]
SEEINGS: tuple[Seeing, ...] = get_args(Seeing)
NOTHING = Foreground("", "")
READ_AGAIN = 2
"""How often a look that failed in a way that may pass (`retryable`) is repeated."""
COLOURS = ((214, 39, 40), (31, 119, 180), (44, 160, 44), (148, 103, 189), (255, 127, 14))


@dataclass(frozen=True)
class Observation:
    """One look. tree: None where there was none (`no_tree` says why). seconds: how long the look took."""

    screenshot: Screenshot
    tree: Tree | None
    foreground: Foreground
    no_tree: str = ""
    settled: bool = True
    seconds: float = 0.0

    @property
    def size(self) -> tuple[int, int]:
        """Pixels of the picture, width first."""
        return self.screenshot.size.width, self.screenshot.size.height

    @property
    def elements(self) -> tuple[Element, ...]:
        """What can be numbered, in order; () without a hierarchy."""
        return () if self.tree is None else useful(self.tree.elements, self.size)


def look(device: Device, *, need_tree: bool = False, settle_s: float = 0.0) -> Observation:
    """One look at the phone. settle_s: up to how many seconds to wait until the screen stands still; 0 looks once.

    DeviceError; NoFreshTree only where `need_tree`.
    """
    started = time.perf_counter()
    if settle_s > 0:
        seen = settle(device, settle_s)
        screenshot, tree, why, settled = seen.screenshot, seen.tree, seen.tree_error, seen.settled
        front = seen.foreground or NOTHING
        if tree is None and need_tree:
            tree, why = _tree(device, need_tree)
    else:
        screenshot, settled = _screenshot(device), True
        tree, why = _tree(device, need_tree)
        front = _front(device)
    return Observation(screenshot, tree, front, why, settled, time.perf_counter() - started)


def _front(device: Device) -> Foreground:
    try:
        return device.foreground()
    except AppNotInFront:
        return NOTHING


def _screenshot(device: Device) -> Screenshot:
    for _ in range(READ_AGAIN):
        with suppress(ScreenshotFailed):
            return device.screenshot()
    return device.screenshot()


def _tree(device: Device, need: bool) -> tuple[Tree | None, str]:
    for _ in range(READ_AGAIN):
        with suppress(NoFreshTree):
            return device.ui_tree(), ""
    try:
        return device.ui_tree(), ""
    except NoFreshTree as error:
        if need:
            raise
        return None, error.what


def useful(elements: Sequence[Element], size: tuple[int, int]) -> tuple[Element, ...]:
    """The elements worth a number: on the screen, and something to touch or to read."""
    return tuple(e for e in elements if _visible(e, size) and e.enabled and _says_or_does(e))


def _visible(element: Element, size: tuple[int, int]) -> bool:
    left, top, right, bottom = element.bounds
    return min(right, size[0]) - max(left, 0) > 0 and min(bottom, size[1]) - max(top, 0) > 0


def _says_or_does(e: Element) -> bool:
    return bool(e.label) or e.clickable or e.long_clickable or e.checkable or e.editable or e.scrollable


def middle(element: Element, size: tuple[int, int]) -> Point:
    """The middle of the visible part of an element, in fractions of the screen."""
    left, top, right, bottom = element.bounds
    x = (max(left, 0) + min(right, size[0])) / 2
    y = (max(top, 0) + min(bottom, size[1])) / 2
    return Point(x / size[0], y / size[1])


def element_lines(elements: Sequence[Element]) -> list[str]:
    """One line an element: number, kind, words in quotes, what it can do, in what state it is."""
    return [f"[{number}] {_described(e)}" for number, e in enumerate(elements)]


def _described(e: Element) -> str:
    words = [e.cls.rpartition(".")[2] or "View"]
    if e.text:
        words.append(_quoted(e.text))
    if e.desc and e.desc != e.text:
        words.append(f"({_quoted(e.desc)})")
    states = {
        "clickable": e.clickable, "editable": e.editable, "scrollable": e.scrollable, "focused": e.focused,
        "selected": e.selected, "long-clickable": e.long_clickable and not e.clickable,
    }  # fmt: skip
    words += [name for name, is_so in states.items() if is_so]
    if e.checkable:
        words.append("checked" if e.checked else "not checked")
    return " ".join(words)


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return '"' + (flat if len(flat) <= 200 else flat[:199] + "…").replace('"', "'") + '"'


def marked_png(screenshot: Screenshot, elements: Sequence[Element]) -> bytes:
    """The screenshot with a frame and a number on every element, as PNG."""
    from PIL import Image, ImageDraw

    with Image.open(io.BytesIO(screenshot.png)) as opened:
        image = opened.convert("RGB")
    draw = ImageDraw.Draw(image)
    scale = max(image.size[0] / 1080, 0.25)
    for number, element in enumerate(elements):
        _mark(draw, number, element, image.size, scale)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def _mark(draw: object, number: int, element: Element, size: tuple[int, int], scale: float) -> None:
    from PIL.ImageDraw import ImageDraw

    assert isinstance(draw, ImageDraw)
    left, top = max(element.bounds[0], 0), max(element.bounds[1], 0)
    right, bottom = min(element.bounds[2], size[0]) - 1, min(element.bounds[3], size[1]) - 1
    colour = COLOURS[number % len(COLOURS)]
    draw.rectangle((left, top, right, bottom), outline=colour, width=max(1, round(3 * scale)))
    text, font_size = str(number), max(10.0, 30 * scale)
    x0, y0, x1, y1 = draw.textbbox((left, top), text, font_size=font_size)
    pad = max(1, round(4 * scale))
    draw.rectangle((left, top, left + x1 - x0 + 2 * pad, top + y1 - y0 + 2 * pad), fill=colour)
    draw.text((left + pad - (x0 - left), top + pad - (y0 - top)), text, fill="white", font_size=font_size)
