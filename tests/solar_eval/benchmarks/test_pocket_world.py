"""Every template: expert 1.0, doing nothing 0.0, the wrong variant 0.0; facts, seeds, lengths, answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from emulator.device_errors import CommandFailed
from emulator.pocket.apps import APPS
from emulator.pocket.experts.driver import Driver
from emulator.pocket.faults import Fault
from emulator.pocket.phone import Phone
from emulator.pocket.state import Snapshot
from solar_eval.benchmarks.pocket_world import PocketWorld
from solar_eval.benchmarks.pocket_world.access import PhoneAccess, run
from solar_eval.benchmarks.pocket_world.answers import Wanted, right
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Task
from solar_eval.benchmarks.pocket_world.trajectories import Watcher
from solar_eval.benchmarks.pocket_world.world import World
from solar_eval.errors import UsageError
from solar_eval.live.task import INFEASIBLE, Expert, LiveBenchmark, LiveTask, Said

BENCHMARK = PocketWorld()
NAMES = list(BENCHMARK.specs)
DONE = Said("", "success")


@pytest.fixture(scope="module")
def phone() -> Phone:
    return Phone(seed=1, size=(540, 1200), strict=True)


@pytest.fixture(scope="module")
def access(phone: Phone) -> Iterator[PhoneAccess]:
    made = PhoneAccess(phone)
    yield made
    assert not made.endpoint.unknown, made.endpoint.unknown


def solved(task: Task, script: Expert, access: PhoneAccess, driver: Driver) -> float:
    script(driver)
    return task.score(access, Said(driver.answered, "infeasible" if driver.answered == INFEASIBLE else "success"))


def again(phone: Phone, start: tuple[Snapshot, list[Fault]]) -> None:
    """Back to the start of the task, with its faults."""
    phone.restore(start[0])
    phone.faults.clear()
    for fault in start[1]:
        phone.faults.add(fault)


def judged(name: str, seed: int, phone: Phone, access: PhoneAccess) -> int:
    """All scripts of one template at one seed; the number of the expert's actions."""
    task = BENCHMARK.instantiate(name, seed)
    task.initialize(access)
    assert phone.activities.foreground.home, "the home screen is in front"
    before, start = phone.state_hash(), (phone.snapshot(), phone.faults.waiting())
    assert task.score(access, DONE) == 0.0 and task.score(access, Said()) == 0.0, "doing nothing"
    assert before == phone.state_hash(), "scoring changes nothing"
    expert = Watcher(phone)
    assert solved(task, task.expert, access, expert) == 1.0, task.goal
    if not task.spec.infeasible:
        assert task.score(access, Said(expert.answered, "infeasible")) == 0.0, "it can be done"
    again(phone, start)
    assert solved(task, task.wrong, access, Watcher(phone)) == 0.0, f"the wrong variant of {task.goal}"
    if task.detour is not None:
        again(phone, start)
        assert solved(task, task.detour, access, Watcher(phone)) == 1.0, f"the detour of {task.goal}"
    declared = task.template.optimal_steps
    assert abs(len(expert.actions) - declared) <= max(1, declared // 10), (len(expert.actions), declared)
    return len(expert.actions)


@pytest.mark.parametrize("name", NAMES)
def test_expert_nothing_and_wrong(name: str, phone: Phone, access: PhoneAccess) -> None:
    for seed in (0, 1):
        judged(name, seed, phone, access)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(8))
def test_expert_nothing_and_wrong_over_twenty_seeds(part: int, phone: Phone, access: PhoneAccess) -> None:
    for name in NAMES[part::8]:
        counts = Counter(judged(name, seed, phone, access) for seed in range(2, 20))
        assert counts.most_common(1)[0][0] == BENCHMARK.specs[name].steps, (name, counts)


# the table


def test_templates_cover_what_was_asked_for() -> None:
    templates = BENCHMARK.templates
    assert len(templates) >= 60 and len({t.name for t in templates}) == len(templates)
    lengths = Counter(t.length for t in templates)
    assert min(lengths.values()) >= 8 and set(lengths) == {"short", "medium", "long", "very_long"}, lengths
    tags = Counter(tag for t in templates for tag in t.tags)
    assert min(tags[x] for x in ("question", "infeasible", "cross_app", "error_recovery")) >= 7, tags
    for kind in ("popup", "wrong_screen", "dead_end", "permission_dialog", "keyboard", "not_responding"):
        assert tags[kind] >= 1, kind
    named = {app for t in templates for app in t.apps}
    assert named == {
        "Launcher", "Settings", "Clock", "Contacts", "Phone", "Simple SMS Messenger", "Files", "Markor",
        "Simple Calendar Pro", "Pro Expense", "Tasks", "Broccoli", "Clipper",
    }  # fmt: skip
    assert len(named) <= len(APPS)
    assert all(t.complexity * 10 >= max(10, t.optimal_steps * 1.5) for t in templates)


