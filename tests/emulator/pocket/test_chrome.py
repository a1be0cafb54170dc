"""Chrome: the pages of AndroidWorld's browser tasks as it plays them, any other page as text, tabs and addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from emulator.pocket.apps.chrome import html
from emulator.pocket.apps.chrome.pages import GOAL, WALL, Drawing, Lcg, Maze, Memory, Reading, maze_cells, page_of
from emulator.pocket.experts import chrome as script
from emulator.pocket.experts.driver import Driver
from emulator.pocket.experts.shell_device import ShellDevice
from emulator.pocket.phone import Phone

PAGE = "/storage/emulated/0/Download/task.html"
MAZE = ('<title>Maze Puzzle</title><div id="maze"></div><script>const mazeSize = 4; rng = new SeededRNG(%d)\n'
        'if (1 < 2) document.body.innerHTML = "<h1>Success!</h1>"</script>')  # fmt: skip
MEMORY = ('<title>Memory Task</title><div id="number"></div><button id="button">Click Me</button>'
          '<input id="answer"><script>const rng = new SeededRNG(%d);</script>')  # fmt: skip
COLORS = ("#ff0000", "#00ff00", "#0000ff", "#ffff00", "#20b2aa")
DRAWING = ('<title>Color Challenge</title><p id="taskColors"></p><canvas id="canvas" width="300" height="300"></canvas>'
           '<p id="colorPalette"></p><script>new SeededRNG(%d); const availableColors = [' + str(COLORS)[1:-1]
           + "]; generateRandomColors(3)</script>")  # fmt: skip


@pytest.fixture
def phone() -> Phone:
    return Phone(strict=True, size=(540, 1200))


@pytest.fixture
def driver(phone: Phone) -> Driver:
    return Driver(phone)


def opened(phone: Phone, driver: Driver, source: str) -> None:
    phone.fs.write(PAGE, source)
    script.open_page(driver)


def test_the_generator_is_the_pages_own() -> None:
    """Worked by hand: 1664525 * 1 + 1013904223 = 1015568748, of 2^32 the share 0.236..."""
    random = Lcg(1)
    assert random.below(10) == 2
    assert random.seed == 1015568748
    random.seed = 2**32 - 1
    assert random.below(10) == (1664525 * (2**32 - 1) + 1013904223) % 2**32 * 10 // 2**32


@pytest.mark.parametrize("seed", [0, 1, 30, 2**32 - 1])
def test_mazes_lead_to_the_goal(seed: int) -> None:
    cells = maze_cells(Lcg(seed), 4)
    assert [len(line) for line in cells] == [4] * 4
    assert cells[0][0] != WALL
    assert cells[3][3] == GOAL
    reached, waiting = {(0, 0)}, [(0, 0)]
    while waiting:
        r, c = waiting.pop()
        for at in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if at not in reached and 0 <= at[0] < 4 and 0 <= at[1] < 4 and cells[at[0]][at[1]] != WALL:
                reached.add(at)
                waiting.append(at)
    assert (3, 3) in reached


def test_x_does_not_walk_through_walls_or_out() -> None:
    page = Maze("", ["  #", "#  ", "##$"])
    for direction in ("up", "down", "left", "right", "right", "down", "right", "down"):
        page.move(direction)
    assert (page.row, page.col, page.done) == (2, 2, True)


@pytest.mark.parametrize(
    ("answer", "right"), [("24", True), (" 24.9", True), ("2", False), ("", False), ("-24", False)]
)
def test_the_product_is_read_as_javascript_reads_it(answer: str, right: bool) -> None:
    page = Memory("", Lcg(1), [1, 2, 3, 4, 1], True, answer)
    page.submit()
    assert (page.result == "Success!") == right


def test_a_colour_that_was_drawn_over_does_not_count() -> None:
    page = Drawing("", ["#ff0000"], list(COLORS), 300, 300)
    page.color = "#ff0000"
    page.draw([(10, 10)])
    page.submit()
    assert page.result == ""
    page.draw([(10, 10), (40, 10)])
    page.submit()
    assert page.result == "Success!"
    page.color = "#00ff00"
    page.draw([(5, 10), (50, 10)])
    page.submit()
    assert page.result == ""


@pytest.mark.parametrize(
    "source",
    [
        MAZE.replace("%d", "rm"), MAZE % 2**33, MAZE.replace("4;", "99;") % 1, MEMORY.replace("answer", "x") % 1,
        DRAWING.replace("300", "100000") % 1, "<title>Maze Puzzle</title>", "<<<>", "",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_ordinary_page(source: str) -> None:
    assert isinstance(page_of(html.read(source)), Reading)


def test_the_solutions_play_the_pages(phone: Phone, driver: Driver) -> None:
    for source, play in ((MAZE, script.solve_maze), (MEMORY, script.multiply), (DRAWING, script.draw)):
        for seed in (5, 4_000_000_000):
            phone.fs.write(PAGE, source % seed)
            play(driver, {})
            assert driver.sees("Success!"), source
            assert phone.activities.foreground.package == "com.android.chrome"


def test_walls_and_colours_are_no_words(phone: Phone, driver: Driver) -> None:
    opened(phone, driver, MAZE % 3)
    inside = [e for e in driver.children(driver.get(id="maze")) if e.label]
    assert [e.text for e in inside] == ["X"]
    opened(phone, driver, DRAWING % 3)
    assert all(not e.label for e in driver.children(driver.get(id="colorPalette")))


def test_the_first_run_comes_back_after_pm_clear(phone: Phone, driver: Driver) -> None:
    driver.open_app("com.android.chrome")
    driver.tap("Accept & continue")
    driver.tap("No thanks")
    assert driver.sees("Home")
    phone.clear_package("com.android.chrome")
    phone.packages.revoke("com.android.chrome", "android.permission.POST_NOTIFICATIONS")
    driver.open_app("com.android.chrome")
    for label in ("Accept & continue", "No thanks", "No thanks"):
        driver.tap(label)
    assert driver.sees("Home")
    phone.clear_package("com.android.chrome")
    driver.open_app("com.android.chrome")
    driver.back()
    assert phone.activities.foreground.package != "com.android.chrome"


def test_another_page_is_text_with_links(phone: Phone, driver: Driver) -> None:
    phone.fs.write("/storage/emulated/0/Download/next.html", "<h1>Next &amp; last</h1>")
    opened(phone, driver, "<head><style>p {}</style></head><h1>Hello</h1><p>One\n two<a href='next.html'>go on</a>"
                          "<script>alert('no')</script><ul><li>item")  # fmt: skip
    shown = [e.text for e in driver.elements() if e.text]
    assert {"Hello", "One two", "go on", "\u2022  item"} <= set(shown)
    assert not any("alert" in words for words in shown)
    driver.tap("go on")
    assert driver.sees("Next & last")
    driver.back()
    assert driver.sees("Hello")


def test_addresses_and_tabs(phone: Phone, driver: Driver) -> None:
    opened(phone, driver, MEMORY % 1)
    driver.tap("More options")
    driver.tap("New tab")
    driver.tap_element(driver.get(id="url_bar"))
    driver.type_text("example.com")
    driver.enter()
    assert driver.sees("ERR_NAME_NOT_RESOLVED")
    driver.tap("2 open tabs, tap to switch tabs")
    driver.tap("Memory Task")
    assert driver.sees("Click Me")
    phone.settings.set_airplane(True)
    driver.tap_element(driver.get(id="url_bar"))
    driver.type_text("two words")
    driver.enter()
    assert driver.sees("No internet")


def test_a_page_survives_turning_the_phone_and_a_full_disk(phone: Phone, driver: Driver) -> None:
    opened(phone, driver, MEMORY % 9)
    number = driver.get(id="number").text
    phone.settings["system"]["accelerometer_rotation"] = "0"
    phone.settings["system"]["user_rotation"] = "1"
    assert driver.get(id="number").text == number
    phone.fs.quota = 0
    driver.tap("Click Me")
    phone.clear_package("com.android.chrome")
    driver.open_app("com.android.chrome")
    driver.tap(driver.scroll_to("Accept & continue").text)
    assert phone.crashes == []
    assert driver.sees("Accept & continue")


def test_over_adb(device: Callable[..., Any], handle: Any) -> None:
    """The maze, from the file manager to the goal, through the real adb."""
    handle.phone.fs.write(PAGE, MAZE % 12)
    driver = Driver(ShellDevice(lambda line: device("shell", line).stdout.decode()))
    script.solve_maze(driver, {})
    assert driver.sees("Success!")
    assert b"com.android.chrome" in device("shell", "dumpsys activity activities | grep ResumedActivity").stdout
