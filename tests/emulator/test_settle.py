"""Looking until the screen stands still."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from emulator.device import Foreground, Screenshot, Size, Tree
from emulator.device_errors import NoFreshTree, ScreenshotFailed
from emulator.pocket.phone import Phone
from emulator.pocket_device import PocketDevice
from emulator.settle import settle
from emulator.ui_tree import parse

NODE = '<hierarchy><node text="{}" package="com.a" bounds="[0,0][1,1]"/></hierarchy>'


class Moving:
    """A phone whose picture and tree follow scripts: one value a look."""

    serial = "moving"

    def __init__(self, pictures: Any, texts: Any) -> None:
        self.pictures, self.texts = iter(pictures), iter(texts)

    def screenshot(self) -> Screenshot:
        return Screenshot(f"png {next(self.pictures):>9}".encode(), Size(1, 1))

    def ui_tree(self) -> Tree:
        text = next(self.texts)
        if text is None:
            raise NoFreshTree("no idle state")
        xml = NODE.format(text)
        return Tree(tuple(parse(xml)), "com.a", "pocket", xml)

    def foreground(self) -> Foreground:
        return Foreground("com.a", "com.a.Main")


@pytest.fixture(autouse=True)
def compare_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts' pictures are no PNGs: different files are different pictures."""
    import numpy as np

    monkeypatch.setattr(Screenshot, "pixels", lambda self: np.frombuffer(self.png, np.uint8))


@pytest.mark.parametrize(
    ("pictures", "texts", "looks"),
    [
        ("aa", "xx", 2),
        ("abb", "xxx", 3),  # an animation the tree does not show
        ("aaa", "xyy", 3),  # a tree that comes late
        ("abcdd", "xyzzz", 5),
    ],
)
def test_two_equal_looks(pictures: str, texts: str, looks: int) -> None:
    seen = settle(Moving(pictures, texts), interval_s=0.0)  # type: ignore[arg-type]
    assert seen.settled and seen.looks == looks and seen.tree_error == ""
    assert seen.screenshot.png == f"png {pictures[-1]:>9}".encode()
    assert seen.foreground == Foreground("com.a", "com.a.Main")


def test_what_never_stands_still_is_told() -> None:
    seen = settle(Moving(itertools.count(), itertools.repeat("x")), cap_s=0.2, interval_s=0.01)  # type: ignore[arg-type]
    assert not seen.settled and seen.seconds >= 0.2 and seen.looks > 2 and seen.tree is not None


def test_no_tree_is_noted_and_pixels_decide() -> None:
    seen = settle(Moving("abb", [None, None, None]), interval_s=0.0)  # type: ignore[arg-type]
    assert seen.settled and seen.tree is None and seen.tree_error == "no idle state" and seen.looks == 3


def test_a_tree_that_appears_is_a_change() -> None:
    seen = settle(Moving("aaaa", [None, "x", "x"]), interval_s=0.0)  # type: ignore[arg-type]
    assert seen.settled and seen.looks == 3 and seen.tree is not None


def test_without_trees() -> None:
    seen = settle(Moving("abb", []), with_tree=False, interval_s=0.0)  # type: ignore[arg-type]
    assert seen.settled and seen.looks == 3 and seen.tree is None and seen.tree_error == ""


def test_no_picture_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    device = PocketDevice(Phone(seed=1, size=(540, 1200)))

    def fails(self: Any) -> Screenshot:
        raise ScreenshotFailed("no picture")

    monkeypatch.setattr(PocketDevice, "screenshot", fails)
    with pytest.raises(ScreenshotFailed):
        settle(device)


def test_on_a_phone(plug: Callable[..., Any]) -> None:
    for device in (plug(), PocketDevice(Phone(seed=1, size=(540, 1200)))):
        device.open_app("Settings")
        seen = settle(device)
        assert seen.settled and seen.looks == 2 and seen.tree is not None
        assert seen.foreground is not None and seen.foreground.package == seen.tree.package == "com.android.settings"
