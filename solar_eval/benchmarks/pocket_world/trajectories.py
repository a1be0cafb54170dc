"""Expert episodes of pocket_world as offline trajectories: goal, and per step elements, action, instruction, picture.

Made on one phone in this process; no picture is drawn unless somebody asks for it. Actions are those of
`solar_eval.actions` in its frame; points are the middles of pixels, so that `emulator.device.to_pixel` gives the very
pixel back. An episode ends with a `Finish` (of status "infeasible" where that is the right end).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice

from emulator.pocket.apps import APPS
from emulator.pocket.experts import driver as scripted
from emulator.pocket.faults import Fault
from emulator.pocket.hierarchy import full_id, spoken_text
from emulator.pocket.phone import Phone
from emulator.pocket.state import Snapshot
from emulator.pocket.views import View, Window
from emulator.ui_tree import Element
from solar_eval.actions import (
    Action,
    Answer,
    Click,
    Finish,
    Key,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
    finger_direction,
)
from solar_eval.benchmarks.pocket_world.access import PhoneAccess
from solar_eval.benchmarks.pocket_world.spec import Task
from solar_eval.benchmarks.pocket_world.suite import PocketWorld
from solar_eval.errors import UsageError
from solar_eval.live.task import INFEASIBLE, Said, Template

SIZE = (540, 1200)
LABELS = {app.package: app.label for app in APPS}
KEYS: dict[str, Key] = {"BACK": "back", "HOME": "home", "ENTER": "enter"}
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class NotSolved(Exception):
    """A script that should solve its task did not: a fault of the suite."""


@dataclass(frozen=True)
class Step:
    """One decision. elements: the window in front, parents first, pixels of `size`. `package`: the app in front.

    instruction: the step in words. screenshot: draws the PNG, None unless pictures were asked for.
    """

    index: int
    elements: tuple[Element, ...]
    size: tuple[int, int]
    package: str
    action: Action
    instruction: str
    screenshot: Callable[[], bytes] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Trajectory:
    """One solved task. `script`: "expert", or "detour" for a solution that errs once and recovers."""

    task: str
    template: Template
    seed: int
    script: str
    goal: str
    steps: tuple[Step, ...]


class Watcher(scripted.Driver):
    """A driver of a phone in this process that reads each screen once and notes what it did."""

    def __init__(self, phone: Phone, pictures: bool = False) -> None:
        super().__init__(phone, on_action=self._note, pause=phone.clock.advance)
        self.phone = phone
        self.pictures = pictures
        self.steps: list[Step] = []
        self._seen: dict[tuple[int, bool], list[Element]] = {}

    def elements(self, all_windows: bool = False) -> list[Element]:
        """The same as the driver's, without the way through XML."""
        key = (len(self.actions), all_windows)
        if key not in self._seen:
            self._seen = {k: v for k, v in self._seen.items() if k[0] == key[0]}
            self._seen[key] = elements_of(self.phone, all_windows)
        return self._seen[key]

    def _did(self, action: scripted.Action) -> None:
        super()._did(action)
        self._seen.clear()

    def _note(self, action: scripted.Action) -> None:
        size = self.phone.display_size
        made = translated(action, size)
        target = action.target
        name = "" if target is None else spoken_name(target, self.elements())
        self.note(made, instruction(made, f"the field {name}" if target is not None and target.editable else name))

    def note(self, action: Action, words: str) -> None:
        """Write down a step: what is on the screen now, and what is done."""
        elements = tuple(self.elements())
        package = elements[0].package if elements else ""
        shot = _camera(self.phone) if self.pictures else None
        self.steps.append(Step(len(self.steps), elements, self.phone.display_size, package, action, words, shot))


def elements_of(phone: Phone, all_windows: bool = False) -> list[Element]:
    """What `ui_tree.parse(phone.hierarchy_xml(all_windows))` gives, straight from the views."""
    windows = phone.reported_windows(fresh=False)
    if not all_windows:
        windows = [w for w in windows if w.active or w.title == "PopupWindow"] or windows[:1]
    found: list[Element] = []
    for window in windows:
        _walk(found, window, window.root, -1)
    return found


def _walk(found: list[Element], window: Window, view: View, parent: int) -> None:
    if not view.visible:
        return
    number = len(found)
    found.append(Element(
        number, parent, _FORBIDDEN.sub(".", spoken_text(view)), _FORBIDDEN.sub(".", view.desc),
        full_id(view, window.package).rpartition(":id/")[2], view.cls, window.package, view.visible_bounds,
        view.clickable, view.checkable, view.checked, view.enabled, view.selected, view.scrollable, view.focused,
        view.long_clickable, view.password,
    ))  # fmt: skip
    for child in view.children:
        _walk(found, window, child, number)


