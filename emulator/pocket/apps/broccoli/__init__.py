"""Broccoli (flauschcode): recipes as cards, search, categories, recipe page, editor.

AndroidWorld reads the table `recipes` (data.py). Words are the app's (flauschtrud/broccoli res/values/strings.xml).
The list goes by title, which RecipeDeleteDuplicateRecipes3 counts on. Photos come out of files. Left out: the
camera, the cooking assistant, the seasonal calendar, import from the web, backups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.broccoli import data, look
from emulator.pocket.apps.broccoli.details import Details
from emulator.pocket.apps.broccoli.editor import Editor
from emulator.pocket.databases import Row
from emulator.pocket.intents import Intent
from emulator.pocket.parts import choice_dialog, dialog, drawer, page
from emulator.pocket.views import Action, View
from emulator.pocket.widgets import column, empty, icon, icon_button, lazy_list, list_row, row, text, text_field

PACKAGE = data.PACKAGE
MAIN = f"{PACKAGE}.MainActivity"
CARD = 128.0


def _fab(desc: str, on_tap: Action, id: str) -> View:
    return View("android.widget.ImageButton", icon="add", desc=desc, on_tap=on_tap, id=id, width=56, height=56,
                radius=28, background=data.GREEN, color="white")  # fmt: skip


def _drawer(screen: Screen, selected: str) -> View:
    """The places of the app."""

    def go() -> None:
        screen.dismiss()
        if selected == "Recipes":
            screen.push(Categories())
        else:
            screen.finish()

    places = [("food", "Recipes"), ("label", "Categories")]
    items = [(glyph, label, screen.dismiss if label == selected else go) for glyph, label in places]
    return drawer("Broccoli", items, selected=selected, color=data.GREEN, on_color="white")


@dataclass
class Recipes(Screen):
    """The list. `place` is the category shown; `searching` while the bar is a field."""

    place: int = data.ALL
    searching: bool = False
    query: str = ""

    def build(self) -> View:
        """Bar, cards, button."""
        found = data.recipes(self.phone, self.place, self.query if self.searching else "")
        if found:
            body = lazy_list(
                len(found), CARD, lambda i: self._card(found[i]), id="recycler_view", padding=(0, 0, 0, 88)
            )
        else:
            first = "Create your first recipe and start your collection!"
            body = empty("No recipes found." if self.searching else first, "food")
        return page(self._bar(), body, fab=_fab("New Recipe", self.create, "fab_recipes"))

    def _places(self) -> list[tuple[int, str]]:
        own = [(c["categoryId"], c["name"]) for c in data.categories(self.phone)]
        ends = [(data.UNASSIGNED, data.FIXED[data.UNASSIGNED])] if own else []
        return [(n, data.FIXED[n]) for n in (data.ALL, data.FAVORITES)] + own + ends

    def _name(self) -> str:
        return dict(self._places()).get(self.place, data.FIXED[data.ALL])

    def _bar(self) -> View:
        if self.searching:
            edit = text_field("query", self.query, partial(self.set, "query"), hint=f"Search in {self._name()}",
                              weight=1, framed=False, id="search_src_text",
                              on_submit=self.phone.keyboard.hide)  # fmt: skip
            edit.color = "white"
            clear = [look.action("close", "Clear query", partial(self.set, "query", ""))] if self.query else []
            return look.bar(edit, ("back", "Collapse", self.stop_search), clear)
        spinner = row(text(self._name(), size=18, color="white", lines=1, id="spinner_text"),
                      icon("dropdown", 20, color="white"), weight=1, height=48, gap=6, padding=(8, 0, 0, 0),
                      on_tap=partial(self.open, "places"), id="spinner")  # fmt: skip
        spinner.cls, spinner.desc = "android.widget.Spinner", "Categories"
        menu = ("menu", "Open navigation drawer", partial(self.open, "drawer"))
        return look.bar(spinner, menu, [look.action("search", "Search", self.search, id="action_search")])

    def _card(self, recipe: Row) -> View:
        words = [text(recipe["title"], size=20, lines=2, id="card_text_view_title")]
        if recipe["description"]:
            words.append(text(recipe["description"], size=14, lines=2, id="card_text_view_description"))
        if recipe["source"]:
            words.append(text(recipe["source"], size=13, lines=1, color=data.GREEN, id="card_text_view_source"))
        right = column(*words, weight=1, gap=4, padding=(12, 4, 12, 4), justify="center")
        card = row(
            look.photo(width=120, height=120), right,
            height=120, background="card", radius=6, on_tap=partial(self.push, Details(recipe["recipeId"])),
        )  # fmt: skip
        return column(card, height=CARD, padding=(8, 8, 8, 0))

    def overlay(self) -> View | None:
        """The drawer, or the categories to choose from."""
        if self.opened == "drawer":
            return _drawer(self, "Recipes")
        places = self._places()
        at = next((i for i, (number, _) in enumerate(places) if number == self.place), 0)
        return choice_dialog("Categories", [name for _, name in places], at, self.show)

    def show(self, index: int) -> None:
        """A category is chosen."""
        self.place = self._places()[index][0]
        self.dismiss()

    def search(self) -> None:
        """The magnifier."""
        self.searching, self.query = True, ""
        self.focus_on("query")

    def stop_search(self) -> None:
        """The arrow of the search field."""
        self.searching, self.query, self.focus = False, "", ""

    def create(self) -> None:
        """The round button."""
        self.push(Editor())

    def on_back(self) -> bool:
        """BACK ends the search first."""
        if self.searching:
            self.stop_search()
            return True
        return False


@dataclass
class Categories(Screen):
    """The own categories. `number` is the one in the dialog, `name` what is typed there."""

    number: int = 0
    name: str = ""

    def build(self) -> View:
        """List and button."""
        known = data.categories(self.phone)
        body = lazy_list(len(known), 64, lambda i: self._row(known[i])) if known else empty(
            "Add your first custom category and bring order into your collection!", "label")  # fmt: skip
        top = look.bar(look.title("Categories"), ("menu", "Open navigation drawer", partial(self.open, "drawer")))
        return page(top, body, fab=_fab("Add category", partial(self.edit, 0, ""), "fab_categories"))

    def _row(self, category: Row) -> View:
        number, name = category["categoryId"], category["name"]
        bin_ = icon_button("delete", "Delete", partial(self.ask_delete, number))
        return list_row(name, on_tap=partial(self.edit, number, name), icon_name="label", trailing=[bin_], height=64)

    def overlay(self) -> View | None:
        """The drawer, the form, the question."""
        if self.opened == "drawer":
            return _drawer(self, "Categories")
        if self.opened == "delete":
            return dialog("", message="Do you really want to delete this category?",
                          buttons=[("CANCEL", self.dismiss), ("DELETE", self.delete)])  # fmt: skip
        title = "Edit category" if self.number else "Add category"
        return dialog(title, self.field("name", hint="Name", on_submit=self.save),
                      buttons=[("CANCEL", self.dismiss), ("SAVE", self.save)])  # fmt: skip

    def edit(self, number: int, name: str) -> None:
        """Open the form."""
        self.number, self.name = number, name
        self.open("form")
        self.focus_on("name", name)

    def ask_delete(self, number: int) -> None:
        """The bin."""
        self.number = number
        self.open("delete")

    def save(self) -> None:
        """SAVE."""
        if self.name.strip():
            data.save_category(self.phone, self.number, self.name.strip())
            self.dismiss()

    def delete(self) -> None:
        """DELETE."""
        data.delete_category(self.phone, self.number)
        self.dismiss()


def _main(intent: Intent) -> Screen:
    return Recipes()


def _new(intent: Intent) -> Screen:
    return Editor()


APP = App(
    package=PACKAGE, label="Broccoli", icon=("broccoli", data.GREEN), main=MAIN,
    activities={MAIN: _main, Editor.activity: _new}, databases={data.DATABASE: data.SCHEMA}, system=False,
    version="1.3.0",
)  # fmt: skip
