"""Simple Gallery's full screen: one picture on black; a swipe turns to the next, two taps look closer, a drag moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from emulator.pocket.apps.gallery import data
from emulator.pocket.apps.gallery.actions import Acting
from emulator.pocket.apps.gallery.data import PACKAGE, Medium
from emulator.pocket.apps.gallery.picking import tile_mark
from emulator.pocket.intents import EDIT, SEND, VIEW
from emulator.pocket.parts import menu
from emulator.pocket.theme import NAVIGATION_BAR
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import column, icon, icon_button, picture, row, spacer, stack, text

CLOSER = 2.0
TWICE_WITHIN_S = 1.5
SHADE = (28, 28, 30)
FAVORITES = "favorites"


@dataclass
class Viewer(Acting):
    """`paths` to swipe through; `zoom` 1 shows the whole picture; `middle`: what is in the centre, as shares of it."""

    activity: ClassVar[str] = f"{PACKAGE}.activities.ViewPagerActivity"
    backdrop: ClassVar[Color] = "black"
    fullscreen: ClassVar[bool] = True

    paths: list[str] = field(default_factory=list)
    at: int = 0
    bars: bool = True
    zoom: float = 1.0
    middle: tuple[float, float] = (0.5, 0.5)
    tapped: float = -10.0
    tapped_at: tuple[float, float] = (0.0, 0.0)

    def on_resume(self) -> None:
        """Files that are gone are left out; without any it closes."""
        self.acted()

    def medium(self) -> Medium | None:
        """The one that is shown."""
        if not self.paths or not self.phone.fs.isfile(self.paths[min(self.at, len(self.paths) - 1)]):
            return None
        path = self.paths[min(self.at, len(self.paths) - 1)]
        node = self.phone.fs.stat(path)
        return Medium(path, node.size, node.mtime_ns)

    def acted_on(self) -> list[Medium]:
        """The one that is shown."""
        medium = self.medium()
        return [medium] if medium is not None else []

    def acted(self) -> None:
        """It may be gone or have another name: look again at its folder."""
        now = self.paths[self.at] if self.paths else ""
        folder = now.rpartition("/")[0]
        left = [p for p in self.paths if self.phone.fs.isfile(p)]
        if len(left) != len(self.paths):
            known = set(self.paths)
            inside = [m.path for m in data.media(self.phone, folder)]
            self.paths = [*left, *[p for p in inside if p not in known]] if folder != data.BIN else left
            new = [p for p in self.paths if p not in known]
            self.at = self.paths.index(new[0]) if new else max(min(self.at, len(self.paths) - 1), 0)
            self.zoom = 1.0
        if not self.paths:
            self.finish()

    # looks

    def build(self) -> View:
        """Picture, on it the bars."""
        medium = self.medium()
        if medium is None:
            return column(icon("image", 64), height=FILL, background="black", align="center", justify="center")
        layers = [column(height=FILL, background="black"), self._shown(medium)]
        if medium.video:
            layers.append(column(tile_mark("play", 64), height=FILL, align="center", justify="center"))
        if self.bars:
            layers.append(column(self._top(medium), spacer(weight=1), self._below(medium), height=FILL))
        body = stack(*layers, height=FILL, weight=1, id="view_pager")
        body.on_stroke = self.touched
        return body

    def _shown(self, medium: Medium) -> View:
        size = data.dimensions(self.phone, medium)
        part = None if size is None else data.part(self.phone, medium, self._box(size))
        if part is None:
            return column(icon("image", 96, "text_faint"), height=FILL, align="center", justify="center")
        made = picture(part, height=FILL)
        made.id = "gestures_view"
        return made

    def _top(self, medium: Medium) -> View:
        return row(
            icon_button("back", "Back", self.finish, color="white"),
            text(medium.name, size=18, color="white", lines=1, weight=1, id="toolbar_title", padding=(8, 0, 0, 0)),
            icon_button("more", "More options", partial(self.open, "menu"), color="white"),
            height=56, padding=(4, 0, 4, 0), background=SHADE, id="medium_viewer_toolbar",
        )  # fmt: skip

    def _below(self, medium: Medium) -> View:
        liked = self.phone.prefs(PACKAGE).text(FAVORITES).split("\n")
        buttons = [
            icon_button("star" if medium.path in liked else "star_outline", "Toggle favorite", self.like, color="white",
                        id="bottom_favorite"),
            icon_button("edit", "Edit", partial(self.hand_over, EDIT), color="white", id="bottom_edit"),
            icon_button("share", "Share", partial(self.hand_over, SEND), color="white", id="bottom_share"),
            icon_button("delete", "Delete", partial(self.open, "delete"), color="white", id="bottom_delete"),
        ]  # fmt: skip
        spaced = [part for b in buttons for part in (b, spacer(weight=1))]
        return row(spacer(weight=1), *spaced, height=64, background=SHADE, id="bottom_actions_wrapper")

    def _box(self, size: tuple[int, int]) -> tuple[int, int, int, int]:
        """The part of the picture that fits on the display at this zoom, in its pixels."""
        wide, high = self._seen(size)
        left = min(max(self.middle[0] * size[0] - wide / 2, 0), size[0] - wide)
        top = min(max(self.middle[1] * size[1] - high / 2, 0), size[1] - high)
        return round(left), round(top), round(left + wide), round(top + high)

    def _seen(self, size: tuple[int, int]) -> tuple[float, float]:
        """How many of its pixels fit, across and down."""
        width, height = self.phone.display_size
        height -= round(NAVIGATION_BAR * self.phone.scale)
        each = self.zoom * min(width / size[0], height / size[1])
        return min(width / each, float(size[0])), min(height / each, float(size[1]))

    def overlay(self) -> View | None:
        """The three dots, and what every acting screen has."""
        if self.opened == "menu":
            return menu(self.menu_items())
        return super().overlay()

    # fingers

    def touched(self, points: list[tuple[float, float]]) -> None:
        """A tap hides or shows the bars, two in a row look closer; a drag moves or turns the page, down closes."""
        (x1, y1), (x2, y2) = points[0], points[-1]
        dx, dy = x2 - x1, y2 - y1
        if abs(dx) < 8 and abs(dy) < 8:
            self._tapped(x2, y2)
        elif self.zoom > 1:
            self._move(dx, dy)
        elif abs(dx) >= abs(dy):
            self.turn(1 if dx < 0 else -1)
        elif dy > 80:
            self.finish()

    def _tapped(self, x: float, y: float) -> None:
        medium, now = self.medium(), self.phone.clock.uptime()
        near = abs(x - self.tapped_at[0]) < 48 and abs(y - self.tapped_at[1]) < 48
        if medium is not None and medium.video:
            self.hand_over(VIEW)
        elif now - self.tapped <= TWICE_WITHIN_S and near:
            self.bars, self.tapped = not self.bars, -10.0
            self._closer(x, y)
        else:
            self.bars, self.tapped, self.tapped_at = not self.bars, now, (x, y)

    def _closer(self, x: float, y: float) -> None:
        """Twice as large around a point (dp), or whole again."""
        medium = self.medium()
        size = data.dimensions(self.phone, medium) if medium is not None else None
        if size is None:
            return
        if self.zoom > 1:
            self.zoom, self.middle = 1.0, (0.5, 0.5)
            return
        width, height = self.phone.display_size
        height -= round(NAVIGATION_BAR * self.phone.scale)
        each = min(width / size[0], height / size[1])
        scale = self.phone.scale
        self.middle = (
            0.5 + (x * scale - width / 2) / (each * size[0]),
            0.5 + (y * scale - height / 2) / (each * size[1]),
        )
        self.zoom = CLOSER
        self._settle(size)

    def _move(self, dx: float, dy: float) -> None:
        """The picture follows the finger, no further than its edges."""
        medium = self.medium()
        size = data.dimensions(self.phone, medium) if medium is not None else None
        if size is None:
            return
        width, height = self.phone.display_size
        height -= round(NAVIGATION_BAR * self.phone.scale)
        each = self.zoom * min(width / size[0], height / size[1]) / self.phone.scale
        self.middle = (self.middle[0] - dx / (each * size[0]), self.middle[1] - dy / (each * size[1]))
        self._settle(size)

    def _settle(self, size: tuple[int, int]) -> None:
        wide, high = self._seen(size)
        half_w, half_h = wide / size[0] / 2, high / size[1] / 2
        x, y = self.middle
        self.middle = (round(min(max(x, half_w), 1 - half_w), 4), round(min(max(y, half_h), 1 - half_h), 4))

    def turn(self, step: int) -> None:
        """Another picture."""
        self.at = min(max(self.at + step, 0), max(len(self.paths) - 1, 0))
        self.zoom, self.middle = 1.0, (0.5, 0.5)

    def like(self) -> None:
        """The star."""
        prefs, medium = self.phone.prefs(PACKAGE), self.medium()
        if medium is None:
            return
        liked = [p for p in prefs.text(FAVORITES).split("\n") if p]
        now = [p for p in liked if p != medium.path] if medium.path in liked else [*liked, medium.path]
        prefs.set(FAVORITES, "\n".join(now))

    def on_back(self) -> bool:
        """BACK shows the whole picture first."""
        if self.zoom == 1:
            return False
        self.zoom, self.middle = 1.0, (0.5, 0.5)
        return True
