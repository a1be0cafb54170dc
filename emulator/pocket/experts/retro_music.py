"""Solutions of AndroidWorld's Retro Music tasks.

Songs are chosen in the order asked for (holding the first, tapping the others) and go into the playlist or the queue
together: the app keeps that order. RetroPlaylistDuration reads the length of the playlist on its page and takes songs
out, one by one, until it is between 45 and 50 minutes; one whose leaving would be too much comes back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from emulator.pocket.experts.driver import Driver, NotOnScreen, Script
from emulator.ui_tree import Element

PACKAGE = "code.name.monkey.retromusic"
LEAST, MOST = 45 * 60, 50 * 60  # seconds
FINE = 6  # seconds to stay away from either end: the page shows whole seconds, the check adds milliseconds
LENGTH = re.compile(r"(?:(\d+):)?(\d+):(\d\d)$")


def _song(file: str) -> str:
    return file.rpartition(".")[0]


def _songs_place(driver: Driver) -> None:
    driver.open_app(PACKAGE)
    driver.tap_description("Songs")


def _choose(driver: Driver, names: Sequence[str]) -> None:
    """Hold the first song, tap the others, in this order."""
    _songs_place(driver)
    for number, name in enumerate(names):
        row = driver.scroll_to(name)
        if number:
            driver.tap_element(row)
        else:
            driver.long_press_element(row)


def _new_playlist(driver: Driver, name: str) -> None:
    """Of what is chosen."""
    driver.tap_description("Add to playlist")
    driver.tap_text("New playlist")
    driver.type_text(name)
    driver.tap_text("Create")


def create(driver: Driver, params: Mapping[str, Any]) -> None:
    """A playlist with these songs."""
    _choose(driver, [_song(file) for file in params["files"]])
    _new_playlist(driver, params["playlist_name"])


def _open_playlist(driver: Driver, name: str) -> None:
    driver.tap_description("Playlists")
    driver.tap_element(driver.scroll_to(name))


def create_and_export(driver: Driver, params: Mapping[str, Any]) -> None:
    """The same, then "Save as file": Android's picker opens in Downloads."""
    create(driver, params)
    _open_playlist(driver, params["playlist_name"])
    driver.tap_description("More options")
    driver.tap_text("Save as file")
    driver.tap_text("SAVE")


def fill_queue(driver: Driver, params: Mapping[str, Any]) -> None:
    """The chosen songs into the playing queue."""
    _choose(driver, [_song(file) for file in params["files"]])
    driver.tap_description("Add to playing queue")


# a playlist of some length


def _seconds(driver: Driver) -> int:
    """The length that the playlist's page shows behind the number of its songs."""
    words = driver.get(id="subtitle").text
    found = LENGTH.search(words)
    if found is None:
        raise NotOnScreen(f"no length in {words!r}")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds


def _dots(driver: Driver, name: str) -> Element:
    """The menu button in the row of a song."""
    row = driver.scroll_to(name)
    return next(e for e in driver.find_all(id="menu") if e.beside(row) or row.beside(e))


def _take_out(driver: Driver, name: str) -> None:
    driver.tap_element(_dots(driver, name))
    driver.tap_text("Remove from playlist")
    driver.tap_text("Remove")


def _put_back(driver: Driver, name: str, playlist: str) -> None:
    driver.back()
    driver.tap_description("Songs")
    driver.tap_element(_dots(driver, name))
    driver.tap_text("Add to playlist")
    driver.tap_element(driver.scroll_to(playlist))
    _open_playlist(driver, playlist)


def of_length(driver: Driver, params: Mapping[str, Any]) -> None:
    """All songs at first; then out they go, the last one first."""
    playlist = params["playlist_name"]
    _songs_place(driver)
    driver.long_press_element(driver.find_all(id="title")[0])
    driver.tap_description("More options")
    driver.tap_text("Select all")
    _new_playlist(driver, playlist)
    _open_playlist(driver, playlist)
    kept: set[str] = set()
    while (now := _seconds(driver)) > MOST - FINE:
        name = next(e.text for e in reversed(driver.find_all(id="title")) if e.text not in kept | {playlist})
        _take_out(driver, name)
        if _seconds(driver) < LEAST + FINE:
            _put_back(driver, name, playlist)
            kept.add(name)
            if _seconds(driver) != now:
                raise NotOnScreen(f"{playlist} was {now} s long before {name} left and came back")


TASKS: dict[str, Script] = {
    "RetroCreatePlaylist": create,
    "RetroSavePlaylist": create_and_export,
    "RetroPlayingQueue": fill_queue,
    "RetroPlaylistDuration": of_length,
}
