"""Solutions of AndroidWorld's browser tasks: the page is read from the words and the picture of the screen."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emulator.pocket.experts.driver import Driver, NotOnScreen, Script
from emulator.ui_tree import Element

FILES = "com.google.android.documentsui"
LARGEST = 12  # cells of a maze
WHITE, DARK = 235, 60
STEPS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}
Pixels = NDArray[np.uint8]


def open_page(driver: Driver) -> None:
    """task.html out of Downloads, opened with Chrome; its first run, if it comes."""
    driver.open_app(FILES)
    driver.tap_description("Show roots")
    driver.tap_text("Downloads")
    driver.tap_element(driver.scroll_to("task.html"))
    if driver.sees("Open with"):
        driver.tap_text("Chrome")
        driver.tap_text("Just once")
    for label in ("Accept & continue", "No thanks", "No thanks"):
        if driver.sees(label):
            driver.tap(label)


def pixels(driver: Driver) -> Pixels:
    """The screen as (height, width, 3)."""
    from PIL import Image

    with Image.open(BytesIO(driver.screenshot())) as opened:
        return np.asarray(opened.convert("RGB"))


# the maze


def solve_maze(driver: Driver, params: Mapping[str, Any]) -> None:
    """The shortest way from X to the green cell, one button a step."""
    open_page(driver)
    for name in way_through(pixels(driver), driver.get(text="X")):
        driver.tap_text(name)


def way_through(picture: Pixels, mark: Element) -> list[str]:
    """Buttons from the cell of X, which is the first one, to the green cell. NotOnScreen without such a way."""
    left, top, right, bottom = mark.bounds
    wide, high = right - left, bottom - top

    def kind(row: int, col: int) -> str:
        x, y = round(left + (col + 0.5) * wide), round(top + (row + 0.5) * high)
        if (row, col) == (0, 0):
            return "way"
        if not (0 <= row < LARGEST and 0 <= col < LARGEST) or y >= picture.shape[0] or x >= picture.shape[1]:
            return "wall"
        red, green, blue = (int(c) for c in picture[y, x])
        if green - max(red, blue) > DARK:
            return "goal"
        return "way" if min(red, green, blue) > WHITE and _framed(picture, x, y, wide) else "wall"

    waiting: deque[tuple[tuple[int, int], list[str]]] = deque([((0, 0), [])])
    seen = {(0, 0)}
    while waiting:
        (row, col), path = waiting.popleft()
        if kind(row, col) == "goal":
            return path
        for name, (down, across) in STEPS.items():
            cell = (row + down, col + across)
            if cell not in seen and kind(*cell) != "wall":
                seen.add(cell)
                waiting.append((cell, [*path, name]))
    raise NotOnScreen("no way from X to a green cell in the picture")


def _framed(picture: Pixels, x: int, y: int, wide: int) -> bool:
    """A cell has a dark line at its left and right; the white of the page has none."""
    half = wide // 2 + 2
    sides = (picture[y, max(x - half, 0) : x], picture[y, x : x + half])
    return all(side.size and int(side.max(axis=1).min()) < WHITE - DARK for side in sides)


# the numbers


def multiply(driver: Driver, params: Mapping[str, Any]) -> None:
    """Read, click, read; then the product."""
    open_page(driver)
    numbers = []
    while driver.sees("Click Me"):
        numbers.append(int(driver.get(id="number").text))
        driver.tap_text("Click Me")
    driver.type_into("Enter the product", str(math.prod(numbers)))
    driver.hide_keyboard()
    driver.tap_text("Submit")


# the colours


def draw(driver: Driver, params: Mapping[str, Any]) -> None:
    """For each colour above the canvas: its button below, a line."""
    open_page(driver)
    picture = pixels(driver)
    canvas = driver.get(id="canvas")
    left, top, right, bottom = canvas.bounds
    below = [e for e in driver.find_all(cls="Button") if not e.label and e.center[1] > bottom]
    for number, color in enumerate(colors_above(picture, canvas), 1):
        driver.tap_element(min(below, key=lambda e: _distance(picture[e.center[1], e.center[0]], color)))
        y = top + (bottom - top) * number // 5
        driver.swipe(left + (right - left) // 5, y, right - (right - left) // 5, y)
    driver.tap_element(driver.scroll_to("Submit"))


def colors_above(picture: Pixels, canvas: Element) -> list[tuple[int, int, int]]:
    """The colours of the squares over the canvas, left to right: broad runs in the row through their middle."""
    left, top, right, _ = canvas.bounds
    row = picture[top - round((right - left) * 0.1), left:right]
    edges = [0, *(np.flatnonzero((row[1:] != row[:-1]).any(axis=1)) + 1), len(row)]
    found = []
    for start, end in pairwise(edges):
        color = (int(row[start][0]), int(row[start][1]), int(row[start][2]))
        if end - start > (right - left) * 0.1 and color != (255, 255, 255):
            found.append(color)
    return found


def _distance(one: NDArray[np.uint8], other: tuple[int, int, int]) -> int:
    return sum(abs(int(a) - b) for a, b in zip(one, other, strict=True))


TASKS: dict[str, Script] = {"BrowserMaze": solve_maze, "BrowserMultiply": multiply, "BrowserDraw": draw}
