"""How the pages look: our views for AndroidWorld's three games and for the text of any other page.

Sizes are the pages' own CSS pixels. A page without a viewport is laid out 980 pixels wide and shown as wide as the
display, as Chrome on Android does; so the maze and the memory task are small on a phone held upright. What a real page
paints without words (cells, colours) is painted here too and is no node of the hierarchy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from emulator.pocket.apps.chrome.html import HEADINGS, Block
from emulator.pocket.apps.chrome.pages import BLACK, GOAL, MOVES, SUCCESS, WALL, Drawing, Maze, Memory, Page, Reading
from emulator.pocket.fonts import Cache
from emulator.pocket.theme import Rgb
from emulator.pocket.views import FILL, WRAP, Action, Picture, View
from emulator.pocket.widgets import BUTTON, column, divider, row, stack, text, text_field

WIDE = 980.0  # CSS pixels of a page that names no viewport
INK: Rgb = (0, 0, 0)
PAPER: Rgb = (255, 255, 255)
GREEN: Rgb = (0, 128, 0)
BUTTON_FACE: Rgb = (239, 239, 239)
BUTTON_EDGE: Rgb = (118, 118, 118)
LINK: Rgb = (26, 13, 171)
CELL = 112.0
SWATCH = 60.0
Box = tuple[float, float, float, float, Rgb]
_PAINTED: Cache[tuple[object, ...], Picture] = Cache(64)


def rgb(name: str) -> Rgb:
    """The colour of `#rrggbb`."""
    return int(name[1:3], 16), int(name[3:5], 16), int(name[5:7], 16)


def painted(width: int, height: int, boxes: Sequence[Box]) -> Picture:
    """A picture of rectangles (left, top, right, bottom, colour) on white, in pixels."""
    key = (width, height, *boxes)
    if key in _PAINTED:
        return _PAINTED[key]
    rows = [bytearray(bytes(PAPER) * width) for _ in range(height)]
    for left, top, right, bottom, color in boxes:
        a, b = max(round(left), 0), min(round(right), width)
        for y in range(max(round(top), 0), min(round(bottom), height)):
            rows[y][a * 3 : b * 3] = bytes(color) * max(b - a, 0)
    return _PAINTED.keep(key, Picture(repr(key), width, height, b"".join(rows)))


def _text(value: str, size: float, id: str = "", bold: int = 0, width: float = WRAP, lines: int = 0) -> View:
    return text(value, size=size, color=INK, id=id, bold=bold, width=width, lines=lines)


def _button(label: str, action: Action, size: float, pad: tuple[float, float], id: str = "") -> View:
    """A button as browsers draw it. `pad` CSS pixels (across, along), already scaled."""
    return View(BUTTON, text=label, on_tap=action, size=size, color=INK, background=BUTTON_FACE, border=BUTTON_EDGE,
                radius=3, padding=(pad[0] + 1, pad[1] + 1, pad[0] + 1, pad[1] + 1), text_align="center", max_lines=1,
                id=id)  # fmt: skip


class Show:
    """Makes the views. `width`: dp of the display; `scale`: its pixels a dp; `visit`: what a link does."""

    def __init__(self, width: float, scale: float, visit: Callable[[str], object]) -> None:
        self.width, self.scale, self.visit = width, scale, visit
        self.zoom = width / WIDE

    def page(self, page: Page) -> list[View]:
        """The views of a page, below each other."""
        if isinstance(page, Maze):
            return [self._maze(page)]
        if isinstance(page, Memory):
            return [self._memory(page)]
        if isinstance(page, Drawing):
            return [self._drawing(page)]
        return [self._reading(page)]

    # the maze

    def _maze(self, page: Maze) -> View:
        zoom = self.zoom
        if page.done:
            return column(_text(SUCCESS, 32 * zoom, bold=2), padding=(8 * zoom, 21 * zoom, 0, 0))
        pad = (28 * zoom, 15 * zoom)
        buttons = [_button(d.capitalize(), partial(page.move, d), 30 * zoom, pad) for d in MOVES]
        controls = row(*buttons, gap=12 * zoom, padding=(0, 10 * zoom, 0, 0), width=WRAP)
        return column(self._board(page), controls, padding=(8 * zoom, 8 * zoom, 8 * zoom, 8 * zoom))

    def _board(self, page: Maze) -> View:
        cell = CELL * self.zoom
        side = cell * len(page.cells)
        unit = cell * self.scale
        line = max(self.zoom * self.scale, 1.0)
        boxes: list[Box] = []
        for r, cells in enumerate(page.cells):
            for c, kind in enumerate(cells):
                at = (c * unit, r * unit, (c + 1) * unit, (r + 1) * unit)
                here = (r, c) == (page.row, page.col)
                color = INK if kind == WALL else GREEN if kind == GOAL and not here else PAPER
                boxes += [(*at, INK), (at[0] + line, at[1] + line, at[2] - line, at[3] - line, color)]
        pixels = round(side * self.scale)
        board = View(picture=painted(pixels, pixels, boxes), width=side, height=side)
        mark = text("X", size=56 * self.zoom, color=INK, width=cell, height=cell, align="center")
        place = column(mark, padding=(page.col * cell, page.row * cell, 0, 0), width=WRAP)
        return stack(board, place, width=side, height=side, id="maze")

    # the numbers

    def _memory(self, page: Memory) -> View:
        zoom = self.zoom
        if page.asking:
            return column(self._form(page), _text(page.result, 24 * zoom, id="result", bold=2), align="center",
                          gap=20 * zoom, padding=(8, 70 * zoom, 8, 8))  # fmt: skip
        press = _button("Click Me", page.next, 24 * zoom, (20 * zoom, 10 * zoom), "button")
        return column(_text(str(page.numbers[-1]), 48 * zoom, id="number"), press, align="center", gap=20 * zoom,
                      padding=(8, 58 * zoom, 8, 8))  # fmt: skip

    def _form(self, page: Memory) -> View:
        zoom = self.zoom
        answer = text_field("answer", page.answer, partial(setattr, page, "answer"), hint="Enter the product",
                            size=18 * zoom, numeric=True, framed=False, width=240 * zoom, id="answer")  # fmt: skip
        answer.color, answer.background, answer.border, answer.radius = INK, PAPER, BUTTON_EDGE, 1
        answer.padding = (6 * zoom, 6 * zoom, 6 * zoom, 6 * zoom)
        return row(answer, _button("Submit", page.submit, 18 * zoom, (10 * zoom, 5 * zoom)), gap=6 * zoom, width=WRAP,
                   id="form")  # fmt: skip

    # the colours

    def _drawing(self, page: Drawing) -> View:
        side = SWATCH * self.scale
        boxes: list[Box] = [
            (i * side + 5 * self.scale, 5 * self.scale, (i + 1) * side - 5 * self.scale, 55 * self.scale, rgb(name))
            for i, name in enumerate(page.wanted)
        ]
        shown = painted(round(side * len(page.wanted)), round(side), boxes)
        colors = View(picture=shown, width=SWATCH * len(page.wanted), height=SWATCH, id="taskColors")
        return column(
            colors, self._canvas(page), _text("Available Colors:", 14), self._palette(page),
            row(_button("Clear", page.clear, 14, (10, 5), "clearButton"),
                _button("Submit", page.submit, 14, (10, 5), "submitButton"), gap=14, width=WRAP),
            _text(page.result, 14, id="result"), gap=14, align="center", padding=(8, 8, 8, 16),
        )  # fmt: skip

    @staticmethod
    def _canvas(page: Drawing) -> View:
        lines = [(points, rgb(color), 1.0) for points, color in page.strokes]
        canvas = View(width=page.width, height=page.height, strokes=lines, background=PAPER, on_stroke=page.draw,
                      id="canvas")  # fmt: skip
        return stack(canvas, width=page.width + 2, height=page.height + 2, padding=(1, 1, 1, 1), background=BLACK_EDGE,
                     id="canvasContainer")  # fmt: skip

    @staticmethod
    def _palette(page: Drawing) -> View:
        def swatch(name: str) -> View:
            return View(BUTTON, width=30, height=30, background=rgb(name), on_tap=partial(setattr, page, "color", name))

        lines = [page.palette[i : i + 8] for i in range(0, len(page.palette), 8)]
        rows = [row(*map(swatch, names), gap=6, width=WRAP, padding=(3, 3, 3, 3)) for names in lines]
        return column(*rows, width=WRAP, align="center", id="colorPalette")

    # any other page

    def _reading(self, page: Reading) -> View:
        return column(*[self._block(block) for block in page.blocks], gap=12, padding=(8, 12, 8, 24))

    def _block(self, block: Block) -> View:
        if block.kind == "hr":
            return divider()
        if block.kind == "button":
            return _button(block.text, _nothing, 13.3, (6, 2))
        if block.kind == "a":
            link = _text(block.text, 16, width=FILL)
            link.color = LINK
            link.on_tap = partial(self.visit, block.target) if block.target else None
            return link
        mark = "\u2022  " if block.kind == "li" else ""
        heading = block.kind in HEADINGS
        return _text(mark + block.text, HEADINGS.get(block.kind, 16.0), bold=2 if heading else 0, width=FILL)


BLACK_EDGE: Rgb = rgb(BLACK)


def _nothing() -> None:
    """A button of a page whose scripts are not run."""
