"""`solar-eval run` on phones as a user meets it: one command, a served model, Ctrl-C, kill -9, resume, the page."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from live_fakes import FakeServer

from solar_eval.live.board import Board
from solar_eval.live.store import Item, LiveStore
from solar_eval.live.watch import serve

TASKS = "SettingsAirplane*,Infeasible*"
DEVICES = "pocket-in-process:2?size=540x1200"


def command(out: Path, *more: str, model: str = "scripted:expert", tasks: str = TASKS) -> list[str]:
    return [sys.executable, "-m", "solar_eval.cli", "run", "pocket_world", "--model", model, "--devices", DEVICES,
            "--tasks", tasks, "--out", str(out), *more]  # fmt: skip


def run(out: Path, *more: str, model: str = "scripted:expert", tasks: str = TASKS) -> subprocess.CompletedProcess[str]:
    words = command(out, *more, model=model, tasks=tasks)
    return subprocess.run(words, capture_output=True, text=True, timeout=110, check=False)


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
def test_expert_noop_and_random_through_the_command_line(tmp_path: Path) -> None:
    for model, wanted in (("expert", 1.0), ("noop", 0.0), ("random", 0.0)):
        done = run(tmp_path / model, model=f"scripted:{model}")
        assert done.returncode == 0, done.stderr
        found = summary(tmp_path / model)
        assert found["strict_sr"]["value"] == wanted and found["episodes"]["owed"] == 0
        view = found["protocols"]["live_strict_done_required"]["views"]["subset"]
        assert view["episode_sr"] == found["strict_sr"] and found["benchmark"] == "pocket_world"
        assert "strict SR" in done.stdout and found["run"]["phone"]["kind"] == "pocket"
    assert (tmp_path / "expert/episodes.parquet").exists()


@pytest.mark.slow
def test_the_same_suite_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, model in (("a", "scripted:noisy:0.3"), ("b", "scripted:noisy:0.3")):
        assert run(tmp_path / name, "--seeds", "30-31", model=model).returncode == 0
    assert (tmp_path / "a/summary.json").read_bytes() == (tmp_path / "b/summary.json").read_bytes()
    assert summary(tmp_path / "a")["run"]["seeds"] == [30, 31]


@pytest.mark.slow
def test_a_served_model_plays_to_its_budgets_and_unreadable_replies_are_counted(
    tmp_path: Path, server: FakeServer
) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        click = '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "wait", "time": 1}}\n</tool_call>'
        return 200, "I am not sure." if len(server.requests) % 2 else click

    server.answer = answer
    more = ("--dialect", "qwen2_5_vl", "--base-url", server.url, "--budget", "4")
    done = run(tmp_path / "run", *more, model="openai:fake", tasks="SettingsAirplane*,SettingsNight*")
    assert done.returncode == 0, done.stderr
    found = summary(tmp_path / "run")
    wanted = found["episodes"]["wanted"]
    assert found["steps"]["total"] == 4 * wanted == len(server.requests)
    assert 0 < found["steps"]["unreadable"] < 4 * wanted and found["strict_sr"]["value"] == 0.0
    identity = json.loads((tmp_path / "run/manifest.json").read_text(encoding="utf-8"))["identity"]
    assert identity["agent"]["prompt_sha256"] and identity["agent"]["images"]["kind"] == "smart"
    effort = json.loads((tmp_path / "run/effort.json").read_text(encoding="utf-8"))
    assert effort["tokens_an_episode"]["prompt"]["total"] == 7 * 4 * wanted
    with_images = [
        part for m in server.requests[0]["messages"] if isinstance(m["content"], list) for part in m["content"]
    ]
    assert any(part["type"] == "image_url" for part in with_images)


@pytest.mark.slow
def test_a_text_only_model_acts_by_numbers(tmp_path: Path, server: FakeServer) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        text = json.dumps(body["messages"])
        assert "image_url" not in text
        if "Step 1" not in text:
            return 200, '{"thought": "open it", "action": "open_app", "name": "Settings"}'
        lines = next(p["text"] for m in body["messages"] if isinstance(m["content"], list)
                     for p in m["content"] if p["text"].startswith("On the screen now")).splitlines()  # fmt: skip
        for words in ("Airplane mode", "Network & internet"):
            found = [line for line in lines if f'"{words}"' in line]
            if found and "Step 3" not in text:
                return 200, json.dumps({"action": "click", "element": int(found[0][1 : found[0].index("]")])})
        return 200, '{"action": "finish", "status": "success"}'

    server.answer = answer
    more = ("--dialect", "elements", "--base-url", server.url)
    done = run(tmp_path / "run", *more, model="openai:fake", tasks="SettingsAirplane*,SettingsNight*")
    assert done.returncode == 0, done.stderr
    found = summary(tmp_path / "run")
    assert found["steps"]["unreadable"] == 0 and found["strict_sr"]["value"] > 0


@pytest.mark.slow
def test_a_server_that_refuses_is_told_and_nothing_is_scored(tmp_path: Path, server: FakeServer) -> None:
    server.answer = lambda body: (404, "no such model")
    more = ("--dialect", "qwen2_5_vl", "--base-url", server.url, "--max-retries", "0")
    done = run(tmp_path / "run", *more, model="openai:fake", tasks="SettingsAirplane*,SettingsNight*")
    assert done.returncode == 2 and "no such model" in done.stderr
    assert all(not a.counts for a in LiveStore.open(tmp_path / "run").attempts)


def killed_then_resumed(out: Path, kills: int, rng: random.Random, *more: str) -> int:
    """Kills the run at random moments until it was killed `kills` times or ended; returns how often it was."""
    count = 0
    while count < kills:
        process = subprocess.Popen(command(out, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.8, 4.0))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            count += 1
    return count


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.skipif("SOLAR_LONG_TESTS" not in os.environ,
                         reason="SOLAR_LONG_TESTS is not set: minutes"))])  # fmt: skip
def test_kill_at_random_moments_then_resume_gives_the_same_summary(tmp_path: Path, kills: int) -> None:
    more = ("--seeds", "30-33" if kills > 2 else "30")
    assert run(tmp_path / "whole", *more).returncode == 0
    out = tmp_path / "killed"
    killed_then_resumed(out, kills, random.Random(kills), *more)
    resume = ("--resume",) if (out / "manifest.json").exists() else ()
    done = run(out, *more, *resume)
    assert done.returncode == 0, done.stderr
    assert (out / "summary.json").read_bytes() == (tmp_path / "whole/summary.json").read_bytes()


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_played(tmp_path: Path) -> None:
    out = tmp_path / "run"
    # a background shell starts its children with SIGINT ignored: the child takes it back
    begin = "import signal, runpy, sys; signal.signal(signal.SIGINT, signal.default_int_handler); " \
            "sys.argv[0] = 'solar-eval'; runpy.run_module('solar_eval.cli', run_name='__main__')"  # fmt: skip
    words = [sys.executable, "-c", begin, *command(out, "--seeds", "30-60")[3:]]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and not (out / "episodes.jsonl").exists():
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted" in err and "are owed" in err
    assert LiveStore.open(out).scored() and summary(out)["episodes"]["owed"] > 0


@pytest.mark.slow
def test_errors_name_what_would_work(tmp_path: Path) -> None:
    for more, wanted in (
        (("--tasks", "SettingsAirplaneMod"), "did you mean"), (("--devices", "pocket:0"), "--devices"),
        (("--model", "scripted:gold"), "scripted agent"), (("--protocol", "os_atlas"), "protocol"),
        (("--resume",), "no run to resume"), (("--model", "openai:x"), "dialect"),
    ):  # fmt: skip
        model = () if "--model" in more else ("--model", "scripted:noop")
        args = ["run", "pocket_world", *model, "--out", str(tmp_path / "none"), *more]
        words = [sys.executable, "-m", "solar_eval.cli", *args]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode in (2, 4) and wanted in done.stderr, (more, done.stderr)


def test_the_page_shows_the_devices_to_this_computer_only() -> None:
    board = Board(2)
    board.begin(0, Item("Task", 30, 0, "k", 0), "Do <b>it</b>", "phone-1", 10)
    board.change(0, 3, "tap 1,2", "a reply", b"\x89PNG picture")
    with serve(board) as address:
        state = json.loads(urllib.request.urlopen(address + "state.json").read())
        assert state["slots"][0]["device"] == "phone-1" and state["slots"][0]["step"] == 3
        assert urllib.request.urlopen(address + "screen/0.png").read() == b"\x89PNG picture"
        page = urllib.request.urlopen(address)
        assert b"state.json" in page.read() and "default-src 'self'" in page.headers["Content-Security-Policy"]
        for path, host in (("screen/7.png", "127.0.0.1:1"), ("../etc/passwd", "127.0.0.1:1"), ("", "evil.example:80")):
            request = urllib.request.Request(address + path, headers={"Host": host})
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(request)
