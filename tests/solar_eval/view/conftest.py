"""A made-up benchmark with screenshots, a scored run over it, and a headless browser where there is one."""

from __future__ import annotations

import functools
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from solar_eval.commands import score, view
from solar_eval.protocols import select

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2> \"'`&amp; ../../etc/passwd"
RTL = "abc\u202egnp.exe\u200b\u2066x\x00y"
LONG = "<b>word</b> \u202e " * 60_000
SIZE = (108, 240)
WRONG_EVERY = 3


def picture(number: int) -> bytes:
    """A small PNG, another one for each number."""
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", SIZE, (40 * number % 256, 200, 90)).save(out, "PNG")
    return out.getvalue()


def label(step: int) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [
        {"action": "open", "text": "Clock"}, {"action": "click", "coordinate": [54, 120]},
        {"action": "type", "text": "seven"}, {"action": "swipe", "coordinate": [54, 200], "coordinate2": [54, 40]},
    ]  # fmt: skip
    return kinds[step % 4]


def reply(action: dict[str, Any]) -> str:
    call = {"name": "mobile_use", "arguments": action}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


def write_benchmark(folder: Path, episodes: int, steps: int, goals: dict[int, str]) -> Path:
    """episodes.jsonl with screenshots/; goals: of some episodes, others have one of their own."""
    (folder / "screenshots").mkdir(parents=True)
    lines = []
    for e in range(episodes):
        listed = []
        for i in range(steps):
            name = f"{9000 + e}_{i}.png"
            (folder / "screenshots" / name).write_bytes(picture(e * steps + i))
            action = label(i)
            options = action | ({"candidate_bbox": [[44, 110, 64, 130]]} if action["action"] == "click" else {})
            listed.append({"action_content": action, "check_options": options, "screenshot": name,
                           "step_instruction": f"Step {i} of episode {e}"})  # fmt: skip
        goal = goals.get(e, f"Set alarm number {e}")
        lines.append({"goal": goal, "is_successful": True, "episode_id": 9000 + e, "steps": listed})
    file = folder / "episodes.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def write_replies(file: Path, episodes: int, steps: int, texts: dict[str, str | None]) -> Path:
    """Right replies, every third one a click elsewhere; `texts` replace some by step id, None leaves one out."""
    lines = []
    for e in range(episodes):
        for i in range(steps):
            name = f"{9000 + e}/{i}"
            wrong = (e * steps + i) % WRONG_EVERY == 1
            said = {"action": "click", "coordinate": [10, 10]} if wrong else label(i)
            text = texts.get(name, reply(said))
            if text is not None:
                lines.append({"step": name, "text": text, "image": list(SIZE), "latency_s": 0.0})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@dataclass(frozen=True)
class Made:
    """A run directory, its benchmark's data, and its view; the hostile texts in it."""

    run: Path
    data: Path
    site: Path
    hostile: str = HOSTILE
    long: str = LONG


def make(folder: Path, episodes: int, steps: int, goals: dict[int, str], texts: dict[str, str | None]) -> Made:
    """Benchmark, replies, run, view: everything through the commands' own code."""
    data = write_benchmark(folder / "data", episodes, steps, goals)
    replies = write_replies(folder / "replies.jsonl", episodes, steps, texts)
    options = score.ScoreOptions(tuple(select("guievalkit_2025_09,strict,qwen")), benchmark="android_control_high",
                                 subset="all", data=data, dialect="qwen2_5_vl", out=folder / "run",
                                 as_json=True)  # fmt: skip
    score.run([replies], options)
    view.run(folder / "run", view.ViewOptions(folder / "site", data))
    return Made(folder / "run", data, folder / "site")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Sixty episodes of four steps, two of them hostile."""
    texts: dict[str, str | None] = {
        "9059/2": None,
        "9001/0": HOSTILE,
        "9001/1": RTL,
        "9001/2": LONG,
        "9001/3": reply({"action": "type", "text": HOSTILE}),
    }
    return make(tmp_path_factory.mktemp("view"), 60, 4, {1: f"{HOSTILE} {RTL}", 2: LONG}, texts)


# ---- browser
def browser_or_skip() -> Any:
    """A started headless Chromium. Skips, saying what is missing."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed (extra dev)")
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.service import Service

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("no chromium or no chromedriver on the path (Debian: chromium, chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    try:
        return webdriver.Chrome(options=options, service=Service(chromedriver))
    except WebDriverException as error:
        pytest.skip(f"chromium does not start: {error.msg}")


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """One browser for all tests of a session."""
    started = browser_or_skip()
    started.set_page_load_timeout(30)
    yield started
    started.quit()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def served(made: Made) -> Iterator[str]:
    """The view's address on a plain static server."""
    handler = functools.partial(Quiet, directory=str(made.site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


WAIT_S = 15


class Viewer:
    """A page of the view with what the tests ask of it."""

    def __init__(self, driver: Any, base: str) -> None:
        self.driver, self.base = driver, base
        driver.get("about:blank")
        for kind in ("browser", "performance"):
            driver.get_log(kind)

    def open(self, address: str = "") -> None:
        """The page at base + address, drawn anew."""
        self.driver.get("about:blank")
        self.driver.get(self.base + address)
        self.until(lambda: self.js("return typeof SOLAR !== 'undefined' && !!SOLAR.state"))

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: Callable[[], object]) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, WAIT_S, 0.05).until(lambda _: condition())

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def text(self, selector: str) -> str:
        return str(self.js("const e = document.querySelector(arguments[0]); return e ? e.textContent : ''", selector))

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def shows(self, step: str) -> None:
        """Waits until the page of a step is drawn."""
        self.until(lambda: step in self.text(".step h2"))

    def troubles(self) -> list[str]:
        """Console errors, and requests to anything beside the page."""
        said = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith((self.base.rsplit("index.html", 1)[0], "data:", "about:")):
                    said.append(f"request to {url}")
        return said


@pytest.fixture
def viewer_at(driver: Any) -> Callable[[str], Viewer]:
    """viewer_at(address of index.html or of its folder) -> Viewer."""
    return functools.partial(Viewer, driver)
