"""The view in headless Chromium: from disk and from a static server, by hand, by keys, by address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

Made = Any
Viewer = Any
ViewerAt = Callable[[str], Any]
pytestmark = pytest.mark.slow


@pytest.fixture
def viewer(viewer_at: ViewerAt, made: Made) -> Viewer:
    """The view from disk."""
    return viewer_at((made.site / "index.html").as_uri())


@pytest.fixture(params=["disk", "server"])
def either(request: pytest.FixtureRequest, viewer_at: ViewerAt, made: Made, served: str) -> Viewer:
    """The view from disk, and from a static server."""
    return viewer_at((made.site / "index.html").as_uri() if request.param == "disk" else served)


def test_opens_shows_numbers_and_nothing_leaves_the_page(either: Viewer) -> None:
    either.open()
    assert either.text("#title") == "replies"
    assert "guievalkit_2025_09" in either.text("h2 code")
    assert len(either.all(".tile")) == 5 and len(either.all("svg.chart")) >= 3
    assert "click" in either.text("main") and "near" not in either.text("#title")
    assert either.troubles() == []


def test_filter_search_step_and_next_failure(either: Viewer) -> None:
    either.open("#samples")
    either.until(lambda: either.text("#counter") == "240 of 240 steps")
    either.js("const s = document.querySelector('[aria-label=\"any verdict\"]'); s.value = 'W';"
              "s.dispatchEvent(new Event('change'))")  # fmt: skip
    either.until(lambda: "of 240" in either.text("#counter") and either.text("#counter") != "240 of 240 steps")
    wrong = int(either.text("#counter").split()[0])
    assert "v=W" in either.js("return location.hash")
    either.keys("/", "episode 7")
    either.until(lambda: int(either.text("#counter").split()[0]) < wrong)
    either.keys("\ue00c")
    either.all(".filters .counter button")[0].click()
    either.until(lambda: either.text("#counter") == "240 of 240 steps")
    either.keys("\ue014")
    either.shows("9000/0")
    either.keys("\ue014")
    either.shows("9000/1")
    either.keys("\ue012")
    either.shows("9000/0")
    either.keys("f")
    either.shows("9000/1")
    assert either.js("return document.querySelector('.step h2 .verdict').classList.contains('vW')")
    seen = set()
    for _ in range(3):
        either.keys("f")
        seen.add(either.js("return SOLAR.state.i"))
    assert len(seen) == 3
    verdict = "return SOLAR.index.verdict[SOLAR.state.p][SOLAR.rowOf(arguments[0])]"
    assert all(either.js(verdict, one) == "W" for one in seen)
    assert either.troubles() == []


def test_a_deep_link_opens_the_sample_under_its_protocol(either: Viewer) -> None:
    either.open(f"#samples?p=strict&v=W&i={quote('9003/1', safe='')}")
    either.shows("9003/1")
    assert either.text(".because code") == "strict"
    assert either.js("return document.getElementById('protocol').value") == "strict"
    assert len(either.all(".screen .said")) >= 2 and len(either.all(".screen .wanted")) >= 2
    assert len(either.all(".screen .tolerance")) == 1 and len(either.all(".screen .box.holds")) == 1
    assert either.js("const i = document.querySelector('.screen img'); return i.complete") is not None
    either.until(lambda: either.js("return document.querySelector('.screen img').naturalWidth") == 108)
    assert len(either.all(".film li")) == 4
    assert either.troubles() == []


def test_a_swipe_has_arrows_and_an_unknown_step_says_so(viewer: Viewer) -> None:
    viewer.open("#samples?i=9000%2F3")
    viewer.shows("9000/3")
    assert len(viewer.all(".screen path.said")) == 2 and len(viewer.all(".screen path.wanted")) == 2
    viewer.open("#samples?i=nobody%3Cb%3E")
    viewer.until(lambda: "no step nobody<b>" in viewer.text(".detail"))
    assert viewer.troubles() == []


def test_hostile_texts_are_text(viewer: Viewer, made: Made) -> None:
    viewer.open("#samples?i=9001%2F0")
    viewer.shows("9001/0")
    assert made.hostile in viewer.text(".step-text") and made.hostile in viewer.text("pre.given")
    assert "abc\\u{202e}gnp.exe\\u{200b}\\u{2066}x\\u{0}y" in viewer.text(".step-text .field .given")
    viewer.keys("\ue014")
    viewer.shows("9001/1")
    assert "\u202e" not in viewer.text(".step") and "\\u{202e}" in viewer.text("pre.given")
    viewer.keys("\ue014", "\ue014")
    viewer.shows("9001/3")
    assert made.hostile in viewer.text(".a-said")
    assert viewer.js("return window.hacked === undefined") is True
    assert viewer.js("return document.querySelectorAll('main img[src=x], main b, main script').length") == 0
    assert viewer.troubles() == []


def test_a_megabyte_is_cut_and_shown_whole_when_asked(viewer: Viewer, made: Made) -> None:
    viewer.open("#samples?i=9001%2F2")
    viewer.shows("9001/2")
    assert 20_000 <= len(viewer.text("pre.given")) < 60_000
    button = next(one for one in viewer.all(".step button") if one.text.startswith("Show all"))
    assert f"{len(made.long):,}" in button.text
    button.click()
    viewer.until(lambda: len(viewer.text("pre.given")) > 900_000)
    assert viewer.text("pre.given").count("<b>word</b>") == 60_000
    assert viewer.troubles() == []


def test_lists_are_windowed_and_usable_by_a_screen_reader(viewer: Viewer) -> None:
    viewer.open("#samples?i=9000%2F1")
    viewer.shows("9000/1")
    options = viewer.all("[role=listbox] [role=option]")
    assert 4 < len(options) < 60
    assert options[0].get_attribute("aria-setsize") == "240"
    chosen = viewer.all("[role=option][aria-selected=true]")
    assert len(chosen) == 1 and chosen[0].get_attribute("id") == viewer.all("[role=listbox]")[0].get_attribute(
        "aria-activedescendant"
    )
    unnamed = viewer.js(
        "return [...document.querySelectorAll('button, select, input')].filter(e => !(e.textContent.trim() ||"
        " e.getAttribute('aria-label') || e.labels?.length)).length"
    )
    assert unnamed == 0
    images = viewer.js("return [...document.images].filter(e => !e.hasAttribute('alt')).length")
    assert images == 0 and viewer.all(".screen img")[0].get_attribute("alt").startswith("Screenshot of step")


def test_tab_reaches_the_list_and_enter_opens_an_entry(viewer: Viewer) -> None:
    viewer.open("#samples")
    viewer.until(lambda: viewer.all("[role=option]"))
    for _ in range(20):
        viewer.keys("\ue004")
        if viewer.js("return document.activeElement.getAttribute('role')") == "listbox":
            break
    viewer.keys("\ue007")
    viewer.shows("9000/0")
    viewer.keys("?")
    viewer.until(lambda: viewer.js("return document.getElementById('help').open"))
    assert "next failure" in viewer.text("#help")
    assert viewer.troubles() == []


def test_a_phone_shows_one_column_and_scrolls_only_down(viewer: Viewer) -> None:
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    viewer.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        for address in ("", "#samples", "#samples?i=9001%2F3"):
            viewer.open(address)
            viewer.until(lambda: viewer.all("main .card, main .pane"))
            assert viewer.js("return document.documentElement.scrollWidth") <= 390, address
        viewer.shows("9001/3")
        assert not viewer.all(".side")[0].is_displayed()
        next(one for one in viewer.all("button.back") if one.is_displayed()).click()
        viewer.until(viewer.all(".side")[0].is_displayed)
    finally:
        viewer.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert viewer.troubles() == []


def test_dark_follows_the_system(viewer: Viewer) -> None:
    seen = []
    for value in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": value}]}
        viewer.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        viewer.open()
        seen.append(viewer.js("return getComputedStyle(document.body).backgroundColor"))
    viewer.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert seen == ["rgb(246, 247, 249)", "rgb(18, 21, 26)"]


def test_a_damaged_view_says_what_to_do(viewer_at: ViewerAt, made: Made, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(made.site, copy)
    (copy / "data" / "index.js").unlink()
    viewer = viewer_at((copy / "index.html").as_uri())
    viewer.driver.get(viewer.base)
    viewer.until(lambda: "can't be shown" in viewer.text("main"))
    assert "solar-eval view" in viewer.text("main [role=alert]")
