"""Retro Music (RetroMusicPlayer): songs, albums, artists, playlists, a playing queue.

AndroidWorld reads the playlists, the queue and an exported .m3u (data.py, playlist.py). Words and places are those of
RetroMusicPlayer@f41a800 (res/values/strings.xml, res/menu); the theme is its light or dark one. Its databases come back
when the media scanner tells of new files: AndroidWorld wipes their directory and reads them before anything else starts
the app. Left out: genres, folders, lyrics, equalizer, widgets, sleep timer, themes, the account picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.retro_music import data
from emulator.pocket.apps.retro_music.data import PACKAGE, Song
from emulator.pocket.apps.retro_music.parts import ROW, Renaming, dots, tile
from emulator.pocket.apps.retro_music.playing import NowPlaying
from emulator.pocket.apps.retro_music.playlist import Group, PlaylistPage, save_as_file, write_file
from emulator.pocket.intents import Intent
from emulator.pocket.parts import Choice, bottom_bar, choice_dialog, dialog, menu, page, search_bar, toolbar
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import column, empty, fab, header, icon, lazy_list, list_row, row, scroll, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MAIN = f"{PACKAGE}.activities.MainActivity"
SCANNED = "android.intent.action.MEDIA_SCANNER_SCAN_FILE"
PLACES = (("house", "For you"), ("music", "Songs"), ("album", "Albums"), ("person", "Artists"), ("queue", "Playlists"))
FILTERS = (0, 10, 20, 30, 60)
HOME, SONGS, ALBUMS, ARTISTS, PLAYLISTS = range(5)


@dataclass
class Main(Renaming):
    """The five places. `playlist` is the one whose menu is open; `searching` while the bar is a field."""

    activity: ClassVar[str] = MAIN

    place: int = HOME
    searching: bool = False
    query: str = ""

    def shown(self) -> list[Song]:
        """All songs, or those found."""
        known = data.songs(self.phone)
        if not self.searching:
            return known
        wanted = self.query.lower()
        return [s for s in known if wanted and (wanted in s.title.lower() or wanted in s.artist.lower())]

    def build(self) -> View:
        """Bar, place, what plays, bar of places."""
        bodies = (self._home, self._songs, self._albums, self._artists, self._playlists_list)
        body = self._songs() if self.searching else bodies[self.place]()
        strip = self.mini_player(partial(self.push, NowPlaying()))
        below = column(*([strip] if strip else []), bottom_bar(PLACES, self.place, self.go))
        mix = None
        if self.place == SONGS and not self.searching and not self.marked:
            mix = fab("shuffle", "", self.shuffle, id="shuffle_button", label="Shuffle")
        return page(self._bar(), body, fab=mix, bottom=below)

    def _bar(self) -> View:
        if self.marked:
            return self.marked_bar()
        if self.searching:
            return search_bar("query", self.query, partial(self.set, "query"), self.stop_search,
                              hint="Search your library\u2026", on_submit=self.phone.keyboard.hide)  # fmt: skip
        title = "Retro Music" if self.place == HOME else PLACES[self.place][1]
        bar = toolbar(title, navigation=("search", "Search", self.search), menu=partial(self.open, "more"))
        name = bar.children[1].children[0]
        name.text_align, name.color = "center", "primary" if self.place == HOME else "text"
        return bar

    def go(self, place: int) -> None:
        """A place of the bar at the bottom."""
        self.place, self.searching = place, False
        self.marked.clear()

    # places

    def _home(self) -> View:
        known = data.songs(self.phone)
        tools = [("clock", "History", self.show_playing), ("queue_add", "Last added", self.show_added),
                 ("flag", "Most played", self.show_playing), ("shuffle", "Shuffle", self.shuffle)]  # fmt: skip
        cells = [_action(*tool) for tool in tools]
        hello = row(tile("User", 48, "person", round_=True),
                    column(text(_greeting(self.phone.clock.datetime().hour), size=14, color="text_dim"),
                           text("User Name", size=22, bold=1, id="titleWelcome"), weight=1),
                    gap=16, padding=(16, 12, 16, 8))  # fmt: skip
        parts = [hello, row(cells[0], cells[1], gap=8, padding=(16, 8, 16, 0)),
                 row(cells[2], cells[3], gap=8, padding=(16, 8, 16, 8))]  # fmt: skip
        if known:
            parts.append(header("Suggestions"))
            parts.extend(self.songs_row(known, i) for i in range(min(len(known), 8)))
        else:
            parts.append(
                text("You have no songs", color="text_dim", padding=(16, 40, 16, 0), align="center", width=FILL)
            )
        return scroll(*parts, key="home")

    def _songs(self) -> View:
        known = self.shown()
        if not known:
            return empty("No results" if self.searching else "You have no songs", "music")
        return lazy_list(len(known), ROW, partial(self.songs_row, known), key="songs", id="recyclerView",
                         padding=(0, 0, 0, 88))  # fmt: skip

    def _groups(self, artist: bool) -> View:
        names: dict[str, list[Song]] = {}
        for song in data.songs(self.phone):
            names.setdefault(song.artist if artist else song.album, []).append(song)
        order = sorted(names, key=str.lower)
        if not order:
            return empty("You have no artists" if artist else "You have no albums", "person" if artist else "album")

        def item(i: int) -> View:
            name = order[i]
            lead = tile(name, 45, "person" if artist else "album", round_=artist)
            words = data.count(len(names[name])) if artist else names[name][0].artist
            return list_row(name, words, partial(self.push, Group(name=name, artist=artist)), leading=lead, height=ROW,
                            summary_id="text", summary_lines=1)  # fmt: skip

        return lazy_list(len(order), ROW, item, key="artists" if artist else "albums", id="recyclerView")

    def _albums(self) -> View:
        return self._groups(artist=False)

    def _artists(self) -> View:
        return self._groups(artist=True)

    def _playlists_list(self) -> View:
        known = data.playlists(self.phone)

        def item(i: int) -> View:
            number, name = known[i]["playlist_id"], str(known[i]["playlist_name"])
            made = list_row(name, data.count(known[i]["n"]), partial(self.push, PlaylistPage(playlist=number)),
                            leading=tile(name, 45, "queue"), trailing=[dots(partial(self.about_playlist, number))],
                            height=ROW, summary_id="text")  # fmt: skip
            made.padding = (16, 6, 0, 6)
            return made

        if not known:
            return empty("You have no playlists", "queue")
        return lazy_list(len(known), ROW, item, key="playlists", id="recyclerView")

    # menus

    def overlay(self) -> View | None:
        """The menu of the place and of a playlist, sorting, settings, and what every screen has."""
        if self.opened == "more":
            items: list[Choice] = [("Settings", partial(self.open, "settings"))]
            if self.place == SONGS:
                items.insert(0, ("Sort order", partial(self.open, "sort")))
            if self.place == PLAYLISTS:
                items.insert(0, ("New playlist", self.new_playlist))
            return menu(items)
        if self.opened == "sort":
            return choice_dialog("Sort order", data.SORTS, self.phone.prefs(PACKAGE).number(data.SORT), self.sort)
        if self.opened == "settings":
            now = self.phone.prefs(PACKAGE).number(data.FILTER, 20)
            at = FILTERS.index(now) if now in FILTERS else -1
            return choice_dialog("Filter song duration", [f"{n} s" for n in FILTERS], at, self.filter)
        if self.opened == "list":
            return menu([("Play", self.play_list), ("Rename", self.ask_name), ("Delete", partial(self.open, "drop")),
                         ("Save as file", partial(save_as_file, self, self.playlist))], anchor="top")  # fmt: skip
        name = data.playlist_name(self.phone, self.playlist)
        if self.opened == "rename":
            edit = self.field("new_name", hint="Playlist name", on_submit=self.phone.keyboard.hide)
            return dialog("Rename playlist", edit, buttons=[("Cancel", self.dismiss), ("Rename", self.rename)])
        if self.opened == "drop":
            return dialog("Delete playlist", message=f"Delete the playlist {name}?",
                          buttons=[("Cancel", self.dismiss), ("Delete", self.drop)])  # fmt: skip
        return super().overlay()

    def about_playlist(self, number: int) -> None:
        """The menu of a playlist."""
        self.playlist = number
        self.open("list")

    def new_playlist(self) -> None:
        """An empty one."""
        self.adding, self.new_name = [], ""
        self.open("create")
        self.focus_on("new_name")

    def play_list(self) -> None:
        """A playlist from its beginning."""
        data.play(self.phone, data.playlist_songs(self.phone, self.playlist))
        self.dismiss()

    def drop(self) -> None:
        """A playlist goes."""
        data.delete_playlist(self.phone, self.playlist)
        self.dismiss()

    def sort(self, index: int) -> None:
        """Another order of the songs."""
        self.phone.prefs(PACKAGE).set(data.SORT, index)
        self.dismiss()

    def filter(self, index: int) -> None:
        """Which songs are too short to be listed."""
        self.phone.prefs(PACKAGE).set(data.FILTER, FILTERS[index])
        self.dismiss()

    def on_result(self, key: str, value: Any) -> None:
        """Where the file goes."""
        if key == "file":
            write_file(self, self.playlist, str(value))

    # doing

    def shuffle(self) -> None:
        """All songs in another order, that of the phone's chance."""
        known = data.songs(self.phone)
        self.phone.random.shuffle(known)
        data.play(self.phone, known)

    def show_playing(self) -> None:
        """Of the first place: what was played is what is in the queue."""
        self.push(NowPlaying())

    def show_added(self) -> None:
        """The newest first."""
        self.phone.prefs(PACKAGE).set(data.SORT, data.SORTS.index("Date added"))
        self.go(SONGS)

    def search(self) -> None:
        """The magnifier."""
        self.searching, self.query = True, ""
        self.focus_on("query")

    def stop_search(self) -> None:
        """The arrow of the search field."""
        self.searching, self.query, self.focus = False, "", ""

    def on_back(self) -> bool:
        """BACK ends choosing and searching, then goes to the first place."""
        if super().on_back():
            return True
        if self.searching:
            self.stop_search()
        elif self.place != HOME:
            self.place = HOME
        else:
            return False
        return True


