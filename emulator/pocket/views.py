"""The view tree: one tree a window feeds the picture, the XML, the accessibility forest and the hit test.

A `View` is made new from an app's state at every change, so it may carry its handlers as plain callables:
nothing of a view is ever kept in a snapshot. Lengths are in dp; `bounds` and `clip`, set by the layout, are
pixels (left, top, right, bottom). Colours are roles of the theme (`primary`) or (r, g, b). `anchor` says where
the view goes if it is the root of a dialog or menu.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Color = str | tuple[int, int, int]
Bounds = tuple[int, int, int, int]
Point = tuple[int, int]
Action = Callable[[], object]

FILL = -1.0
WRAP = -2.0
NO_BOUNDS: Bounds = (0, 0, 0, 0)


@dataclass(slots=True)
class Lazy:
    """Rows of one height built only where they can be seen: `build(i)` for i in 0..count-1, `extent` dp each."""

    count: int
    extent: float
    build: Callable[[int], View]


@dataclass(slots=True, frozen=True)
class Picture:
    """A bitmap to show: RGB bytes, rows top down. `key` names the content (equal key = equal pixels)."""

    key: str
    width: int = field(compare=False)
    height: int = field(compare=False)
    rgb: bytes = field(compare=False, repr=False)


@dataclass(slots=True, eq=False)
class View:
    """One node. Only what a screen sets differs from the defaults; see widgets.py for ready ones."""

    cls: str = "android.view.View"
    text: str = ""
    desc: str = ""
    hint: str = ""
    id: str = ""
    key: str = ""
    children: list[View] = field(default_factory=list)
    # layout
    kind: Literal["leaf", "column", "row", "stack"] = "leaf"
    width: float = WRAP
    height: float = WRAP
    weight: float = 0.0
    padding: tuple[float, float, float, float] = (0, 0, 0, 0)
    gap: float = 0.0
    align: Literal["start", "center", "end"] = "start"
    justify: Literal["start", "center", "end"] = "start"
    scroll: Literal["", "x", "y"] = ""
    start_at_end: bool = False
    lazy: Lazy | None = None
    # look
    background: Color | None = None
    radius: float = 0.0
    border: Color | None = None
    size: float = 16.0
    bold: int = 0
    color: Color = "text"
    max_lines: int = 0
    text_align: Literal["start", "center", "end"] = "start"
    icon: str = ""
    icon_size: float = 24.0
    picture: Picture | None = None
    paint: str = ""
    value: float = 0.0
    strokes: Sequence[tuple[Sequence[tuple[float, float]], Color, float]] = ()
    # state shown to accessibility
    checkable: bool = False
    checked: bool = False
    enabled: bool = True
    selected: bool = False
    password: bool = False
    editable: bool = False
    multiline: bool = False
    numeric: bool = False
    focused: bool = False
    anchor: Literal["center", "bottom", "top_end", "top", "start"] = "center"
    # handlers
    on_tap: Action | None = None
    on_long: Action | None = None
    on_text: Callable[[str], object] | None = None
    on_submit: Action | None = None
    on_slide: Callable[[float], object] | None = None
    on_stroke: Callable[[list[tuple[float, float]]], object] | None = None
    on_swipe: Callable[[str], object] | None = None
    # set by the layout
    measured: Point = (0, 0)
    bounds: Bounds = NO_BOUNDS
    clip: Bounds = NO_BOUNDS
    visible_bounds: Bounds = NO_BOUNDS  # `bounds` inside `clip`; right <= left or bottom <= top if out of sight
    visible: bool = False  # some pixel of it can be seen
    lines: tuple[str, ...] = ()
    scroll_at: int = 0
    scroll_max: int = 0
    caret: tuple[int, int] | None = None

    @property
    def clickable(self) -> bool:
        """True if a tap on it does something."""
        return self.on_tap is not None or self.editable or self.on_slide is not None

    @property
    def long_clickable(self) -> bool:
        """True if holding a finger on it does something."""
        return self.on_long is not None or self.editable

    @property
    def scrollable(self) -> bool:
        """True if its content is larger than itself."""
        return self.scroll_max > 0

    @property
    def focusable(self) -> bool:
        """Android makes what can be clicked, edited or scrolled focusable."""
        return self.clickable or bool(self.scroll)

    def put(self, bounds: Bounds, clip: Bounds) -> None:
        """Give it its place, and the part of the display it can be seen in."""
        self.bounds, self.clip = bounds, clip
        left, top, right, bottom = bounds
        cl, ct, cr, cb = clip
        if left >= cl and top >= ct and right <= cr and bottom <= cb:
            self.visible_bounds = bounds
        else:
            self.visible_bounds = left, top, right, bottom = (
                left if left > cl else cl, top if top > ct else ct,
                right if right < cr else cr, bottom if bottom < cb else cb,
            )  # fmt: skip
        self.visible = right > left and bottom > top

    @property
    def center(self) -> Point:
        """Middle of the visible part, pixels."""
        left, top, right, bottom = self.visible_bounds
        return (left + right) // 2, (top + bottom) // 2

    def walk(self) -> Iterator[View]:
        """This view and everything below, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(slots=True, eq=False)
class Window:
    """One window on the display. `kind` is the accessibility window type.

    `scrolls` is where scroll positions in it are kept; `on_outside` what a touch beside it does (a window with
    it lets nothing through to the windows below), `look` a number that windows of a phone that look the same share.
    """

    kind: Literal["application", "input_method", "system"]
    title: str
    package: str
    root: View
    bounds: Bounds
    scrolls: dict[str, int] = field(default_factory=dict)
    active: bool = False
    secure: bool = False
    on_outside: Action | None = None
    look: int = 0

    def views(self) -> Iterator[View]:
        """All views of the window."""
        return self.root.walk()


def inside(bounds: Bounds, x: int, y: int) -> bool:
    """True if the pixel lies in the rectangle (right and bottom are outside)."""
    return bounds[0] <= x < bounds[2] and bounds[1] <= y < bounds[3]


def path_to(root: View, x: int, y: int) -> list[View]:
    """Views under a point from the root to the innermost, the later sibling (drawn on top) first."""
    path: list[View] = []
    node: View | None = root if inside(root.visible_bounds, x, y) else None
    while node is not None:
        path.append(node)
        node = next((c for c in reversed(node.children) if inside(c.visible_bounds, x, y)), None)
    return path


def hit(root: View, x: int, y: int, accepts: Callable[[View], bool]) -> View | None:
    """The innermost view under a point that `accepts`; searches all branches under the point, top ones first."""
    if not inside(root.visible_bounds, x, y):
        return None
    for child in reversed(root.children):
        found = hit(child, x, y, accepts)
        if found is not None:
            return found
    return root if accepts(root) else None
