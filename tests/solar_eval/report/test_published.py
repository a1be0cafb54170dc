"""results/published.csv holds every published number of the facts, and the reader refuses what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from solar_eval.errors import DataError
from solar_eval.report import published
from solar_eval.report.entries import Entry

FILE = Path(__file__).parents[3] / "results" / "published.csv"
HEAD = ",".join(published.COLUMNS)
LINE = "M,-,-,android_control_low,s,step_sr,50.0,strict,x,paper,"
AC_ODYSSEY = ("android_control_low", "android_control_high", "gui_odyssey")
SECTIONS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "agentcpm_readme_2025_05": ("agentcpm", AC_ODYSSEY, ("type_match", "step_sr")),
    "agentcpm_readme_before_history_fix": ("agentcpm_before_pr52", AC_ODYSSEY, ("type_match", "step_sr")),
    "ui_tars_paper": ("ui_tars_paper", AC_ODYSSEY, ("type_match", "grounding", "step_sr")),
    "ui_venus_readme": ("ui_venus_readme", AC_ODYSSEY, ("type_match", "step_sr")),
    "guievalkit_results": ("guievalkit_2025_09", (*AC_ODYSSEY, "aitz", "cagui"), ("type_match", "step_sr")),
    "solar_rl": ("guievalkit_2025_09", AC_ODYSSEY, ("type_match", "step_sr")),
}


@pytest.fixture(scope="module")
def rows() -> list[published.Row]:
    return published.read_rows(FILE)


def values(rows: list[published.Row], **wanted: str) -> set[float]:
    return {
        float(row.cells["value"]) for row in rows if all(row.cells[name] == value for name, value in wanted.items())
    }


@pytest.mark.shared
@pytest.mark.parametrize("section", SECTIONS)
def test_every_cell_of_the_facts_stands_in_the_file(section: str, rows: list[published.Row], shared: Path) -> None:
    data = json.loads((shared / "data" / "published_results.json").read_text())[section]["rows"]
    protocol, benchmarks, metrics = SECTIONS[section]
    for model, numbers in data.items():
        places = [(benchmark, metric) for benchmark in benchmarks for metric in metrics]
        assert len(places) == len(numbers)
        for (benchmark, metric), number in zip(places, numbers, strict=True):
            found = values(rows, model=model, protocol=protocol, benchmark=benchmark, metric=metric)
            assert (number in found) if number is not None else not found, (model, benchmark, metric)


@pytest.mark.shared
def test_every_android_world_number_stands_in_the_file(rows: list[published.Row], shared: Path) -> None:
    data = json.loads((shared / "data" / "published_results.json").read_text())["android_world"]["rows"]
    renamed = {"SOLAR-RL (7B, static data only)": "SOLAR-RL", "Minitap mobile-use (multi-agent)": "Minitap mobile-use"}
    for model, number in data.items():
        assert values(rows, model=renamed.get(model, model), benchmark="android_world") == {number}


def test_the_solar_table_is_there_with_its_own_source(rows: list[published.Row]) -> None:
    own = [row.cells for row in rows if row.cells["source"].startswith("SOLAR-RL, arXiv 2604.22558")]
    got = {(c["model"], c["benchmark"], c["metric"]): float(c["value"]) for c in own}
    assert got["SOLAR-RL", "android_control_low", "type_match"] == 93.24
    assert got["SOLAR-RL", "android_control_low", "step_sr"] == 88.57
    assert got["SOLAR-RL", "android_control_high", "step_sr"] == 69.27
    assert got["SOLAR-RL", "gui_odyssey", "step_sr"] == 68.20
    assert got["SOLAR-RL", "android_world", "episode_sr"] == 33.7
    assert got["Qwen2.5-VL-7B", "android_control_high", "step_sr"] == 61.40
    assert got["UI-TARS-7B-SFT", "android_control_low", "step_sr"] == 94.81
    assert ("SOLAR-RL", "android_control_high", "type_match") not in got


def entry(entries: list[Entry], model: str, benchmark: str, protocol: str) -> list[Entry]:
    return [e for e in entries if (e.model, e.benchmark, e.protocol) == (model, benchmark, protocol)]


def test_numbers_carried_over_are_one_entry_with_both_sources(rows: list[published.Row]) -> None:
    found = entry(published.entries(rows), "Qwen2.5-VL-7B", "android_control_low", "guievalkit_2025_09")
    assert len(found) == 1
    assert len(found[0].sources) == 2
    assert {name: value.shown for name, value in found[0].values.items()} == {"type_match": "94.61", "step_sr": "85.05"}


def test_contradictions_stay_apart(rows: list[published.Row]) -> None:
    made = published.entries(rows)
    step_sr = {
        (e.protocol, e.values["step_sr"].shown)
        for e in made
        if e.model == "UI-Venus-Navi-7B" and e.benchmark == "android_control_high" and "step_sr" in e.values
    }
    assert step_sr == {("guievalkit_2025_09", "68.61"), ("ui_venus_readme", "76.1"), ("user_reports", "48.79")}


def test_two_sources_that_disagree_are_two_entries(tmp_path: Path) -> None:
    other = LINE.replace("50.0", "51.0").replace("paper", "blog")
    made = published.entries(published.read_rows(written(tmp_path, HEAD, LINE, other)))
    assert [e.values["step_sr"].shown for e in made] == ["50.0", "51.0"]


def written(folder: Path, *lines: str) -> Path:
    path = folder / "published.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("model,value",), "first line"),
        ((HEAD, "M,-,-"), "row 2: 3 cells"),
        ((HEAD, LINE.replace("step_sr", "SR")), "metric 'SR'"),
        ((HEAD, LINE.replace("50.0", "high")), "'high' is not a percentage"),
        ((HEAD, LINE.replace("50.0", "nan")), "not a percentage"),
        ((HEAD, LINE.replace("50.0", "101")), "not a percentage"),
        ((HEAD, LINE.replace("strict", "mine")), "protocol 'mine'"),
        ((HEAD, LINE.replace("M,", ",")), "model is empty"),
        ((HEAD, LINE, LINE.replace("50.0", "51.0")), "row 3: the same number as in row 2"),
        ((HEAD, '"M,'), "not a CSV file"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError) as caught:
        published.read_rows(written(tmp_path, *lines))
    assert message in str(caught.value)


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "published.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"published\.csv"):
        published.read_rows(path)
