"""From a placed view tree to a display list: flat tuples that say what to draw where.

Display lists are what the renderer compares to find what changed; equal lists mean equal pixels. Colours are
resolved here (theme, and the dimming of a window behind a dialog).

An operation is (kind, bounds, clip, a, b, c):
RECT colour | ROUND colour, radius | TEXT (text, size, bold), colour, (x, base line) | ICON name, colour |
PICTURE Picture | GRADIENT top, bottom | STROKE points, colour, width.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from emulator.pocket import fonts
from emulator.pocket.layout import NO_PADDING, Layout, spans, to_pixels
from emulator.pocket.theme import Rgb, Theme
from emulator.pocket.views import Bounds, Color, View, Window

RECT, ROUND, TEXT, ICON, PICTURE, GRADIENT, STROKE = range(7)
Op: TypeAlias = tuple[int, Bounds, Bounds, Any, Any, Any]


class DisplayList:
    """Builds the operations of one window."""

    def __init__(self, theme: Theme, scale: float, dimmed: bool = False) -> None:
        self.theme = theme
        self.scale = scale
        self.dimmed = dimmed
        self.px = to_pixels(scale)  # dp to pixels
        self.ops: list[Op] = []

    def build(self, window: Window) -> list[Op]:
        """All operations, bottom to top."""
        self._view(window.root, None)
        return self.ops

    def rgb(self, color: Any) -> Rgb:
        """Resolved colour."""
        return self.theme.rgb(color, self.dimmed)

    def _view(self, view: View, behind: Color | None) -> None:
        """Draw a view and what is in it; `behind` is the plain colour already there."""
        if not view.visible:
            return
        if view.background is not None and (view.background != behind or view.radius or view.border is not None):
            self._background(view)
            behind = view.background if view.background != "wallpaper" else None
        if view.paint:
            PAINTS[view.paint](self, view)
        if view.picture is not None:
            self._picture(view)
        if view.strokes:
            self._strokes(view)
        if view.icon:
            self._icon(view)
        if view.lines:
            self._text(view)
        elif view.caret is not None:
            self._caret(view, self._content(view)[0], self._content(view)[1])
        for child in view.children:
            self._view(child, None if view.kind == "stack" and len(view.children) > 1 else behind)

    # shapes

    def rect(self, view: View, bounds: Bounds, color: Any) -> None:
        """A filled rectangle."""
        self.ops.append((RECT, bounds, view.clip, self.rgb(color), None, None))

    def round(self, view: View, bounds: Bounds, color: Any, radius: int) -> None:
        """A filled rectangle with round corners (radius in pixels)."""
        limit = min(bounds[2] - bounds[0], bounds[3] - bounds[1]) // 2
        self.ops.append((ROUND, bounds, view.clip, self.rgb(color), min(radius, limit), None))

    def disc(self, view: View, x: int, y: int, radius: int, color: Any) -> None:
        """A filled circle."""
        self.round(view, (x - radius, y - radius, x + radius, y + radius), color, radius)

    def _background(self, view: View) -> None:
        radius = self.px(view.radius)
        if view.background == "wallpaper":
            top, bottom = self.rgb("wall_top"), self.rgb("wall_bottom")
            self.ops.append((GRADIENT, view.bounds, view.clip, top, bottom, None))
            return
        bounds = view.bounds
        if view.border is not None:
            self.round(view, bounds, view.border, radius)
            edge = max(self.px(1), 1)
            bounds = (bounds[0] + edge, bounds[1] + edge, bounds[2] - edge, bounds[3] - edge)
            radius = max(radius - edge, 0)
        if radius:
            self.round(view, bounds, view.background, radius)
        else:
            self.rect(view, bounds, view.background)

    def _content(self, view: View) -> Bounds:
        if view.padding == NO_PADDING:
            return view.bounds
        left, top, right, bottom = view.padding
        box = view.bounds
        return box[0] + self.px(left), box[1] + self.px(top), box[2] - self.px(right), box[3] - self.px(bottom)

    def _icon(self, view: View) -> None:
        left, top, right, bottom = self._content(view)
        side = self.px(view.icon_size)
        x = left if view.text else left + (right - left - side) // 2
        y = top + (bottom - top - side) // 2
        color = view.color if view.enabled else "text_faint"
        self.ops.append((ICON, (x, y, x + side, y + side), view.clip, view.icon, self.rgb(color), None))

    def _picture(self, view: View) -> None:
        picture = view.picture
        left, top, right, bottom = self._content(view)
        if picture is None or right <= left or bottom <= top:
            return
        fit = min((right - left) / picture.width, (bottom - top) / picture.height)
        w, h = max(round(picture.width * fit), 1), max(round(picture.height * fit), 1)
        x, y = left + (right - left - w) // 2, top + (bottom - top - h) // 2
        self.ops.append((PICTURE, (x, y, x + w, y + h), view.clip, picture, self.dimmed, None))

    def _strokes(self, view: View) -> None:
        left, top, right, bottom = view.bounds
        for points, color, wide in view.strokes:
            placed = tuple((left + self.scale * x, top + self.scale * y) for x, y in points)
            rgb = self.rgb(color)
            self.ops.append((STROKE, (left, top, right, bottom), view.clip, placed, rgb, max(self.px(wide), 1)))

    # text

    def _text(self, view: View) -> None:
        left, top, right, bottom = self._content(view)
        if view.icon:
            left += self.px(view.icon_size + 8)
        size = self.px(view.size)
        step = fonts.line_height(size)
        y = top + max((bottom - top - step * len(view.lines)) // 2, 0) if not view.multiline else top
        faint = view.editable and not view.text
        color = self.rgb("text_faint" if faint or not view.enabled else view.color)
        if view.caret is not None and view.text:
            self._selection(view, left, y, size)
        for index, line in enumerate(view.lines):
            x = left
            if view.text_align != "start":
                slack = (right - left) - round(fonts.width(line, size, view.bold))
                x += slack // 2 if view.text_align == "center" else slack
            self.line(view, line, x, y + index * step, size, color)
        if view.caret is not None:
            self._caret(view, left, y)

    def line(self, view: View, text: str, x: int, y: int, size: int, color: Rgb) -> None:
        """One line of text with its top left at (x, y)."""
        if text and not text.isspace():
            right = x + round(fonts.width(text, size, view.bold)) + 2
            bounds = (x - 2, y - 2, right, y + fonts.line_height(size) + 2)
            self.ops.append((TEXT, bounds, view.clip, (text, size, view.bold), color, (x, y + fonts.ascent(size))))

    def _selection(self, view: View, left: int, top: int, size: int) -> None:
        start, end = view.caret or (0, 0)
        if start == end:
            return
        step = fonts.line_height(size)
        shown = Layout.shown_text(view)
        for index, (first, last) in enumerate(spans(view.lines, shown)):
            a, b = max(first, start), min(last, end)
            if a < b:
                x = left + round(fonts.width(shown[first:a], size, view.bold))
                r = left + round(fonts.width(shown[first:b], size, view.bold))
                self.rect(view, (x, top + index * step, r, top + (index + 1) * step), "selection")

    def _caret(self, view: View, left: int, top: int) -> None:
        start, end = view.caret or (0, 0)
        if start != end:
            return
        size = self.px(view.size)
        step = fonts.line_height(size)
        x, row = left, 0
        if view.text and view.lines:
            shown = Layout.shown_text(view)
            for index, (first, last) in enumerate(spans(view.lines, shown)):
                if first <= end:
                    row = index
                    x = left + round(fonts.width(shown[first : min(end, last)], size, view.bold))
        wide = max(self.px(2), 2)
        y = top + row * step
        self.rect(view, (x, y, x + wide, y + step), "primary")


def _switch(out: DisplayList, view: View) -> None:
    _, top, right, bottom = view.bounds
    middle = (top + bottom) // 2
    half = out.px(13)
    track = (right - out.px(48), middle - half, right, middle + half)
    knob = out.px(10 if view.checked else 8)
    out.round(view, track, "primary" if view.checked else "track", half)
    x = track[2] - half if view.checked else track[0] + half
    out.disc(view, x, middle, knob, "on_primary" if view.checked else "surface")


def _checkbox(out: DisplayList, view: View) -> None:
    left, top, _, bottom = view.bounds
    x, y, half = left + out.px(12), (top + bottom) // 2, out.px(9)
    box = (x - half, y - half, x + half, y + half)
    out.round(view, box, "primary" if view.checked else "text_dim", out.px(2))
    edge = out.px(2)
    if view.checked:
        side = out.px(16)
        bounds = (x - side // 2, y - side // 2, x - side // 2 + side, y - side // 2 + side)
        out.ops.append((ICON, bounds, view.clip, "check", out.rgb("on_primary"), None))
    else:
        out.rect(view, (box[0] + edge, box[1] + edge, box[2] - edge, box[3] - edge), "background")


def _radio(out: DisplayList, view: View) -> None:
    left, top, _, bottom = view.bounds
    x, y = left + out.px(12), (top + bottom) // 2
    out.disc(view, x, y, out.px(10), "primary" if view.checked else "text_dim")
    out.disc(view, x, y, out.px(8), "background")
    if view.checked:
        out.disc(view, x, y, out.px(5), "primary")


def _slider(out: DisplayList, view: View) -> None:
    left, top, right, bottom = out._content(view)
    middle, half = (top + bottom) // 2, out.px(3)
    at = left + round((right - left) * min(max(view.value, 0.0), 1.0))
    out.round(view, (left, middle - half, right, middle + half), "track", half)
    if at - left > 2 * half:
        out.round(view, (left, middle - half, at, middle + half), "primary", half)
    out.disc(view, at, middle, out.px(10), "primary")


def _ring(out: DisplayList, view: View) -> None:
    left, top, right, bottom = view.bounds
    x, y = (left + right) // 2, (top + bottom) // 2
    radius = min(right - left, bottom - top) // 2
    out.disc(view, x, y, radius, "primary" if view.selected else "track")
    out.disc(view, x, y, radius - out.px(4), "background")


def _progress(out: DisplayList, view: View) -> None:
    left, top, right, bottom = view.bounds
    out.rect(view, view.bounds, "track")
    at = left + round((right - left) * min(max(view.value, 0.0), 1.0))
    if at > left:
        out.rect(view, (left, top, at, bottom), "primary")


def _underline(out: DisplayList, view: View) -> None:
    left, _, right, bottom = view.bounds
    thick = out.px(2 if view.focused else 1)
    out.rect(view, (left, bottom - thick, right, bottom), "primary" if view.focused else "outline")


def _below(out: DisplayList, view: View) -> None:
    left, _, right, bottom = view.bounds
    if view.selected:
        out.rect(view, (left, bottom - out.px(3), right, bottom), "primary")


PAINTS = {
    "switch": _switch, "checkbox": _checkbox, "radio": _radio, "slider": _slider, "ring": _ring,
    "progress": _progress, "underline": _underline, "tab": _below,
}  # fmt: skip
