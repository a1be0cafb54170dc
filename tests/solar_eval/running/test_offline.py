"""Runs end to end: histories, faults, resume, refusals, semi-online, exit codes."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from running_fakes import LABELS, SCREEN, TinyDialect, completion, make_benchmark, png, prompt_text

from solar_eval import offline, protocols, run_setup
from solar_eval.actions import to_json
from solar_eval.benchmarks.counts import counts as benchmark_counts
from solar_eval.benchmarks.counts import labels_sha256
from solar_eval.config import RunConfig, resolve
from solar_eval.errors import RunDirError, UsageError
from solar_eval.models.base import RequestRefused
from solar_eval.progress import Display, Meter
from solar_eval.records import Benchmark
from solar_eval.run_dir import RunDir
from solar_eval.selection import narrowed

TINY = TinyDialect()


def config(out: Path, **flags):
    needed = {"benchmark": "android_control", "model": "scripted:gold", "dialect": "tiny", "out": out}
    return resolve(RunConfig, {**needed, **flags}, None, {})


def run(out: Path, benchmark: Benchmark | None = None, **flags):
    """Exit code, summary, what was said on standard error."""
    err = io.StringIO()
    code = offline.run(config(out, **flags), benchmark or make_benchmark(), dialect=TINY, err=err)
    file = out / "summary.json"
    return code, json.loads(file.read_text()) if file.exists() else None, err.getvalue()


def gold_for(labels):
    """A server that knows every label: the prompt tells the step by the length of its history."""

    def answer(body, before):
        history = prompt_text(body).split("|")[3]
        index = len(history.split(";")) if history else 0
        return 200, completion("ACT " + json.dumps(to_json(labels[index])))

    return answer


gold = gold_for(LABELS)
OWN = LABELS[1:6]
"""Labels for own histories: all can be said in the tiny dialect, and ui_s1_sop can credit them."""
own_gold = gold_for(OWN)
SOP = {"history": "own", "protocol": ("ui_s1_sop",)}


def served(server, **flags):
    return {"model": "openai:fake", "base_url": server.url, "max_retries": 0, **flags}


def stored(out: Path) -> list[dict]:
    return [json.loads(line) for line in (out / "samples.jsonl").read_text().splitlines()]


# ---- whole runs
def test_gold_answers_everything_and_is_right_where_the_dialect_has_words(tmp_path):
    code, summary, _ = run(tmp_path / "r")
    assert code == 0
    assert summary["run"]["asked"] == summary["run"]["answered"] == 21 and summary["run"]["owed"] == 0
    assert summary["run"]["finish_reasons"] == {"cannot_express": 3, "stop": 18}
    manifest = json.loads((tmp_path / "r/manifest.json").read_text())
    assert manifest["about"]["benchmark"]["kinds"]["open_app"] == 3
    assert manifest["identity"]["labels_sha256"] == labels_sha256(make_benchmark().steps)
    assert json.loads((tmp_path / "r/config.json").read_text())["origins"]["seed"] == "default"
    assert {row["step"] for row in stored(tmp_path / "r")} == {step.id for step in make_benchmark().steps}


@pytest.mark.parametrize("model", ["scripted:noisy", "scripted:broken", "scripted:random"])
def test_two_scripted_runs_are_the_same_whatever_the_concurrency(tmp_path, model):
    for name, concurrency in (("one", 1), ("two", 7)):
        assert run(tmp_path / name, model=model, seed=4, concurrency=concurrency)[0] == 0
    one, two = tmp_path / "one", tmp_path / "two"
    assert sorted((one / "samples.jsonl").read_bytes().split(b"\n")) == sorted(
        (two / "samples.jsonl").read_bytes().split(b"\n")
    )
    for file in ("summary.json", "samples.parquet"):
        assert (one / file).read_bytes() == (two / file).read_bytes()
    manifests = [json.loads((path / "manifest.json").read_text()) for path in (one, two)]
    assert manifests[0].pop("environment") != manifests[1].pop("environment")
    assert manifests[0] == manifests[1]


def test_a_served_run_stores_raw_replies_with_sizes_and_keys(tmp_path, server):
    server.answer = gold
    code, summary, said = run(tmp_path / "r", **served(server))
    assert code == 0 and summary["run"]["answered"] == 21 and summary["run"]["prompt_tokens"] == 147
    rows = stored(tmp_path / "r")
    assert all(row["image"] == [112, 280] and row["latency_s"] > 0 and len(row["key"]) == 64 for row in rows)
    assert len({row["key"] for row in rows}) == 21
    environment = json.loads((tmp_path / "r/manifest.json").read_text())["environment"]
    assert environment["sessions"][0]["server"]["root"] == "/models/fake"
    assert "21/21 replies" in said


def test_the_labels_are_the_history_whatever_the_model_says(tmp_path, server):
    run(tmp_path / "r", make_benchmark(1), **served(server, concurrency=1))
    histories = [prompt_text(body).split("|")[3] for body in server.requests]
    assert [len(history.split(";")) if history else 0 for history in histories] == list(range(7))
    assert histories[2] == "Step 1: low 0 0;Step 2: low 0 1"


def test_the_limit_of_requests_in_flight_is_kept_and_used(tmp_path, server):
    server.delay = 0.03
    run(tmp_path / "r", **served(server, concurrency=3))
    assert server.most_in_flight == 3


def test_low_level_prefills_and_the_prefill_is_kept_for_parsing(tmp_path, server):
    server.answer = lambda body, before: (200, completion(' {"kind": "wait"}'))
    run(tmp_path / "r", level="low", **served(server))
    row = next(row for row in stored(tmp_path / "r") if row["step"] == "e1/5")
    assert (row["prefill"], row["text"]) == ("Thought: low 1 5\nACT", ' {"kind": "wait"}')
    table = RunDir.open(tmp_path / "r").done()["e1/5"]
    assert TINY.parse(table.prefill + table.text, TINY.frame_for(SCREEN)).action is not None


# ---- faults
def test_faults_are_owed_and_only_they_are_asked_again(tmp_path, server):
    def flaky(body, before):
        return (500, b"down") if "goal 1" in prompt_text(body) and before == 0 else gold(body, before)

    server.answer = flaky
    code, summary, said = run(tmp_path / "r", **served(server))
    assert code == 3
    assert summary["run"]["owed"] == 7 and summary["run"]["owed_by_kind"] == {"server": 7}
    assert "run the same command again to ask the 7 owed steps" in said and "owed: step e1/" in said
    view = next(iter(summary["protocols"].values()))["views"]["subset"]["counts"]
    assert view["owed"] == 7 and view["missing"] == 0
    before = Counter(server.asked)
    code, summary, said = run(tmp_path / "r", **served(server))
    assert code == 0 and summary["run"]["owed"] == 0 and "resuming" in said
    again = server.asked - before
    assert len(again) == 7 and all("goal 1" in key for key in again)


def test_a_run_that_was_complete_asks_nothing_and_gives_the_same_results(tmp_path, server):
    server.answer = gold
    run(tmp_path / "r", **served(server))
    results = {f: (tmp_path / "r" / f).read_bytes() for f in ("summary.json", "samples.parquet", "samples.jsonl")}
    asked = len(server.requests)
    server.close()
    code, _, _ = run(tmp_path / "r", **served(server))
    assert code == 0 and len(server.requests) == asked
    assert results == {name: (tmp_path / "r" / name).read_bytes() for name in results}
    server.__init__()  # the fixture closes it once more


def test_refusals_from_the_start_end_the_run_with_the_servers_words(tmp_path, server):
    server.answer = lambda body, before: (400, b'{"error": {"message": "images are not supported"}}')
    with pytest.raises(RequestRefused, match="images are not supported"):
        run(tmp_path / "r", **served(server, concurrency=1))
    assert len(server.requests) == 3
    assert not (tmp_path / "r/summary.json").exists()
    with RunDir.create_or_resume(tmp_path / "r", RunDir.open(tmp_path / "r").manifest["identity"]):
        pass  # the lock was given back


def test_a_single_step_that_is_refused_says_so_too(tmp_path, server):
    server.answer = lambda body, before: (404, b"no such model")
    with pytest.raises(RequestRefused, match="no such model"):
        run(tmp_path / "r", limit=1, **served(server))


def test_a_refusal_in_between_is_owed_and_the_rest_goes_on(tmp_path, server):
    def long_context(body, before):
        late = "Step 6" in prompt_text(body)
        return (400, b"maximum context length is 4096") if late else gold(body, before)

    server.answer = long_context
    code, summary, said = run(tmp_path / "r", **served(server, concurrency=1))
    assert code == 3 and summary["run"]["owed_by_kind"] == {"refused": 3} and summary["run"]["answered"] == 18
    assert "maximum context length" in said


def test_a_server_that_dies_ends_the_run_soon_and_everything_left_is_owed(tmp_path, server):
    def dying(body, before):
        return gold(body, before) if len(server.requests) <= 5 else (503, b"gone")

    server.answer = dying
    code, summary, said = run(tmp_path / "r", **served(server, concurrency=1, max_faults=4))
    assert code == 3 and len(server.requests) == 9
    assert summary["run"]["answered"] == 5 and summary["run"]["owed"] == 16
    assert summary["run"]["owed_by_kind"] == {"not_asked": 12, "server": 4}
    assert "4 questions in a row failed" in said
    assert next(iter(summary["protocols"].values()))["views"]["subset"]["counts"]["owed"] == 16


def test_an_unreadable_screenshot_is_counted_and_the_rest_goes_on(tmp_path, server):
    server.answer = gold
    benchmark = make_benchmark(2)

    def absent() -> bytes:
        raise FileNotFoundError("no such file: 3.png")

    shots = {"e0/1": lambda: b"not a picture", "e0/4": absent, "e1/6": None, "e1/3": lambda: png()[:100]}
    episodes = tuple(
        replace(e, steps=tuple(replace(s, screenshot=shots.get(s.id, s.screenshot)) for s in e.steps))
        for e in benchmark.episodes
    )
    code, summary, said = run(tmp_path / "r", replace(benchmark, episodes=episodes), **served(server, max_faults=1))
    assert code == 3
    # the step after an unreadable one shows it in its history and can't be asked either
    assert summary["run"]["owed_by_kind"] == {"input": 7} and summary["run"]["answered"] == 7
    errors = {row["step"]: row["error"] for row in stored(tmp_path / "r") if row["text"] is None}
    assert set(errors) == {"e0/1", "e0/2", "e0/4", "e0/5", "e1/6", "e1/3", "e1/4"}
    assert "FileNotFoundError" in errors["e0/4"] and "e0/4" in errors["e0/5"] and "input" in said


def test_scripted_models_need_no_screenshots(tmp_path):
    assert run(tmp_path / "r", make_benchmark(pictures=False))[0] == 0


def test_own_screenshots_of_another_size_are_noted(tmp_path, server):
    server.answer = gold
    benchmark = make_benchmark(1)
    steps = tuple(replace(step, screenshot=lambda: png((600, 270))) for step in benchmark.episodes[0].steps)
    run(tmp_path / "r", replace(benchmark, episodes=(replace(benchmark.episodes[0], steps=steps),)), **served(server))
    row = stored(tmp_path / "r")[0]
    assert row["screenshot"] == [600, 270] and row["image"] == [280, 112]


# ---- configuration and selection
def test_a_changed_configuration_is_refused_by_key(tmp_path):
    run(tmp_path / "r", model="scripted:noisy")
    with pytest.raises(RunDirError) as caught:
        run(tmp_path / "r", model="scripted:noisy:0.2", seed=1, level="low")
    told = str(caught.value)
    for part in ('model: "scripted:noisy:0.7" -> "scripted:noisy:0.2"', "seed: 0 -> 1", 'level: "high" -> "low"'):
        assert part in told
    with pytest.raises(RunDirError, match="labels_sha256"):
        run(tmp_path / "r", make_benchmark(4), model="scripted:noisy")


def test_another_wording_is_another_run(tmp_path):
    file = tmp_path / "p.jinja"
    file.write_text("{% block user %}Do {{ goal }}{% endblock %}")
    run(tmp_path / "r")
    with pytest.raises(RunDirError, match="prompt_sha256"):
        run(tmp_path / "r", prompt=file)
    file.write_text("{% block user %}Do {{ gaol }}{% endblock %}")
    with pytest.raises(UsageError, match="gaol"):
        run(tmp_path / "r2", prompt=file)


def test_what_does_not_change_the_questions_may_change(tmp_path, server):
    server.answer = gold
    run(tmp_path / "r", limit=5, **served(server))
    code, summary, _ = run(tmp_path / "r", **served(server, concurrency=2, timeout_s=9, protocol=("strict", "qwen")))
    assert code == 0 and summary["run"]["answered"] == 21 and len(server.requests) == 21
    assert set(summary["protocols"]) == {"strict", "qwen"}


def test_limit_and_sample_leave_the_rest_for_histories(tmp_path, server):
    server.answer = gold
    code, summary, _ = run(
        tmp_path / "r", sample=("e1/3", "e2"), limit=4, protocol="qwen", **served(server, concurrency=1)
    )
    assert code == 0 and summary["run"]["asked"] == 4
    assert [row["step"] for row in stored(tmp_path / "r")] == ["e1/3", "e2/0", "e2/1", "e2/2"]
    assert len(prompt_text(server.requests[0]).split(";")) == 3
    assert next(iter(summary["protocols"].values()))["views"]["subset"]["counts"]["scored"] == 4
    assert summary["notes"] == ["only 4 of 21 steps were selected"]


def test_an_unknown_sample_gets_a_suggestion(tmp_path):
    with pytest.raises(UsageError, match="e1/3"):
        run(tmp_path / "r", sample=("e1/33",))


def test_steps_without_label_or_for_history_only_are_not_asked(tmp_path):
    benchmark = make_benchmark(1)
    steps = list(benchmark.episodes[0].steps)
    steps[1] = replace(steps[1], label=None, label_fault="no coordinates")
    steps[2] = replace(steps[2], extra=(("history_only", True),))
    changed = replace(benchmark, episodes=(replace(benchmark.episodes[0], steps=tuple(steps)),))
    code, _, _ = run(tmp_path / "r", changed)
    assert code == 0
    assert {row["step"] for row in stored(tmp_path / "r")} == {f"e0/{i}" for i in (0, 3, 4, 5, 6)}
    counts = benchmark_counts(changed)
    assert (counts["steps"], counts["history_only"], counts["label_faults"]["n"]) == (6, 1, 1)
    assert narrowed(changed, ("e0",)).episodes == changed.episodes


def test_pixel_limits_replace_the_dialects(tmp_path, server):
    server.answer = gold
    run(tmp_path / "r", max_pixels=10_000, limit=1, **served(server))
    assert stored(tmp_path / "r")[0]["image"] == [56, 140]
    with pytest.raises(UsageError, match="above max_pixels"):
        run(tmp_path / "r2", max_pixels=10_000, min_pixels=20_000)


def test_the_level_is_the_benchmarks_unless_the_two_disagree(tmp_path):
    low = replace(make_benchmark(1), name="android_control_low")
    _, summary, _ = run(tmp_path / "r", low)
    assert summary["run"]["level"] == "low"
    with pytest.raises(UsageError, match="android_control_low is the low level, not high"):
        run(tmp_path / "r2", low, level="high")


@pytest.mark.shared
@pytest.mark.parametrize("dialect", ["qwen2_5_vl", "ui_tars", "os_atlas"])
def test_real_labels_run_through_real_dialects(tmp_path, shared, dialect):
    flags = {"dialect": dialect, "data": shared / "data/android_control", "limit": 60, "protocol": "qwen"}
    resolved = config(tmp_path / "r", **flags, benchmark="android_control_low")
    benchmark = run_setup.load_benchmark(resolved.config, protocols.get("qwen"))
    assert benchmark.subset == "test_8444"
    assert offline.run(resolved, benchmark, err=io.StringIO()) == 0
    summary = json.loads((tmp_path / "r/summary.json").read_text())
    assert summary["run"]["answered"] == 60
    assert summary["protocols"]["qwen"]["views"]["subset"]["type_match"]["value"] >= 0.98


def test_dry_run_asks_and_writes_nothing(tmp_path, server):
    out = io.StringIO()
    code = offline.run(
        config(tmp_path / "r", dry_run=True, **served(server)),
        make_benchmark(),
        dialect=TINY,
        out=out,
        err=io.StringIO(),
    )
    assert code == 0 and not server.requests and not (tmp_path / "r").exists()
    told = out.getvalue()
    assert 'model = "openai:fake"  # flag --model' in told and "# 21 steps would be asked" in told
    assert "goal 0|high|low 0 0|" in told and "[screenshot of step 0, 112x280]" in told


def test_the_default_directory_is_found_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        resolved = resolve(RunConfig, {"benchmark": "a", "model": "scripted:gold", "dialect": "tiny"}, None, {})
        assert offline.run(resolved, make_benchmark(), dialect=TINY, err=io.StringIO()) == 0
    made = list((tmp_path / "runs").iterdir())
    assert len(made) == 1 and made[0].name.startswith("android_control-tiny-high-tiny-scripted_gold-")


# ---- semi-online
def test_own_history_shows_the_models_replies_and_stops_at_the_first_error(tmp_path, server):
    def wrong_once(body, before):
        goal, _, _, history = prompt_text(body).split("|")
        wrong = goal == "goal 1" and history.count(";") == 2
        return (200, completion('ACT {"kind": "wait"}')) if wrong else own_gold(body, before)

    server.answer = wrong_once
    code, summary, said = run(tmp_path / "r", make_benchmark(3, OWN), **SOP, **served(server, concurrency=2))
    assert code == 0
    semi = summary["run"]["semi_online"]
    assert semi == {"episodes": 3, "ended": 3, "owed": 0, "tsr": 2 / 3, "pg": pytest.approx((1 + 3 / 5 + 1) / 3)}
    asked = {row["step"] for row in stored(tmp_path / "r")}
    assert asked == {f"e{e}/{i}" for e in (0, 2) for i in range(5)} | {f"e1/{i}" for i in range(4)}
    histories = [prompt_text(body).split("|")[3] for body in server.requests if "goal 0" in prompt_text(body)]
    assert "ACT" in histories[-1] and "low" not in histories[-1]
    assert "14/14 replies" in said
    view = summary["protocols"]["ui_s1_sop"]["views"]["subset"]
    assert view["episode_sr"]["value"] == pytest.approx(semi["tsr"])
    assert view["goal_progress"]["value"] == pytest.approx(semi["pg"])


def test_a_fault_in_a_semi_online_episode_leaves_its_rest_owed_and_resume_goes_on_there(tmp_path, server):
    def flaky(body, before):
        goal, _, _, history = prompt_text(body).split("|")
        fails = goal == "goal 2" and history.count(";") == 1 and before == 0
        return (500, b"down") if fails else own_gold(body, before)

    server.answer = flaky
    code, summary, _ = run(tmp_path / "r", make_benchmark(3, OWN), **SOP, **served(server))
    assert code == 3 and summary["run"]["owed"] == 3
    assert summary["run"]["semi_online"]["owed"] == 1 and summary["run"]["semi_online"]["ended"] == 2
    before = len(server.requests)
    code, summary, _ = run(tmp_path / "r", make_benchmark(3, OWN), **SOP, **served(server))
    assert code == 0 and len(server.requests) == before + 3
    assert summary["run"]["semi_online"]["tsr"] == 1.0 and max(server.asked.values()) == 2


def test_a_limit_counts_episodes_when_the_history_is_the_models_own(tmp_path):
    _, summary, _ = run(tmp_path / "r", make_benchmark(3, OWN), limit=2, **SOP)
    assert summary["run"]["asked"] == 10 and summary["run"]["semi_online"]["episodes"] == 2


# ---- killed, interrupted
SCRIPT = """
import importlib.util, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that runs the tests in the background ignores it
from pathlib import Path
spec = importlib.util.spec_from_file_location("running_fakes", sys.argv[1])
fakes = importlib.util.module_from_spec(spec); sys.modules["running_fakes"] = fakes; spec.loader.exec_module(fakes)
from solar_eval import offline, protocols, run_setup
from solar_eval.config import RunConfig, resolve
flags = dict(benchmark="android_control", model="openai:fake", dialect="tiny", out=Path(sys.argv[3]),
             base_url=sys.argv[2], concurrency=4, history=sys.argv[4], protocol="ui_s1_sop")
