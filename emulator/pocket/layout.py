"""Sizes and places: turns dp into pixel bounds for every view of a tree.

Columns, rows and stacks as in Android's LinearLayout and FrameLayout: a child is as large as its content
(WRAP), its parent (FILL), a number of dp, or takes a share (`weight`) of what is left along the parent. A column
with `scroll="y"` gives its children endless height and moves them by the offset kept under its `key`; a `Lazy`
list builds only the rows in sight. All results are whole pixels, so the same tree gives the same bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from emulator.pocket import fonts
from emulator.pocket.views import FILL, WRAP, Bounds, View

ENDLESS = 1_000_000
NO_PADDING = (0, 0, 0, 0)


class Pixels(dict[float, int]):
    """dp -> whole pixels at one scale, each worked out once."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def __missing__(self, dp: float) -> int:
        self[dp] = pixels = round(dp * self.scale)
        return pixels


@cache
def to_pixels(scale: float) -> Callable[[float], int]:
    """The function dp -> pixels of a scale, shared by everything that is laid out or drawn at it."""
    return Pixels(scale).__getitem__


class Layout:
    """Lays out one window. `scale` is pixels per dp; `scrolls` maps a scroll key to its offset in pixels.

    Offsets out of range are pulled back into `scrolls`. `focus` names the field that shows its caret.
    """

    def __init__(
        self, scale: float, scrolls: dict[str, int] | None = None, focus: str = "", selection: tuple[int, int] = (0, 0)
    ) -> None:
        self.scale = scale
        self.scrolls = {} if scrolls is None else scrolls
        self.focus = focus
        self.selection = selection
        self.px = to_pixels(scale)  # dp to pixels

    def extent(self, view: View) -> int:
        """Height of a lazy list's rows, pixels."""
        return max(self.px(view.lazy.extent), 1) if view.lazy is not None else 1

    def run(self, root: View, bounds: Bounds) -> View:
        """Measure and place the whole tree inside `bounds`; returns `root`."""
        left, top, right, bottom = bounds
        self.measure(root, right - left, bottom - top)
        self.place(root, left, top, right - left, bottom - top, bounds)
        return root

    # measuring

    def measure(self, view: View, room_w: int, room_h: int) -> tuple[int, int]:
        """Size of a view that may use `room_w` x `room_h` pixels; kept in `view.measured`."""
        own_w = self._own(view.width, room_w)
        own_h = self._own(view.height, room_h)
        pad_w = pad_h = 0
        if view.padding != NO_PADDING:
            left, top, right, bottom = view.padding
            pad_w, pad_h = self.px(left + right), self.px(top + bottom)
        inner_w = (room_w if own_w is None else own_w) - pad_w
        inner_h = (room_h if own_h is None else own_h) - pad_h
        if view.kind == "leaf":
            natural = self._leaf(view, inner_w)
        elif view.kind == "stack":
            natural = self._stack(view, inner_w, inner_h)
        elif view.kind == "column":
            natural = self._column(view, inner_w, inner_h, own_h is not None)
        else:
            natural = self._row(view, inner_w, inner_h, own_w is not None)
        width = natural[0] + pad_w if own_w is None else own_w
        height = natural[1] + pad_h if own_h is None else own_h
        view.measured = (
            min(width, room_w) if own_w is None else width,
            min(height, room_h) if own_h is None else height,
        )
        return view.measured

    def _own(self, size: float, room: int) -> int | None:
        if size == WRAP:
            return None
        if size == FILL:
            return room if room < ENDLESS // 2 else None
        return self.px(size)

    def _leaf(self, view: View, inner_w: int) -> tuple[int, int]:
        if view.icon and not view.text:
            side = self.px(view.icon_size)
            return side, side
        shown = self.shown_text(view)
        if not shown and not view.editable:
            return 0, 0
        size = self.px(view.size)
        lines = fonts.break_lines(shown, size, view.bold, max(inner_w, 1), self._max_lines(view))
        view.lines = lines
        wide = max(fonts.width(line, size, view.bold) for line in lines)
        extra = self.px(view.icon_size + 8) if view.icon else 0
        return round(wide + 0.5) + extra, fonts.line_height(size) * len(lines)

    @staticmethod
    def _max_lines(view: View) -> int:
        return (0 if view.multiline else 1) if view.editable else view.max_lines

    @staticmethod
    def shown_text(view: View) -> str:
        """What is drawn: the text, dots for a password, the hint of an empty field."""
        if view.password and view.text:
            return "\u2022" * len(view.text)
        return view.text or (view.hint if view.editable else "")

    def _stack(self, view: View, inner_w: int, inner_h: int) -> tuple[int, int]:
        sizes = [self.measure(child, inner_w, inner_h) for child in view.children]
        return max((s[0] for s in sizes), default=0), max((s[1] for s in sizes), default=0)

    def _column(self, view: View, inner_w: int, inner_h: int, definite: bool) -> tuple[int, int]:
        if view.lazy is not None:
            return inner_w, self.px(view.lazy.extent) * view.lazy.count
        endless = view.scroll == "y"
        room = ENDLESS if endless else inner_h
        used = self.px(view.gap) * max(len(view.children) - 1, 0)
        wide = 0
        shares = 0.0
        for child in view.children:
            if child.weight and not endless and (definite or child.height == FILL):
                shares += child.weight
                continue
            w, h = self.measure(child, inner_w, max(room - used, 0))
            wide = max(wide, w)
            used += h
        if shares:
            left = max(inner_h - used, 0)
            for child in view.children:
                if child.weight:
                    share = int(left * child.weight / shares)
                    w, _ = self.measure(child, inner_w, share)
                    child.measured = (w, share)
                    wide = max(wide, w)
            used += left
        return wide, used

    def _row(self, view: View, inner_w: int, inner_h: int, definite: bool) -> tuple[int, int]:
        endless = view.scroll == "x"
        room = ENDLESS if endless else inner_w
        used = self.px(view.gap) * max(len(view.children) - 1, 0)
        tall = 0
        shares = 0.0
        for child in view.children:
            if child.weight and not endless:
                shares += child.weight
                continue
            w, h = self.measure(child, max(room - used, 0), inner_h)
            used += w
            tall = max(tall, h)
        if shares:
            left = max(inner_w - used, 0)
            for child in view.children:
                if child.weight:
                    share = int(left * child.weight / shares)
                    w, h = self.measure(child, share, inner_h)
                    child.measured = (share if definite or child.width == FILL else w, h)
                    tall = max(tall, h)
                    used += child.measured[0]
        return used, tall

    # placing

    def place(self, view: View, x: int, y: int, w: int, h: int, clip: Bounds) -> None:
        """Give a measured view its rectangle, and its children theirs."""
        view.put((x, y, x + w, y + h), clip)
        if view.editable:
            self._caret(view)
        if view.kind == "leaf":
            return
        if view.padding != NO_PADDING:
            left, top, right, bottom = view.padding
            x, y = x + self.px(left), y + self.px(top)
            w, h = w - self.px(left + right), h - self.px(top + bottom)
        inner = clip
        if view.scroll:
            box = view.bounds
            inner = (max(clip[0], box[0]), max(clip[1], box[1]), min(clip[2], box[2]), min(clip[3], box[3]))
        if view.kind == "stack":
            for child in view.children:
                self._place_in_stack(view, child, (x, y, w, h), inner)
        elif view.kind == "column":
            self._place_column(view, (x, y, w, h), inner)
        else:
            self._place_row(view, (x, y, w, h), inner)

    def _place_in_stack(self, view: View, child: View, box: Bounds, clip: Bounds) -> None:
        x, y, w, h = box
        cw, ch = min(child.measured[0], w), min(child.measured[1], h)
        self.place(child, x + _slack(w - cw, view.align), y + _slack(h - ch, view.justify), cw, ch, clip)

    def _place_column(self, view: View, box: Bounds, clip: Bounds) -> None:
        x, y, w, h = box
        if view.lazy is not None:
            self._place_lazy(view, box, clip)
            return
        gap = self.px(view.gap)
        total = sum(c.measured[1] for c in view.children) + gap * max(len(view.children) - 1, 0)
        y += -self._offset(view, total, h) if view.scroll else _slack(h - total, view.justify)
        for child in view.children:
            cw = w if child.width == FILL else child.measured[0]
            self.place(child, x + _slack(w - cw, view.align), y, cw, child.measured[1], clip)
            y += child.measured[1] + gap

    def _place_lazy(self, view: View, box: Bounds, clip: Bounds) -> None:
        x, y, w, h = box
        assert view.lazy is not None
        extent = self.extent(view)
        offset = self._offset(view, extent * view.lazy.count, h)
        first = offset // extent
        last = min(view.lazy.count, (offset + h - 1) // extent + 1) if h > 0 else first
        view.children = [view.lazy.build(i) for i in range(first, last)]
        for index, child in enumerate(view.children, first):
            self.measure(child, w, extent)
            self.place(child, x, y + index * extent - offset, w, extent, clip)

    def _place_row(self, view: View, box: Bounds, clip: Bounds) -> None:
        x, y, w, h = box
        gap = self.px(view.gap)
        total = sum(c.measured[0] for c in view.children) + gap * max(len(view.children) - 1, 0)
        x += -self._offset(view, total, w) if view.scroll else _slack(w - total, view.justify)
        for child in view.children:
            ch = h if child.height == FILL else min(child.measured[1], h)
            self.place(child, x, y + _slack(h - ch, view.align), child.measured[0], ch, clip)
            x += child.measured[0] + gap

    def _offset(self, view: View, content: int, room: int) -> int:
        view.scroll_max = max(content - room, 0)
        wanted = self.scrolls.get(view.key, view.scroll_max if view.start_at_end else 0)
        view.scroll_at = min(max(wanted, 0), view.scroll_max)
        if view.key in self.scrolls:
            self.scrolls[view.key] = view.scroll_at
        return view.scroll_at

    def _caret(self, view: View) -> None:
        """Focused field: remember the selection; a long single line shows the part around its end."""
        view.focused = bool(view.key) and view.key == self.focus
        if view.focused:
            start, end = self.selection
            view.caret = (min(start, len(view.text)), min(end, len(view.text)))


def _slack(room: int, where: str) -> int:
    if where == "center":
        return room // 2
    return room if where == "end" else 0


def spans(lines: tuple[str, ...], text: str) -> list[tuple[int, int]]:
    """Where each broken line of `text` begins and ends in it (spaces and newlines at breaks belong to none)."""
    found: list[tuple[int, int]] = []
    at = 0
    for line in lines:
        start = at
        if not text.startswith(line, at):
            start = text.find(line, at)
            start = at if start < 0 else start
        end = min(start + len(line), len(text))
        found.append((start, end))
        at = end + 1 if end < len(text) and text[end] in " \n" else end
    return found
