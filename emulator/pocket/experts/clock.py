"""Solutions of AndroidWorld's Clock tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

CLOCK = "com.google.android.deskclock"


def timer_entry(driver: Driver, params: Mapping[str, Any]) -> None:
    """Type hours, minutes and seconds on the timer's pad and leave it so."""
    driver.open_app(CLOCK)
    driver.tap_text("Timer", index=-1)
    for digit in f"{params['hours']:02d}{params['minutes']:02d}{params['seconds']:02d}".lstrip("0"):
        driver.tap_text(digit)


def stopwatch_page(driver: Driver, params: Mapping[str, Any]) -> None:
    """The stopwatch page; a running one is paused."""
    driver.open_app(CLOCK)
    driver.tap_text("Stopwatch", index=-1)
    if driver.sees("Pause"):
        driver.tap_description("Pause")


def stopwatch_running(driver: Driver, params: Mapping[str, Any]) -> None:
    """The stopwatch page, and start."""
    driver.open_app(CLOCK)
    driver.tap_text("Stopwatch", index=-1)
    if driver.sees("Start"):
        driver.tap_description("Start")


TASKS: dict[str, Script] = {
    "ClockTimerEntry": timer_entry,
    "ClockStopWatchPausedVerify": stopwatch_page,
    "ClockStopWatchRunning": stopwatch_running,
}
