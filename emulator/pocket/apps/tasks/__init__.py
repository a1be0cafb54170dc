"""Tasks (org.tasks): lists with headings, filters, search, sort, the page of a task.

AndroidWorld fills the table `tasks` (data.py) and asks about what the screen shows. Words are the app's where they
are public (tasks/tasks res/values). Left out: other lists, tags, places, subtasks, repeats, reminders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.tasks import data
from emulator.pocket.apps.tasks.editor import Editor
from emulator.pocket.databases import Row
from emulator.pocket.intents import Intent
from emulator.pocket.parts import choice_dialog, drawer, menu, page, search_bar, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import checkbox, column, empty, icon_button, row, scroll, spacer, text

PACKAGE = data.PACKAGE
MAIN = "com.todoroo.astrid.activity.MainActivity"
BLUE = (36, 107, 178)
SORTS = ("Due date", "Priority", "Title")
GLYPHS = {"My Tasks": "list", "Today": "calendar_day", "Recently modified": "clock"}


@dataclass
class TaskList(Screen):
    """The list. `closed` are headings folded together."""

    filter: str = data.FILTERS[0]
    searching: bool = False
    query: str = ""
    closed: list[str] = field(default_factory=list)

    def build(self) -> View:
        """Bar, tasks, button, bottom bar."""
        tasks = data.listed(self.phone, self._view())
        groups = data.groups(self.phone, tasks, self._sort())
        rows = [view for head, members in groups for view in self._group(head, members)]
        body = (
            scroll(*rows, spacer(height=96), id="recycler_view") if rows else empty("There are no tasks here.", "check")
        )
        add = View("android.widget.ImageButton", icon="add", desc="Create new task", on_tap=self.create, id="fab",
                   width=56, height=56, radius=28, background=BLUE, color="white")  # fmt: skip
        bottom = row(
            icon_button("menu", "Navigation drawer", partial(self.open, "drawer")), spacer(weight=1),
            icon_button("sort", "Sort", partial(self.open, "sort")),
            icon_button("more", "More options", partial(self.open, "menu")),
            height=56, background="surface_high", padding=(8, 0, 8, 0), id="bottomAppBar",
        )  # fmt: skip
        return page(self._bar(), body, fab=add, bottom=bottom)

    def _bar(self) -> View:
        if self.searching:
            return search_bar("query", self.query, partial(self.set, "query"), self.stop_search,
                              on_submit=self.phone.keyboard.hide)  # fmt: skip
        return toolbar(self.filter, actions=[icon_button("search", "Search", self.search, id="menu_search")])

    def _flag(self, name: str) -> bool:
        return self.phone.prefs(PACKAGE).flag(name)

    def _sort(self) -> str:
        return self.phone.prefs(PACKAGE).text("sort", SORTS[0])

    def _view(self) -> data.View:
        query = self.query if self.searching else ""
        return data.View(self.filter, self._flag("show_completed"), self._flag("show_hidden"), query)

    def _group(self, head: str, members: list[Row]) -> list[View]:
        if not head:
            return [self._task(member) for member in members]
        folded = head in self.closed
        color = "error" if head == "Overdue" else "primary"
        title = row(
            text(head, size=14, bold=1, color=color, weight=1, id="header"),
            icon_button("down" if folded else "up", "Expand" if folded else "Collapse", partial(self.fold, head)),
            height=44, padding=(20, 0, 8, 0), on_tap=partial(self.fold, head),
        )  # fmt: skip
        return [title] if folded else [title, *[self._task(member) for member in members]]

    def _task(self, task: Row) -> View:
        number, done = task["_id"], bool(task["completed"])
        box = checkbox(done, partial(data.complete, self.phone, number, not done), id="completeBox",
                       desc="Completed" if done else "Not completed")  # fmt: skip
        mark = View(width=4, height=34, radius=2, background=data.COLORS[min(max(task["importance"], 0), 3)])
        words = [text(task["title"] or "", color="text_faint" if done else "text", lines=2, width=FILL, id="title")]
        if task["notes"]:
            words.append(text(task["notes"], size=13, color="text_dim", lines=1, width=FILL, id="description"))
        due = text(data.due_label(self.phone, task["dueDate"]), size=13, id="due_date",
                   color="error" if data.is_overdue(self.phone, task) else "text_dim")  # fmt: skip
        return row(mark, box, column(*words, weight=1, gap=2, justify="center"), due, gap=10, padding=(12, 9, 16, 9),
                   on_tap=partial(self.push, Editor(number)), id="rowBody")  # fmt: skip

    def overlay(self) -> View | None:
        """Drawer, menu, sort."""
        if self.opened == "drawer":
            places = [(GLYPHS[name], name, partial(self.choose, name)) for name in data.FILTERS]
            return drawer("Tasks", places, selected=self.filter, color=BLUE, on_color="white")
        if self.opened == "sort":
            return choice_dialog("Sort", SORTS, SORTS.index(self._sort()), self.sort)
        return menu([
            ("Hide unstarted" if self._flag("show_hidden") else "Show unstarted", partial(self.toggle, "show_hidden")),
            ("Hide completed" if self._flag("show_completed") else "Show completed",
             partial(self.toggle, "show_completed")),
            ("Expand all", partial(self.expand, True)), ("Collapse all", partial(self.expand, False)),
            ("Clear completed", self.clear_completed),
        ])  # fmt: skip

    def choose(self, name: str) -> None:
        """A filter of the drawer."""
        self.filter = name
        self.dismiss()

    def sort(self, index: int) -> None:
        """A choice of the sort dialog."""
        self.phone.prefs(PACKAGE).set("sort", SORTS[index])
        self.closed = []
        self.dismiss()

    def toggle(self, name: str) -> None:
        """Show or hide completed or unstarted tasks."""
        self.phone.prefs(PACKAGE).set(name, not self._flag(name))
        self.dismiss()

    def fold(self, head: str) -> None:
        """A heading is tapped."""
        self.closed = [h for h in self.closed if h != head] if head in self.closed else [*self.closed, head]

    def expand(self, every: bool) -> None:
        """All headings open, or all closed."""
        groups = data.groups(self.phone, data.listed(self.phone, self._view()), self._sort())
        self.closed = [] if every else [head for head, _ in groups if head]
        self.dismiss()

    def clear_completed(self) -> None:
        """Completed tasks of this list are deleted."""
        view = data.View(self.filter, completed=True, unstarted=True)
        with self.phone.db(data.DB):
            for task in data.listed(self.phone, view):
                if task["completed"]:
                    data.save(self.phone, task["_id"], {"deleted": self.phone.clock.now_ms()})
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


def _main(intent: Intent) -> Screen:
    return TaskList()


APP = App(
    package=PACKAGE, label="Tasks", icon=("check", BLUE), main=MAIN, activities={MAIN: _main},
    databases={data.DATABASE: data.SCHEMA}, system=False, version="13.6.5",
)  # fmt: skip
