"""Retro Music: what taps leave in the two databases and the .m3u that AndroidWorld reads; songs come from the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emulator.pocket import tags
from emulator.pocket.apps.retro_music import data
from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone

SONGS = {"Night Drive": ("Omar", 240), "Endless Summer": ("Noah", 181), "Dreamer's Awake": ("Ann", 300),
         "Moments": ("Noah", 12)}  # fmt: skip
PLAYLISTS = ("SELECT p.playlist_name, s.title, s.duration FROM SongEntity s JOIN PlaylistEntity p"
             " ON p.playlist_id = s.playlist_creator_id ORDER BY p.playlist_name, s.song_key")  # fmt: skip


def mp3(title: str, artist: str, seconds: float) -> bytes:
    """The head of what FFmpeg writes for pydub: an ID3v2.4 tag, a mono frame of 11,025 Hz with an Info header."""

    def frame(name: bytes, words: str) -> bytes:
        body = b"\3" + words.encode() + b"\0"
        return name + len(body).to_bytes(4, "big") + bytes(2) + body

    body = frame(b"TPE1", artist) + frame(b"TIT2", title)
    size = bytes([0, 0, len(body) >> 7, len(body) & 127])
    count = round(seconds * 11_025 / 576)
    info = b"Info" + (15).to_bytes(4, "big") + count.to_bytes(4, "big")
    return b"ID3\4\0\0" + size + body + b"\xff\xe3\x40\xc0" + bytes(9) + info + bytes(300)


@pytest.fixture
def phone() -> Phone:
    phone = Phone(strict=True, size=(540, 1200))
    for title, (artist, seconds) in SONGS.items():
        phone.fs.write(f"/sdcard/Music/{title}.mp3", mp3(title, artist, seconds))
    return phone


def songs_place(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    driver.tap_description("Songs")
    return driver


def titles(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="title")]


def in_playlists(phone: Phone) -> list[tuple[Any, ...]]:
    return [row[:2] for row in phone.sqlite(data.PLAYLIST_DB, PLAYLISTS)]


def in_queue(phone: Phone) -> list[str]:
    return [row[0] for row in phone.sqlite(data.QUEUE_DB, "SELECT title FROM playing_queue")]


def test_tags_of_an_mp3_a_wav_and_of_rubbish() -> None:
    said = tags.read(mp3("Dreamer's Awake", "Ann", 240))
    assert (said.title, said.artist) == ("Dreamer's Awake", "Ann")
    assert abs(said.duration_ms - 240_000) < 60
    head = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0" + bytes(8) + (8000).to_bytes(4, "little") + bytes(4)
    assert tags.read(head + b"data" + (16_000).to_bytes(4, "little")).duration_ms == 2000
    assert tags.read(b"") == tags.read(b"ID3") == tags.read(b"no music at all" * 9) == tags.Tags()
    broken = mp3("A", "B", 5)
    for end in range(0, len(broken), 7):
        tags.read(broken[:end])


def test_songs_are_the_files_titles_without_those_too_short(phone: Phone) -> None:
    driver = songs_place(phone)
    assert titles(driver) == ["Dreamer's Awake", "Endless Summer", "Night Drive"]
    driver.tap_description("More options")
    driver.tap_text("Settings")
    driver.tap_text("0 s")
    assert "Moments" in titles(driver)


def test_chosen_songs_go_into_a_new_playlist_in_the_order_chosen(phone: Phone) -> None:
    driver = songs_place(phone)
    driver.long_press("Night Drive")
    driver.tap_text("Dreamer's Awake")
    driver.tap_description("Add to playlist")
    driver.tap_text("New playlist")
    driver.type_text("Chill Beats 12")
    driver.tap_text("Create")
    assert in_playlists(phone) == [("Chill Beats 12", "Night Drive"), ("Chill Beats 12", "Dreamer's Awake")]
    rows = phone.sqlite(data.PLAYLIST_DB, PLAYLISTS)
    assert abs(rows[0][2] - 240_000) < 60


def make_list(driver: Driver, *names: str) -> None:
    driver.long_press(names[0])
    for name in names[1:]:
        driver.tap_text(name)
    driver.tap_description("Add to playlist")
    driver.tap_text("New playlist")
    driver.type_text("Mine")
    driver.tap_text("Create")


def test_a_song_leaves_a_playlist_and_the_page_shows_the_length(phone: Phone) -> None:
    driver = songs_place(phone)
    make_list(driver, "Night Drive", "Endless Summer")
    driver.tap_description("Playlists")
    driver.tap_text("Mine")
    assert driver.get(id="subtitle").text == "2 Songs  \u2022  07:00"
    driver.tap_element(driver.find_all(id="menu")[0])
    driver.tap_text("Remove from playlist")
    driver.tap_text("Remove")
    assert in_playlists(phone) == [("Mine", "Endless Summer")]
    assert driver.get(id="subtitle").text.startswith("1 Song ")


def test_a_playlist_is_saved_as_a_file_in_downloads(phone: Phone) -> None:
    driver = songs_place(phone)
    make_list(driver, "Night Drive")
    driver.tap_description("Playlists")
    driver.tap_text("Mine")
    driver.tap_description("More options")
    driver.tap_text("Save as file")
    driver.tap_text("SAVE")
    lines = phone.fs.read("/sdcard/Download/Mine.m3u").decode().split("\n")
    assert lines[0] == "#EXTM3U"
    assert lines[1].endswith("Omar - Night Drive")
    assert lines[2] == "/storage/emulated/0/Music/Night Drive.mp3"


def test_the_queue_holds_what_was_added_and_plays_on(phone: Phone) -> None:
    driver = songs_place(phone)
    driver.long_press("Night Drive")
    driver.tap_text("Endless Summer")
    driver.tap_description("Add to playing queue")
    assert in_queue(phone) == ["Night Drive", "Endless Summer"]
    assert data.where(phone) == (0, 0, False)
    driver.tap_element(driver.get(id="miniPlayerPlayPauseButton"))
    phone.clock.advance(250)
    at, passed, playing = data.where(phone)
    assert (at, playing) == (1, True)
    assert 5_000 < passed < 15_000
    phone.force_stop(data.PACKAGE)
    driver.open_app(data.PACKAGE)
    assert data.where(phone)[0] == 1
    assert not data.where(phone)[2]


def test_the_databases_are_back_when_the_media_scanner_ran(phone: Phone) -> None:
    """AndroidWorld wipes their directory, pushes one file back, and reads the other."""
    phone.fs.remove(data.QUEUE_DB)
    phone.force_stop(data.PACKAGE)
    from emulator.pocket.apps.retro_music import SCANNED
    from emulator.pocket.intents import Intent

    assert phone.broadcast(Intent(SCANNED, data="file:///storage/emulated/0/Music")) == (0, "")
    assert phone.fs.isfile(data.QUEUE_DB)
    assert in_queue(phone) == []


def test_looking_changes_nothing(phone: Phone) -> None:
    driver = songs_place(phone)
    before = phone.fs.snapshot()[0]
    for place in ("Albums", "Artists", "Playlists", "For you", "Songs"):
        driver.tap_description(place)
    driver.tap_element(driver.find_all(id="menu")[0])
    driver.tap_text("Details")
    driver.tap_text("OK")
    assert phone.fs.snapshot()[0] == before


def test_a_turned_phone_keeps_what_is_chosen(phone: Phone) -> None:
    driver = songs_place(phone)
    driver.long_press("Night Drive")
    phone.settings["system"]["accelerometer_rotation"] = "0"
    phone.settings["system"]["user_rotation"] = "1"
    phone.touched()
    assert driver.sees("1 selected")
    driver.tap_description("Add to playing queue")
    assert in_queue(phone) == ["Night Drive"]


def test_a_full_disk_leaves_no_half_file_and_no_half_playlist(phone: Phone) -> None:
    driver = songs_place(phone)
    make_list(driver, "Night Drive")
    driver.tap_description("Playlists")
    driver.tap_text("Mine")
    driver.tap_description("More options")
    driver.tap_text("Save as file")
    phone.fs.quota = phone.fs.used
    driver.tap_text("SAVE")
    assert driver.find("Not enough storage space", all_windows=True) is not None
    assert phone.fs.listdir("/sdcard/Download") == []
    assert not phone.crashes
    known = data.by_id(phone, [s.id for s in data.songs(phone, everything=True)])
    with pytest.raises(OSError, match="No space"):
        data.make_playlist(phone, "Long" * 3000, known)
    assert in_playlists(phone) == [("Mine", "Night Drive")]


def test_over_adb(device: Callable[..., Any], tmp_path: Any) -> None:
    """A song pushed, the app driven by `input`, the database read by the device's own sqlite3."""
    from emulator.pocket.experts.shell_device import ShellDevice

    song = tmp_path / "Night Drive.mp3"
    song.write_bytes(mp3("Night Drive", "Omar", 200))
    assert device("push", str(song), "/sdcard/Music/Night Drive.mp3").returncode == 0
    driver = Driver(ShellDevice(lambda line: device("shell", line).stdout.decode()))
    driver.open_app(data.PACKAGE)
    driver.tap_description("Songs")
    make_list(driver, "Night Drive")
    said = device("shell", f'sqlite3 {data.PLAYLIST_DB} "SELECT title, duration FROM SongEntity"').stdout.decode()
    assert said.startswith("Night Drive|")
