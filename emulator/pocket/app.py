"""What an app is: a table entry (`App`) and screens (`Screen`), dataclasses whose fields are their whole state.

A screen's `build()` makes its views from its fields, handlers change fields (or files, databases, settings
through `self.phone`), and the phone builds again. `overlay()` gives the dialog or menu named by `self.opened`.
Screens are pickled for snapshots and printed for the state hash, so fields hold plain data: text, numbers,
lists, dicts, tuples, dataclasses; no sets, views, functions or open things. See docs/pocket_apps.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from emulator.pocket.intents import Intent, IntentFilter
from emulator.pocket.parts import dialog
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import button, text_field

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone


@dataclass
class Screen(ABC):
    """One activity (or, with `floating`, one dialog) on the stack. Subclass with @dataclass and add fields."""

    activity: ClassVar[str] = ""  # full class name; '' = the app's main activity
    floating: ClassVar[bool] = False  # a dialog over the screen below
    secure: ClassVar[bool] = False  # black in screenshots
    fullscreen: ClassVar[bool] = False  # no room kept for the status bar
    backdrop: ClassVar[Color] = "background"  # colour behind everything

    opened: str = field(default="", kw_only=True)  # which overlay is open
    focus: str = field(default="", kw_only=True)  # key of the focused field
    selection: tuple[int, int] = field(default=(0, 0), kw_only=True)
    scrolls: dict[str, int] = field(default_factory=dict, kw_only=True)
    package: str = field(default="", kw_only=True)  # set by the phone
    asked: str = field(default="", kw_only=True)  # the `key` of the `ask` that waits for this screen

    # to write in an app

    @abstractmethod
    def build(self) -> View:
        """The screen as it is now."""

    def overlay(self) -> View | None:
        """The dialog, menu or sheet that `self.opened` names (never called while it is '')."""
        return None

    def on_create(self) -> None:
        """Called once, with `self.phone` set, before the first `build`."""

    def on_resume(self) -> None:
        """Called each time the screen comes to the front (again)."""

    def on_pause(self) -> None:
        """Called when another task comes to the front (HOME, another app); not when the app is killed."""

    def on_back(self) -> bool:
        """BACK with no overlay and no keyboard: return True if the screen dealt with it, else it closes."""
        return False

    def go_home(self) -> None:
        """HOME was pressed (called on the launcher's first screen)."""

    def ground(self) -> Color:
        """The colour behind everything now: `backdrop`, unless the screen has several."""
        return self.backdrop

    def on_result(self, key: str, value: Any) -> None:
        """The answer of a screen started with `ask(screen, key)`."""

    # to use in an app

    @property
    def phone(self) -> Phone:
        """The phone this screen is on."""
        return self.__dict__["_phone"]  # type: ignore[no-any-return]

    def push(self, screen: Screen) -> None:
        """Go to another screen of this app."""
        self.phone.activities.push(screen, self.package)

    def ask(self, screen: Screen, key: str) -> None:
        """Go to a screen and get what it finishes with in `on_result(key, value)`."""
        screen.asked = key
        self.push(screen)

    def ask_app(self, intent: Intent, key: str) -> None:
        """Go to another app that answers an intent (GET_CONTENT, ...), get its answer in `on_result(key, value)`.

        Several candidates bring the chooser first. Raises ActivityNotFound if there is none.
        """
        self.phone.activities.ask_app(intent, key)

    def need(self, permission: str, key: str) -> None:
        """Get a runtime permission: `on_result(key, True)` at once if the app holds it, else the user is asked."""
        if permission in self.phone.packages[self.package].granted:
            self.on_result(key, True)
        else:
            self.ask(PermissionDialog(self.package, permission), key)

    def finish(self, result: Any = None) -> None:
        """Close this screen; a `result` that is not None goes to the screen that asked."""
        self.phone.activities.finish(self, result)

    def open(self, name: str) -> None:
        """Open the overlay `name`."""
        self.opened = name
        for key in ("dialog_list", "panel"):
            self.scrolls.pop(key, None)

    def dismiss(self) -> None:
        """Close the overlay (also called for BACK and a tap beside it)."""
        self.opened = ""

    def on_back_or_finish(self) -> None:
        """A touch beside a floating screen: the same as BACK."""
        if not self.on_back():
            self.finish()

    def toast(self, message: str) -> None:
        """A short message at the bottom, gone after the next few actions."""
        self.phone.toast(message)

    def set(self, name: str, value: Any) -> None:
        """Set a field: for handlers, as `partial(self.set, "tab", 2)`."""
        setattr(self, name, value)

    def field(
        self, name: str, hint: str = "", multiline: bool = False, numeric: bool = False, password: bool = False,
        on_submit: Callable[[], object] | None = None, size: float = 16, id: str = "", framed: bool = True,
        label: str = "", desc: str = "", height: float = -2.0, weight: float = 0,
    ) -> View:  # fmt: skip
        """A text field bound to the text attribute `name`."""
        return text_field(
            name, getattr(self, name), lambda value: setattr(self, name, value), hint=hint, multiline=multiline,
            numeric=numeric, password=password, on_submit=on_submit, size=size, id=id, framed=framed, label=label,
            desc=desc, height=height, weight=weight,
        )  # fmt: skip

    def focus_on(self, key: str, text: str = "") -> None:
        """Put the cursor into the field `key`, behind `text`, and show the keyboard."""
        self.focus = key
        self.selection = (len(text), len(text))
        self.phone.keyboard.show()

    def __getstate__(self) -> dict[str, Any]:
        """State for a snapshot: the fields, without the phone."""
        return {name: value for name, value in self.__dict__.items() if name != "_phone"}


PERMISSION_WORDS = {
    "CALL_PHONE": "make and manage phone calls", "CAMERA": "take pictures and record video",
    "POST_NOTIFICATIONS": "send you notifications", "READ_CONTACTS": "access your contacts",
    "READ_MEDIA_IMAGES": "access photos and videos on this device", "READ_SMS": "send and view SMS messages",
    "READ_CALENDAR": "access your calendar", "RECORD_AUDIO": "record audio", "SEND_SMS": "send and view SMS messages",
    "WRITE_CONTACTS": "access your contacts", "ACCESS_FINE_LOCATION": "access this device\u2019s location",
}  # fmt: skip
ONCE = ("RECORD_AUDIO", "CAMERA", "ACCESS_FINE_LOCATION")


@dataclass
class PermissionDialog(Screen):
    """Android's question for a runtime permission; finishes with True or False."""

    activity: ClassVar[str] = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
    floating: ClassVar[bool] = True

    asker: str = ""
    permission: str = ""
    package: str = field(default="com.google.android.permissioncontroller", kw_only=True)

    def build(self) -> View:
        """`Allow APP to ...?` with the buttons of Android 13."""
        name = self.permission.rpartition(".")[2]
        words = PERMISSION_WORDS.get(name, name.replace("_", " ").lower())
        yes = ("While using the app", "Only this time") if name in ONCE else ("Allow",)
        ids = ("permission_allow_foreground_only_button", "permission_allow_one_time_button")
        buttons = [button(label, partial(self.answer, True), style="text", width=FILL, id=ids[i] if len(yes) > 1 else
                   "permission_allow_button") for i, label in enumerate(yes)]  # fmt: skip
        buttons.append(button("Don\u2019t allow", partial(self.answer, False), style="text", width=FILL,
                              id="permission_deny_button"))  # fmt: skip
        return dialog(f"Allow {self.phone.label_of(self.asker)} to {words}?", *buttons)

    def answer(self, allowed: bool) -> None:
        """A button."""
        if allowed:
            self.phone.packages.grant(self.asker, self.permission)
        self.finish(allowed)

    def on_back_or_finish(self) -> None:
        """A touch beside it does nothing."""

    def on_back(self) -> bool:
        """BACK is no."""
        self.answer(False)
        return True


def _nothing(phone: Phone) -> None:
    """An app with nothing to prepare."""


def _no_answer(phone: Phone, intent: Intent) -> tuple[int, str] | None:
    """An app that answers no broadcast."""
    return None


@dataclass(frozen=True)
class App:
    """One app. `activities`: full class name -> screen for an intent; `main` is the one the launcher starts.

    databases: path below the data directory -> schema (CREATE TABLE IF NOT EXISTS ...), made when missing.
    start: called whenever the app's process starts (make directories, prepare data).
    filters: what other apps may open with it: (filter, class name).
    broadcast: answer to `am broadcast`: (result code, data), or None if it is not for this app.
    permissions: granted from the beginning. icon: name in icons.py and the colour of its disc.
    home, recents: a launcher's two screens.
    """

    package: str
    label: str
    icon: tuple[str, tuple[int, int, int]]
    main: str
    activities: Mapping[str, Callable[[Intent], Screen]]
    databases: Mapping[str, str] = field(default_factory=dict)
    filters: tuple[tuple[IntentFilter, str], ...] = ()
    start: Callable[[Phone], None] = _nothing
    broadcast: Callable[[Phone, Intent], tuple[int, str] | None] = _no_answer
    permissions: tuple[str, ...] = ()
    system: bool = True
    in_drawer: bool = True
    home: Callable[[], Screen] | None = None
    recents: Callable[[], Screen] | None = None
    version: str = "1.0"
