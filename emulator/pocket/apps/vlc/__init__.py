"""VLC for Android: films, sounds, folders, playlists, a player that shows the films.

AndroidWorld reads the playlists in its database (data.py); MarkorTranscribeVideo needs the player (player.py). Words
and places: videolan/vlc-android@4ffb22b, menu/bottom_navigation.xml and resources strings.xml. The welcome of the first
run is over, as AndroidWorld's set-up leaves it. Left out: network, streams, history, favourites, groups of films,
artists and albums, settings other than "About".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.vlc import data
from emulator.pocket.apps.vlc.data import PACKAGE, Media
from emulator.pocket.apps.vlc.folders import Folder, PlaylistPage
from emulator.pocket.apps.vlc.look import ORANGE, cone, more, places_bar, thumbnail
from emulator.pocket.apps.vlc.player import Player, opened
from emulator.pocket.apps.vlc.shelf import ROW, Shelf, tool
from emulator.pocket.files import STORAGE
from emulator.pocket.intents import VIEW, Intent, IntentFilter
from emulator.pocket.parts import choice_dialog, dialog, menu, page, search_bar, toolbar
from emulator.pocket.views import FILL, Action, View
from emulator.pocket.widgets import column, empty, icon, lazy_list, list_row, row, scroll, spacer, stack, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MAIN = f"{PACKAGE}.gui.MainActivity"
VIDEOS = f"{STORAGE}/VLCVideos"
PLACES = (("video", "Video"), ("music", "Audio"), ("folder", "Browse"), ("queue", "Playlists"), ("menu", "More"))
VIDEO, AUDIO, BROWSE, PLAYLISTS, MORE = range(5)
NOTHING = "No media files found, please transfer some files to your device or adjust your preferences."
CARD = 168.0
FAVORITES = ("Movies", "Music", "Podcasts", "Download")


@dataclass
class Main(Shelf):
    """The five places. `query` while the bar is a field (`searching`)."""

    activity: ClassVar[str] = MAIN

    place: int = VIDEO
    sort: int = 0
    searching: bool = False
    query: str = ""

    def known(self) -> list[Media]:
        """Films or sounds, as the place has them."""
        found = data.library(self.phone, self.place != AUDIO, self.sort)
        wanted = self.query.lower() if self.searching else ""
        return [m for m in found if wanted in m.title.lower()]

    def paths(self) -> list[str]:
        """Of the films or sounds shown."""
        return [m.path for m in self.known()]

    def build(self) -> View:
        """Bar, place, bar of places."""
        bodies = (self._films, self._sounds, self._browse, self._playlists, self._more)
        return page(self._bar(), bodies[self.place](), bottom=places_bar(PLACES, self.place, self.go))

    def _bar(self) -> View:
        if self.marked:
            return self.marked_bar()
        if self.searching:
            return search_bar("query", self.query, partial(self.set, "query"), self.stop_search,
                              hint="Search in current list", on_submit=self.phone.keyboard.hide)  # fmt: skip
        lists = self.place in {VIDEO, AUDIO}
        tools = [tool("search", "Search", self.search)] if lists else []
        logo = row(cone(30), text("VLC", size=20, bold=1), gap=8, width=-2, padding=(12, 0, 0, 0))
        bar = toolbar("", actions=tools, menu=partial(self.open, "more") if lists else None)
        bar.children[0] = row(logo, spacer(weight=1), weight=1)
        return bar

    def go(self, place: int) -> None:
        """A place of the bar at the bottom."""
        self.place, self.searching = place, False
        self.marked.clear()

    # places

    def _films(self) -> View:
        found = self.known()
        if not found:
            return empty(NOTHING, "video")
        across = 2 if self.phone.size[0] <= self.phone.size[1] else 4
        lines = -(-len(found) // across)

        def item(i: int) -> View:
            part = found[i * across : (i + 1) * across]
            cards = [self._card(m) for m in part] + [spacer(weight=1)] * (across - len(part))
            return row(*cards, height=CARD, gap=10, padding=(10, 10, 10, 0), align="start")

        return lazy_list(lines, CARD, item, key="films", id="video_grid")

    def _card(self, film: Media) -> View:
        chosen = film.path in self.marked
        shown = thumbnail(self.phone.fs.read(film.path), FILL, 104)
        if chosen:
            mark = column(icon("check", 20, "white"), width=32, height=32, align="center", justify="center",
                          background=ORANGE, radius=16)  # fmt: skip
            shown = stack(shown, mark, height=104)
        words = column(
            text(film.title, size=14, lines=1, width=FILL, id="ml_item_title"),
            text(data.clock(film.duration_ms), size=12, color="text_dim", id="ml_item_time"),
            weight=1,
        )
        below = row(words, *([] if self.marked else [more(partial(self.about, film.path))]), padding=(8, 2, 0, 2))
        card = column(shown, below, weight=1, background="surface_high" if chosen else "card", radius=4, id="container",
                      on_tap=partial(self.touched, film.path))  # fmt: skip
        card.on_long, card.selected = partial(self.mark, film.path), chosen
        return card

    def _sounds(self) -> View:
        found = self.known()
        if not found:
            return empty(NOTHING, "music")

        def item(i: int) -> View:
            made = self.media_row(found[i], data.clock(found[i].duration_ms))
            made.children[1].children[0].text = found[i].title
            return made

        return lazy_list(len(found), ROW, item, key="sounds", id="audio_list")

    def _browse(self) -> View:
        there = [name for name in FAVORITES if self.phone.fs.isdir(f"{STORAGE}/{name}")]
        rows = [_heading("Favorites")]
        rows += [_place(name, "folder", partial(self.enter, f"{STORAGE}/{name}", name)) for name in there]
        rows += [_heading("Storages"), _place("Internal memory", "storage", partial(self.enter, STORAGE,
                                                                                     "Internal memory"))]  # fmt: skip
        rows += [_heading("Local Network"), text("Connect to a local network to see its shares.", color="text_dim",
                                                 padding=(16, 8, 16, 8), width=FILL, size=14)]  # fmt: skip
        return scroll(*rows, key="browse", id="main_browser")

    def _playlists(self) -> View:
        found = data.playlists(self.phone)

        def item(i: int) -> View:
            number = found[i]["id_playlist"]
            lead = column(icon("queue", 28, "text_dim"), width=72, height=48, align="center", justify="center",
                          background="surface_high", radius=4)  # fmt: skip
            made = list_row(str(found[i]["name"]), data.some(int(found[i]["n"])),
                            partial(self.push, PlaylistPage(playlist=number)), leading=lead, height=ROW,
                            summary_id="subtitle")  # fmt: skip
            made.padding = (12, 4, 4, 4)
            return made

        return lazy_list(len(found), ROW, item, key="lists", id="audio_list") if found else empty(
            "No playlist found.", "queue")  # fmt: skip

    def _more(self) -> View:
        rows = [_place("Settings", "settings", partial(self.open, "about")),
                _place("About", "info", partial(self.open, "about"))]  # fmt: skip
        return scroll(*rows, key="more")

    # overlays

    def overlay(self) -> View | None:
        """Menu, sorting, what the app is, and what every list has."""
        if self.opened == "more":
            return menu([("Sort by\u2026", partial(self.open, "sort")), ("Refresh", self.refresh)])
        if self.opened == "sort":
            return choice_dialog("Sort by\u2026", data.SORTS, self.sort, self.sort_by)
        if self.opened == "about":
            return dialog("VLC", message=f"Version {APP.version}\nAll formats. All free.",
                          buttons=[("OK", self.dismiss)])  # fmt: skip
        return super().overlay()

    def sort_by(self, index: int) -> None:
        """Another order."""
        self.sort = index
        self.dismiss()

    def refresh(self) -> None:
        """Index the storage again."""
        data.index(self.phone)
        self.dismiss()

    def enter(self, path: str, title: str) -> None:
        """Into a folder."""
        self.push(Folder(folder=path, title=title))

    def search(self) -> None:
        """The magnifier."""
        self.searching, self.query = True, ""
        self.focus_on("query")

    def stop_search(self) -> None:
        """The arrow of the search field."""
        self.searching, self.query, self.focus = False, "", ""

    def on_back(self) -> bool:
        """BACK ends choosing and searching."""
        if super().on_back():
            return True
        was, self.searching = self.searching, False
        return was


def _heading(words: str) -> View:
    return text(words, size=16, bold=1, padding=(16, 16, 16, 6), width=FILL, id="category_title")


def _place(title: str, glyph: str, action: Action) -> View:
    made = list_row(title, icon_name=glyph, height=60)
    made.on_tap, made.padding = action, (20, 6, 16, 6)
    return made


def _main(intent: Intent) -> Screen:
    return Main()


def _start(phone: Phone) -> None:
    """AndroidWorld's folder for films, and the index."""
    phone.fs.mkdir(VIDEOS, parents=True, mode=0o770)
    data.index(phone)


APP = App(
    package=PACKAGE,
    label="VLC",
    icon=("cone", (255, 255, 255)),
    main=MAIN,
    activities={MAIN: _main, Player.activity: opened},
    databases={"app_db/vlc_media.db": data.SCHEMA},
    filters=(
        (IntentFilter(VIEW, mime="video/*"), Player.activity),
        (IntentFilter(VIEW, mime="audio/*"), Player.activity),
    ),
    start=_start,
    permissions=("android.permission.POST_NOTIFICATIONS",),
    system=False,
    version="3.5.4",
)
