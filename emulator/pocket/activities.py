"""Tasks and their screens: what is in front, what BACK, HOME and recents do.

The home task always exists. A task keeps its screens when the user leaves it; BACK on the last screen of an app
started from the launcher only leaves it (as since Android 12), any other task ends. Starting the main activity
of an app that has a task brings the task to the front as it is.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from emulator.pocket import chooser
from emulator.pocket.app import App, Screen
from emulator.pocket.chooser import Chooser
from emulator.pocket.intents import ActivityNotFound, Intent, short_component, split_component

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

HOME_TASK = 1


@dataclass
class Task:
    """A stack of screens, the last one in front. `root` is the full class name it was started with."""

    id: int
    package: str
    root: str
    screens: list[Screen] = field(default_factory=list)


@dataclass(frozen=True)
class TaskInfo:
    """A task as `am stack list` shows it: `component` is what stands in front in it."""

    id: int
    package: str
    cls: str
    base: str
    visible: bool
    home: bool

    @property
    def component(self) -> str:
        """`package/full.Class` of the screen in front."""
        return f"{self.package}/{self.cls}"

    @property
    def short(self) -> str:
        """`package/.Class` where the class lies in the package."""
        return short_component(self.package, self.cls)


class Activities:
    """The tasks of one phone, the one in front first."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.stack: list[Task] = []
        self.running: list[str] = []  # packages with a process
        self._next_id = HOME_TASK

    # what is there

    @property
    def front(self) -> Task:
        """The task in front."""
        return self.stack[0]

    @property
    def top(self) -> Screen:
        """The screen in front."""
        return self.front.screens[-1]

    @property
    def foreground(self) -> TaskInfo:
        """Package and class in front."""
        return self.tasks()[0]

    def tasks(self) -> list[TaskInfo]:
        """All tasks, the one in front first."""
        return [self._info(task, index == 0) for index, task in enumerate(self.stack)]

    def _info(self, task: Task, visible: bool) -> TaskInfo:
        top = task.screens[-1]
        cls = self.class_of(top)
        return TaskInfo(task.id, top.package, cls, f"{task.package}/{task.root}", visible, task.id == HOME_TASK)

    def class_of(self, screen: Screen) -> str:
        """Full class name of a screen's activity; a dialog has that of its app's screen below."""
        if screen.activity:
            return screen.activity
        for task in self.stack:
            at = _index(task, screen)
            for other in reversed(task.screens[: max(at, 0)]):
                if other.package == screen.package and screen.floating:
                    return self.class_of(other)
        return self.phone.apps[screen.package].main

    def find(self, package: str) -> Task | None:
        """The task of a package, if it has one."""
        return next((task for task in self.stack if task.package == package and task.id != HOME_TASK), None)

    # starting

    def resolve(self, intent: Intent) -> list[tuple[App, str]]:
        """Every activity that can take the intent; ActivityNotFound if there is none."""
        if intent.component:
            return [self._explicit(intent.component)]
        if intent.package and not intent.action.endswith(("VIEW", "SEND", "SENDTO", "INSERT", "EDIT")):
            app = self.phone.apps.get(intent.package)
            if app is not None:
                return [(app, app.main)]
        found = [
            (app, cls)
            for app in self.phone.enabled_apps()
            if intent.package in {"", app.package}
            for cls in dict.fromkeys(cls for wanted, cls in app.filters if wanted.matches(intent))
        ]
        if not found:
            raise ActivityNotFound(f"Activity not started, unable to resolve Intent {{ act={intent.action} }}")
        return found

    def _explicit(self, component: str) -> tuple[App, str]:
        package, cls = split_component(component)
        app = self.phone.apps.get(package)
        if app is None or package not in self.phone.packages or cls not in app.activities:
            raise ActivityNotFound(f"Activity class {{{package}/{cls}}} does not exist.")
        return app, cls

    def start(self, app: App, cls: str, intent: Intent) -> TaskInfo:
        """Bring an activity to the front; a new screen unless its task was started with this very one."""
        self.phone.start_process(app)
        task = self.find(app.package)
        plain = not intent.data and not intent.extras and not intent.mime
        if task is not None and cls == task.root and plain:
            self.to_front(task.id)
            return self.foreground
        screen = app.activities[cls](intent)
        if task is not self.front:
            self._pause_top()
        if task is None:
            task = Task(self.take_id(), app.package, cls)
        else:
            self.stack.remove(task)
        self.stack.insert(0, task)
        self.push(screen, app.package)
        return self.foreground

    def _pause_top(self) -> None:
        """The screen in front is left; what it raises is its own crash and does not keep the next one away."""
        top = self.top
        self.phone.run_handler(top.on_pause, top.package)

    def take_id(self) -> int:
        """A fresh task id."""
        self._next_id += 1
        return self._next_id - 1

    def start_home(self, screen: Screen, package: str, cls: str) -> None:
        """Make the home task (once, when the phone starts)."""
        self.stack.append(Task(self.take_id(), package, cls))
        self.push(screen, package)

    def push(self, screen: Screen, package: str) -> None:
        """Put a screen on the front task."""
        screen.package = screen.package or package
        screen.__dict__["_phone"] = self.phone
        self.phone.leave_screen()
        self.front.screens.append(screen)
        screen.on_create()
        if self.stack and self.front.screens and self.top is screen:
            screen.on_resume()

    def ask_app(self, intent: Intent, key: str) -> None:
        """An activity of another app on top of the screen in front, which gets its answer; ActivityNotFound."""
        found = self.resolve(intent)
        if len(found) > 1:
            self.push(Chooser.for_intent(intent, [(app.package, cls) for app, cls in found], key), chooser.PACKAGE)
            return
        app, cls = found[0]
        self.phone.start_process(app)
        screen = app.activities[cls](intent)
        screen.asked = key
        self.push(screen, app.package)

    # leaving

    def finish(self, screen: Screen, result: Any = None) -> None:
        """Close one screen wherever it is; deliver its result; end its task if that was the last."""
        task = next((t for t in self.stack if _index(t, screen) >= 0), None)
        if task is None:
            return
        at = _index(task, screen)
        was_top = task is self.front and at == len(task.screens) - 1
        del task.screens[at:]
        self.phone.leave_screen()
        if not task.screens:
            self._drop(task)
            return
        if result is not None and screen.asked:
            task.screens[-1].on_result(screen.asked, result)
        if was_top and task.screens and task is self.front:
            self.top.on_resume()

    def back(self) -> None:
        """What BACK does to screens (keyboard, shade and overlays come before)."""
        screen, task = self.top, self.front
        if screen.on_back():
            return
        if len(task.screens) > 1:
            self.finish(screen)
        elif task.id != HOME_TASK:
            if task.root == self.phone.apps[task.package].main:
                self.home()
            else:
                self.finish(screen)

    def home(self) -> None:
        """To the launcher."""
        self.to_front(HOME_TASK)

    def to_front(self, task_id: int) -> bool:
        """Bring a task to the front; False if there is none of this id."""
        task = next((t for t in self.stack if t.id == task_id), None)
        if task is None:
            return False
        if task is not self.front and self.front.screens:
            self._pause_top()
        self.phone.leave_screen()
        self.stack.remove(task)
        self.stack.insert(0, task)
        self.phone.start_process(self.phone.apps[task.package])
        self.top.on_resume()
        return True

    def remove(self, task_id: int) -> bool:
        """End a task (recents, `am stack remove`); the home task stays. False if there is none of this id."""
        task = next((t for t in self.stack if t.id == task_id and t.id != HOME_TASK), None)
        if task is not None:
            self._drop(task)
        return task is not None

    def _drop(self, task: Task) -> None:
        in_front = task is self.front
        if task.id == HOME_TASK:
            return
        self.stack.remove(task)
        if in_front:
            home = next(t for t in self.stack if t.id == HOME_TASK)
            self.to_front(home.id)

    def kill(self, package: str) -> None:
        """End the process and every screen of a package."""
        if package in self.running:
            self.running.remove(package)
        for task in [t for t in self.stack if t.id != HOME_TASK]:
            keep = [s for s in task.screens if s.package != package]
            if len(keep) != len(task.screens):
                task.screens[:] = keep if task.package != package else []
                if not task.screens:
                    self._drop(task)

    # keeping

    def snapshot(self) -> bytes:
        """Everything there is to keep."""
        return pickle.dumps((self.stack, self.running, self._next_id), protocol=pickle.HIGHEST_PROTOCOL)

    def restore(self, state: bytes) -> None:
        """Back to a `snapshot`: bytes made by this process from its own screens, never read from outside."""
        self.stack, self.running, self._next_id = pickle.loads(state)
        for task in self.stack:
            for screen in task.screens:
                screen.__dict__["_phone"] = self.phone


def _index(task: Task, screen: Screen) -> int:
    """Place of this very screen (not of an equal one) in a task, -1 if it is not there."""
    return next((i for i, other in enumerate(task.screens) if other is screen), -1)
