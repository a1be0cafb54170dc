"""Execution, seeing, puppets, scripted agents, numbers' rules, stand-ins: each by itself on a small phone."""

from __future__ import annotations

import datetime
import io
import random
import tempfile
import threading
import time
import types
import uuid
from typing import Any

import pytest
from live_fakes import OneTask, Tasks, open_settings, pocket
from PIL import Image

from emulator.device_errors import DeviceError, InputMethodNotActive, NoFreshTree, TextNotTyped
from solar_eval.actions import (
    Answer,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.table import get
from solar_eval.live.agents import Start
from solar_eval.live.checks import fingerprint, leftovers, ready
from solar_eval.live.episode import Rules, run_episode
from solar_eval.live.execute import execute, swipe_path
from solar_eval.live.general import LIVE_DIALECTS
from solar_eval.live.scripted import ScriptedAgent, from_spec
from solar_eval.live.seeing import element_lines, look, marked_png
from solar_eval.live.standins import STANDINS, Context, inside, install
from solar_eval.live.task import INFEASIBLE, length_class

SIZE = (540, 1200)


class Silent:
    def __init__(self) -> None:
        self.steps: list[Any] = []

    def observed(self, index: int, observation: Any) -> None:
        pass

    def stepped(self, record: Any) -> None:
        self.steps.append(record)


class Recorder:
    """A device that writes down what it is asked."""

    serial = "recorder"

    def __init__(self, **raises: Exception) -> None:
        self.calls: list[Any] = []
        self.raises = raises

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls.append((name, *args, *kwargs.items()))
            if name in self.raises:
                raise self.raises[name]
            return types.SimpleNamespace(package="a.b", activity="", stdout="", exit_code=0)

        return call


@pytest.mark.parametrize(
    ("action", "calls"),
    [
        (Click(Point(1.0, 1.0)), [("tap", 539, 1199)]),
        (DoubleTap(Point(0.5, 0.5)), [("double_tap", 270, 600)]),
        (LongPress(Point(0.5, 0.5), 700), [("long_press", 270, 600, 700)]),
        (Swipe("up"), [("swipe", 270, 900, 270, 300, 400, ("edges", False))]),
        (Swipe("left"), [("swipe", 432, 600, 108, 600, 400, ("edges", False))]),
        (Swipe("down", Point(0.5, 0.9)), [("swipe", 270, 1080, 270, 1152, 400, ("edges", False))]),
        (Swipe(start=Point(0, 0), end=Point(0.5, 0.5)), [("swipe", 0, 0, 270, 600, 400, ("edges", True))]),
        (Type("é;rm -rf /", Point(0.5, 0.1), submit=True, clear=True),
         [("tap", 270, 120), ("type_text", "é;rm -rf /", ("clear", True)), ("press", "enter")]),
        (Press("recents"), [("press", "recents")]),
        (OpenApp("Clock"), [("open_app", "Clock")]),
        (Wait(99.0), [("shell", ["sleep", "10"], ("timeout", 30.0))]),
        (Answer("x"), []), (Finish(), []), (CallUser("?"), []),
    ],
)  # fmt: skip
def test_actions_become_calls(action: Any, calls: list[Any]) -> None:
    device = Recorder()
    execute(device, action, SIZE)
    assert device.calls == calls


def test_what_the_model_got_wrong_is_noted_and_what_the_phone_did_is_raised(phone: Any) -> None:
    assert "no such app" in execute(phone, OpenApp("Nonesuch"), SIZE).note
    assert "not typed" in execute(Recorder(type_text=TextNotTyped("no route")), Type("x"), SIZE).note
    with pytest.raises(InputMethodNotActive):
        execute(Recorder(type_text=InputMethodNotActive("gone")), Type("x"), SIZE)
    with pytest.raises(DeviceError):
        execute(Recorder(tap=DeviceError("lost")), Click(Point(0.5, 0.5)), SIZE)
    assert swipe_path(Swipe()) is None


def test_marks_and_list_number_the_same_elements(phone: Any) -> None:
    seen = look(phone, need_tree=True)
    lines = element_lines(seen.elements)
    assert lines and all(line.startswith(f"[{n}] ") for n, line in enumerate(lines))
    marked = Image.open(io.BytesIO(marked_png(seen.screenshot, seen.elements)))
    assert (
        marked.size == SIZE and marked.tobytes() != Image.open(io.BytesIO(seen.screenshot.png)).convert("RGB").tobytes()
    )


def test_a_missing_hierarchy_is_a_fault_only_for_who_needs_it(phone: Any, monkeypatch: Any) -> None:
    def none() -> Any:
        raise NoFreshTree("stale", "x")

    monkeypatch.setattr(phone, "ui_tree", none)
    seen = look(phone)
    assert seen.tree is None and seen.no_tree == "stale" and seen.elements == ()
    with pytest.raises(NoFreshTree):
        look(phone, need_tree=True)


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        ('{"action": "click", "element": 0}', "click"),
        ('{"thought": "t", "action": "type", "text": "a", "element": 1}', "type"),
        ('{"action": "click", "index": 1}', "click"), ('{"action": "swipe", "direction": "up", "element": 0}', "swipe"),
        ('{"action": "click", "point": [0.5, 0.25]}', "click"),
        ('{"action": "click", "element": 999}', "bad_coordinate"),
        ("I would click it.", "no_action"), ('```json\n{"action": "finish", "status": "infeasible"}\n```', "finish"),
    ],
)  # fmt: skip
def test_general_agents_read_numbers_of_elements(phone: Any, reply: str, wanted: str) -> None:
    seen = look(phone, need_tree=True)
    for cls in LIVE_DIALECTS.values():
        dialect = cls().over(seen)
        parsed = dialect.parse(reply, dialect.frame_for(seen.size))
        assert (parsed.action.kind if parsed.action else parsed.fault and parsed.fault.code) == wanted
        if wanted == "click" and "element" in reply:
            assert dialect.target(parsed.action) == dialect.lines[0]


