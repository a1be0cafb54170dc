"""Chrome: address bar, tabs, first run; shows files of the phone, AndroidWorld's three pages as games (pages.py).

There is no browser engine and no network: an HTML file is shown by its text, a page known by its structure is played
by our own code, an address of the web gives Chrome's error page. AndroidWorld (android_world_apps.md section 21) looks
for the text `Success!` while Chrome is in front. Left out: incognito, bookmarks, zoom by two fingers, zoom to a field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar
from urllib.parse import quote, unquote, urljoin

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.chrome import html
from emulator.pocket.apps.chrome.pages import Page, Reading, page_of
from emulator.pocket.apps.chrome.show import PAPER, Show
from emulator.pocket.apps.chrome.welcome import DONE, FIRST_RUN, NOTIFICATIONS, PACKAGE, FirstRun
from emulator.pocket.documents import document_path
from emulator.pocket.intents import VIEW, Intent, IntentFilter
from emulator.pocket.mime import mime_type
from emulator.pocket.parts import menu, page, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import (
    EDIT_TEXT,
    badge,
    column,
    icon,
    icon_button,
    list_row,
    row,
    scroll,
    stack,
    text,
    text_field,
)

MAIN = "com.google.android.apps.chrome.Main"
VIEWER = "com.android.htmlviewer"
VIEWER_MAIN = f"{VIEWER}.HTMLViewerActivity"
HINT = "Search or type URL"
NEW_TAB = "chrome-native://newtab/"
SEARCH = "https://www.google.com/search?q="


@dataclass
class Failed:
    """Chrome's own page for an address that can't be shown."""

    title: str
    words: str
    code: str


@dataclass
class Tab:
    """One tab: its address, what it shows, where it was before."""

    url: str = NEW_TAB
    page: Page | Failed | None = None
    past: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The page's title, else its address."""
        if self.page is None:
            return "New tab"
        return self.page.title or self.url


def loaded(screen: Screen, url: str) -> Page | Failed:
    """What an address shows: a file of the phone, else an error page."""
    path = document_path(url) if url.startswith(("file:", "content:", "/")) else ""
    if path and screen.phone.fs.isfile(path):
        source = screen.phone.fs.read(path).decode("utf-8", "replace")
        return page_of(html.read(source) if mime_type(path) == "text/html" else html.plain(source))
    if url.startswith(("file:", "content:", "/")):
        return Failed("Your file couldn\u2019t be accessed", "It may have been moved, edited, or deleted.",
                      "ERR_FILE_NOT_FOUND")  # fmt: skip
    table = screen.phone.settings["global"]
    if table.flag("airplane_mode_on") or not (table.flag("wifi_on") or table.flag("mobile_data")):
        return Failed("No internet", "Try: Checking the network cables, modem, and router. Reconnecting to Wi-Fi.",
                      "ERR_INTERNET_DISCONNECTED")  # fmt: skip
    host = url.partition("://")[2].partition("/")[0] or url
    return Failed("This site can\u2019t be reached", f"{host}\u2019s server IP address could not be found.",
                  "ERR_NAME_NOT_RESOLVED")  # fmt: skip


def address(typed: str) -> str:
    """What the address bar makes of what was typed: an address, or a search."""
    words = typed.strip()
    if "://" in words or words.startswith(("/", "content:", "file:", "about:", "chrome:")):
        return words
    if "." in words.strip(".") and " " not in words:
        return f"http://{words}/"
    return SEARCH + quote(words)


