"""Broccoli: the form for a new or an old recipe. Hints are the app's (strings.xml); ENTER in a single line goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.broccoli import data, look
from emulator.pocket.documents import document_path
from emulator.pocket.intents import GET_CONTENT, ActivityNotFound, Intent
from emulator.pocket.parts import dialog, page
from emulator.pocket.views import View
from emulator.pocket.widgets import button, checkbox, icon, icon_button, row, scroll, stack, text, text_field

# column, hint, icon, several lines
FIELDS = (
    ("title", "Title", "edit", False),
    ("description", "Description", "note", True),
    ("source", "Source", "link", False),
    ("servings", "Servings", "person", False),
    ("preparationTime", "Time", "clock", False),
    ("ingredients", "Ingredients", "list", True),
    ("directions", "Directions", "sort", True),
)
IDS = {"preparationTime": "new_preparation_time"}


@dataclass
class Editor(Screen):
    """`number` is the recipe to change, 0 for a new one."""

    activity: ClassVar[str] = f"{data.PACKAGE}.recipe.crud.CreateAndEditRecipeActivity"

    number: int = 0
    values: dict[str, str] = field(default_factory=dict)
    chosen: list[int] = field(default_factory=list)
    changed: bool = False
    photo: str = ""

    def on_create(self) -> None:
        """Fill in what is known."""
        old = data.recipe(self.phone, self.number) if self.number else None
        self.values = {name: (old[name] or "") if old is not None else "" for name in data.TEXTS}
        self.chosen = data.categories_of(self.phone, self.number) if old is not None else []
        self.photo = old["imageName"] or "" if old is not None else ""

    def build(self) -> View:
        """The form."""
        save = button("SAVE", self.save, style="text", id="button_save_recipe")
        save.color = "white"
        top = look.bar(look.title("New Recipe" if not self.number else "Edit"), ("close", "Navigate up", self.leave),
                       [save])  # fmt: skip
        change = stack(icon_button("camera", "Change photo", self.pick_photo, color="white"), width=48,
                       height=48, background=data.GREEN, radius=24)  # fmt: skip
        corner = stack(change, height=150, align="end", justify="end", padding=(0, 0, 12, 12))
        camera = stack(
            look.photo(height=150, size=56, desc="Recipe photo", shown=data.photo(self.phone, self.photo)),
            corner,
            height=150,
        )
        rows = [self._field(*entry) for entry in FIELDS]
        rows.insert(1, self._categories())
        return page(top, scroll(camera, *rows, padding=(0, 0, 0, 40), gap=4))

    def _field(self, name: str, hint: str, glyph: str, several: bool) -> View:
        edit = text_field(
            name, self.values[name], partial(self.typed, name), hint=hint, multiline=several, weight=1,
            id=IDS.get(name, f"new_{name}"), on_submit=None if several else partial(self.submitted, name),
        )  # fmt: skip
        return row(icon(glyph, 22), edit, gap=14, padding=(18, 2, 18, 2), align="center")

    def _categories(self) -> View:
        names = {c["categoryId"]: c["name"] for c in data.categories(self.phone)}
        shown = ", ".join(names[n] for n in self.chosen if n in names)
        label = text(shown or "Categories", color="text" if shown else "text_faint", weight=1, padding=(4, 12, 4, 12),
                     id="new_categories", on_tap=partial(self.open, "categories"))  # fmt: skip
        return row(icon("label", 22), label, gap=14, padding=(18, 2, 18, 2))

    def typed(self, name: str, value: str) -> None:
        """A field changes."""
        self.values[name] = value
        self.changed = True

    def submitted(self, name: str) -> None:
        """ENTER in a single line: the next field."""
        names = [entry[0] for entry in FIELDS]
        after = names[names.index(name) + 1]
        self.focus_on(after, self.values[after])

    def overlay(self) -> View | None:
        """Categories, photo, the question before leaving."""
        if self.opened == "discard":
            return dialog("", message="Discard changes?", buttons=[("CANCEL", self.dismiss), ("DISCARD", self.finish)])
        known = data.categories(self.phone)
        boxes = [
            checkbox(c["categoryId"] in self.chosen, partial(self.choose, c["categoryId"]), c["name"]) for c in known
        ]
        message = "" if known else "No categories have been created yet."
        return dialog("Categories", *boxes, message=message, buttons=[("OK", self.dismiss)])

    def pick_photo(self) -> None:
        """The camera button: a picture out of the files of the phone."""
        try:
            self.ask_app(Intent(GET_CONTENT, mime="image/*"), "photo")
        except ActivityNotFound:
            self.toast("No apps can perform this action.")

    def on_result(self, key: str, value: object) -> None:
        """The picture was picked: the app keeps a copy."""
        if key == "photo":
            self.photo, self.changed = data.keep_photo(self.phone, document_path(str(value))), True

    def choose(self, number: int) -> None:
        """Tick or untick a category."""
        self.chosen = [n for n in self.chosen if n != number] if number in self.chosen else [*self.chosen, number]
        self.changed = True

    def save(self) -> None:
        """SAVE; a title there must be."""
        values = {name: value.strip() for name, value in self.values.items()}
        if not values["title"]:
            self.toast("Please add a title.")
            return
        data.save(self.phone, self.number, values | {"imageName": self.photo}, self.chosen)
        self.toast("The recipe has been saved.")
        self.finish()

    def leave(self) -> None:
        """The cross: asks if something would be lost."""
        if self.changed:
            self.open("discard")
        else:
            self.finish()

    def on_back(self) -> bool:
        """BACK is the cross."""
        self.leave()
        return True
