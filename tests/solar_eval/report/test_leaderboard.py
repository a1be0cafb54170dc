"""The leaderboard from made-up run directories: what is ranked with what, what is shown, and equal bytes."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from solar_eval.commands import report
from solar_eval.errors import DataError, UsageError
from solar_eval.report import board, leaderboard, published, solar_view
from solar_eval.report.entries import Entry
from solar_eval.report.sheet import Sheet

ROOT = Path(__file__).parents[3]
HEAD = ",".join(published.COLUMNS)
_spec = importlib.util.spec_from_file_location("report_conftest", Path(__file__).with_name("conftest.py"))
assert _spec is not None and _spec.loader is not None
made_up = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made_up)
MakeRun = Callable[..., Path]


def row(model: str, value: str, protocol: str = "guievalkit_2025_09", **more: str) -> str:
    cells = {
        "model": model, "paradigm": "-", "training_data": "-", "benchmark": "android_control_high",
        "subset": "val_test_10161", "metric": "step_sr", "value": value, "protocol": protocol, "measured_by": "x",
        "source": "paper", "note": "",
    } | more  # fmt: skip
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([cells[name] for name in published.COLUMNS])
    return out.getvalue()


def results(folder: Path, *rows: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "published.csv").write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    return folder


def table(folder: Path, title: str) -> Sheet:
    sheets = leaderboard.all_sheets(leaderboard.gather(folder).entries)
    return next(sheet for sheet in sheets if sheet.title == title)


def cells(sheet: Sheet, *names: str) -> list[list[tuple[str, ...]]]:
    places = [sheet.headings.index(name) for name in names]
    return [[tuple(line[i] for i in places) for line in block.rows] for block in sheet.blocks]


HIGH = "AndroidControl-High under guievalkit_2025_09"


def test_ranked_by_step_sr_and_ties_share_a_place(tmp_path: Path) -> None:
    folder = results(tmp_path, row("C", "50.0"), row("A", "70"), row("B", "50.00"), row("D", "10"))
    assert cells(table(folder, HIGH), "rank", "model") == [[("1", "A"), ("2", "B"), ("2", "C"), ("4", "D")]]


def test_protocols_are_never_in_one_table(tmp_path: Path) -> None:
    folder = results(tmp_path, row("A", "70"), row("A", "80", "agentcpm"), row("A", "90", "ui_tars_paper"))
    made = leaderboard.gather(folder).entries
    for (benchmark, protocol), group in board.tables(made):
        assert {(e.benchmark, e.protocol) for e in group} == {(benchmark, protocol)}
    assert cells(table(folder, HIGH), "rank", "model", "step SR") == [[("1", "A", "70")]]


def test_another_subset_is_ranked_for_itself_behind_the_protocols_own(tmp_path: Path) -> None:
    folder = results(tmp_path, row("A", "99", subset="test_7708"), row("B", "50"), row("C", "40"))
    sheet = table(folder, HIGH)
    assert [block.heading.split(";")[0] for block in sheet.blocks] == ["val_test_10161", "test_7708"]
    assert cells(sheet, "rank", "model") == [[("1", "B"), ("2", "C")], [("1", "A")]]


def test_self_reported_rows_have_no_places(tmp_path: Path) -> None:
    world = {"benchmark": "android_world", "metric": "episode_sr", "subset": "-"}
    name = "android_world_self_reported"
    folder = results(tmp_path, row("B", "99", name, **world), row("A", "1", name, **world))
    sheet = table(folder, f"AndroidWorld under {name}")
    assert cells(sheet, "rank", "model", "episode SR") == [[("-", "A", "1"), ("-", "B", "99")]]
    assert "Not a ranking" in sheet.lead


def test_ours_beside_published_with_interval_steps_and_who(tmp_path: Path, make_run: MakeRun) -> None:
    folder = results(tmp_path, row("Published", "60.0", subset="made_up"))
    made = made_up.benchmark_of(made_up.episodes())
    make_run(folder / "android_control_high/Ours/first", made, made_up.answers(made, wrong=["e0/1", "e2/3"]))
    sheet = table(folder, HIGH)
    summary = json.loads((folder / "android_control_high/Ours/first/summary.json").read_text())
    estimate = summary["protocols"]["guievalkit_2025_09"]["views"]["subset"]["step_sr"]
    shown = f"{100 * estimate['value']:.2f} [{100 * estimate['low']:.1f}, {100 * estimate['high']:.1f}]"
    ours = [line for block in cells(sheet, "model", "step SR", "steps", "measured by") for line in block]
    assert ("Ours", shown, "12", "solar-eval 0.1.0") in ours
    assert ("Published", "60.0", "-", "x") in ours
    assert any("results/android_control_high/Ours/first" in note for note in sheet.notes)


def test_boxes_from_elsewhere_are_another_block(tmp_path: Path, make_run: MakeRun) -> None:
    folder = results(tmp_path, row("Published", "60.0", subset="made_up"))
    made = made_up.benchmark_of(made_up.episodes())
    make_run(folder / "android_control_high/Ours/first", made, made_up.answers(made))
    assert {block.heading for block in table(folder, HIGH).blocks} == {"made_up; boxes: forest", "made_up; boxes: none"}


def test_runs_that_are_not_whole_take_no_place_and_say_why(tmp_path: Path, make_run: MakeRun) -> None:
    folder, made = results(tmp_path), made_up.benchmark_of(made_up.episodes())
    said = made_up.answers(made)
    base = folder / "android_control_high"
    make_run(base / "Gold/a", made, said, model="scripted:gold")
    make_run(base / "Limited/a", made, said, about={"limit": 3})
    make_run(base / "Owed/a", made, made_up.answers(made, missing=["e0/1"]), owed=["e0/1"])
    make_run(base / "Whole/a", made, said)
    sheet = table(folder, HIGH)
    lines = {line[1]: line for block in cells(sheet, "rank", "model", "notes") for line in block}
    assert lines["Whole"][0] == "1"
    notes = dict(note.split(": ", 1) for note in sheet.notes)
    for model, why in (("Gold", "a script"), ("Limited", "a selection"), ("Owed", "1 steps owed")):
        assert lines[model][0] == "-"
        assert any(why in notes[f"note {number}"] for number in lines[model][2].split(", ")), model


def test_missing_replies_give_a_second_row_over_the_answered_ones(tmp_path: Path, make_run: MakeRun) -> None:
    folder, made = results(tmp_path), made_up.benchmark_of(made_up.episodes())
    make_run(folder / "android_control_high/M/a", made, made_up.answers(made, missing=["e0/1"]))
    sheet = table(folder, HIGH)
    by_block = dict(zip([b.heading for b in sheet.blocks], cells(sheet, "step SR", "steps"), strict=True))
    assert by_block["made_up; boxes: none"][0][0].startswith("91.67")
    assert by_block["made_up, answered rows only (15); boxes: none"][0][0].startswith("100.00")


def test_edited_rules_and_other_versions_are_other_conditions(tmp_path: Path, make_run: MakeRun) -> None:
    folder, made = results(tmp_path), made_up.benchmark_of(made_up.episodes())
    run = make_run(folder / "android_control_high/M/a", made, made_up.answers(made),
                   about={"protocols": {"guievalkit_2025_09": {"name": "guievalkit_2025_09"}}})  # fmt: skip
    summary = json.loads((run / "summary.json").read_text())
    summary["protocols"]["strict"]["version"] = "0"
    (run / "summary.json").write_text(json.dumps(summary))
    assert "rules edited" in table(folder, HIGH).blocks[0].heading
    assert "protocol version 0 (now 1)" in table(folder, "AndroidControl-High under strict").blocks[0].heading


def test_level_and_split_are_part_of_the_benchmarks_name(tmp_path: Path, make_run: MakeRun) -> None:
    folder, made = results(tmp_path), made_up.benchmark_of(made_up.episodes(), "android_control")
    make_run(folder / "android_control/M/a", made, made_up.answers(made), run={"level": "low", "history": "labels"})
    split = made_up.benchmark_of(made_up.episodes(), "gui_odyssey_random", "random_v1")
    make_run(folder / "gui_odyssey/M/a", split, made_up.answers(split))
    benchmarks = {entry.benchmark for entry in leaderboard.gather(folder).entries}
    assert benchmarks == {"android_control_low", "gui_odyssey"}


# ---- SOLAR-RL's table
def test_the_repositorys_solar_table_has_the_papers_cells() -> None:
    made = published.entries(published.read_rows(ROOT / "results" / "published.csv"))
    sheet = solar_view.sheet(made)
    shown = {line[0]: line for block in sheet.blocks for line in block.rows}
    assert shown["SOLAR-RL"][3:10] == ("93.24", "88.57", "-", "69.27", "87.60", "68.20", "33.7")
    assert shown["Qwen2.5-VL-7B"][3:10] == ("94.61", "85.05", "73.46", "61.40", "61.89", "47.92", "-")
    assert [block.heading for block in sheet.blocks] == [solar_view.TABLE, solar_view.KIT]
    assert len(sheet.blocks[0].rows) == 5


def test_our_runs_of_one_name_are_one_row_with_daggers(tmp_path: Path, make_run: MakeRun) -> None:
    folder = results(tmp_path)
    for level in ("high", "low"):
        made = made_up.benchmark_of(made_up.episodes(), f"android_control_{level}")
        make_run(folder / f"android_control_{level}/Mine/r1", made, made_up.answers(made))
    rows = [line for block in solar_view.sheet(leaderboard.gather(folder).entries).blocks for line in block.rows]
    assert len(rows) == 1
    assert rows[0][0] == "Mine"
    assert [bool(cell.endswith("†")) for cell in rows[0][3:10]] == [True] * 4 + [False] * 3
    assert rows[0][7:10] == ("-", "-", "-")


def test_two_numbers_for_one_cell_are_two_rows() -> None:
    lines = [
        dict(zip(published.COLUMNS, next(csv.reader([row("A", v, source=s)])), strict=True))
        for v, s in (("50.0", "paper"), ("51.0", "blog"))
    ]
    made = published.entries([published.Row(line, i) for i, line in enumerate(lines)])
    shown = [line[6] for block in solar_view.sheet(made).blocks for line in block.rows]
    assert shown == ["50.0", "51.0"]


def test_live_summaries_of_the_same_form_fill_the_android_world_column(tmp_path: Path) -> None:
    run = results(tmp_path) / "android_world/Mine/r1"
    run.mkdir(parents=True)
    estimate = {"value": 0.25, "low": 0.2, "high": 0.3, "n": 116, "clusters": 116}
    view = {"counts": {"scored": 116, "owed": 0}, "episode_sr": estimate}
    protocol = {"version": "1", "source": "android_world", "views": {"subset": view}}
    summary = {"benchmark": "android_world", "subset": "116", "protocols": {"android_world_official": protocol}}
    (run / "summary.json").write_text(json.dumps(summary))
    (run / "manifest.json").write_text(json.dumps({"identity": {}, "solar_eval": "0.1.0"}))
    made = leaderboard.gather(tmp_path).entries
    rows = [line for block in solar_view.sheet(made).blocks for line in block.rows]
    assert rows[0][9] == "25.00 [20.0, 30.0]"
    assert cells(table(tmp_path, "AndroidWorld under android_world_official"), "rank", "model") == [[("1", "Mine")]]


# ---- files
def markers(folder: Path) -> Path:
    readme = folder / "README.md"
    readme.write_text(f"# X\n\n{leaderboard.START}\nold\n{leaderboard.END}\n\nafter\n", encoding="utf-8")
    return readme


def test_same_input_same_bytes_whatever_the_order_of_files(tmp_path: Path, make_run: MakeRun) -> None:
    made = made_up.benchmark_of(made_up.episodes())
    first = results(tmp_path / "one/results", row("A", "70"), row("B", "60"))
    for name in ("Z", "Y", "X"):
        make_run(first / f"android_control_high/{name}/a", made, made_up.answers(made))
    second = tmp_path / "two/results"
    for path in sorted(first.rglob("*"), reverse=True):
        if path.is_file():
            target = second / path.relative_to(first)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    outputs = [leaderboard.outputs(folder, markers(folder.parent)) for folder in (first, second)]
    assert [path.name for path in outputs[0]] == [path.name for path in outputs[1]]
    assert list(outputs[0].values()) == list(outputs[1].values())


def test_hash_seed_does_not_change_a_byte(tmp_path: Path) -> None:
    code = (
        "import sys, hashlib; from pathlib import Path; from solar_eval.report.leaderboard import outputs\n"
        "print(hashlib.sha256(b''.join(outputs(Path(sys.argv[1]), None).values())).hexdigest())"
    )
    found = {
        subprocess.run([sys.executable, "-c", code, str(ROOT / "results")], check=True, capture_output=True, text=True,
                       env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_check_finds_what_is_stale_and_passes_after_writing(tmp_path: Path) -> None:
    folder, readme = results(tmp_path / "results", row("A", "70")), markers(tmp_path)
    errors = io.StringIO()
    assert report.run(folder, readme, True, io.StringIO(), errors) == 1
    assert errors.getvalue().count("stale:") == 5
    assert report.run(folder, readme, False, io.StringIO(), io.StringIO()) == 0
    assert report.run(folder, readme, True, io.StringIO(), io.StringIO()) == 0
    text = readme.read_text()
    assert text.startswith("# X\n\n") and text.endswith("\n\nafter\n") and "old" not in text
    (folder / "LEADERBOARD.md").write_text((folder / "LEADERBOARD.md").read_text().replace("70", "71"))
    errors = io.StringIO()
    assert report.run(folder, readme, True, io.StringIO(), errors) == 1
    assert "LEADERBOARD.md: line" in errors.getvalue()


def test_the_repositorys_own_files_are_fresh() -> None:
    assert leaderboard.stale(leaderboard.outputs(ROOT / "results", None)) == []


@pytest.mark.parametrize(
    "text", ["no markers", leaderboard.START, f"{leaderboard.END}\n{leaderboard.START}",
             f"{leaderboard.START}{leaderboard.END}{leaderboard.START}{leaderboard.END}"],
)  # fmt: skip
def test_a_readme_without_one_pair_of_markers_is_refused(tmp_path: Path, text: str) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(text)
    with pytest.raises(UsageError, match="once and after it"):
        leaderboard.outputs(results(tmp_path / "results"), readme)
    assert not (tmp_path / "results/LEADERBOARD.md").exists()


def test_a_hostile_model_name_breaks_no_format(tmp_path: Path, make_run: MakeRun) -> None:
    name = "a|b<script>x<script>$&\u202e\\\\[2pt]" + leaderboard.END.replace("/", "")
    folder = results(tmp_path / "results", row(name + "/../x", "70"), row('q"=1+1,\nz', "60"))
    made = made_up.benchmark_of(made_up.episodes())
    make_run(folder / "android_control_high" / name / "a", made, made_up.answers(made))
    readme = markers(tmp_path)
    files = {path.name: data.decode() for path, data in leaderboard.outputs(folder, readme).items()}
    assert files["README.md"].count(leaderboard.END) == 1
    assert "<script" not in files["README.md"] + files["LEADERBOARD.md"] + files["LEADERBOARD.html"]
    parsed = list(csv.DictReader(io.StringIO(files["LEADERBOARD.csv"])))
    assert {line["model"] for line in parsed} >= {'q"=1+1, z'}
    tokens = MarkdownIt("commonmark").enable("table").parse(files["LEADERBOARD.md"])
    assert sum(token.type == "table_open" for token in tokens) == files["LEADERBOARD.md"].count("\n## ")


def test_csv_has_one_number_a_line_and_dashes_for_what_is_missing(tmp_path: Path, make_run: MakeRun) -> None:
    folder, made = results(tmp_path, row("A", "70.5")), made_up.benchmark_of(made_up.episodes())
    make_run(folder / "android_control_high/M/a", made, made_up.answers(made))
    lines = list(csv.DictReader(io.StringIO(leaderboard.comma_separated(leaderboard.gather(folder).entries))))
    published_line = next(line for line in lines if line["model"] == "A")
    assert (published_line["value"], published_line["low"], published_line["n"]) == ("70.5", "-", "-")
    ours: list[dict[str, Any]] = [line for line in lines if line["model"] == "M" and line["metric"] == "step_sr"]
    assert {line["protocol"] for line in ours} == {"guievalkit_2025_09", "strict"}
    assert all(float(line["low"]) <= float(line["value"]) <= float(line["high"]) for line in ours)


# ---- bad input
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "can't be read"),
        ("[1]", "not an object"),
        ('{"benchmark": "b", "protocols": {"strict": {}}}', "KeyError"),
        ('{"benchmark": "b", "protocols": {"strict": {"version": "1", "views": {"subset": {"counts": {}, "step_sr":'
         ' {"value": NaN, "low": null, "high": null, "n": 1, "clusters": 1}}}}}}', "no fraction"),
        ('{"benchmark": "b", "protocols": {"strict": {"version": "1", "views": {"subset": {"counts": {}, "step_sr":'
         ' {"value": 66.9, "low": null, "high": null, "n": 1, "clusters": 1}}}}}}', "no fraction"),
    ],
)  # fmt: skip
def test_a_damaged_summary_is_named(tmp_path: Path, content: str, message: str) -> None:
    run = results(tmp_path) / "b/m/r"
    run.mkdir(parents=True)
    (run / "manifest.json").write_text('{"identity": {}}')
    (run / "summary.json").write_text(content)
    with pytest.raises(DataError) as caught:
        leaderboard.gather(tmp_path)
    assert message in str(caught.value)
    assert "b/m/r/summary.json" in str(caught.value)


def test_summaries_that_are_no_runs_are_told(tmp_path: Path) -> None:
    folder = results(tmp_path)
    for path in ("ablation/summary.json", "b/m/summary.json"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("{}")
    (folder / "b/m/manifest.json").write_text("{}")
    left_out = leaderboard.gather(folder).left_out
    assert len(left_out) == 2
    assert "no manifest.json" in left_out[0] and "<benchmark>/<model>/<run>" in left_out[1]


def test_a_results_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        leaderboard.gather(tmp_path / "nowhere")


def test_own_paradigm_from_the_manifest_or_the_published_rows(tmp_path: Path, make_run: MakeRun) -> None:
    folder = results(tmp_path, row("Known", "70", paradigm="SFT"))
    made = made_up.benchmark_of(made_up.episodes())
    make_run(folder / "android_control_high/Known/a", made, made_up.answers(made))
    make_run(folder / "android_control_high/New/a", made, made_up.answers(made), about={"paradigm": "RL"})
    ours: list[Entry] = [entry for entry in leaderboard.gather(folder).entries if entry.ours]
    assert {(entry.model, entry.paradigm) for entry in ours} == {("Known", "SFT"), ("New", "RL")}


def test_the_ablation_stands_under_the_rankings_and_says_whose_numbers_they_are(tmp_path: Path) -> None:
    from solar_eval.report import claims

    assert claims.sheet(tmp_path) is None
    (tmp_path / "ablation").mkdir()
    found = {"origin": "published", "claim": "A beats B | <b>", "verdict": "fails", "numbers": "0.1 against 0.2"}
    (tmp_path / "ablation" / "claims.json").write_text(json.dumps([found]))
    text = leaderboard.outputs(tmp_path, None)[tmp_path / "LEADERBOARD.md"].decode()
    assert "pointer policy, pocket" in text and "does not hold" in text and "0.1 against 0.2" in text
    assert "<b>" not in text
    (tmp_path / "ablation" / "claims.json").write_text(json.dumps([found | {"verdict": "maybe"}]))
    with pytest.raises(DataError, match="reproduce_ablation"):
        leaderboard.outputs(tmp_path, None)
