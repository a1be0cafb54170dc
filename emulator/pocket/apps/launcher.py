"""The launcher: home page with dock, app drawer, recent apps.

Package and labels of the Pixel launcher that AndroidWorld's image has. The drawer opens by a swipe up, lists the
apps by name and has the search field; the recents page shows the other tasks as cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.intents import Intent
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import badge, button, column, empty, icon, row, scroll, spacer, stack, text, text_field

PACKAGE = "com.google.android.apps.nexuslauncher"
COLUMNS = 4
DOCK = (
    "com.google.android.dialer", "com.simplemobiletools.smsmessenger", "com.android.chrome", "com.android.camera2",
)  # fmt: skip
HOME_PAGE = (
    "com.android.settings", "com.google.android.contacts", "com.google.android.deskclock",
    "com.google.android.documentsui",
)  # fmt: skip


def app_icon(app: App, size: float = 52) -> View:
    """The app's symbol on its disc."""
    return badge(*app.icon, size)


def _label(app: App, color: str) -> View:
    return text(app.label, size=12.5, color=color, lines=1, align="center", width=FILL)


@dataclass
class HomeScreen(Screen):
    """Home page; `drawer` is the app drawer over it, `query` what is searched for there."""

    backdrop: ClassVar[str] = "wallpaper"

    drawer: bool = False
    query: str = ""

    def ground(self) -> str:
        """The drawer covers the wallpaper."""
        return "background" if self.drawer else self.backdrop

    def go_home(self) -> None:
        """HOME: back to the plain page."""
        self.drawer, self.query, self.focus = False, "", ""
        self.scrolls.clear()

    def on_resume(self) -> None:
        """Coming back from an app shows the plain page."""
        self.go_home()

    def on_back(self) -> bool:
        """Closes the drawer; the launcher itself never closes."""
        self.go_home()
        return True

    def build(self) -> View:
        """The page, or the drawer."""
        return self._drawer() if self.drawer else self._page()

    def _page(self) -> View:
        now = self.phone.clock.datetime()
        date = text(f"{now:%A, %b} {now.day}", size=22, color="white", padding=(24, 40, 24, 0), id="clock")
        grid = self._row([a for a in HOME_PAGE if a in self.phone.apps], labels=True)
        dock = self._row([a for a in DOCK if a in self.phone.apps], labels=False)
        search = row(
            icon("search", 20, "text_dim"), text("Search", color="text_dim"), height=52, radius=26, gap=12,
            padding=(18, 0, 18, 0), background="surface", on_tap=self.open_drawer, id="search_container_hotseat",
        )  # fmt: skip
        page = column(
            date, spacer(weight=1), grid, spacer(24), dock, spacer(14), search, height=FILL, padding=(20, 0, 20, 18),
            id="workspace",
        )  # fmt: skip
        page.on_swipe = self.swiped
        page.desc = "Home"
        return page

    def _row(self, packages: list[str], labels: bool) -> View:
        cells = [self._cell(self.phone.apps[p], "white", labels) for p in packages]
        return row(*cells, *[spacer(weight=1) for _ in range(COLUMNS - len(cells))])

    def _cell(self, app: App, color: str, labels: bool) -> View:
        parts = [app_icon(app), *([_label(app, color)] if labels else [])]
        cell = column(*parts, weight=1, gap=6, align="center", padding=(2, 8, 2, 8),
                      on_tap=partial(self.start, app.package))  # fmt: skip
        cell.cls, cell.desc = "android.widget.TextView" if not labels else cell.cls, "" if labels else app.label
        return cell

    def _drawer(self) -> View:
        apps = sorted((a for a in self.phone.enabled_apps() if a.in_drawer), key=lambda a: a.label.lower())
        found = [a for a in apps if self.query.lower() in a.label.lower()]
        rows = []
        for first in range(0, len(found), COLUMNS):
            cells = [self._cell(a, "text", True) for a in found[first : first + COLUMNS]]
            rows.append(row(*cells, *[spacer(weight=1) for _ in range(COLUMNS - len(cells))], align="start"))
        field = text_field(
            "query", self.query, partial(self.set, "query"), hint="Search apps", framed=False, weight=1,
            id="fallback_search_view", on_submit=self.start_first,
        )  # fmt: skip
        search = row(icon("search", 20), field, height=52, radius=26, gap=12, padding=(18, 0, 18, 0),
                     background="surface_high")  # fmt: skip
        content = scroll(*rows, key="drawer", id="apps_list_view", gap=8)
        content.on_swipe = self.swiped
        body = content if rows else empty(f'No apps found matching "{self.query}"')
        return column(search, spacer(8), body, height=FILL, background="background", padding=(20, 14, 20, 0))

    def open_drawer(self) -> None:
        """Swipe up or a tap on the search bar."""
        self.drawer = True

    def swiped(self, direction: str) -> None:
        """Up opens the drawer, down closes it (or pulls the shade on the page)."""
        if direction == "up":
            self.drawer = True
        elif direction == "down" and self.drawer:
            self.go_home()
        elif direction == "down":
            self.phone.system.shade = "notifications"

    def start_first(self) -> None:
        """ENTER in the search field starts the best match."""
        wanted = self.query.lower()
        apps = (a for a in self.phone.enabled_apps() if a.in_drawer and wanted in a.label.lower())
        first = min(apps, key=lambda a: a.label.lower(), default=None)
        if first is not None:
            self.start(first.package)

    def start(self, package: str) -> None:
        """Start an app by its icon."""
        self.go_home()
        self.phone.launch(package)


