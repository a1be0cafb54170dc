"""The on-screen keyboard: pages of keys as views, in a window of its own.

Package and window are Gboard's; every key is a clickable node whose text and description say what it types.
Shift falls back after one letter; a field that takes numbers opens the number page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket.theme import KEYBOARD_ROW
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import FRAME, LINEAR

if TYPE_CHECKING:
    from emulator.pocket.editing import Editor

PACKAGE = "com.google.android.inputmethod.latin"
LETTERS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SYMBOLS = ("1234567890", "@#$_&-+()/", "*\"':;!?")
MORE = ("~`|\u2022\u221a\u03c0\u00f7\u00d7\u00a7\u2206", "\u00a3\u20ac\u00a5^\u00b0={}\\%", "\u00a9\u00ae\u2122[]<>")
NUMBERS = ("123", "456", "789")
HEIGHT = 4 * KEYBOARD_ROW + 20


@dataclass(frozen=True)
class KeyboardState:
    """What is shown. `page`: letters, symbols, more or numbers."""

    visible: bool = False
    page: str = "letters"
    shift: bool = False


class Keyboard:
    """The input method of one phone; types through the editor it is connected to."""

    def __init__(self) -> None:
        self.state = KeyboardState()
        self._editor: Editor | None = None

    def connect(self, editor: Editor) -> None:
        """Say where the keys type to."""
        self._editor = editor

    def _delete(self) -> None:
        if self._editor is not None:
            self._editor.delete()

    def _enter(self) -> None:
        if self._editor is not None:
            self._editor.enter()

    @property
    def visible(self) -> bool:
        """True while the keyboard covers the lower part of the screen."""
        return self.state.visible

    def show(self, numeric: bool = False) -> None:
        """Open on the right page."""
        self.state = KeyboardState(True, "numbers" if numeric else "letters", False)

    def hide(self) -> None:
        """Close."""
        self.state = replace(self.state, visible=False)

    def page(self, name: str) -> None:
        """Another page of keys."""
        self.state = replace(self.state, page=name, shift=False)

    def toggle_shift(self) -> None:
        """Capitals for the next letter, or not."""
        self.state = replace(self.state, shift=not self.state.shift)

    def type(self, character: str) -> None:
        """A key was tapped."""
        if self._editor is not None:
            self._editor.insert(character)
        if self.state.shift:
            self.state = replace(self.state, shift=False)

    # views

    def build(self) -> View:
        """The keyboard's view tree."""
        if self.state.page == "numbers":
            rows = self._number_rows()
        else:
            rows = self._letter_rows()
        children = [
            View(LINEAR, kind="row", children=keys, width=FILL, height=KEYBOARD_ROW, justify="center", align="center")
            for keys in rows
        ]
        return View(
            FRAME, kind="column", children=children, width=FILL, height=FILL, background="keyboard", id="keyboard_view",
            padding=(3, 8, 3, 12),
        )  # fmt: skip

    def _letter_rows(self) -> list[list[View]]:
        page = self.state.page
        rows = {"letters": LETTERS, "symbols": SYMBOLS, "more": MORE}[page]
        upper = self.state.shift
        keys = [[self._key(c.upper() if upper else c) for c in line] for line in rows]
        if page == "letters":
            first = self._special("Shift", "shift", self.toggle_shift, selected=upper)
            switch = self._special("Symbol keyboard", "", partial(self.page, "symbols"), label="?123")
        elif page == "symbols":
            first = self._special("More symbols", "", partial(self.page, "more"), label="=\\<")
            switch = self._special("Letter keyboard", "", partial(self.page, "letters"), label="ABC")
        else:
            first = self._special("Symbols", "", partial(self.page, "symbols"), label="?123")
            switch = self._special("Letter keyboard", "", partial(self.page, "letters"), label="ABC")
        keys[2] = [first, *keys[2], self._special("Delete", "backspace", self._delete)]
        space = self._key(" ", width=170, label="Space")
        keys.append([switch, self._key(","), space, self._key("."), self._special("Enter", "enter", self._enter)])
        return keys

    def _number_rows(self) -> list[list[View]]:
        rows = [[self._key(c, width=84) for c in line] for line in NUMBERS]
        rows[0].append(self._special("Delete", "backspace", self._delete, width=84))
        rows[1].append(self._key("-", width=84))
        rows[2].append(self._special("Enter", "enter", self._enter, width=84))
        letters = self._special("Letter keyboard", "", partial(self.page, "letters"), label="ABC", width=84)
        rows.append([letters, self._key("0", width=84), self._key(".", width=84), self._key("+", width=84)])
        return rows

    def _key(self, character: str, width: float = 37, label: str = "") -> View:
        key = View(
            FRAME, text="" if character == " " else character, desc=label or character, size=20, text_align="center",
            background="key", radius=6, width=FILL, height=FILL, on_tap=partial(self.type, character),
        )  # fmt: skip
        return _room(key, width)

    def _special(self, desc: str, icon: str, action: Action, label: str = "", width: float = 54,
                 selected: bool = False) -> View:  # fmt: skip
        key = View(
            FRAME, icon=icon, icon_size=22, text=label, desc=desc, size=15, bold=1, text_align="center", radius=6,
            background="primary_soft" if selected else "key_special", width=FILL, height=FILL, on_tap=action,
            selected=selected,
        )  # fmt: skip
        return _room(key, width)


def _room(key: View, width: float) -> View:
    """The key with the gap around it."""
    return View(FRAME, kind="stack", children=[key], width=width + 3, height=KEYBOARD_ROW, padding=(2, 4, 2, 4))
