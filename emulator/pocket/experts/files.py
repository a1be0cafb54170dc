"""Solutions of AndroidWorld's tasks with the Files app."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

FILES = "com.google.android.documentsui"
STORAGE = "sdk_gphone_x86_64"


def _tap_listed(driver: Driver, name: str) -> None:
    """A row of the list, wherever it stands."""
    driver.tap_element(driver.scroll_to(name))


def _choose(driver: Driver, folder: str, name: str) -> None:
    """Mark a file of a folder of the storage."""
    driver.open_app(FILES)
    driver.tap_description("Show roots")
    driver.tap_text(STORAGE)
    _tap_listed(driver, folder)
    driver.long_press_element(driver.scroll_to(name))


def move(driver: Driver, params: Mapping[str, Any]) -> None:
    """Move to..., the storage, the other folder, Move."""
    _choose(driver, params["source_folder"], params["file_name"])
    driver.tap_description("More options")
    driver.tap_containing("Move to")
    driver.tap_text(STORAGE)
    _tap_listed(driver, params["destination_folder"])
    driver.tap_text("Move")


def delete(driver: Driver, params: Mapping[str, Any]) -> None:
    """The bin, OK."""
    _choose(driver, params["subfolder"], params["file_name"])
    driver.tap_description("Delete")
    driver.tap_text("OK")


TASKS: dict[str, Script] = {"FilesMoveFile": move, "FilesDeleteFile": delete}