@dataclass
class RecentsScreen(Screen):
    """The tasks of other apps, the latest first, as cards beside each other."""

    activity: ClassVar[str] = "com.android.quickstep.RecentsActivity"
    backdrop: ClassVar[str] = "wallpaper"

    def build(self) -> View:
        """Cards, and `Clear all` behind them."""
        tasks = [t for t in self.phone.activities.tasks() if not t.home and t.package in self.phone.apps]
        if not tasks:
            return column(spacer(weight=1), text("No recent items", color="white", align="center", width=FILL),
                          spacer(weight=1), height=FILL)  # fmt: skip
        cards = [self._card(t.id, self.phone.apps[t.package]) for t in tasks]
        cards.append(column(button("Clear all", self.clear, style="tonal"), width=140, height=420, align="center",
                            justify="center"))  # fmt: skip
        strip = View("android.widget.HorizontalScrollView", kind="row", scroll="x", key="cards", children=cards,
                     width=FILL, height=480, gap=14, padding=(40, 0, 40, 0), id="overview_panel")  # fmt: skip
        return column(strip, height=FILL, justify="center")

    def _card(self, task_id: int, app: App) -> View:
        card = column(
            row(app_icon(app, 36), text(app.label, size=15, bold=1, lines=1, weight=1), gap=10,
                padding=(14, 12, 14, 12)),
            stack(icon(app.icon[0], 72, "track"), height=FILL, weight=1, align="center", justify="center",
                  background="surface_high"),
            width=260, height=440, background="surface", radius=22, on_tap=partial(self.resume, task_id), id="task",
        )  # fmt: skip
        card.desc = app.label
        card.on_swipe = partial(self.swiped, task_id)
        return card

    def resume(self, task_id: int) -> None:
        """Back into a task."""
        self.finish()
        self.phone.activities.to_front(task_id)

    def swiped(self, task_id: int, direction: str) -> None:
        """Up throws a task away."""
        if direction == "up":
            self.phone.activities.remove(task_id)

    def clear(self) -> None:
        """End all tasks."""
        for task in self.phone.activities.tasks():
            self.phone.activities.remove(task.id)
        self.finish()


def _home(intent: Intent) -> Screen:
    return HomeScreen()


APP = App(
    package=PACKAGE,
    label="Pixel Launcher",
    icon=("apps", (66, 133, 244)),
    main="com.google.android.apps.nexuslauncher.NexusLauncherActivity",
    activities={"com.google.android.apps.nexuslauncher.NexusLauncherActivity": _home},
    in_drawer=False,
    home=HomeScreen,
    recents=RecentsScreen,
)