benchmark = fakes.make_benchmark(8, fakes.LABELS[1:6])
sys.exit(offline.run(resolve(RunConfig, flags, None, {}), benchmark, dialect=fakes.TinyDialect()))
"""


def start(server, out: Path, history: str = "labels") -> subprocess.Popen[str]:
    fakes = Path(__file__).with_name("fakes.py")
    command = [sys.executable, "-c", SCRIPT, str(fakes), server.url, str(out), history]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])


def wait_for_requests(server, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(server.requests) < count and time.monotonic() < deadline:
        time.sleep(0.002)
    assert len(server.requests) >= count


@pytest.mark.slow
@pytest.mark.parametrize("history", ["labels", "own"])
def test_killed_runs_resume_without_loss_or_doubles(tmp_path, server, history):
    """SIGKILL twice in the middle; only what was in flight is asked twice, and the results are those of one run."""
    server.answer, server.delay = own_gold, 0.03
    for at in (7, 25):
        process = start(server, tmp_path / "r", history)
        wait_for_requests(server, at)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    flags = {"protocol": "ui_s1_sop", "history": history, "concurrency": 4} | served(server, max_retries=5)
    code, _, said = run(tmp_path / "r", make_benchmark(8, OWN), **flags)
    assert code == 0, said
    rows = stored(tmp_path / "r")
    assert len(rows) == len({row["step"] for row in rows}) == 40 and all(row["text"] for row in rows)
    assert len(server.requests) <= 40 + 2 * 4
    assert run(tmp_path / "whole", make_benchmark(8, OWN), **flags)[0] == 0
    for file in ("summary.json", "samples.parquet"):
        assert (tmp_path / "r" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


@pytest.mark.slow
def test_ctrl_c_keeps_everything_and_says_what_to_do(tmp_path, server):
    """While it runs nobody else may write; SIGINT ends it with 130; the same command asks the rest."""
    server.answer, server.delay = own_gold, 0.05
    process = start(server, tmp_path / "r")
    wait_for_requests(server, 10)
    with pytest.raises(RunDirError, match=f"in use by process {process.pid}"):
        RunDir.create_or_resume(tmp_path / "r", {})
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    kept = len(stored(tmp_path / "r"))
    assert f"interrupted: {kept} replies are kept" in said and f"{40 - kept} steps are owed" in said
    assert "Traceback" not in said and not (tmp_path / "r/summary.json").exists()
    code, _, _ = run(tmp_path / "r", make_benchmark(8, OWN), protocol="ui_s1_sop", history="labels", **served(server))
    assert code == 0 and len(stored(tmp_path / "r")) == 40
    assert len(server.requests) <= 40 + 4


# ---- progress
def test_plain_progress_says_how_long_nothing_came():
    now = [0.0]
    stream = io.StringIO()
    meter = Meter(10, 2, clock=lambda: now[0])
    with Display(meter, stream, interval=5) as display:
        with display.asking() as seen:
            now[0], seen.answered = 1.0, True
        with display.asking():
            now[0] = 8.0
            display.refresh()
    first, *_ = stream.getvalue().splitlines()
    assert first == "3/10 replies, 0.1/s, 0 faults, 1 in flight, last answer 7 s ago, about 56 s left"
    assert "1 faults, 0 in flight" in stream.getvalue()


def test_progress_lives_while_nothing_comes_back():
    stream = io.StringIO()

    async def go() -> None:
        with Display(Meter(3), stream, interval=0.01) as display, anyio.move_on_after(0.1):
            await display.heartbeat()

    anyio.run(go)
    assert len(stream.getvalue().splitlines()) >= 3


def test_progress_on_a_terminal_is_a_bar():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with Display(Meter(3), stream) as display, display.asking() as seen:
        seen.answered = True
    assert "1/3 replies" in stream.getvalue()
