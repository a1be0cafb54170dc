"""AndroidWorld's three pages as our own little games: what is in them, what a tap changes, when they say `Success!`.

A page is known by its title and the ids in it; seed, size, colours and counts are read out of its script with patterns
and checked (never run). The generators and the rules are those of android_world@d9c569f
task_evals/single/browser.py: `seed = (1664525 seed + 1013904223) mod 2^32`, its share of 2^32 is the random number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from emulator.pocket.apps.chrome.html import Block, Document

SUCCESS = "Success!"
MODULUS = 2**32
WALL, WAY, GOAL = "#", " ", "$"
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
PRESSES = 5  # numbers of the memory task
LARGEST_MAZE, LARGEST_CANVAS = 12, 1_000
BLACK = "#000000"
Point = tuple[float, float]


@dataclass
class Lcg:
    """The pages' random numbers."""

    seed: int

    def below(self, count: int) -> int:
        """A whole number from 0 to count-1: floor(random * count)."""
        self.seed = (1664525 * self.seed + 1013904223) % MODULUS
        return self.seed * count // MODULUS


@dataclass
class Reading:
    """A page without anything to play: its text."""

    title: str = ""
    blocks: tuple[Block, ...] = ()


@dataclass
class Maze:
    """A grid of walls and ways; X goes from the first cell to the last."""

    title: str
    cells: list[str]
    row: int = 0
    col: int = 0
    done: bool = False

    def move(self, direction: str) -> None:
        """One of the four buttons: a step, if there is a way."""
        row, col = self.row + MOVES[direction][0], self.col + MOVES[direction][1]
        if not (0 <= row < len(self.cells) and 0 <= col < len(self.cells)) or self.cells[row][col] == WALL:
            return
        self.row, self.col = row, col
        self.done = self.done or self.cells[row][col] == GOAL


@dataclass
class Memory:
    """Five numbers one after the other, then a field for their product."""

    title: str
    random: Lcg
    numbers: list[int] = field(default_factory=list)
    asking: bool = False
    answer: str = ""
    result: str = ""

    def next(self) -> None:
        """`Click Me`: another number, after the last the form."""
        if len(self.numbers) < PRESSES:
            self.numbers.append(self.random.below(10) + 1)
        else:
            self.asking = True

    def submit(self) -> None:
        """The form: JavaScript's parseInt of the answer against the product."""
        digits = re.match(r"\s*([-+]?\d{1,30})", self.answer, re.ASCII)
        right = digits is not None and int(digits[1]) == math.prod(self.numbers)
        self.result = SUCCESS if right else ""


@dataclass
class Drawing:
    """A canvas, a palette, and the colours that must be on the canvas. Points are CSS pixels of the canvas."""

    title: str
    wanted: list[str]
    palette: list[str]
    width: int
    height: int
    color: str = BLACK
    strokes: list[tuple[tuple[Point, ...], str]] = field(default_factory=list)
    result: str = ""

    def draw(self, points: Sequence[Point]) -> None:
        """A finger that moved; a finger that only touched draws nothing."""
        if len(points) > 1:
            self.strokes.append((tuple(points), self.color))

    def clear(self) -> None:
        """The button: an empty canvas, the colour stays."""
        self.strokes = []

    def submit(self) -> None:
        """`Success!` if each wanted colour is seen on some pixel."""
        self.result = SUCCESS if set(self.wanted) <= self.seen() else ""

    def seen(self) -> set[str]:
        """Colours of the canvas: lines one pixel wide, later ones over earlier ones."""
        pixels: dict[tuple[int, int], str] = {}
        for points, color in self.strokes:
            for (x1, y1), (x2, y2) in pairwise(points):
                steps = max(math.ceil(max(abs(x2 - x1), abs(y2 - y1))), 1)
                for i in range(steps + 1):
                    x, y = math.floor(x1 + (x2 - x1) * i / steps), math.floor(y1 + (y2 - y1) * i / steps)
                    if 0 <= x < self.width and 0 <= y < self.height:
                        pixels[x, y] = color
        return set(pixels.values())


Page = Reading | Maze | Memory | Drawing


def page_of(document: Document) -> Page:
    """The game in a document, else its text."""
    if document.title == "Maze Puzzle" and "maze" in document.ids:
        made: Page | None = _maze(document)
    elif document.title == "Memory Task" and {"number", "button", "answer"} <= document.ids:
        made = _memory(document)
    elif document.title == "Color Challenge" and {"canvas", "taskColors", "colorPalette"} <= document.ids:
        made = _drawing(document)
    else:
        made = None
    return made or Reading(document.title, document.blocks)


def _number(pattern: str, script: str, largest: int) -> int | None:
    """The only group of a pattern as a whole number from 0 to `largest`; None if it is absent or larger."""
    found = re.search(pattern, script, re.ASCII)
    return int(found[1]) if found is not None and int(found[1]) <= largest else None


def _seed(document: Document) -> int | None:
    return _number(r"new\s+SeededRNG\(\s*(\d{1,10})\s*\)", document.script, MODULUS - 1)


def _maze(document: Document) -> Maze | None:
    seed = _seed(document)
    size = _number(r"const\s+mazeSize\s*=\s*(\d{1,2})\s*;", document.script, LARGEST_MAZE)
    return None if seed is None or not size else Maze(document.title, maze_cells(Lcg(seed), size))


def maze_cells(random: Lcg, size: int) -> list[str]:
    """Rows of a maze: ways are opened from the first cell on, depth first, until the last one is reached.

    The four directions are shuffled anew at every cell, from the order the last cell left them in.
    """
    cells = [[WALL] * size for _ in range(size)]
    waiting, directions = [(0, 0)], list(MOVES.values())
    while waiting:
        row, col = waiting.pop()
        cells[row][col] = WAY
        if row == col == size - 1:
            break
        for i in range(3, 0, -1):
            j = random.below(i + 1)
            directions[i], directions[j] = directions[j], directions[i]
        beside = [(row + down, col + right) for down, right in directions]
        waiting += [(r, c) for r, c in beside if 0 <= r < size and 0 <= c < size and cells[r][c] == WALL]
    cells[0][0], cells[-1][-1] = WAY, GOAL
    return ["".join(line) for line in cells]


def _memory(document: Document) -> Memory | None:
    seed = _seed(document)
    if seed is None:
        return None
    made = Memory(document.title, Lcg(seed))
    made.next()
    return made


def _drawing(document: Document) -> Drawing | None:
    seed = _seed(document)
    listed = re.search(r"availableColors\s*=\s*\[([^\]]{1,2000})\]", document.script)
    count = _number(r"generateRandomColors\(\s*(\d{1,2})\s*\)", document.script, 24)
    width, height = document.sizes.get("canvas", (0, 0))
    if (
        seed is None
        or listed is None
        or not count
        or not 0 < width <= LARGEST_CANVAS
        or not 0 < height <= LARGEST_CANVAS
    ):
        return None
    palette = re.findall(r"#[0-9a-f]{6}", listed[1])
    random, left = Lcg(seed), list(palette)
    wanted = [left.pop(random.below(len(left))) for _ in range(min(count, len(palette)))]
    return Drawing(document.title, wanted, palette, width, height)
