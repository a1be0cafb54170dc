"""Solutions of AndroidWorld's Audio Recorder tasks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emulator.pocket.experts.driver import Driver, Script

AUDIO_RECORDER = "com.dimowner.audiorecorder"
RECORD = "Recording: %s"
FIRST_RUN = ("Get started", "Apply")


def _record(driver: Driver) -> None:
    """Past the first run's pages, record for some seconds, stop: the dialog for the name is open then."""
    driver.open_app(AUDIO_RECORDER)
    for label in FIRST_RUN:
        if driver.sees(label):
            driver.tap_text(label)
    driver.tap_description(RECORD)
    driver.wait(3)
    driver.tap_element(driver.get(id="btn_record_stop"))


def record(driver: Driver, params: Mapping[str, Any]) -> None:
    """A clip under the name it gets by itself."""
    _record(driver)
    driver.tap_text("Save")


def record_with_name(driver: Driver, params: Mapping[str, Any]) -> None:
    """The name as the task says it: the app puts `.m4a` behind it, as the check expects."""
    _record(driver)
    driver.clear()
    driver.type_text(params["file_name"])
    driver.tap_text("Save")


TASKS: dict[str, Script] = {
    "AudioRecorderRecordAudio": record,
    "AudioRecorderRecordAudioWithFileName": record_with_name,
}
