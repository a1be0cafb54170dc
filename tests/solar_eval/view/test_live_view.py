"""Live runs in the view: attempts, their letters, their screens; what a line says never leads out of the folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solar_eval.commands import view
from solar_eval.live.store import Attempt, LiveStore
from solar_eval.view.live import load_live

HOSTILE = "</script><script>window.hacked=1</script>\u202e"
STEPS = (
    {"step": 0, "front": "launcher", "action": {"kind": "open_app", "name": "Clock"}, "done": "open Clock",
     "reply": "x"},
    {"step": 1, "front": "clock", "action": {"kind": "click", "point": [0.5, 0.5]}, "done": "tap 54,120",
     "note": "nothing changed", "reply": HOSTILE, "thought": "why"},
    {"step": 2, "front": "clock", "action": None, "fault": "no_action", "detail": "prose", "done": "", "reply": "hm"},
)  # fmt: skip


def png(shade: int) -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (108, 240), (shade, 90, 90)).save(out, "PNG")
    return out.getvalue()


def attempt(key: str, number: int, outcome: Any, score: float | None, folder: str, **more: Any) -> Attempt:
    return Attempt(key, "ClockAlarm", int(key), 0, number, outcome, score, score, steps=3, budget=10, goal=HOSTILE,
                   folder=folder, **more)  # fmt: skip


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """Five attempts at four episodes: solved after a fault, failed, owed, not one readable reply."""
    path = tmp_path / "run"
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "steps.jsonl").write_text('{"step": 0, "reply": "TOP SECRET"}\n')
    with LiveStore.create_or_resume(path, {"benchmark": "pocket_world", "agent": {"model": "tester"}}, {}, {}) as store:
        for name in ("a", "b", "c"):
            place = path / "episodes" / name
            place.mkdir(parents=True)
            (place / "steps.jsonl").write_text("".join(json.dumps(step) + "\n" for step in STEPS) + "{torn")
            for number in range(4):
                (place / f"{number:03d}.png").write_bytes(png(40 * number))
        store.append(attempt("1", 0, "infrastructure_fault", None, "episodes/a", fault="device", error="gone"))
        store.append(attempt("1", 1, "scored", 1.0, "episodes/b", ending="finish"))
        store.append(attempt("2", 0, "scored", 0.0, "episodes/c", ending="budget", answer="42"))
        store.append(attempt("3", 0, "infrastructure_fault", None, "../secret", fault="server", error="down"))
        store.append(attempt("4", 0, "model_fault", 0.0, ""))
    return path


def test_letters_and_steps(live: Path) -> None:
    run = load_live(live)
    assert [(one.name, one.letter, len(one.steps)) for one in run.attempts] == [
        ("ClockAlarm/1#0", "N", 3), ("ClockAlarm/1#0@1", "R", 3), ("ClockAlarm/2#0", "W", 3),
        ("ClockAlarm/3#0", "O", 0), ("ClockAlarm/4#0", "W", 0),
    ]  # fmt: skip
    assert sum("steps.jsonl line 4" in note for note in run.notes) == 3


def test_rates_count_what_counts_and_nothing_leads_out(live: Path, tmp_path: Path) -> None:
    view.run(live, view.ViewOptions(tmp_path / "site"))
    data = "".join(file.read_text() for file in (tmp_path / "site" / "data").iterdir())
    assert "TOP SECRET" not in data and "</script" not in data
    text = (tmp_path / "site" / "data" / "run.js").read_text().removeprefix('SOLAR.put("run", ').removesuffix(");\n")
    tables = json.loads(text)["tables"]
    assert tables["owed"] == 1 and tables["rates"][0][1]["value"] == pytest.approx(1 / 3)
    assert len(list((tmp_path / "site" / "pics").iterdir())) == 4


def test_rates_are_the_summarys_where_there_is_one(live: Path, tmp_path: Path) -> None:
    rate = {"value": 0.25, "low": 0.1, "high": 0.6, "n": 4, "clusters": 4}
    summary = {"strict_sr": rate, "by_length": {"short": {"strict_sr": rate}}, "episodes": {"owed": 7, "wanted": 11}}
    (live / "summary.json").write_text(json.dumps(summary))
    view.run(live, view.ViewOptions(tmp_path / "site"))
    text = (tmp_path / "site" / "data" / "run.js").read_text().removeprefix('SOLAR.put("run", ').removesuffix(");\n")
    tables = json.loads(text)["tables"]
    assert tables["rates"] == [["strict episode SR", rate]] and tables["owed"] == 7
    assert tables["by_length"] == {"short": rate}


@pytest.mark.slow
def test_filmstrip_in_the_browser(live: Path, tmp_path: Path, viewer_at: Callable[[str], Any]) -> None:
    view.run(live, view.ViewOptions(tmp_path / "site"))
    viewer = viewer_at((tmp_path / "site" / "index.html").as_uri())
    viewer.open()
    assert "33.3" in viewer.text(".tile-value") and "1 owed" in viewer.text("main")
    viewer.open("#episodes?i=ClockAlarm%2F1%230%401")
    viewer.shows("ClockAlarm/1#0@1")
    assert len(viewer.all(".film li")) == 4 and "open Clock" in viewer.text(".actions")
    viewer.keys("\ue014")
    viewer.until(lambda: "nothing changed" in viewer.text(".actions"))
    assert len(viewer.all(".screen circle.said")) == 3 and "window.hacked" in viewer.text("pre.given")
    viewer.keys("\ue014", "\ue014")
    viewer.until(lambda: "judged" in viewer.text(".step-text"))
    viewer.keys("f")
    viewer.shows("ClockAlarm/2#0")
    assert "answer" in viewer.text(".because")
    viewer.keys("\ue015")
    viewer.shows("ClockAlarm/3#0")
    assert "down" in viewer.text(".because")
    assert viewer.js("return window.hacked === undefined") is True
    assert viewer.troubles() == []


@pytest.mark.slow
def test_training_curves_in_the_browser(tmp_path: Path, viewer_at: Callable[[str], Any]) -> None:
    for seed in (0, 1):
        (tmp_path / "runs" / f"s{seed}").mkdir(parents=True)
        lines = [json.dumps({"update": u, "loss": 1 / (u + 1), "reward/<b>": u * seed}) for u in range(30)]
        (tmp_path / "runs" / f"s{seed}" / "metrics.jsonl").write_text("\n".join(lines))
    view.run(tmp_path / "runs", view.ViewOptions(tmp_path / "site"))
    viewer = viewer_at((tmp_path / "site" / "index.html").as_uri())
    viewer.open()
    assert len(viewer.all("svg.chart")) == 2 and len(viewer.all("svg.chart polyline")) == 4
    viewer.keys("/", "loss")
    viewer.until(lambda: len(viewer.all("svg.chart")) == 1)
    assert "q=loss" in viewer.js("return location.hash")
    assert viewer.troubles() == []