def episode(task: OneTask, agent: Any, rules: Rules | None = None) -> tuple[Any, Silent]:
    watcher = Silent()
    return run_episode(task, pocket(), agent, rules or Rules(), watcher), watcher


@pytest.mark.parametrize("name", ["", "ui_tars", "generic_json", "qwen2_5_vl"])
def test_an_expert_goes_through_any_dialect(name: str) -> None:
    task = Tasks(1).instantiate("Task0", 1)
    played, watcher = episode(task, ScriptedAgent("expert", dialect=get(name) if name else None))
    assert played.score == 1.0 and played.steps == 4 and task.calls == ["initialize", "score", "tear_down"]
    assert not name or any(step.decision.reply for step in watcher.steps)


def test_a_script_that_fails_ends_as_a_failure_and_its_thread_ends() -> None:
    task = Tasks(1).instantiate("Task0", 1)
    task.expert = lambda driver: driver.tap("nowhere")
    played, _ = episode(task, ScriptedAgent("expert"))
    assert played.said.finish == "failure" and played.score == 0.0
    task.expert = lambda driver: [open_settings(driver) for _ in range(50)]
    played, _ = episode(task, ScriptedAgent("expert"), Rules(budget=5))
    assert played.ending == "budget" and not [t for t in threading.enumerate() if t.name == "expert"]


def test_clearing_answers_and_infeasible_are_the_vocabularys_own() -> None:
    task = Tasks(1).instantiate("Task0", 1)

    def script(driver: Any) -> None:
        driver.clear()
        driver.type_text("new")
        driver.key("MOVE_END")
        driver.answer("42")

    task.expert = script
    task.check = lambda device, said: float(said.answer == "42")
    played, watcher = episode(task, ScriptedAgent("expert"))
    assert [step.decision.action for step in watcher.steps] == [Type("new", clear=True), None, Answer("42")]
    assert watcher.steps[1].decision.keys == ("MOVE_END",) and played.ending == "answer" and played.score == 1.0
    task.expert = lambda driver: driver.answer(INFEASIBLE)
    assert episode(task, ScriptedAgent("expert"))[0].said.finish == "infeasible"