def _action(glyph: str, label: str, action: Any) -> View:
    words = text(label, size=15, bold=1, color="on_primary_soft", lines=1)
    return row(icon(glyph, 20, "on_primary_soft"), words, weight=1, height=52, gap=10, padding=(16, 0, 8, 0),
               background="primary_soft", radius=16, on_tap=action)  # fmt: skip


def _greeting(hour: int) -> str:
    if hour < 12:
        return "Good morning"
    return "Good afternoon" if hour < 17 else "Good evening"


def _main(intent: Intent) -> Screen:
    return Main()


def _scanned(phone: Phone, intent: Intent) -> None:
    """The media scanner ran: the app's databases are there again."""
    if intent.action == SCANNED:
        for path in (data.PLAYLIST_DB, data.QUEUE_DB):
            phone.db(path)


APP = App(
    package=PACKAGE,
    label="Retro Music",
    icon=("music", (30, 136, 229)),
    main=MAIN,
    activities={MAIN: _main},
    databases={"databases/playlist.db": data.PLAYLIST_SCHEMA, "databases/music_playback_state.db": data.QUEUE_SCHEMA},
    broadcast=_scanned,
    start=data.silence,
    permissions=("android.permission.READ_MEDIA_AUDIO", "android.permission.POST_NOTIFICATIONS"),
    system=False,
    version="6.1.0",
)