def test_it_is_a_live_benchmark_of_plain_values() -> None:
    benchmark: LiveBenchmark = BENCHMARK
    for name in NAMES:
        task: LiveTask = benchmark.instantiate(name, 30)
        again = benchmark.instantiate(name, 30)
        assert task.name == f"{name}/30" and task.goal == again.goal and "{" not in task.goal
        assert json.loads(json.dumps(task.params)) == again.params, "JSON values, the same for the same seed"
    goals = {benchmark.instantiate("SmsReply", seed).goal for seed in range(10)}
    assert len(goals) == 10


def test_an_unknown_template_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="SmsReply"):
        BENCHMARK.instantiate("SmsRepply", 0)


# preparing and reading


def test_initialize_works_from_any_state_and_tear_down_cleans(phone: Phone, access: PhoneAccess) -> None:
    task = BENCHMARK.instantiate("RecoveryPopup", 4)
    for _ in range(2):
        task.initialize(access)
        assert phone.faults.waiting()
        phone.launch("com.android.settings")
    first = phone.state_hash()
    task.initialize(access)
    phone.launch("com.android.settings")
    assert phone.state_hash() == first
    task.tear_down(access)
    task.tear_down(access)
    assert not phone.faults.waiting() and not Reading(access).contacts()


def test_text_survives_quoting_on_its_way_in_and_out(access: PhoneAccess) -> None:
    hard = 'It\'s "5 > 3" & $HOME\n`date` \\n % \u4e2d\u6587 \u00e9; DROP TABLE sms; --'
    world = World()
    world.messages([["5550001", hard, "in"]])
    world.files({"Documents/it's here.txt": hard})
    world.contacts([{"name": "Ann O'Hara", "number": "5550002", "email": "a@b.c", "label": "Work", "starred": 1}])
    world.expenses([[hard, 1234, 3, hard]])
    world.run(access)
    now = Reading(access)
    assert now.messages() == [["5550001", hard, "in"]]
    assert now.text("/sdcard/Documents/it's here.txt") == hard
    assert now.contacts() == [["Ann O'Hara", "5550002", "Work", "a@b.c", 1]]
    assert now.expenses() == [[hard, 1234, 3, hard]]
    assert now.text("/sdcard/nothing.txt") is None


def test_many_lines_go_in_several_calls(access: PhoneAccess) -> None:
    world = World()
    world.files({f"Download/f{n}.txt": "y" * 900 for n in range(80)})
    world.run(access)
    assert len([p for p in Reading(access).paths("/sdcard/Download") if p.endswith(".txt")]) == 80


def test_a_line_that_fails_is_an_error(access: PhoneAccess) -> None:
    world = World()
    world.shell("cat", "/no/such/file")
    with pytest.raises(CommandFailed, match="No such file"):
        world.run(access)
    with pytest.raises(CommandFailed, match="pocket phone"):
        run(access, "not_a_command")
    access.endpoint.unknown.clear()


# answers


@pytest.mark.parametrize(
    ("said", "good"),
    [
        ("07:05", True), ("It rings at 07:05.", True), ("07:05 AM", True), ("It is not at 08:10 but at 07:05", False),
        ("107:05", False), ("", False), ("7", False),
    ],
)  # fmt: skip
def test_an_answer_may_be_a_sentence(said: str, good: bool) -> None:
    assert right(said, Wanted(("07:05",), ("08:10", "09:20"))) is good


def test_answers_with_several_parts_and_with_parts_of_each_other() -> None:
    wanted = Wanted(("Team lunch", "Choir"), ("Yoga class",))
    assert right("Choir, Team Lunch", wanted) and right("team lunch and choir", wanted)
    assert not right("Choir", wanted) and not right("Choir, Team lunch, Yoga class", wanted)
    assert right("on", Wanted(("on",), ("on", "off"))) and not right("off", Wanted(("on",), ("on", "off")))
    assert right("It cost 12.50 dollars", Wanted(("12.50",), ("2.50",)))
