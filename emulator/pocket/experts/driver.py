"""A scripted user: finds things on the screen by their words, taps, types, swipes, reads.

Everything it knows comes from the window hierarchy (the XML of `uiautomator dump`) and everything it does is a tap,
a key, a swipe or a text, so that it drives the pocket phone in process and, through an object with the same few
methods, any phone over adb. Names say what the finger does: `swipe_up` moves the finger up, which shows what lies
further down. `actions` keeps what was done, for exports.

Departure from a person: texts and descriptions are seen, pictures only by scripts that ask for the `screenshot`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from emulator.ui_tree import Element, parse

KEYBOARD = "com.google.android.inputmethod.latin"
Direction = Literal["up", "down", "left", "right"]
Kind = Literal["tap", "long_press", "swipe", "type", "key", "open_app", "wait", "answer"]


class Device(Protocol):
    """What a driver needs of a phone; `Phone` has it. Pixels of the display as it lies."""

    def hierarchy_xml(self, all_windows: bool = False) -> str:
        """The window hierarchy, of the active window or of all."""

    def tap(self, x: int, y: int) -> None:
        """Touch shortly."""

    def long_press(self, x: int, y: int) -> None:
        """Hold a finger."""

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300) -> None:
        """Move a finger."""

    def text(self, text: str) -> None:
        """Type into the focused field."""

    def key(self, key: int | str) -> None:
        """Press a key by code or name."""

    def key_combination(self, codes: list[int | str]) -> None:
        """Press keys together."""

    def launch(self, package: str) -> object:
        """Start an app as its icon does."""

    def screenshot_png(self) -> bytes:
        """The picture of the display as a PNG file."""


class NotOnScreen(LookupError):
    """What a script looks for isn't there; the message has the words that are."""


@dataclass(frozen=True)
class Action:
    """One thing the script did. `target` is the element meant, `points` pixels: one of a tap, two of a swipe."""

    kind: Kind
    points: tuple[tuple[int, int], ...] = ()
    text: str = ""
    target: Element | None = None
    duration_ms: int = 0


