"""Solutions of AndroidWorld's Camera tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

CAMERA = "com.android.camera2"


def take_photo(driver: Driver, params: Mapping[str, Any]) -> None:
    """One photo."""
    driver.open_app(CAMERA)
    driver.tap_description("Shutter")


def take_video(driver: Driver, params: Mapping[str, Any]) -> None:
    """To the films, some seconds of one."""
    driver.open_app(CAMERA)
    driver.tap_description("Mode list")
    driver.tap_text("Video")
    driver.tap_description("Shutter")
    driver.wait(3)
    driver.tap_description("Shutter")


TASKS: dict[str, Script] = {"CameraTakePhoto": take_photo, "CameraTakeVideo": take_video}
