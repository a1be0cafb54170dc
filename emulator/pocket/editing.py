"""Typing: what happens to the focused field of the screen in front.

The text belongs to the screen (the field's `on_text`), cursor and selection to `Screen.selection`. A field is
found anew in the current view tree each time, so every change sees the screen as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket.views import View

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone


class Editor:
    """Edits the focused field of one phone. Methods return False when no field has the focus."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    def field(self) -> View | None:
        """The focused field, if it is on the screen."""
        focus = self.phone.activities.top.focus
        if not focus:
            return None
        return next((v for v in self.phone.app_views() if v.editable and v.key == focus), None)

    def span(self, view: View) -> tuple[int, int]:
        """Selection as (start, end) inside the text."""
        start, end = sorted(self.phone.activities.top.selection)
        return min(max(start, 0), len(view.text)), min(max(end, 0), len(view.text))

    def select(self, start: int, end: int) -> None:
        """Set cursor (start = end) or selection."""
        self.phone.activities.top.selection = (start, end)
        self.phone.touched()

    def replace(self, view: View, start: int, end: int, new: str) -> None:
        """Exchange part of the text; the cursor goes behind it."""
        changed = view.text[:start] + new + view.text[end:]
        self.phone.activities.top.selection = (start + len(new), start + len(new))
        if view.on_text is not None:
            self.phone.run_handler(lambda: view.on_text and view.on_text(changed))
        self.phone.touched()

    def insert(self, text: str) -> bool:
        """Type or paste `text` over the selection."""
        view = self.field()
        if view is None or not view.enabled:
            return False
        if not view.multiline:
            text = text.replace("\n", " ")
        start, end = self.span(view)
        self.replace(view, start, end, text)
        return True

    def delete(self, forward: bool = False) -> bool:
        """Backspace (or DEL forward): the selection, else one character."""
        view = self.field()
        if view is None:
            return False
        start, end = self.span(view)
        if start == end:
            start, end = (start, min(end + 1, len(view.text))) if forward else (max(start - 1, 0), end)
        if start != end:
            self.replace(view, start, end, "")
        return True

    def enter(self) -> bool:
        """ENTER: a new line, the field's own action, or on to the next field (the last one drops the keyboard)."""
        view = self.field()
        if view is None:
            return False
        if view.multiline:
            return self.insert("\n")
        if view.on_submit is not None:
            self.phone.run_handler(view.on_submit)
            self.phone.touched()
            return True
        following = self._next(view)
        if following is None:
            self.phone.keyboard.hide()
        else:
            self.focus(following)
        self.phone.touched()
        return True

    def _next(self, view: View) -> View | None:
        fields = [v for v in self.phone.app_views() if v.editable]
        at = fields.index(view) if view in fields else len(fields)
        return fields[at + 1] if at + 1 < len(fields) else None

    def focus(self, view: View, at: int | None = None) -> None:
        """Give a field the focus and show the keyboard; the cursor goes to `at`, else to the end."""
        screen = self.phone.activities.top
        screen.focus = view.key
        place = len(view.text) if at is None else at
        screen.selection = (place, place)
        self.phone.keyboard.show(view.numeric)
        self.phone.touched()

    def move(self, step: int) -> bool:
        """Cursor left or right."""
        view = self.field()
        if view is None:
            return False
        place = min(max(self.span(view)[1] + step, 0), len(view.text))
        self.select(place, place)
        return True

    def move_to(self, end: bool) -> bool:
        """Cursor to the beginning or end of the text."""
        view = self.field()
        if view is None:
            return False
        place = len(view.text) if end else 0
        self.select(place, place)
        return True

    def select_all(self) -> bool:
        """The whole text."""
        view = self.field()
        if view is None:
            return False
        self.select(0, len(view.text))
        return True

    def select_word(self, view: View, at: int) -> None:
        """The word at a place (what a long press does); nothing is selected in an empty field."""
        start = end = min(at, len(view.text))
        while start > 0 and not view.text[start - 1].isspace():
            start -= 1
        while end < len(view.text) and not view.text[end].isspace():
            end += 1
        self.select(start, end)

    def copy(self, cut: bool = False) -> bool:
        """Selection to the clipboard."""
        view = self.field()
        if view is None:
            return False
        start, end = self.span(view)
        if start != end and not view.password:
            self.phone.clipboard = view.text[start:end]
            if cut:
                self.replace(view, start, end, "")
        return True

    def paste(self) -> bool:
        """Clipboard over the selection."""
        return self.insert(self.phone.clipboard)
