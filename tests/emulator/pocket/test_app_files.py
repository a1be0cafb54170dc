"""Files: what taps do to the storage, what is listed and in which order."""

from __future__ import annotations

import pytest

from emulator.pocket.apps.files.listing import size_words
from emulator.pocket.documents import document_path, document_uri
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.files import FILES, STORAGE
from emulator.pocket.phone import Phone

DOWNLOAD = "/storage/emulated/0/Download"


@pytest.fixture
def phone() -> Phone:
    """A phone with three files in Download and one of the same name in Music."""
    phone = Phone(strict=True, size=(540, 1200))
    for name, size in (("b.mp3", 10), ("a.txt", 3000), ("c.jpg", 200)):
        phone.fs.write(f"{DOWNLOAD}/{name}", b"x" * size)
        phone.clock.advance(60)
    phone.fs.write("/sdcard/Music/b.mp3", b"other")
    return phone


def open_folder(phone: Phone, folder: str) -> Driver:
    driver = Driver(phone)
    driver.open_app(FILES)
    driver.tap_description("Show roots")
    driver.tap_text(STORAGE)
    driver.tap_element(driver.scroll_to(folder))
    return driver


def listed(driver: Driver) -> list[str]:
    return [e.text for e in driver.find_all(id="title") if e.text]


def test_looking_changes_nothing(phone: Phone) -> None:
    before = phone.fs.snapshot()[0]
    driver = open_folder(phone, "Download")
    assert listed(driver) == ["a.txt", "b.mp3", "c.jpg"]
    assert driver.get(id="details").text == "15:35, 3.00 kB, TXT document"
    driver.back()
    assert "Alarms" in listed(driver)
    after = phone.fs.snapshot()[0]
    assert {p: n for p, n in after.items() if p.startswith("/storage")} == {
        p: n for p, n in before.items() if p.startswith("/storage")
    }


def test_move_with_a_name_that_is_taken(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.long_press("b.mp3")
    driver.tap_description("More options")
    driver.tap_text("Move to…")
    driver.tap_text(STORAGE)
    driver.tap_element(driver.scroll_to("Music"))
    driver.tap_text("Move")
    assert phone.fs.listdir("/sdcard/Music") == ["b (1).mp3", "b.mp3"]
    assert phone.fs.read("/sdcard/Music/b (1).mp3") == b"x" * 10
    assert phone.fs.listdir(DOWNLOAD) == ["a.txt", "c.jpg"]
    assert "1 item moved" in phone.hierarchy_xml(all_windows=True)


def test_copy_two_and_cancel(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.long_press("a.txt")
    driver.tap_text("c.jpg")
    assert driver.sees("2 selected")
    for answer in ("Cancel", "Copy"):
        driver.tap_description("More options")
        driver.tap_text("Copy to…")
        driver.tap_text(STORAGE)
        driver.tap_element(driver.scroll_to("Movies"))
        driver.tap_text(answer)
        assert phone.fs.listdir("/sdcard/Movies") == ([] if answer == "Cancel" else ["a.txt", "c.jpg"])
    assert phone.fs.listdir(DOWNLOAD) == ["a.txt", "b.mp3", "c.jpg"]


@pytest.mark.parametrize("answer, left", [("Cancel", ["a.txt", "b.mp3", "c.jpg"]), ("OK", ["b.mp3", "c.jpg"])])
def test_delete_asks(phone: Phone, answer: str, left: list[str]) -> None:
    driver = open_folder(phone, "Download")
    driver.long_press("a.txt")
    driver.tap_description("Delete")
    assert driver.sees("Delete “a.txt”?")
    driver.tap_text(answer)
    assert phone.fs.listdir(DOWNLOAD) == left


def test_rename_and_new_folder(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.long_press("a.txt")
    driver.tap_description("More options")
    driver.tap_text("Rename")
    driver.type_text("letter")
    driver.tap_text("OK")
    assert phone.fs.listdir(DOWNLOAD) == ["b.mp3", "c.jpg", "letter.txt"]
    driver.tap_description("More options")
    driver.tap_text("New folder")
    driver.type_text("../evil")
    driver.tap_text("OK")
    assert phone.fs.listdir(DOWNLOAD) == ["b.mp3", "c.jpg", "letter.txt"]
    assert not phone.fs.exists("/sdcard/evil")


def test_sorted_by_size_and_searched(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.tap_description("More options")
    driver.tap_text("Sort by...")
    driver.tap_text("Size (largest first)")
    assert listed(driver) == ["a.txt", "c.jpg", "b.mp3"]
    driver.tap_description("Search")
    driver.type_text("C.J")
    assert listed(driver) == ["c.jpg"]


def test_collections_go_by_extension(phone: Phone) -> None:
    driver = Driver(phone)
    driver.open_app(FILES)
    for place, names in (("Audio", ["b.mp3", "b.mp3"]), ("Images", ["c.jpg"]), ("Documents", ["a.txt"])):
        driver.tap_description("Show roots")
        driver.tap_text(place)
        assert listed(driver) == names


def test_tiles(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.tap_description("Grid view")
    assert listed(driver) == ["a.txt", "b.mp3", "c.jpg"]
    assert all(e.bounds[2] - e.bounds[0] > 100 for e in driver.find_all(id="title") if e.text)
    assert driver.sees("List view")


def test_a_file_opens_in_the_app_for_it(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.tap_text("a.txt")
    assert phone.activities.foreground.package == "net.gsantner.markor"
    assert driver.get(cls="EditText").text == "x" * 3000


def test_restored_in_the_middle_of_a_choice(phone: Phone) -> None:
    driver = open_folder(phone, "Download")
    driver.long_press("a.txt")
    kept, state = phone.snapshot(), phone.state_hash()
    driver.tap_description("Delete")
    driver.tap_text("OK")
    phone.restore(kept)
    assert phone.state_hash() == state
    driver.tap_text("b.mp3")
    driver.tap_description("Delete")
    driver.tap_text("OK")
    assert phone.fs.listdir(DOWNLOAD) == ["c.jpg"]


@pytest.mark.parametrize("path", ["/sdcard/Download/a b.txt", "/storage/emulated/0/x%41/ü.md", "/data/local/tmp/x"])
def test_addresses_of_files_lead_back(path: str) -> None:
    phone = Phone(size=(540, 1200))
    assert document_path(document_uri(path)) == phone.fs.canonical(path)


@pytest.mark.parametrize("uri", ["", "content://sms/inbox", "http://x/primary%3Aa", "content://media/external/file/1"])
def test_other_addresses_are_no_files(uri: str) -> None:
    assert document_path(uri) == ""


@pytest.mark.parametrize("size, words", [(0, "0 B"), (899, "899 B"), (900, "0.90 kB"), (2_500_000, "2.50 MB")])
def test_sizes(size: int, words: str) -> None:
    assert size_words(size) == words