@dataclass
class Chrome(Screen):
    """The browser. `start` is the address it was opened with; `typed` what stands in the address bar."""

    activity: ClassVar[str] = MAIN

    start: str = ""
    tabs: list[Tab] = field(default_factory=lambda: [Tab()])
    at: int = 0
    typed: str = ""
    greeted: bool = False

    # the first run

    def on_create(self) -> None:
        """Load what it was opened with; it is behind the first run until that is done."""
        if self.start:
            self.visit(self.start)

    def on_resume(self) -> None:
        """Back from the first run; leaving it leaves Chrome."""
        if self.phone.prefs(PACKAGE).flag(DONE):
            return
        if self.greeted:
            self.finish()
        else:
            self.greeted = True
            self.ask(FirstRun(), "first run")

    # showing

    @property
    def tab(self) -> Tab:
        """The tab in front."""
        return self.tabs[self.at]

    def build(self) -> View:
        """The bar and the page, or all tabs."""
        if self.opened == "tabs":
            return self._tabs()
        return page(self._bar(), self._shown())

    def _bar(self) -> View:
        edit = self._address()
        lead = icon("info" if self.tab.page is not None else "search", size=18)
        box = row(lead, edit, weight=1, height=40, radius=20, background="surface_high", gap=8, padding=(12, 0, 12, 0),
                  id="location_bar")  # fmt: skip
        mark = text(str(len(self.tabs)), size=11, bold=2, width=22, height=22, align="center")
        mark.border, mark.radius, mark.background = "text_dim", 5, "background"
        count = stack(mark, width=48, height=48, align="center", justify="center", desc=self._count(),
                      on_tap=partial(self.open, "tabs"), id="tab_switcher_button")  # fmt: skip
        return row(icon_button("house", "Home", partial(self.visit, NEW_TAB), id="home_button"), box, count,
                   icon_button("more", "More options", partial(self.open, "menu"), id="menu_button"), height=56,
                   id="toolbar", background="background")  # fmt: skip

    def _address(self) -> View:
        """The address; a tap selects all of it, so it is a field only while it is typed in."""
        if self.focus == "url_bar":
            return text_field("url_bar", self.typed, partial(self.set, "typed"), hint=HINT, size=15, framed=False,
                              id="url_bar", on_submit=self.go, weight=1)  # fmt: skip
        shown = self.tab.url.replace(NEW_TAB, "")
        made = text(shown or HINT, size=15, color="text" if shown else "text_faint", lines=1, weight=1, id="url_bar",
                    on_tap=self.edit_address, padding=(0, 4, 0, 4))  # fmt: skip
        made.cls = EDIT_TEXT
        return made

    def _count(self) -> str:
        number = len(self.tabs)
        return f"{number} open tab{'s' if number != 1 else ''}, tap to switch tabs"

    def _shown(self) -> View:
        shown = self.tab.page
        if shown is None:
            return self._new_tab()
        if isinstance(shown, Failed):
            return self._failed(shown)
        return web_view(self, shown)

    def _new_tab(self) -> View:
        box = row(icon("search", size=20), text(HINT, color="text_dim", id="search_box_text"), height=48, radius=24,
                  gap=12, background="surface_high", padding=(16, 0, 16, 0), on_tap=self.edit_address, id="search_box",
                  )  # fmt: skip
        letters = zip("Google", (0, 1, 2, 0, 3, 1), strict=True)
        colors = ((66, 133, 244), (219, 68, 55), (244, 180, 0), (15, 157, 88))
        logo = row(*[text(letter, size=44, bold=1, color=colors[i]) for letter, i in letters], width=FILL,
                   justify="center", id="search_provider_logo")  # fmt: skip
        return column(logo, box, gap=28, padding=(24, 64, 24, 0), height=FILL, weight=1)

    @staticmethod
    def _failed(shown: Failed) -> View:
        return scroll(icon("warning", size=56, color="text_faint"), text(shown.title, size=24, bold=1, width=FILL),
                      text(shown.words, color="text_dim", width=FILL), text(shown.code, size=12, color="text_faint"),
                      key="web", gap=16, padding=(32, 72, 32, 24))  # fmt: skip

    def _tabs(self) -> View:
        def line(number: int, tab: Tab) -> View:
            shut = icon_button("close", f"Close {tab.title} tab", partial(self.close_tab, number))
            return list_row(
                tab.title, tab.url, partial(self.show_tab, number), leading=badge("globe", (66, 133, 244)),
                trailing=[shut], selected=number == self.at, title_id="tab_title", summary_lines=1,
            )  # fmt: skip

        bar = toolbar("Tabs", navigation=("add", "New tab", self.new_tab), menu=partial(self.open, "tabs menu"))
        return page(bar, scroll(*[line(i, tab) for i, tab in enumerate(self.tabs)], key="tabs"))

    def overlay(self) -> View | None:
        """Menus (the list of tabs is a page)."""
        if self.opened == "menu":
            return menu([("New tab", self.new_tab), ("Reload", self.reload), ("Close tab",
                         partial(self.close_tab, self.at))])  # fmt: skip
        if self.opened == "tabs menu":
            return menu([("New tab", self.new_tab), ("Close all tabs", self.close_all)])
        return None

    # going

    def visit(self, url: str) -> None:
        """Show an address in this tab."""
        if self.tab.page is not None or self.tab.url != NEW_TAB:
            self.tab.past.append(self.tab.url)
        self._load(url)

    def follow(self, target: str) -> None:
        """A link of the page."""
        self.visit(_joined(self.tab.url, target))

    def _load(self, url: str) -> None:
        self.tab.url = url
        self.tab.page = None if url in {NEW_TAB, "about:blank"} else loaded(self, url)
        self.typed, self.focus = "", ""
        self.scrolls.pop("web", None)

    def reload(self) -> None:
        """The page anew: a game begins again."""
        self._load(self.tab.url)
        self.dismiss()

    def edit_address(self) -> None:
        """A tap on the address: all of it is selected."""
        self.typed = self.tab.url.replace(NEW_TAB, "")
        self.focus_on("url_bar", self.typed)
        self.selection = (0, len(self.typed))

    def go(self) -> None:
        """ENTER in the address bar."""
        self.phone.keyboard.hide()
        if self.typed.strip():
            self.visit(address(self.typed))
        self.focus = ""

    def on_back(self) -> bool:
        """The page before; out of Chrome from the first."""
        if self.focus == "url_bar":
            self.focus = ""
            return True
        if not self.tab.past:
            return False
        self._load(self.tab.past.pop())
        return True

    # tabs

    def new_tab(self) -> None:
        """An empty one in front."""
        self.tabs.append(Tab())
        self.show_tab(len(self.tabs) - 1)

    def show_tab(self, number: int) -> None:
        """One of the list."""
        self.at, self.focus = number, ""
        self.scrolls.pop("web", None)
        self.dismiss()

    def close_tab(self, number: int) -> None:
        """Without the last one there is an empty one."""
        del self.tabs[number]
        self.tabs = self.tabs or [Tab()]
        self.at = min(self.at, len(self.tabs) - 1)
        if self.opened == "menu":
            self.dismiss()

    def close_all(self) -> None:
        """All of them."""
        self.tabs = [Tab()]
        self.show_tab(0)


