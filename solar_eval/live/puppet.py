"""An expert script held on strings: it runs in a thread, one action at a time, in step with an episode.

The script sees a `Driver` (emulator/pocket/experts/driver.py) over an object that hands every action to the episode and
waits for the next observation. It reads the hierarchy of that observation, so that it decides on what the record shows.
"Select all, delete, type" of `Driver.clear` becomes one `Type` with `clear`, as the vocabulary has it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from emulator.device import Device, Foreground
from emulator.device_errors import NoFreshTree
from emulator.pocket.experts.driver import KEYBOARD, Driver
from solar_eval.actions import Action, Answer, Click, Finish, Key, LongPress, OpenApp, Point, Press, Swipe, Type, Wait
from solar_eval.live.agents import Decision
from solar_eval.live.seeing import Observation
from solar_eval.live.task import INFEASIBLE, Expert

KEYS: dict[str, Key] = {
    "BACK": "back", "KEYCODE_BACK": "back", "4": "back", "HOME": "home", "KEYCODE_HOME": "home", "3": "home",
    "ENTER": "enter", "KEYCODE_ENTER": "enter", "66": "enter", "APP_SWITCH": "recents", "KEYCODE_APP_SWITCH": "recents",
}  # fmt: skip
ALL_SELECTED = ("CTRL_LEFT", "A")
SHOWN = "mInputShown=true"
DELETE = ("DEL", "KEYCODE_DEL", "67")


class _Cut(BaseException):
    """Unwinds a script whose episode is over."""


class Puppet:
    """One script of one episode. `next` is the episode's side; the rest is called by the script's thread."""

    def __init__(self, script: Expert, device: Device) -> None:
        self._script, self._device = script, device
        self._acts: queue.SimpleQueue[Decision | BaseException | None] = queue.SimpleQueue()
        self._seen: queue.SimpleQueue[Observation | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._over = False

    def next(self, observation: Observation) -> Decision | None:
        """The script's next action on what is seen now; None when it has ended. Raises what the script raised."""
        if self._over:
            return None
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, args=(observation,), name="expert", daemon=True)
            self._thread.start()
        else:
            self._seen.put(observation)
        act = self._acts.get()
        if act is None or isinstance(act, BaseException):
            self._over = True
        if isinstance(act, BaseException):
            raise act
        return act

    def close(self) -> None:
        """Cuts the strings: the script ends at its next action."""
        self._over = True
        if self._thread is not None and self._thread.is_alive():
            self._seen.put(None)
            self._thread.join(timeout=10)

    def _run(self, observation: Observation) -> None:
        strings = _Strings(self._pull, observation, self._device)
        driver = _PuppetDriver(strings)
        try:
            self._script(driver)
            strings.flush()
        except _Cut:
            return
        except BaseException as error:  # whatever the script raises is raised again where the episode waits for it
            self._acts.put(error)
            return
        self._acts.put(None)

    def _pull(self, decision: Decision) -> Observation:
        self._acts.put(decision)
        seen = self._seen.get()
        if seen is None:
            raise _Cut
        return seen


class _PuppetDriver(Driver):
    """The driver that a script gets."""

    def __init__(self, strings: _Strings) -> None:
        super().__init__(strings, pause=strings.wait)
        self.strings = strings

    def hide_keyboard(self) -> None:
        """BACK, if the keyboard is up."""
        if self.strings.keyboard_shown():
            self.back()

    def answer(self, text: str) -> None:
        """The answer, or that the task can't be done."""
        self.answered = text
        self.strings.act(Finish("infeasible") if text == INFEASIBLE else Answer(text))


class _Strings:
    """The phone as `Driver` wants it; every action goes up the strings."""

    def __init__(self, pull: Callable[[Decision], Observation], observation: Observation, device: Device) -> None:
        self._pull = pull
        self.observation = observation
        self._device = device
        self._cleared: list[str] = []

    def act(self, action: Action) -> None:
        """Hands up one action and waits until it is done."""
        self.flush()
        self.observation = self._pull(Decision(action))

    def flush(self) -> None:
        """Does what was put off: emptying a field, or keys outside the vocabulary."""
        held, self._cleared = tuple(self._cleared), []
        if held[:1] == ("+".join(ALL_SELECTED),) and len(held) == 2:
            self.observation = self._pull(Decision(Type("", clear=True)))
        elif held:
            self.observation = self._pull(Decision(keys=held))

    def keyboard_shown(self) -> bool:
        """Whether the keyboard is up now."""
        self.flush()
        return SHOWN in self._device.shell(f"dumpsys input_method | grep {SHOWN}").stdout

    # ---- emulator.pocket.experts.driver.Device
    def hierarchy_xml(self, all_windows: bool = False) -> str:
        """The hierarchy of the latest observation."""
        self.flush()
        if self.observation.tree is None:
            raise NoFreshTree(self.observation.no_tree or "no hierarchy", "scripted expert")
        xml = self.observation.tree.xml
        if all_windows and KEYBOARD not in xml and self.keyboard_shown():
            return xml.replace("</hierarchy>", f'<node package="{KEYBOARD}" bounds="[0,0][0,0]" /></hierarchy>')
        return xml

    def screenshot_png(self) -> bytes:
        """The picture of the latest observation."""
        self.flush()
        return self.observation.screenshot.png

    def _point(self, x: int, y: int) -> Point:
        width, height = self.observation.size
        return Point((x + 0.5) / width, (y + 0.5) / height)

    def tap(self, x: int, y: int) -> None:
        """Touch shortly."""
        self.act(Click(self._point(x, y)))

    def long_press(self, x: int, y: int) -> None:
        """Hold a finger."""
        self.act(LongPress(self._point(x, y)))

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Move a finger."""
        self.act(Swipe(start=self._point(x1, y1), end=self._point(x2, y2), duration_ms=duration_ms))

    def text(self, text: str) -> None:
        """Type; right after `clear` as one action."""
        clear = len(self._cleared) == 2 and self._cleared[0] == "+".join(ALL_SELECTED)
        if clear:
            self._cleared = []
        self.act(Type(text, clear=clear))

    def key(self, key: int | str) -> None:
        """Press a key: of the vocabulary, else by its name."""
        name = str(key).upper()
        if name in KEYS:
            self.act(Press(KEYS[name]))
        elif name in DELETE and self._cleared == ["+".join(ALL_SELECTED)]:
            self._cleared.append(name)
        else:
            self.flush()
            self.observation = self._pull(Decision(keys=(str(key),)))

    def key_combination(self, codes: list[int | str]) -> None:
        """Keys together; "select all" is held back, the next action shows what it is for."""
        self.flush()
        self._cleared.append("+".join(str(code) for code in codes))
        if self._cleared != ["+".join(ALL_SELECTED)]:
            self.flush()

    def launch(self, package: str) -> Foreground:
        """Start an app as its icon does."""
        self.act(OpenApp(package))
        return self.observation.foreground

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.act(Wait(seconds))
