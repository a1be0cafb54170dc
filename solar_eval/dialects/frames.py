"""Sizes and coordinate systems: the picture a model sees, and how its numbers become fractions of the screen.

`smart_resize` follows the rule of the Qwen2-VL/2.5-VL/3-VL image processors (qwen_vl_utils and transformers
`image_processing_qwen2_vl.py`): round to a multiple of `factor` with Python's half-to-even rounding, then floor or
ceil into the pixel budget. JavaScript ports round halves up and differ (bytedance/UI-TARS-desktop#1730).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from solar_eval.actions import Point
from solar_eval.errors import UsageError

Size = tuple[int, int]
"""Width, height in pixels."""

Space = Literal["image_pixels", "rel1000", "rel999", "unit"]
"""image_pixels: of the picture the model saw; rel1000 / rel999: per axis 0..1000 / 0..999; unit: 0..1."""

ScrollSense = Literal["finger", "content"]
SCALE: dict[Space, float] = {"rel1000": 1000.0, "rel999": 999.0, "unit": 1.0}


@dataclass(frozen=True, slots=True)
class Frame:
    """What the numbers of one reply refer to.

    `screen`: size of the original screenshot. `image`: size of the picture that was sent. `scroll_sense`: overrides
    the dialect's reading of a scroll word (OS-Atlas means content on AndroidControl, finger on GUI-Odyssey).
    """

    screen: Size
    image: Size
    scroll_sense: ScrollSense | None = None


def to_fraction(x: float, y: float, space: Space, frame: Frame) -> Point:
    """A point in a family's own numbers as fractions of the screen; nothing is clamped."""
    if space == "image_pixels":
        return Point(x / frame.image[0], y / frame.image[1])
    return Point(x / SCALE[space], y / SCALE[space])


def from_fraction(point: Point, space: Space, frame: Frame) -> tuple[float, float]:
    """The inverse of `to_fraction`, not rounded."""
    if space == "image_pixels":
        return point.x * frame.image[0], point.y * frame.image[1]
    return point.x * SCALE[space], point.y * SCALE[space]


@dataclass(frozen=True, slots=True)
class ResizeRule:
    """How a family shrinks a screenshot before the model sees it.

    kind "smart": `smart_resize(factor, min_pixels, max_pixels)`. "longest": longest side at most `longest`, never
    enlarged. "square": exactly `longest` x `longest`. "none": as it is.
    """

    kind: Literal["smart", "longest", "square", "none"] = "none"
    factor: int = 28
    min_pixels: int = 3136
    max_pixels: int = 12_845_056
    longest: int = 0

    def size(self, screen: Size) -> Size:
        """Width, height the model sees for a screenshot of `screen`."""
        width, height = screen
        if self.kind == "smart":
            new_h, new_w = smart_resize(height, width, self.factor, self.min_pixels, self.max_pixels)
            return new_w, new_h
        if self.kind == "square":
            return self.longest, self.longest
        if self.kind == "longest" and max(width, height) > self.longest:
            return _shrink(width, height, self.longest)
        return width, height


def _shrink(width: int, height: int, longest: int) -> Size:
    """Longest side to `longest`: height first, then width, each truncated (AgentCPM-GUI README `__resize__`)."""
    if height > longest:
        width, height = int(width * longest / height), longest
    if width > longest:
        width, height = longest, int(height * longest / width)
    return max(1, width), max(1, height)


def smart_resize(
    height: int, width: int, factor: int = 28, min_pixels: int = 3136, max_pixels: int = 12_845_056
) -> tuple[int, int]:
    """Height, width (multiples of `factor`) within the pixel budget. Raises UsageError beyond aspect ratio 200."""
    if height <= 0 or width <= 0:
        raise UsageError(f"image size {width}x{height} is not positive")
    if max(height, width) / min(height, width) > 200:
        raise UsageError(f"image {width}x{height}: aspect ratio above 200 can't be resized")
    new_h, new_w = max(factor, round(height / factor) * factor), max(factor, round(width / factor) * factor)
    if new_h * new_w > max_pixels:
        beta = math.sqrt(height * width / max_pixels)
        new_h = max(factor, math.floor(height / beta / factor) * factor)
        new_w = max(factor, math.floor(width / beta / factor) * factor)
    elif new_h * new_w < min_pixels:
        beta = math.sqrt(min_pixels / (height * width))
        new_h = math.ceil(height * beta / factor) * factor
        new_w = math.ceil(width * beta / factor) * factor
    return new_h, new_w
