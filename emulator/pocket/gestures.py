"""Fingers: taps, long presses, swipes, drags and raw touch events become what the views under them do.

Coordinates are pixels of the display as it lies. A stroke shorter than 8 dp is a tap, or a long press from
500 ms on. A scroll moves content by the finger's way, one and a half times that for a swipe faster than 400 ms
(the fling). Raw touch events without a time stamp count 100 ms each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

from emulator.pocket import fonts, system_actions
from emulator.pocket.layout import spans
from emulator.pocket.views import View, Window, hit, inside, path_to

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

SLOP_DP = 8.0
LONG_PRESS_MS = 500
FLING_BELOW_MS = 400
FLING = 1.5
EVENT_MS = 100


@dataclass
class Stroke:
    """One finger on the glass: its points (pixels) and how long it has been down."""

    points: list[tuple[int, int]] = field(default_factory=list)
    started_ms: int = 0
    last_ms: int = 0


class Gestures:
    """Input of one phone. Callers hold the phone's lock."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.strokes: dict[int, Stroke] = {}
        self.held = (0, 0)  # where the finger is in a long press: for handlers that ask (a map)

    # touch events

    def touch(self, kind: Literal["down", "move", "up"], x: int, y: int, finger: int, time_ms: int | None) -> None:
        """One event of a touch screen; the gesture happens when the finger lifts."""
        stroke = self.strokes.get(finger)
        if kind == "up":
            if stroke is None:
                return
            del self.strokes[finger]
            self._extend(stroke, x, y, time_ms)
            self.stroke(stroke.points, stroke.last_ms - stroke.started_ms)
        elif kind == "down" or stroke is None:
            start = 0 if time_ms is None else time_ms
            self.strokes[finger] = Stroke([(x, y)], start, start)
        else:
            self._extend(stroke, x, y, time_ms)

    @staticmethod
    def _extend(stroke: Stroke, x: int, y: int, time_ms: int | None) -> None:
        stroke.last_ms = stroke.last_ms + EVENT_MS if time_ms is None else time_ms
        if stroke.points[-1] != (x, y):
            stroke.points.append((x, y))

    def stroke(self, points: list[tuple[int, int]], duration_ms: int) -> None:
        """A finished stroke: tap, long press or swipe."""
        start = points[0]
        reach = max(max(abs(p[0] - start[0]), abs(p[1] - start[1])) for p in points)
        if reach < SLOP_DP * self.phone.scale:
            if duration_ms >= LONG_PRESS_MS:
                self.long_press(*start)
            else:
                self.tap(*start)
        else:
            self.swipe(points, duration_ms)

    # taps

    def window_at(self, x: int, y: int) -> Window | None:
        """The window a touch meets; None beside a dialog (which may close by it)."""
        for window in self.phone.display.shown.reported:
            if window.title == "Toast":
                continue
            if inside(window.bounds, x, y):
                return window
            if window.on_outside is not None and not self._beside_keys(x, y):
                self.phone.run_handler(window.on_outside)
                return None
        return None

    def _beside_keys(self, x: int, y: int) -> bool:
        """True on keyboard and navigation bar, which stay usable beside a dialog."""
        kinds = {"Gboard", "Navigation bar"}
        return any(w.title in kinds and inside(w.bounds, x, y) for w in self.phone.display.shown.reported)

    def tap(self, x: int, y: int) -> None:
        """One short touch."""
        window = self.window_at(x, y)
        if window is None:
            return
        if window.title != "PopupWindow" and window.kind != "input_method":
            self.phone.system.text_menu = False
        view = hit(window.root, x, y, lambda v: v.clickable or v.on_stroke is not None)
        if view is None or not view.enabled:
            return
        if view.on_slide is not None:
            self._slide(view, x)
        elif view.on_stroke is not None and view.on_tap is None:
            self._draw(view, [(x, y)])
        elif view.editable:
            if view.on_tap is not None:
                self.phone.run_handler(view.on_tap)
            self.phone.editor.focus(view, self._text_index(view, x, y))
        elif view.on_tap is not None:
            if window.title == "PopupWindow":
                self.phone.system.text_menu = False
            self.phone.run_handler(view.on_tap)

    def long_press(self, x: int, y: int) -> None:
        """A touch held: the view's own action, the text menu in a field, else the same as a tap."""
        self.held = (x, y)
        window = self.window_at(x, y)
        if window is None:
            return
        view = hit(window.root, x, y, lambda v: v.long_clickable or v.clickable)
        if view is None or not view.enabled or view.on_slide is not None:
            return
        if view.editable:
            at = self._text_index(view, x, y)
            self.phone.editor.focus(view, at)
            self.phone.editor.select_word(view, at)
            self.phone.system.text_menu = True
            return
        self.phone.system.text_menu = False
        holder = hit(window.root, x, y, lambda v: v.on_long is not None)
        if holder is not None and holder.on_long is not None:
            self.phone.run_handler(holder.on_long)
        elif view.on_tap is not None:
            self.phone.run_handler(view.on_tap)

    def _text_index(self, view: View, x: int, y: int) -> int:
        """Place in the text nearest to a touch."""
        scale = self.phone.scale
        size = round(view.size * scale)
        left = view.bounds[0] + round(view.padding[0] * scale)
        top = view.bounds[1] + round(view.padding[1] * scale)
        if not view.text or not view.lines:
            return 0
        row = min(max((y - top) // fonts.line_height(size), 0), len(view.lines) - 1)
        first, last = spans(view.lines, view.text)[row]
        line = view.text[first:last]
        if not view.multiline and y > view.bounds[3]:
            return len(view.text)
        return first + fonts.index_at(line, size, view.bold, x - left)

    # swipes

    def swipe(self, points: list[tuple[int, int]], duration_ms: int) -> None:
        """A stroke from the first to the last point."""
        (x1, y1), (x2, y2) = points[0], points[-1]
        if self._edges(x1, y1, x2, y2):
            return
        window = self.window_at(x1, y1)
        if window is None:
            return
        dx, dy = x2 - x1, y2 - y1
        path = path_to(window.root, x1, y1)
        target = next((v for v in reversed(path) if (v.on_stroke or v.on_slide) is not None and v.enabled), None)
        if target is not None and target.on_stroke is not None:
            self._draw(target, points)
            return
        target = hit(window.root, x1, y1, lambda v: v.on_slide is not None)
        if target is not None and abs(dx) >= abs(dy) and target.enabled:
            self._slide(target, x2)
            return
        axis: Literal["x", "y"] = "x" if abs(dx) > abs(dy) else "y"
        way = -(dx if axis == "x" else dy)
        if duration_ms < FLING_BELOW_MS:
            way = round(way * FLING)
        if not self._scroll(window, x1, y1, axis, way):
            self._swiped(window, x1, y1, dx, dy)

    def _edges(self, x1: int, y1: int, x2: int, y2: int) -> bool:
        """Pulls from the edges of the display: the shade, and with gesture navigation home and back."""
        phone = self.phone
        width, height = phone.display_size
        rise = y1 - y2
        if y1 < 32 * phone.scale and y2 - y1 > 40 * phone.scale and not phone.system.shade:
            phone.system.shade = "notifications"
            phone.touched()
            return True
        if not phone.gesture_navigation:
            return False
        if y1 > height - 24 * phone.scale and rise > 60 * phone.scale:
            system_actions.home(phone)
            return True
        edge = 16 * phone.scale
        if (x1 < edge or x1 > width - edge) and abs(x2 - x1) > 60 * phone.scale and abs(x2 - x1) > abs(rise):
            system_actions.back(phone)
            return True
        return False

    def _scroll(self, window: Window, x: int, y: int, axis: Literal["x", "y"], way: int) -> bool:
        """Move the innermost container under the point that can still move that way."""
        holders = _holders(window.root, x, y, axis)
        for holder in holders:
            wanted = min(max(holder.scroll_at + way, 0), holder.scroll_max)
            if wanted != holder.scroll_at:
                window.scrolls[holder.key] = wanted
                self.phone.touched()
                return True
        return False

    def _swiped(self, window: Window, x: int, y: int, dx: int, dy: int) -> None:
        if abs(dx) > abs(dy):
            direction = "right" if dx > 0 else "left"
        else:
            direction = "down" if dy > 0 else "up"
        target = hit(window.root, x, y, lambda v: v.on_swipe is not None)
        if target is not None and target.on_swipe is not None:
            self.phone.run_handler(partial(target.on_swipe, direction))

    def _slide(self, view: View, x: int) -> None:
        left = view.bounds[0] + round(view.padding[0] * self.phone.scale)
        right = view.bounds[2] - round(view.padding[2] * self.phone.scale)
        share = min(max((x - left) / max(right - left, 1), 0.0), 1.0)
        if view.on_slide is not None:
            self.phone.run_handler(partial(view.on_slide, share))

    def _draw(self, view: View, points: list[tuple[int, int]]) -> None:
        """A stroke on a canvas, in dp from its top left, kept inside it."""
        left, top, right, bottom = view.bounds
        scale = self.phone.scale
        placed = [
            (round((min(max(x, left), right) - left) / scale, 2), round((min(max(y, top), bottom) - top) / scale, 2))
            for x, y in points
        ]
        if view.on_stroke is not None:
            self.phone.run_handler(partial(view.on_stroke, placed))


def _holders(view: View, x: int, y: int, axis: str) -> list[View]:
    """Scroll containers of an axis under a point, innermost first, of all branches there."""
    if not inside(view.visible_bounds, x, y):
        return []
    found = [holder for child in reversed(view.children) for holder in _holders(child, x, y, axis)]
    if view.scroll == axis:
        found.append(view)
    return found