class Driver:
    """A user of one phone. A script is a function of a driver and the task's parameters (`Script`).

    on_action: called before each action, with the screen still as it was (exports take their picture there).
    pause: lets time pass (`wait`); with None a wait is only recorded. answered: the last `answer`.
    """

    def __init__(
        self, device: Device, on_action: Callable[[Action], object] | None = None,
        pause: Callable[[float], object] | None = None,
    ) -> None:  # fmt: skip
        self.device = device
        self.on_action = on_action
        self.pause = pause
        self.actions: list[Action] = []
        self.answered = ""

    def _did(self, action: Action) -> None:
        if self.on_action is not None:
            self.on_action(action)
        self.actions.append(action)

    # reading

    def elements(self, all_windows: bool = False) -> list[Element]:
        """What is on the screen now, in document order; `all_windows` with the system's and the keyboard."""
        return parse(self.device.hierarchy_xml(all_windows))

    def find_all(
        self, label: str = "", *, text: str = "", desc: str = "", contains: str = "", id: str = "", cls: str = "",
        all_windows: bool = False,
    ) -> list[Element]:  # fmt: skip
        """Elements that meet every condition given.

        label: text or description is exactly this. contains: text or description holds it, case apart. cls: the
        class name ends in it.
        """
        return [
            e
            for e in self.elements(all_windows)
            if (not label or label in {e.text, e.desc})
            and (not text or e.text == text)
            and (not desc or e.desc == desc)
            and (not contains or contains.lower() in e.text.lower() or contains.lower() in e.desc.lower())
            and (not id or e.id == id)
            and (not cls or e.cls.endswith(cls))
        ]

    def find(
        self, label: str = "", *, text: str = "", desc: str = "", contains: str = "", id: str = "", cls: str = "",
        all_windows: bool = False,
    ) -> Element | None:  # fmt: skip
        """The first of `find_all`, None if there is none."""
        found = self.find_all(
            label, text=text, desc=desc, contains=contains, id=id, cls=cls, all_windows=all_windows
        )  # fmt: skip
        return found[0] if found else None

    def get(self, label: str = "", *, text: str = "", desc: str = "", contains: str = "", id: str = "",
            cls: str = "") -> Element:  # fmt: skip
        """Like `find`; NotOnScreen if there is none."""
        found = self.find(label, text=text, desc=desc, contains=contains, id=id, cls=cls)
        if found is None:
            asked = label or text or desc or contains or id or cls
            raise NotOnScreen(f"{asked!r} is not on the screen; there is: {self.texts()[:60]}")
        return found

    def sees(self, label: str) -> bool:
        """True if a text or description is exactly `label`."""
        return self.find(label) is not None

    def texts(self) -> list[str]:
        """All texts and descriptions on the screen, top first."""
        return [e.label for e in self.elements() if e.label]

    def screenshot(self) -> bytes:
        """The picture of the display now, a PNG file: for what only pixels tell."""
        return self.device.screenshot_png()

    def children(self, element: Element) -> list[Element]:
        """Everything below an element of the screen as it is now."""
        inside = {element.index}
        found = []
        for e in self.elements():
            if e.parent in inside:
                inside.add(e.index)
                found.append(e)
        return found

    def wait_for(self, label: str, seconds: float = 5.0) -> Element:
        """The element with this text or description, waiting up to `seconds` for it; NotOnScreen after that."""
        left = seconds
        while (found := self.find(label)) is None and left > 0 and self.pause is not None:
            self.wait(min(0.5, left))
            left -= 0.5
        return found or self.get(label)

    # acting

    def tap_element(self, element: Element) -> None:
        """Tap its middle."""
        self._did(Action("tap", (element.center,), target=element))
        self.device.tap(*element.center)

    def tap(self, label: str, *, index: int = 0) -> None:
        """Tap the element whose text or description is exactly `label` (the `index`-th, -1 the last)."""
        self.tap_element(self._pick(self.find_all(label), label, index))

    def tap_text(self, text: str, *, index: int = 0) -> None:
        """Tap the element with exactly this text."""
        self.tap_element(self._pick(self.find_all(text=text), text, index))

    def tap_description(self, desc: str, *, index: int = 0) -> None:
        """Tap the element with exactly this content description."""
        self.tap_element(self._pick(self.find_all(desc=desc), desc, index))

    def tap_containing(self, words: str) -> None:
        """Tap the first element whose text or description holds `words`, case apart."""
        self.tap_element(self.get(contains=words))

    def tap_beside(self, label: str, wanted: str) -> None:
        """Tap the element `wanted` in the row of `label`: the same button stands in every row of a list."""
        at = self.get(label)
        found = [e for e in self.find_all(wanted) if e.beside(at) or at.beside(e)]
        self.tap_element(self._pick(found, f"{wanted} beside {label}", 0))

    def tap_at(self, x: int, y: int) -> None:
        """Tap a pixel."""
        self._did(Action("tap", ((x, y),)))
        self.device.tap(x, y)

    def long_press(self, label: str, *, index: int = 0) -> None:
        """Hold the element whose text or description is exactly `label`."""
        self.long_press_element(self._pick(self.find_all(label), label, index))

    def long_press_element(self, element: Element) -> None:
        """Hold its middle."""
        self._did(Action("long_press", (element.center,), target=element))
        self.device.long_press(*element.center)

    def _pick(self, found: list[Element], asked: str, index: int) -> Element:
        if not found or not -len(found) <= index < len(found):
            raise NotOnScreen(f"{asked!r} is not on the screen; there is: {self.texts()[:60]}")
        return found[index]

    # typing

    def type_text(self, text: str) -> None:
        """Type into the focused field."""
        self._did(Action("type", text=text))
        self.device.text(text)

    def field(self, label: str) -> Element:
        """The text field whose hint, text, description or id is `label`, else the first one behind that label."""
        elements = self.elements()
        fields = [e for e in elements if e.editable]
        named = [e for e in fields if label in {e.text, e.desc, e.id}]
        if named:
            return named[0]
        at = next((e.index for e in elements if label in {e.text, e.desc}), None)
        behind = [e for e in fields if at is not None and e.index > at]
        if not behind:
            raise NotOnScreen(f"no text field {label!r} on the screen; there is: {self.texts()[:60]}")
        return behind[0]

    def type_into(self, label: str, text: str, *, clear: bool = False) -> None:
        """Tap a field (see `field`) and type; `clear` first removes what stands in it."""
        self.tap_element(self.field(label))
        if clear:
            self.clear()
        self.type_text(text)

    def clear(self) -> None:
        """Empty the focused field: select all, delete."""
        self._did(Action("key", text="CTRL_LEFT+A"))
        self.device.key_combination(["CTRL_LEFT", "A"])
        self.key("DEL")

    def hide_keyboard(self) -> None:
        """BACK, if the keyboard is up."""
        if any(e.package == KEYBOARD for e in self.elements(all_windows=True)):
            self.back()

    # keys

    def key(self, name: str) -> None:
        """Press a key: "ENTER", "DEL", ..."""
        self._did(Action("key", text=name))
        self.device.key(name)

    def back(self) -> None:
        """The BACK key."""
        self.key("BACK")

    def home(self) -> None:
        """The HOME key."""
        self.key("HOME")

    def enter(self) -> None:
        """The ENTER key."""
        self.key("ENTER")

    # moving

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 500) -> None:
        """Move the finger between two pixels."""
        self._did(Action("swipe", ((x1, y1), (x2, y2)), duration_ms=duration_ms))
        self.device.swipe(x1, y1, x2, y2, duration_ms)

    def swipe_on(self, element: Element, direction: Direction, share: float = 0.5) -> None:
        """Move the finger over `share` of an element in a direction, around its middle."""
        left, top, right, bottom = element.bounds
        x, y = element.center
        dx, dy = round((right - left) * share / 2), round((bottom - top) * share / 2)
        if direction in {"up", "down"}:
            sign = 1 if direction == "up" else -1
            self.swipe(x, y + sign * dy, x, y - sign * dy)
        else:
            sign = 1 if direction == "left" else -1
            self.swipe(x + sign * dx, y, x - sign * dx, y)

    def _scroller(self) -> Element:
        """The largest thing that scrolls, else the whole window."""
        elements = self.elements()

        def area(e: Element) -> int:
            return (e.bounds[2] - e.bounds[0]) * (e.bounds[3] - e.bounds[1])

        return max([e for e in elements if e.scrollable] or elements, key=area)

    def swipe_up(self) -> None:
        """Finger up: shows what lies further down."""
        self.swipe_on(self._scroller(), "up")

    def swipe_down(self) -> None:
        """Finger down: shows what lies further up."""
        self.swipe_on(self._scroller(), "down")

    def swipe_left(self) -> None:
        """Finger left: shows what lies to the right."""
        self.swipe_on(self._scroller(), "left")

    def swipe_right(self) -> None:
        """Finger right: shows what lies to the left."""
        self.swipe_on(self._scroller(), "right")

    def scroll_to(self, label: str, limit: int = 40) -> Element:
        """Swipe until `label` is on the screen, first down to the end, then back up; NotOnScreen if it never is."""
        for move in (self.swipe_up, self.swipe_down):
            before: list[str] = []
            for _ in range(limit):
                found = self.find(label)
                if found is not None:
                    return found
                now = self.texts()
                if now == before:
                    break
                before = now
                move()
        return self.get(label)

    def read_list(self, limit: int = 40) -> list[str]:
        """All texts of the screen and of what lies further down, in order, without repeats of the overlap."""
        found = self.texts()
        for _ in range(limit):
            self.swipe_up()
            now = self.texts()
            new = [t for t in now if t not in found[-len(now) * 2 :]]
            if not new:
                break
            found.extend(new)
        return found

    # others

    def open_app(self, package: str) -> None:
        """Start an app by its package."""
        self._did(Action("open_app", text=package))
        self.device.launch(package)

    def wait(self, seconds: float = 1.0) -> None:
        """Let time pass."""
        self._did(Action("wait", text=f"{seconds:g}"))
        if self.pause is not None:
            self.pause(seconds)

    def answer(self, text: str) -> None:
        """Answer the question of the task."""
        self._did(Action("answer", text=text))
        self.answered = text


Script = Callable[[Driver, Mapping[str, Any]], None]
