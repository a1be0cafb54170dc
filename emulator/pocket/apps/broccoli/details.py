"""Broccoli: one recipe, to read, to mark as favorite, to edit, to delete."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.broccoli import data, look
from emulator.pocket.apps.broccoli.editor import Editor
from emulator.pocket.databases import Row
from emulator.pocket.parts import dialog, menu, page
from emulator.pocket.views import View
from emulator.pocket.widgets import column, empty, icon, row, scroll, text


@dataclass
class Details(Screen):
    """`number` is the recipe."""

    activity: ClassVar[str] = f"{data.PACKAGE}.recipe.details.RecipeDetailsActivity"

    number: int = 0

    def build(self) -> View:
        """Bar, photo, texts."""
        recipe = data.recipe(self.phone, self.number)
        back = ("back", "Navigate up", self.finish)
        if recipe is None:
            return page(look.bar(look.title(""), back), empty("No recipes found.", "food"))
        liked = bool(recipe["favorite"])
        actions = [
            look.action("heart" if liked else "heart_outline", LIKED if liked else NOT_LIKED,
                        partial(self.like, not liked)),
            look.action("more", "More options", partial(self.open, "menu")),
        ]  # fmt: skip
        body = column(*self._facts(recipe), padding=(16, 16, 16, 32), gap=16)
        return page(
            look.bar(look.title(recipe["title"]), back, actions),
            scroll(
                look.photo(
                    height=170, size=72, desc="Recipe photo", shown=data.photo(self.phone, recipe["imageName"] or "")
                ),
                body,
                id="scroll_view",
            ),
        )

    def _facts(self, recipe: Row) -> list[View]:
        parts = [
            row(icon(glyph, 20), text(recipe[name], size=14, id=id), gap=8, width=-2.0)
            for name, glyph, id in (("servings", "person", "details_servings"),
                                    ("preparationTime", "clock", "details_preparation_time")) if recipe[name]
        ]  # fmt: skip
        found = [row(*parts, gap=36)] if parts else []
        names = {c["categoryId"]: c["name"] for c in data.categories(self.phone)}
        shown = ", ".join(names[n] for n in data.categories_of(self.phone, self.number) if n in names)
        for value, glyph, id in (
            (shown, "label", "details_categories"), (recipe["source"], "link", "details_source")
        ):  # fmt: skip
            if value:
                found.append(row(icon(glyph, 20), text(value, size=14, weight=1, id=id), gap=8))
        if recipe["description"]:
            found.append(text(recipe["description"], size=15, id="details_description"))
        return [
            *found,
            *self._list(recipe, "ingredients", "Ingredients"),
            *self._list(recipe, "directions", "Directions"),
        ]

    def _list(self, recipe: Row, name: str, title: str) -> list[View]:
        lines = [line.strip() for line in (recipe[name] or "").splitlines() if line.strip()]
        if not lines:
            return []
        rows = [text(title, size=18, bold=1)]
        for number, line in enumerate(lines, 1):
            mark = text(str(number), size=14, bold=1, color=data.GREEN, width=20) if name == "directions" else icon(
                "dot", 16, color=data.GREEN)  # fmt: skip
            rows.append(row(mark, text(line, size=15, weight=1), gap=8, align="start"))
        return [column(*rows, gap=8, id=f"details_{name}")]

    def overlay(self) -> View | None:
        """The menu, the question before deleting."""
        if self.opened == "delete":
            return dialog(
                "", message="Delete this recipe?", buttons=[("CANCEL", self.dismiss), ("DELETE", self.delete)]
            )
        if self.opened == "menu":
            return menu([("Edit", self.edit), ("Duplicate", self.duplicate), ("Delete", partial(self.open, "delete"))])
        return None

    def like(self, on: bool) -> None:
        """The heart."""
        self.phone.db(data.DB).update("recipes", "recipeId", self.number, {"favorite": int(on)})

    def edit(self) -> None:
        """Menu > Edit."""
        self.dismiss()
        self.push(Editor(self.number))

    def duplicate(self) -> None:
        """Menu > Duplicate: a copy with the same texts and categories, shown at once."""
        self.dismiss()
        recipe = data.recipe(self.phone, self.number)
        if recipe is not None:
            values = {name: recipe[name] for name in data.TEXTS}
            self.number = data.save(self.phone, 0, values, data.categories_of(self.phone, self.number))
            self.toast("The recipe has been saved.")

    def delete(self) -> None:
        """DELETE."""
        data.delete(self.phone, self.number)
        self.toast("The recipe has been deleted.")
        self.finish()


NOT_LIKED, LIKED = "Mark as favorite", "Remove from favorites"