def translated(action: scripted.Action, size: tuple[int, int]) -> Action:
    """A driver's action in the project's words. ValueError for a key that the vocabulary does not have."""
    points = [Point((x + 0.5) / size[0], (y + 0.5) / size[1]) for x, y in action.points]
    match action.kind:
        case "tap":
            return Click(points[0])
        case "long_press":
            return LongPress(points[0])
        case "swipe":
            way = finger_direction(points[0], points[1], size)
            return Swipe(way, points[0], points[1], duration_ms=action.duration_ms or None)
        case "type":
            return Type(action.text)
        case "open_app":
            return OpenApp(LABELS.get(action.text, action.text))
        case "wait":
            return Wait(float(action.text))
        case "answer":
            return Finish("infeasible") if action.text == INFEASIBLE else Answer(action.text)
        case "key":
            if action.text not in KEYS:
                raise ValueError(f"key {action.text}: an action of solar_eval.actions is needed")
            return Press(KEYS[action.text])


def spoken_name(target: Element, elements: Sequence[Element]) -> str:
    """What a person would call an element: its words, those inside it, or those beside it, in quotes; "" for none."""
    if target.label:
        return f"'{' '.join(target.label.split())}'"
    inside, words = {target.index}, ""
    for element in elements[target.index + 1 :]:
        if element.parent not in inside:
            break
        inside.add(element.index)
        words = words or element.label
    if words:
        return f"'{words}'"
    beside = next((e.label for e in elements if e.label and target.beside(e)), "")
    return f"the {'switch' if target.checkable else 'element'} beside '{beside}'" if beside else ""


def instruction(action: Action, name: str = "") -> str:
    """The step as a person would say it; `name` is what is tapped or held."""
    name = name.strip() or "the marked place"
    match action:
        case Click():
            return f"Tap {name}"
        case LongPress():
            return f"Press and hold {name}"
        case Swipe():
            return f"Swipe {action.finger}"
        case Type():
            return f"Type '{action.text}'"
        case OpenApp():
            return f"Open the {action.name} app"
        case Press():
            words = {"back": "Go back", "home": "Go to the home screen", "enter": "Press enter"}
            return words.get(action.key, f"Press {action.key}")
        case Answer():
            return f"Answer '{action.text}'"
        case Finish():
            return "Say that it is not possible" if action.status == "infeasible" else "Say that it is done"
    return "Wait"


def _camera(phone: Phone) -> Callable[[], bytes]:
    """Draws the phone as it is now, later: on another phone of the same kind."""
    kept: Snapshot = phone.snapshot()
    faults: Sequence[Fault] = phone.faults.waiting()
    seed, size = phone.seed, phone.size

    def draw() -> bytes:
        spare = Phone(seed=seed, size=size)
        spare.restore(kept)
        for fault in faults:
            spare.faults.add(fault)
        return spare.screenshot_png()

    return draw


def record(phone: Phone, task: Task, script: str = "expert", *, pictures: bool = False) -> Trajectory:
    """Solve one task and write it down. NotSolved if the script does not."""
    chosen = {"expert": task.expert, "detour": task.detour}.get(script)
    if chosen is None:
        raise UsageError(f"{task.spec.name} has no script {script!r}", fix="expert, or detour where there is one")
    access, watcher = PhoneAccess(phone), Watcher(phone, pictures)
    task.initialize(access)
    chosen(watcher)
    done = watcher.steps[-1].action if watcher.steps else None
    if not isinstance(done, Finish):
        watcher.note(Finish("success"), instruction(Finish("success")))
    said = Said(watcher.answered, "infeasible" if watcher.answered == INFEASIBLE else "success")
    if task.score(access, said) != 1.0:
        raise NotSolved(f"{task.name}: the {script} script scores 0.0 for {task.goal!r}")
    return Trajectory(task.name, task.template, task.seed, script, task.goal, tuple(watcher.steps))


def expert_trajectories(
    templates: str | Iterable[str] = "*", seeds: Iterable[int] = range(10), *, size: tuple[int, int] = SIZE,
    pictures: bool = False, detours: bool = False, limit: int | None = None,
) -> Iterator[Trajectory]:  # fmt: skip
    """Expert episodes, seed by seed, each time through all templates.

    templates: glob patterns of names. pictures: steps can draw their screenshot (costs memory). detours: also the
    solutions that err and recover. limit: so many episodes at most. UsageError if no template has such a name.
    """
    patterns = [templates] if isinstance(templates, str) else list(templates)
    benchmark = PocketWorld()
    names = [n for n in benchmark.specs if any(fnmatchcase(n, p) for p in patterns)]
    if not names:
        raise UsageError(f"no template of pocket_world fits {', '.join(patterns)}")
    return islice(_recorded(benchmark, names, seeds, size, pictures, detours), limit)


def _recorded(
    benchmark: PocketWorld, names: Sequence[str], seeds: Iterable[int], size: tuple[int, int], pictures: bool,
    detours: bool,
) -> Iterator[Trajectory]:  # fmt: skip
    phone = Phone(size=size)
    for seed in seeds:
        for name in names:
            task = benchmark.instantiate(name, seed)
            yield record(phone, task, pictures=pictures)
            if detours and task.detour is not None:
                yield record(phone, task, "detour", pictures=pictures)
