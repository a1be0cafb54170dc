"""Expert episodes as offline trajectories: elements as the tree gives them, actions, pictures on demand."""

from __future__ import annotations

import resource
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from emulator.device import to_pixel
from emulator.pocket.phone import Phone
from emulator.ui_tree import parse
from solar_eval.actions import Answer, Click, Finish, LongPress, OpenApp, Press, Swipe, Type, out_of_range
from solar_eval.benchmarks.pocket_world import PocketWorld
from solar_eval.benchmarks.pocket_world.access import PhoneAccess
from solar_eval.benchmarks.pocket_world.trajectories import (
    NotSolved,
    Trajectory,
    Watcher,
    elements_of,
    expert_trajectories,
    record,
)
from solar_eval.errors import UsageError


def one(name: str, seed: int = 3, **options: bool) -> Trajectory:
    return next(expert_trajectories(name, [seed], **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["SmsResend", "MarkorAppendLine", "RecoveryPopup", "CalendarAddWeekly"])
def test_elements_are_those_of_the_hierarchy(name: str) -> None:
    phone = Phone(size=(540, 1200), strict=True)

    class Checking(Watcher):
        def elements(self, all_windows: bool = False) -> list:  # type: ignore[type-arg]
            found = super().elements(all_windows)
            assert found == parse(phone.hierarchy_xml(all_windows))
            assert elements_of(phone, True) == parse(phone.hierarchy_xml(True))
            return found

    task = PocketWorld().instantiate(name, 0)
    task.initialize(PhoneAccess(phone))
    task.expert(Checking(phone))


def test_an_episode_reads_like_the_task() -> None:
    found = one("SmsReply")
    assert found.task == "SmsReply/3" and found.template.name == "SmsReply" and found.script == "expert"
    kinds = [type(step.action) for step in found.steps]
    assert kinds == [OpenApp, Click, Click, Type, Click, Finish]
    words = [step.instruction for step in found.steps]
    assert words[0] == "Open the SMS Messenger app" and words[2].startswith("Tap the field 'Type a message")
    assert words[-1] == "Say that it is done"
    assert [step.index for step in found.steps] == list(range(6))
    assert found.steps[0].package.endswith("nexuslauncher") and found.steps[1].package.endswith("smsmessenger")


def test_points_lie_on_elements_and_nothing_is_out_of_range() -> None:
    for found in expert_trajectories(["Settings*", "Cross*"], [1]):
        for step in found.steps:
            assert out_of_range(step.action) == 0.0
            if isinstance(step.action, Click | LongPress):
                x, y = to_pixel(*step.action.point, step.size)
                assert any(b[0] <= x < b[2] and b[1] <= y < b[3] for b in (e.bounds for e in step.elements))
            if isinstance(step.action, Swipe):
                assert step.action.finger == step.action.direction


def test_ends_of_questions_and_of_what_can_not_be_done() -> None:
    question = one("ContactsNumberQuestion").steps
    assert isinstance(question[-2].action, Answer) and question[-1].action == Finish("success")
    assert one("InfeasibleVpn").steps[-1].action == Finish("infeasible")


def test_detours_go_back() -> None:
    found = list(expert_trajectories("SmsResend", [0], detours=True))
    assert [t.script for t in found] == ["expert", "detour"]
    assert Press("back") in [step.action for step in found[1].steps]


def test_pictures_are_drawn_when_asked_for_and_show_that_moment() -> None:
    assert one("SettingsDarkTheme").steps[0].screenshot is None
    found = one("RecoveryPopup", pictures=True)
    shots = [step.screenshot for step in found.steps]
    pictures = [shot() for shot in shots if shot is not None]
    assert len(pictures) == len(found.steps) and len(set(pictures)) == len(pictures)
    with Image.open(BytesIO(pictures[1])) as image:
        assert image.size == found.steps[1].size
    assert "Not now" in [e.text for e in found.steps[1].elements]


def test_the_same_seed_gives_the_same_episode() -> None:
    assert one("FilesMove") == one("FilesMove") != one("FilesMove", 4)


def test_limit_and_unknown_names() -> None:
    assert len(list(expert_trajectories("Sms*", range(100), limit=3))) == 3
    with pytest.raises(UsageError, match="no template"):
        expert_trajectories("Nothing*")
    with pytest.raises(UsageError, match="detour"):
        record(Phone(size=(540, 1200)), PocketWorld().instantiate("SmsReply", 0), "detour")


def test_a_script_that_fails_is_never_a_trajectory() -> None:
    task, phone = PocketWorld().instantiate("SmsReply", 0), Phone(size=(540, 1200))
    assert record(phone, task).steps
    with pytest.raises(NotSolved, match="SmsReply/0"):
        record(phone, replace(task, spec=replace(task.spec, expert=task.spec.wrong)))


@pytest.mark.slow
def test_fast_enough_for_a_hundred_thousand_steps() -> None:
    begun = resource.getrusage(resource.RUSAGE_SELF)
    steps = sum(len(t.steps) for t in expert_trajectories(seeds=[0, 1]))
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime - begun.ru_utime - begun.ru_stime
    assert steps / seconds > 75, f"{steps / seconds:.0f} steps/s: half of what is aimed at, on a busy machine"
