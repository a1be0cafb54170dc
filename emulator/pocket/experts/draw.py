"""Solution of AndroidWorld's Simple Draw Pro task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

DRAW = "com.simplemobiletools.draw.pro"
STORAGE = "sdk_gphone_x86_64"


def create_drawing(driver: Driver, params: Mapping[str, Any]) -> None:
    """One stroke; the name and its kind in the app's dialog, the folder in the system's picker."""
    stem, _, extension = params["file_name"].rpartition(".")
    driver.open_app(DRAW)
    driver.swipe_on(driver.get(id="my_canvas"), "right", 0.4)
    driver.tap_description("Save")
    driver.clear()
    driver.type_text(stem)
    driver.hide_keyboard()
    driver.tap_text(extension.upper())
    driver.tap_text("OK")
    driver.tap_description("Show roots")
    driver.tap_element(driver.scroll_to(STORAGE))
    driver.tap_element(driver.scroll_to("Pictures"))
    driver.tap_text("SAVE")


TASKS: dict[str, Script] = {"SimpleDrawProCreateDrawing": create_drawing}