def _joined(base: str, target: str) -> str:
    """The address of a link; beside a file of the storage it is a file of the storage."""
    path = document_path(base)
    return urljoin(f"file://{quote(path)}" if path else base, target)


def web_view(screen: Chrome | HtmlViewer, shown: Page) -> View:
    """The page itself: white, whatever the phone's colours are."""
    width = screen.phone.display_size[0] / screen.phone.scale
    made = scroll(*Show(width, screen.phone.scale, screen.follow).page(shown), key="web")
    made.cls, made.text, made.background = "android.webkit.WebView", shown.title, PAPER
    return made


@dataclass
class HtmlViewer(Screen):
    """Android's small viewer, the other app that opens HTML files: the text of the page, no scripts."""

    activity: ClassVar[str] = VIEWER_MAIN

    start: str = ""
    page: Page | Failed | None = None

    def on_create(self) -> None:
        """Read the file."""
        self.page = loaded(self, self.start)
        if not isinstance(self.page, Failed):
            path = document_path(self.start)
            document = html.read(self.phone.fs.read(path).decode("utf-8", "replace"))
            self.page = Reading(document.title, document.blocks)

    def build(self) -> View:
        """Title and text."""
        if self.page is None or isinstance(self.page, Failed):
            return page(toolbar("HTML Viewer"), text("File not found", padding=(16, 16, 16, 16)))
        return page(toolbar(self.page.title or "HTML Viewer"), web_view(self, self.page))

    def follow(self, target: str) -> None:
        """A link goes to the browser."""
        self.phone.start_activity(Intent(VIEW, data=_joined(self.start, target), component=f"{PACKAGE}/{MAIN}"))


def _main(intent: Intent) -> Screen:
    return Chrome(start=unquote(intent.data) if intent.scheme == "about" else intent.data)


def _first_run(intent: Intent) -> Screen:
    return FirstRun()


def _viewer(intent: Intent) -> Screen:
    return HtmlViewer(start=intent.data)


APP = App(
    package=PACKAGE,
    label="Chrome",
    icon=("globe", (66, 133, 244)),
    main=MAIN,
    activities={MAIN: _main, FIRST_RUN: _first_run},
    filters=(
        (IntentFilter(VIEW, schemes=("http", "https")), MAIN),
        (IntentFilter(VIEW, mime="text/html"), MAIN),
        (IntentFilter(VIEW, mime="application/xhtml+xml"), MAIN),
    ),
    permissions=(NOTIFICATIONS,),
    version="109.0.5414.117",
)
HTML_VIEWER = App(
    package=VIEWER,
    label="HTML Viewer",
    icon=("file", (120, 124, 135)),
    main=VIEWER_MAIN,
    activities={VIEWER_MAIN: _viewer},
    filters=((IntentFilter(VIEW, mime="text/html"), VIEWER_MAIN),),
    in_drawer=False,
)