def test_a_noisy_expert_errs_and_comes_back() -> None:
    task = Tasks(1).instantiate("Task0", 1)
    task.template = type(task.template)("Task0", 10.0, 3, "easy")
    played, watcher = episode(task, from_spec("noisy:0.6", 4, None))
    assert played.mistakes > 0 and played.score == 1.0
    again = episode(task, from_spec("noisy:0.6", 4, None))[1]
    assert [s.decision.action for s in again.steps] == [s.decision.action for s in watcher.steps]


def test_random_agents_differ_by_repeat_and_not_by_run() -> None:
    task, device = Tasks(1).instantiate("Task0", 1), pocket()
    seen = look(device)

    def actions(repeat: int) -> list[Any]:
        run = ScriptedAgent("random").begin(Start(task, device, repeat))
        return [run.decide(seen).action for _ in range(8)]

    assert actions(0) == actions(0) != actions(1)


def test_the_state_of_a_phone_around_an_episode(phone: Any) -> None:
    ready(phone)
    before = fingerprint(phone)
    phone.press("home")
    assert leftovers(before, fingerprint(phone)) == ()
    phone.shell("settings put global airplane_mode_on 1; settings put system font_scale 2")
    assert [line.split(":")[0] for line in leftovers(before, fingerprint(phone))] == [
        "global/airplane_mode_on", "system/font_scale",
    ]  # fmt: skip


def test_lengths() -> None:
    assert [length_class(n) for n in (1, 5, 6, 12, 13, 29, 30)] == [
        "short", "short", "medium", "medium", "long", "long", "very_long",
    ]  # fmt: skip


def foreign() -> types.ModuleType:
    module = types.ModuleType("foreign.tasks")
    module.__dict__.update(random=random, time=time, uuid=uuid, tempfile=tempfile, datetime=datetime)
    install({"foreign.tasks": module}, frozenset({"foreign.tasks"}))
    return module


def test_threads_share_neither_chance_nor_dates_nor_temporary_files() -> None:
    """V12, and the global random state: each thread has its own, equal to what the real module draws from the seed."""
    module, out, start = foreign(), {}, threading.Barrier(4)

    def draw(number: int) -> None:
        now = datetime.datetime(2023, 10, 15, 0, 0, number)
        with tempfile.TemporaryDirectory() as folder, inside(Context(random.Random(number), folder, now=now)):
            start.wait()
            values = []
            for _ in range(200):
                values.append(module.random.randint(0, 10**9))
                time.sleep(0)
            made = module.tempfile.mkdtemp()
            assert module.tempfile.gettempdir() == folder and made.startswith(folder)
            out[number] = (values, module.datetime.datetime.now(), str(module.uuid.uuid4()))

    before = random.getstate()
    threads = [threading.Thread(target=draw, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert random.getstate() == before
    for number in range(4):
        rng = random.Random(number)
        assert out[number][0] == [rng.randint(0, 10**9) for _ in range(200)]
        assert out[number][1] == datetime.datetime(2023, 10, 15, 0, 0, number)
    assert len({found[2] for found in out.values()}) == 4


def test_outside_a_context_stand_ins_are_the_real_thing() -> None:
    module = foreign()
    assert module.tempfile.gettempdir() == tempfile.gettempdir() and abs(module.time.time() - time.time()) < 5
    assert isinstance(datetime.datetime.now(), module.datetime.datetime)
    assert module.random.Random is random.Random and set(STANDINS) == {"random", "time", "uuid", "tempfile", "datetime"}
    slept: list[float] = []
    with inside(Context(random.Random(0), "/nowhere", slept.append)):
        module.time.sleep(500)
        assert slept == [500] and module.time.time() - time.time() > 499
