"""VLC: what taps leave in the three tables that AndroidWorld joins, the index of media, the player and its picture."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from emulator.pocket import frames, mp4
from emulator.pocket.apps.vlc import VIDEOS, data
from emulator.pocket.experts.driver import Driver
from emulator.pocket.phone import Phone

FILES = ("ZwUN_moment_70_.mp4", "clip_7_HD_final.mp4", "highlight_41_4K_2023_03_30.mp4")
JOINED = ("SELECT Playlist.name, Media.filename, PlaylistMediaRelation.position FROM PlaylistMediaRelation"
          " JOIN Playlist ON Playlist.id_playlist = PlaylistMediaRelation.playlist_id"
          " JOIN Media ON Media.id_media = PlaylistMediaRelation.media_id ORDER BY 1, 3")  # fmt: skip
COLORS = ((200, 0, 0), (0, 200, 0), (0, 0, 200))


def film(picture_ms: int = 8000) -> bytes:
    """Red, green, blue, each for some seconds."""
    shots = []
    for color in COLORS:
        out = BytesIO()
        Image.new("RGB", (320, 240), color).save(out, "JPEG", quality=90)
        shots.append(out.getvalue())
    return mp4.film(shots, (320, 240), picture_ms, 1_700_000_000)


@pytest.fixture
def phone() -> Phone:
    phone = Phone(strict=True, size=(540, 1200))
    for name in FILES:
        phone.fs.write(f"{VIDEOS}/{name}", film())
    return phone


def folder(phone: Phone) -> Driver:
    driver = Driver(phone)
    driver.open_app(data.PACKAGE)
    driver.tap_description("Browse")
    driver.tap_text("Internal memory")
    driver.tap_element(driver.scroll_to("VLCVideos"))
    return driver


def make_list(driver: Driver, name: str, *files: str) -> None:
    driver.long_press(files[0])
    for file in files[1:]:
        driver.tap_text(file)
    driver.tap_description("Add to playlist")
    driver.type_into("Playlist name", name)
    driver.tap_text("Create")
    driver.tap_text("Save")


def joined(phone: Phone) -> list[tuple[Any, ...]]:
    return phone.sqlite(data.DB, JOINED)


def middle(phone: Phone) -> tuple[int, ...]:
    height, width, _ = phone.screenshot().shape
    return tuple(int(c) for c in phone.screenshot()[height // 2, width // 2][:3])


def seems(phone: Phone, color: tuple[int, int, int]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(middle(phone), color, strict=True))


def test_a_playlist_has_its_files_in_the_order_chosen_from_0(phone: Phone) -> None:
    driver = folder(phone)
    make_list(driver, "Road Trips", FILES[2], FILES[0])
    assert joined(phone) == [("Road Trips", FILES[2], 0), ("Road Trips", FILES[0], 1)]


def test_more_go_behind_and_one_taken_out_leaves_no_gap(phone: Phone) -> None:
    driver = folder(phone)
    make_list(driver, "Trips", FILES[0], FILES[1])
    driver.tap_beside(FILES[2], "More Actions")
    driver.tap_text("Add to playlist")
    driver.tap_text("Trips")
    driver.tap_text("Save")
    assert [row[1:] for row in joined(phone)] == [(FILES[0], 0), (FILES[1], 1), (FILES[2], 2)]
    driver.back()
    driver.back()
    driver.tap_description("Playlists")
    driver.tap_text("Trips")
    driver.tap_beside(FILES[0], "More Actions")
    driver.tap_text("Remove from playlist")
    assert [row[1:] for row in joined(phone)] == [(FILES[1], 0), (FILES[2], 1)]


def test_a_name_that_is_taken_makes_no_second_playlist(phone: Phone) -> None:
    driver = folder(phone)
    make_list(driver, "Trips", FILES[0])
    driver.long_press(FILES[1])
    driver.tap_description("Add to playlist")
    driver.type_into("Playlist name", "trips")
    driver.tap_text("Create")
    assert len(data.playlists(phone)) == 1
    assert driver.find("Playlist trips already exists", all_windows=True) is not None


def test_tables_emptied_and_a_file_pushed_are_indexed_at_the_next_start(phone: Phone) -> None:
    """AndroidWorld deletes the rows of Media, not those of File, and pushes its films after that."""
    folder(phone)
    phone.sqlite(data.DB, "DELETE FROM Playlist; DELETE FROM Media; DELETE FROM PlaylistMediaRelation;")
    phone.force_stop(data.PACKAGE)
    phone.fs.write(f"{VIDEOS}/new_1_.mp4", film())
    phone.fs.remove(f"{VIDEOS}/{FILES[0]}")
    driver = folder(phone)
    make_list(driver, "New", "new_1_.mp4")
    assert joined(phone) == [("New", "new_1_.mp4", 0)]
    names = [row[0] for row in phone.sqlite(data.DB, "SELECT filename FROM Media ORDER BY filename")]
    assert names == sorted([*FILES[1:], "new_1_.mp4"], key=str.lower)
    assert phone.sqlite(data.DB, "SELECT count(*) FROM File") == [(3,)]


def test_a_file_that_is_gone_stays_in_its_playlist_as_missing(phone: Phone) -> None:
    driver = folder(phone)
    make_list(driver, "Trips", FILES[0])
    phone.fs.remove(f"{VIDEOS}/{FILES[0]}")
    driver.back()
    driver.back()
    driver.tap_description("Playlists")
    driver.tap_text("Trips")
    assert driver.sees("Missing")
    assert joined(phone) == [("Trips", FILES[0], 0)]
    phone.fs.write(f"{VIDEOS}/{FILES[0]}", film())
    phone.force_stop(data.PACKAGE)
    driver.open_app(data.PACKAGE)
    assert phone.sqlite(data.DB, "SELECT count(*), min(is_present) FROM Media") == [(3, 1)]


def test_the_player_shows_the_picture_of_the_moment(phone: Phone) -> None:
    driver = folder(phone)
    driver.tap_text(FILES[1])
    assert driver.get(id="player_overlay_length").text == "0:24"
    assert seems(phone, COLORS[0])
    for color in COLORS[1:]:
        driver.device.tap(5, 600)  # whatever is touched, time goes on
        phone.clock.advance(7.5)
        phone.touched()
        assert seems(phone, color)


def test_the_controls_go_and_come_pause_and_seek(phone: Phone) -> None:
    driver = folder(phone)
    driver.tap_text(FILES[1])
    phone.clock.advance(5)
    phone.touched()
    assert not driver.sees("Pause")
    driver.tap_element(driver.get(id="player_surface_frame"))
    driver.tap_description("Pause")
    bar = driver.get(id="player_overlay_seekbar").bounds
    driver.tap_at(bar[0] + (bar[2] - bar[0]) * 9 // 10, (bar[1] + bar[3]) // 2)
    assert seems(phone, COLORS[2])
    phone.clock.advance(60)
    phone.touched()
    assert driver.sees("Play")
    assert seems(phone, COLORS[2])
    driver.tap_description("Play")
    driver.home()
    phone.clock.advance(60)
    driver.open_app(data.PACKAGE)
    assert seems(phone, COLORS[2])
    assert driver.sees("Play")


def test_a_turned_phone_and_a_full_disk(phone: Phone) -> None:
    driver = folder(phone)
    driver.long_press(FILES[0])
    phone.settings["system"]["accelerometer_rotation"] = "0"
    phone.settings["system"]["user_rotation"] = "1"
    phone.touched()
    assert driver.sees("1 selected")
    phone.fs.quota = phone.fs.used
    driver.tap_description("Add to playlist")
    driver.type_into("Playlist name", "A" * 6000)
    driver.tap_text("Create")
    assert data.playlists(phone) == []
    assert not phone.crashes


def test_a_full_disk_at_the_start_is_no_crash(phone: Phone) -> None:
    for i in range(60):
        phone.fs.write(f"{VIDEOS}/{'long name ' * 20}{i}.mp4", film())
    phone.fs.quota = phone.fs.used
    driver = folder(phone)
    assert driver.sees("VLCVideos")
    assert not phone.crashes


def test_rubbish_has_no_picture_and_no_length(phone: Phone) -> None:
    phone.fs.write(f"{VIDEOS}/broken.mp4", b"\0\0\0\x18ftypmp42 and nothing more")
    driver = folder(phone)
    driver.tap_text("broken.mp4")
    assert driver.get(id="player_overlay_length").text == "0:00"
    assert frames.frame(b"", 0) is None


@pytest.mark.skipif(importlib.util.find_spec("cv2") is None, reason="reads and draws films with OpenCV")
@pytest.mark.slow
def test_the_text_of_a_film_is_read_from_the_screen(tmp_path: Any) -> None:
    import numpy as np

    from emulator.pocket.experts.vlc import watch

    cv2: Any = importlib.import_module("cv2")
    path, noise, words = tmp_path / "film.mp4", np.random.default_rng(3), ("Emily", "Will")
    out = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"mp4v"), 10, (320, 240))
    for word in words:
        for _ in range(5 * 10):
            shot = noise.integers(0, 256, (240, 320, 3), dtype=np.uint8)
            cv2.putText(shot, word, (50, 120), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 255, 255), 2, cv2.LINE_AA)
            out.write(shot)
    out.release()
    phone = Phone(strict=True, size=(540, 1200))
    phone.fs.write(f"{VIDEOS}/film.mp4", path.read_bytes())
    driver = Driver(phone, pause=lambda seconds: (phone.clock.advance(seconds), phone.touched()))
    driver.open_app(data.PACKAGE)
    driver.tap_text("film")
    assert watch(driver) == list(words)


def test_over_adb(device: Callable[..., Any], tmp_path: Any) -> None:
    """Films pushed, the app driven by `input`, the database read by the device's own sqlite3."""
    from emulator.pocket.experts.shell_device import ShellDevice

    for name in FILES[:2]:
        (tmp_path / name).write_bytes(film())
        assert device("push", str(tmp_path / name), f"{VIDEOS}/{name}").returncode == 0
    driver = Driver(ShellDevice(lambda line: device("shell", line).stdout.decode()))
    driver.open_app(data.PACKAGE)
    driver.tap_description("Browse")
    driver.tap_text("Internal memory")
    driver.tap_element(driver.scroll_to("VLCVideos"))
    make_list(driver, "Both", FILES[1], FILES[0])
    said = device("shell", f'sqlite3 {data.DB} "{JOINED}"').stdout.decode()
    assert said.split() == [f"Both|{FILES[1]}|0", f"Both|{FILES[0]}|1"]
