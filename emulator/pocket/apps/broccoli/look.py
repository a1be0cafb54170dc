"""Broccoli's own parts: the green bar and the picture that stands for a missing photo."""

from __future__ import annotations

from collections.abc import Sequence

from emulator.pocket.apps.broccoli.data import GREEN
from emulator.pocket.views import FILL, Action, Picture, View
from emulator.pocket.widgets import icon, icon_button, picture, row, stack, text


def bar(middle: View, navigation: tuple[str, str, Action], actions: Sequence[View] = ()) -> View:
    """The bar at the top."""
    made = row(icon_button(*navigation, color="white"), middle, *actions, height=56, background=GREEN,
               padding=(4, 0, 4, 0), gap=4, id="toolbar")  # fmt: skip
    made.cls = "android.view.ViewGroup"
    return made


def title(value: str) -> View:
    """The words in the bar."""
    return text(value, size=20, color="white", bold=1, lines=1, weight=1, id="toolbar_title", padding=(8, 0, 0, 0))


def action(name: str, desc: str, on_tap: Action, id: str = "") -> View:
    """A button of the bar."""
    return icon_button(name, desc, on_tap, color="white", id=id)


def photo(
    width: float = FILL, height: float = FILL, size: float = 44, desc: str = "", shown: Picture | None = None
) -> View:
    """A recipe's photo, or what stands for a missing one."""
    if shown is not None:
        return stack(picture(shown, height=height), width=width, height=height, background="surface_high",
                     align="center", desc=desc, id="card_image")  # fmt: skip
    return stack(icon("broccoli", size, color=GREEN), width=width, height=height, background="surface_high",
                 align="center", justify="center", desc=desc, id="card_image")  # fmt: skip
