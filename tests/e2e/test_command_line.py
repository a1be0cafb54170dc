"""The command line as a user meets it: real processes, exit codes, what stands on standard output and error."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
LABELS = ["--benchmark", "android_control_high", "--subset", "all", "--data", str(EXAMPLES / "episodes.jsonl")]
SCORE = [*LABELS, "--dialect", "qwen2_5_vl"]


def solar(*args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "solar_eval.cli", *args]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=110, check=False, cwd=ROOT)


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# ---- start
def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys, time\nstart = time.process_time()\nimport solar_eval.cli as c\n"
        "try:\n c.app(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'torch', 'pandas', 'statsmodels', 'numpy', 'openai', 'jinja2'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy), 'SECONDS', time.process_time() - start)"
    )
    best = 9.0
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
        last = done.stdout.splitlines()[-1]
        assert last.startswith("HEAVY [] "), last
        best = min(best, float(last.split()[-1]))
    assert best < 0.5
    assert "score" in done.stdout and "validate" in done.stdout


@pytest.mark.parametrize("what", ["benchmarks", "dialects", "protocols", "models"])
def test_ls(what: str) -> None:
    done = solar("ls", what, "--json")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)) >= 3


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["score", "x.jsonl", "--protocol", "guievalkit_2025"], "guievalkit_2025_09"),
        (["score", str(EXAMPLES / "replies.jsonl"), *LABELS, "--dialect", "qwen_2_5"], "qwen2_5_vl"),
        (["parse", "--dialect", "ui_tar"], "ui_tars"),
        (["parse", "--dialect", "ui_tars", "--screen", "0x5"], "1080x2400"),
        (["validate", "android_contrl_high"], "android_control_high"),
        (["score", "nowhere.jsonl"], "no such file"),
        (["score", str(EXAMPLES / "replies.jsonl")], "--benchmark"),
        (["run", "android_control_high", "--model", "scripted:golden", "--dialect", "qwen2_5_vl",
          "--data", str(EXAMPLES / "episodes.jsonl"), "--subset", "all"], "gold"),
    ],
)  # fmt: skip
def test_wrong_names_get_a_suggestion(args: list[str], hint: str) -> None:
    done = solar(*args)
    assert done.returncode == 2
    assert hint in done.stderr
    assert "Traceback" not in done.stderr


# ---- parse and match
def test_parse_says_what_it_read_in_fractions_and_pixels() -> None:
    text = "".join(
        json.dumps(row) + "\n"
        for row in (
            {"id": 1, "text": "Thought: t\nAction: click(start_box='(1000,500)')"},
            {"id": 2, "text": "Thought: t\nAction: click(start_box='=')"},
            {"id": 3, "text": 7},
        )
    )
    done = solar("parse", "--dialect", "ui_tars_1_5", "--screen", "1920x1080", text=text + "not json\n")
    assert done.returncode == 2
    first, second, third, fourth = lines(done.stdout)
    assert first["image"] == [1932, 1092]
    assert first["point"]["pixels"] == pytest.approx([993.8, 494.5], abs=0.05)
    assert first["strict_ok"] and first["fault"] is None and first["action"]["kind"] == "click"
    assert second["action"] is None and second["fault"]["code"] == "bad_coordinate"
    assert third["id"] == 3 and "text" in third["error"]
    assert fourth["line"] == 4 and "error" in fourth


def test_match_gives_verdicts_with_reasons() -> None:
    rows = [
        {"id": "a", "label": {"kind": "click", "point": [540, 1200]},
         "prediction": {"kind": "click", "point": [648, 1200]}},
        {"id": "b", "label": {"kind": "click", "point": [0, 0]}, "prediction": None},
        {"id": "c", "label": {"kind": "click"}, "prediction": None},
        {"id": "d", "label": {"kind": "click", "point": [float("nan"), 5]}, "prediction": None},
        {"id": "e", "label": {"kind": "press", "key": "back"}, "prediction": {"kind": "press", "key": "home"},
         "boxes": [[[1, 2, 3, 4]]]},
    ]  # fmt: skip
    done = solar("match", "--protocol", "strict,os_atlas", "--unit", "pixels",
                 text="".join(json.dumps(row) + "\n" for row in rows))  # fmt: skip
    assert done.returncode == 2
    got = lines(done.stdout)
    assert [(v["protocol"], v["exact_match"]) for v in got[:2]] == [("strict", False), ("os_atlas", True)]
    assert got[0]["reason"] == "point" and "0.1000" in got[0]["detail"]
    assert [v["reason"] for v in got[2:4]] == ["unparseable", "unparseable"]
    assert "point" in got[4]["error"] and got[4]["id"] == "c"
    assert "finite" in got[5]["error"]
    assert "boxes" in got[6]["error"]


# ---- score
def test_score_writes_a_run_directory_under_all_protocols(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = solar("score", str(EXAMPLES / "replies.jsonl"), *SCORE, "--protocol", "all", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert {p.name for p in out.iterdir()} >= {"manifest.json", "samples.jsonl", "samples.parquet", "summary.json"}
    summary = json.loads((out / "summary.json").read_text())
    assert len(summary["protocols"]) == 15
    view = summary["protocols"]["strict"]["views"]["subset"]
    assert view["counts"]["scored"] == 62 and view["counts"]["unparseable"] == 5
    assert 0 < view["step_sr"]["low"] < view["step_sr"]["value"] < view["step_sr"]["high"] < 1
    first = (out / "summary.json").read_bytes()
    again = solar("score", str(out), *SCORE, "--protocol", "strict", "--json")
    assert json.loads(again.stdout)["protocols"]["strict"]["views"]["subset"] == view
    repeated = solar("score", str(EXAMPLES / "replies.jsonl"), *SCORE, "--protocol", "all", "--out", str(out))
    assert repeated.returncode == 0
    assert (out / "summary.json").read_bytes() == first


def test_bad_reply_files_lose_nothing(tmp_path: Path) -> None:
    good = (EXAMPLES / "replies.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in good]
    rows[0]["text"] = "\x00 NUL \ud800 lone"
    rows[1]["text"] = "a" * 10_000_000
    text = "".join(json.dumps(row) + "\n" for row in rows[:10])
    text += '{"text": "no step id"}\n' + good[3] + "\n" + '{"step": "nowhere/7", "text": "x"}\n' + good[10][:40]
    path = tmp_path / "replies.jsonl"
    path.write_text(text)
    out = tmp_path / "run"
    done = solar("score", str(path), *SCORE, "--protocol", "strict", "--out", str(out))
    assert done.returncode == 2
    for part in ("jsonl:11:", "jsonl:12:", "nowhere/7", "jsonl:14:"):
        assert part in done.stderr, done.stderr
    counts = json.loads((out / "summary.json").read_text())["protocols"]["strict"]["views"]["subset"]["counts"]
    assert counts["answered"] == 10 and counts["missing"] == 52 and counts["scored"] == 62
    stored = [json.loads(line) for line in (out / "samples.jsonl").read_text().splitlines()]
    assert stored[0]["text"] == rows[0]["text"] and len(stored[1]["text"]) == 10_000_000
    assert len(json.loads((out / "manifest.json").read_text())["about"]["unreadable"]) == 4


def test_a_truncated_gzip_keeps_what_came_before(tmp_path: Path) -> None:
    packed = gzip.compress((EXAMPLES / "replies.jsonl").read_bytes() * 1, 1)
    path = tmp_path / "replies.jsonl.gz"
    path.write_bytes(packed[: len(packed) - 400])
    done = solar("score", str(path), *SCORE, "--protocol", "strict", "--json")
    assert done.returncode == 2
    counts = json.loads(done.stdout)["protocols"]["strict"]["views"]["rows"]["counts"]
    assert 0 < counts["answered"] < 62
    assert "replies.jsonl.gz" in done.stderr


def test_a_label_without_coordinates_is_listed_and_has_no_score(tmp_path: Path) -> None:
    episodes = [json.loads(line) for line in (EXAMPLES / "episodes.jsonl").read_text().splitlines()]
    step = episodes[0]["steps"][1]
    del step["check_options"]["coordinate"]
    labels = tmp_path / "episodes.jsonl"
    labels.write_text("".join(json.dumps(e) + "\n" for e in episodes))
    args = ["--benchmark", "android_control_high", "--subset", "all", "--data", str(labels), "--dialect", "qwen2_5_vl"]
    done = solar("score", str(EXAMPLES / "replies.jsonl"), *args, "--protocol", "strict", "--json")
    assert done.returncode == 2
    assert "9001/1" in done.stderr and "coordinate" in done.stderr
    counts = json.loads(done.stdout)["protocols"]["strict"]["views"]["subset"]["counts"]
    assert (counts["labels"], counts["scored"], counts["label_unreadable"]) == (62, 61, 1)


def test_a_protocol_file_is_a_protocol(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('base = "strict"\n[click]\ndistance = 0.14\n')
    done = solar("score", str(EXAMPLES / "replies.jsonl"), *SCORE, "--protocol", f"strict,{mine}", "--json")
    assert done.returncode == 0, done.stderr
    values = {n: p["views"]["subset"]["step_sr"]["value"] for n, p in json.loads(done.stdout)["protocols"].items()}
    assert values["mine"] >= values["strict"]
    mine.write_text('base = "strict"\n[click]\ndistanc = 0.14\n')
    done = solar("score", str(EXAMPLES / "replies.jsonl"), *SCORE, "--protocol", str(mine))
    assert done.returncode == 2 and "distanc" in done.stderr


# ---- run and validate
def test_scripted_run_end_to_end(tmp_path: Path) -> None:
    out = tmp_path / "run"
    labels = ["--data", str(EXAMPLES / "episodes.jsonl"), "--subset", "all"]
    args = ["run", "android_control_low", *labels, "--model", "scripted:gold", "--dialect", "ui_tars",
            "--protocol", "strict", "--out", str(out)]  # fmt: skip
    started = time.monotonic()
    done = solar(*args)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - started < 60
    view = json.loads((out / "summary.json").read_text())["protocols"]["strict"]["views"]["subset"]
    assert view["step_sr"]["value"] == 1.0 and view["episode_sr"]["value"] == 1.0
    assert "prompt ours" in done.stdout and "labels: 10 episodes, 62 steps (click 38" in done.stdout
    assert solar(*args, "--dry-run").returncode == 0
    changed = solar(*["scripted:random" if arg == "scripted:gold" else arg for arg in args])
    assert changed.returncode == 4 and "model" in changed.stderr


def test_validate_the_examples(tmp_path: Path) -> None:
    out = tmp_path / "exceptions.jsonl"
    done = solar("validate", "android_control_high", "--data", str(EXAMPLES / "episodes.jsonl"), "--subset", "all",
                 "--protocol", "strict,qwen,guievalkit_2025_09", "--out", str(out))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "every gold step scores 1" in done.stdout
    assert out.read_text() == ""


def test_two_runs_are_compared(tmp_path: Path) -> None:
    labels = ["--data", str(EXAMPLES / "episodes.jsonl"), "--subset", "all", "--protocol", "strict"]
    for model in ("gold", "noisy"):
        args = ["run", "android_control_high", *labels, "--model", f"scripted:{model}", "--dialect", "ui_tars"]
        assert solar(*args, "--out", str(tmp_path / model)).returncode == 0
    page = tmp_path / "page.md"
    done = solar("compare", str(tmp_path / "noisy"), str(tmp_path / "gold"), "--format", "markdown", "--out", str(page))
    assert done.returncode == 0, done.stderr
    assert "fixed" in page.read_text().lower() and "62" in page.read_text()


def test_the_leaderboard_is_up_to_date() -> None:
    done = solar("report", "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.shared
@pytest.mark.slow
def test_validate_the_real_labels(shared: Path, tmp_path: Path) -> None:
    """8,444 labels: everything scores 1 but for three known kinds, each with its reason."""
    out = tmp_path / "exceptions.jsonl"
    data = shared / "data" / "android_control"
    done = solar("validate", "android_control_high", "--data", str(data), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "8444 labelled steps, 0 labels unreadable" in done.stdout
    faults = lines(out.read_text())
    kinds: dict[str, set[str]] = {}
    for fault in faults:
        kinds.setdefault(fault["why"].partition(":")[0], set()).add(fault["step"])
    assert {why: len(steps) for why, steps in kinds.items()} == {
        "the label lies outside the screen": 1,
        "its source turns long-press labels into clicks, replies not": 9,
        "the dialect's scroll words are the finger's, the protocol compares raw words": 1211,
    }
    direct = {fault["step"] for fault in faults if fault["dialect"] == "(label itself)"}
    assert len(direct) == 10 and "12571/0" in direct
    assert {f["dialect"] for f in faults if "raw words" in f["why"]} == {"gui_r1"}


def test_the_help_of_run_shows_every_flag_of_both_kinds_of_run() -> None:
    from solar_eval.config import LiveConfig, RunConfig

    said = solar("run", "--help").stdout
    for name in {**RunConfig.model_fields, **LiveConfig.model_fields}:
        if name != "benchmark":
            assert f"--{name.replace('_', '-')}" in said, name
