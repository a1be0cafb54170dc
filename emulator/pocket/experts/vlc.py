"""Solutions of AndroidWorld's VLC tasks, and of MarkorTranscribeVideo, which plays a film in VLC and writes a note.

Files are chosen in the order asked for (holding the first, tapping the others): the app keeps that order. The film is
read from the pixels of the screen (film_text.py), a look every few seconds while it plays; nothing is taken from the
task but the names of the film and of the note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from emulator.pocket.experts import film_text, markor
from emulator.pocket.experts.driver import Driver, NotOnScreen, Script

PACKAGE = "org.videolan.vlc"
LOOK_S = 3.5  # seconds between two looks at a film: less than any text of AndroidWorld's films stays
LOOKS = 200


def _videos(driver: Driver) -> None:
    driver.open_app(PACKAGE)
    driver.tap_description("Browse")
    driver.tap_text("Internal memory")
    driver.tap_element(driver.scroll_to("VLCVideos"))


def _playlist(driver: Driver, name: str, files: Sequence[str]) -> None:
    """Choose, then the sheet: Create makes the playlist and ticks it, Save puts the files into it."""
    for number, file in enumerate(files):
        row = driver.scroll_to(file)
        if number:
            driver.tap_element(row)
        else:
            driver.long_press_element(row)
    driver.tap_description("Add to playlist")
    driver.type_into("Playlist name", name)
    driver.tap_text("Create")
    driver.tap_text("Save")


def create(driver: Driver, params: Mapping[str, Any]) -> None:
    """One playlist of files in VLCVideos."""
    _videos(driver)
    _playlist(driver, params["playlist_name"], params["files"])


def create_two(driver: Driver, params: Mapping[str, Any]) -> None:
    """Two of them."""
    _videos(driver)
    for number in (1, 2):
        _playlist(driver, params[f"playlist_name{number}"], params[f"files{number}"])


def _seconds(clock: str) -> int:
    """`0:24`, `1:02:03`."""
    total = 0
    for part in clock.split(":"):
        total = total * 60 + int(part)
    return total


def watch(driver: Driver) -> list[str]:
    """The texts of the film that has just begun to play, in order."""
    left = float(_seconds(driver.get(id="player_overlay_length").text))
    bounds = driver.get(id="player_surface_frame").bounds
    looks: list[bytes] = []
    while left > 0 and len(looks) < LOOKS:
        looks.append(driver.screenshot())
        driver.wait(LOOK_S)
        left -= LOOK_S
    return film_text.read(looks, bounds)


def transcribe(driver: Driver, params: Mapping[str, Any]) -> None:
    """Play the film, look, write down."""
    driver.open_app(PACKAGE)
    driver.tap_description("Browse")
    driver.tap_text("Download")
    driver.tap_element(driver.scroll_to(params["video_name"]))
    found = watch(driver)
    if not found:
        raise NotOnScreen(f"no text could be read in {params['video_name']}")
    markor.create(driver, {"file_name": params["file_name"], "text": ", ".join(found)})


TASKS: dict[str, Script] = {
    "VlcCreatePlaylist": create,
    "VlcCreateTwoPlaylists": create_two,
    "MarkorTranscribeVideo": transcribe,
}
