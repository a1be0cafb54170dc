"""Solutions of AndroidWorld's Simple Gallery Pro task, and reading a picture in the Gallery for tasks of other apps.

The words of a picture stand in its pixels only: `read_picture` opens it, takes its size from "Properties" and reads the
screenshot (picture_text.py). It needs a device with screenshots; a person would read the same pixels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from emulator.pocket.experts.driver import Driver, NotOnScreen, Script
from emulator.ui_tree import Element

GALLERY = "com.simplemobiletools.gallery.pro"
PICTURE = "gestures_view"
RESOLUTION = re.compile(r"(\d+) x (\d+) ")


def _folder(driver: Driver, name: str) -> None:
    """The pictures of a folder, their names shown."""
    driver.open_app(GALLERY)
    while driver.sees("Back") or driver.find(id=PICTURE) is not None:
        driver.back()
    driver.tap_element(driver.scroll_to(name))
    if driver.find(id="medium_name") is None:
        driver.tap_description("More options")
        driver.tap_text("Toggle filename visibility")


def _named(driver: Driver, folder: str, name: str) -> Element:
    _folder(driver, folder)
    return driver.scroll_to(name)


def save_copy(driver: Driver, params: Mapping[str, Any]) -> None:
    """Hold the picture, Copy to, Other folder: Download has no pictures yet."""
    driver.long_press_element(_named(driver, "DCIM", params["file_name"]))
    driver.tap_description("More options")
    driver.tap_text("Copy to")
    driver.tap_text("Other folder")
    driver.tap_text("Internal")
    _scroll_dialog(driver, "Download")
    driver.tap_text("Download")
    driver.tap_text("OK")


def _scroll_dialog(driver: Driver, label: str) -> None:
    """Bring a row of the list of folders into sight, whole."""
    for _ in range(10):
        if driver.sees(label):
            return
        driver.swipe_on(driver.get(id="filepicker_list"), "up", 0.6)
    raise NotOnScreen(f"no folder {label!r}: {driver.texts()}")


def read_picture(driver: Driver, name: str, sizes: Sequence[int], folder: str = "DCIM") -> list[str]:
    """The lines of a picture that AndroidWorld wrote, top first. `sizes`: pixels of its letters."""
    from emulator.pocket.experts import picture_text

    driver.tap_element(_named(driver, folder, name))
    driver.tap_description("More options")
    driver.tap_text("Properties")
    found = next((m for text in driver.texts() if (m := RESOLUTION.match(text))), None)
    if found is None:
        raise NotOnScreen(f"no resolution of {name}: {driver.texts()}")
    driver.tap_text("OK")
    bounds = driver.get(id=PICTURE).bounds
    driver.tap_at(*driver.get(id=PICTURE).center)  # the bars go
    size = int(found[1]), int(found[2])
    lines = picture_text.read(picture_text.cut(driver.screenshot(), bounds, size), sizes)
    driver.back()
    return [line.text for line in lines]


TASKS: dict[str, Script] = {"SaveCopyOfReceiptTaskEval": save_copy}
