"""PNG, partial drawing against drawing at once, layout, text breaking."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest
from PIL import Image

from emulator.pocket import display_list, fonts, png
from emulator.pocket.layout import Layout, spans
from emulator.pocket.phone import Phone
from emulator.pocket.render import Renderer
from emulator.pocket.views import FILL, View, hit
from emulator.pocket.widgets import button, column, lazy_list, row, scroll, spacer, stack, text

BOX = (0, 0, 400, 800)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (png.BLOCK, 5), (png.BLOCK + 1, 7), (3 * png.BLOCK - 1, 33)])
@pytest.mark.parametrize("kind", ["noise", "plain", "half"])
def test_png_reads_back_the_same_pixels(shape: tuple[int, int], kind: str) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (*shape, 4), dtype=np.uint8)
    if kind == "plain":
        pixels[:] = (1, 2, 3, 255)
    elif kind == "half":
        pixels[shape[0] // 2 :] = 9
    file = png.encode(pixels)
    assert (np.asarray(Image.open(io.BytesIO(file)).convert("RGBA")) == pixels).all()
    assert png.encode(pixels.copy()) == file


@pytest.mark.parametrize("pixels", [np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2, 4)), np.zeros((2, 2), np.uint8)])
def test_png_wants_rgba_bytes(pixels: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"expected \(height, width, 4\) uint8"):
        png.encode(pixels)


def operation(rng: random.Random) -> display_list.Op:
    """A rectangle, a disc, a word or an icon somewhere, cut somewhere."""
    x, y, side = rng.randrange(-20, 100), rng.randrange(-20, 140), rng.randrange(1, 60)
    bounds = (x, y, x + side, y + rng.choice((side, 2)))
    clip = rng.choice(((0, 0, 100, 140), (10, 20, 70, 90)))
    color = tuple(rng.randrange(256) for _ in range(3))
    kind = rng.randrange(4)
    if kind == 0:
        return (display_list.RECT, bounds, clip, color, None, None)
    if kind == 1:
        radius = min(bounds[2] - bounds[0], bounds[3] - bounds[1]) // 2
        return (display_list.ROUND, bounds, clip, color, rng.randrange(radius + 1), None)
    if kind == 2:
        size = 14
        where = (x + 2, y + 2 + fonts.ascent(size))
        return (display_list.TEXT, (x, y, x + 60, y + 24), clip, ("Word", size, 0), color, where)
    return (display_list.ICON, (x, y, x + side, y + side), clip, "star", color, None)


def test_what_changed_drawn_anew_equals_everything_drawn() -> None:
    """Operations come, go, change places, over 300 pictures."""
    rng = random.Random(2)
    ground: display_list.Op = (display_list.RECT, (0, 0, 100, 140), (0, 0, 100, 140), (9, 9, 9), None, None)
    partly = Renderer(100, 140)
    ops = [operation(rng) for _ in range(12)]
    for _ in range(300):
        what = rng.randrange(4)
        if what == 0:
            ops.insert(rng.randrange(len(ops) + 1), operation(rng))
        elif what == 1 and ops:
            del ops[rng.randrange(len(ops))]
        elif what == 2:
            a, b = rng.randrange(len(ops) or 1), rng.randrange(len(ops) or 1)
            if ops:
                ops[a], ops[b] = ops[b], ops[a]
        elif ops:
            ops.append(rng.choice(ops))
        layers = [[ground, *ops[:6]], list(ops[6:])]
        partly.draw(layers)
        whole = Renderer(100, 140)
        whole.draw(layers)
        assert (partly.surface == whole.surface).all()


def test_nothing_new_is_not_drawn() -> None:
    renderer = Renderer(100, 140)
    ops = [operation(random.Random(1)) for _ in range(5)]
    assert renderer.draw([ops])
    assert not renderer.draw([list(ops)])
    renderer.forget()
    assert renderer.draw([ops])


def test_weights_share_what_is_left() -> None:
    tree = column(
        spacer(height=100), View(weight=1, width=FILL), View(weight=3, width=FILL), spacer(height=20), height=FILL
    )
    Layout(1.0).run(tree, BOX)
    assert [c.bounds[3] - c.bounds[1] for c in tree.children] == [100, 170, 510, 20]


def test_centre_end_and_gap() -> None:
    inner = row(spacer(width=40, height=10), spacer(width=60, height=30), gap=10, align="end", width=-2.0)
    tree = stack(inner, height=FILL, align="center", justify="end")
    Layout(2.0).run(tree, BOX)
    assert inner.bounds == (90, 740, 310, 800)
    assert inner.children[0].bounds == (90, 780, 170, 800)


def test_a_list_builds_only_what_can_be_seen_and_keeps_the_position_in_range() -> None:
    built: list[int] = []

    def item(i: int) -> View:
        built.append(i)
        return text(str(i))

    scrolls = {"list": 10**6}
    tree = column(lazy_list(100, 50, item), height=FILL)
    Layout(1.0, scrolls).run(tree, BOX)
    assert scrolls == {"list": 100 * 50 - 800}
    assert built == list(range(84, 100))
    assert tree.children[0].children[-1].bounds == (0, 750, 400, 800)


def test_out_of_sight_can_be_neither_seen_nor_hit() -> None:
    rows = [button(f"B{i}", lambda: None) for i in range(40)]
    tree = column(scroll(*rows), height=FILL)
    Layout(1.0, {"scroll": 30}).run(tree, (0, 100, 400, 300))
    assert not rows[30].visible
    assert rows[0].visible_bounds[1] == 100
    assert hit(tree, 10, 105, lambda v: v.clickable) is rows[0]
    assert hit(tree, 10, 301, lambda v: v.clickable) is None


def test_text_is_broken_at_blanks_then_in_words_and_shortened() -> None:
    lines = fonts.break_lines("one two " + "x" * 60, 20, 0, 120)
    assert lines[0] == "one two"
    assert all(fonts.width(line, 20) <= 120 for line in lines)
    assert "".join(lines[1:]) == "x" * 60
    (short,) = fonts.break_lines("a long line that does not fit", 20, 0, 120, 1)
    assert short.endswith(fonts.ELLIPSIS)
    assert fonts.width(short, 20) <= 120
    assert spans(("one two", "three"), "one two three") == [(0, 7), (8, 13)]


def test_the_windows_that_stay_keep_their_look() -> None:
    phone = Phone(size=(540, 1200), strict=True)
    phone.launch("com.android.settings")
    before = {w.title: w.look for w in phone.frame().reported}
    phone.tap_on("Battery")
    after = {w.title: w.look for w in phone.frame().reported}
    assert after["Navigation bar"] == before["Navigation bar"]
    assert after["Settings"] != before["Settings"]


@pytest.mark.parametrize(("size", "message"), [((100, 400), "each side"), ((1080, 9000), "120 to 8192")])
def test_sizes_no_phone_has_are_refused(size: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Phone(size=size)
