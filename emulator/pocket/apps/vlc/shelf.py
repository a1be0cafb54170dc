"""What VLC's lists share: choosing several media, the menu of one, and the sheet that adds to playlists.

Words and parts: videolan/vlc-android@4ffb22b resources strings.xml, vlc-android menu/action_mode_*.xml,
layout/dialog_playlist.xml and gui/dialogs/SavePlaylistDialog.kt: "Create" makes a playlist and ticks it, "Save" puts
the media into the ticked ones. Media chosen together are taken in the order touched (tools/MultiSelectHelper.kt).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from emulator.pocket.app import Screen
from emulator.pocket.apps.vlc import data
from emulator.pocket.apps.vlc.look import ORANGE, more, thumbnail
from emulator.pocket.apps.vlc.player import Player
from emulator.pocket.parts import bottom_sheet, dialog, toolbar
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import IMAGE_BUTTON, button, checkbox, column, icon, list_row, row, scroll, switch, text

ROW = 72.0


@dataclass
class Shelf(Screen):
    """marked: paths chosen, in order; adding: paths on their way into a playlist; ticked: playlists they go to;
    subject: the path whose menu is open.
    """

    marked: list[str] = field(default_factory=list)
    adding: list[str] = field(default_factory=list)
    ticked: list[int] = field(default_factory=list)
    replace: bool = False
    new_name: str = ""
    subject: str = ""

    def on_resume(self) -> None:
        """The storage may have changed."""
        data.index(self.phone)

    def paths(self) -> list[str]:
        """The media of this screen, in its order."""
        return []

    # entries

    def media_row(self, known: data.Media, words: str) -> View:
        """Picture, name over what is known of it, dots."""
        chosen = known.path in self.marked
        content = self.phone.fs.read(known.path) if known.video and self.phone.fs.isfile(known.path) else None
        lead = thumbnail(content, 72, 48, "cone" if known.video else "music")
        if chosen:
            lead = _tick(72, 48)
        made = list_row(known.name, words, partial(self.touched, known.path), leading=lead, height=ROW,
                        on_long=partial(self.mark, known.path), selected=chosen, summary_id="text", summary_lines=1,
                        trailing=[] if self.marked else [more(partial(self.about, known.path))])  # fmt: skip
        made.padding = (12, 4, 4, 4)
        made.background = "surface_high" if chosen else None
        return made

    def touched(self, path: str) -> None:
        """A tap plays, or chooses too."""
        if self.marked:
            self.mark(path)
        else:
            self.play([path])

    def play(self, paths: Sequence[str], at: int = 0) -> None:
        """One after the other."""
        self.marked.clear()
        self.dismiss()
        self.push(Player(paths=list(paths), at=at))

    def mark(self, path: str) -> None:
        """Choose, or no longer."""
        if path in self.marked:
            self.marked.remove(path)
        else:
            self.marked.append(path)

    def about(self, path: str) -> None:
        """The menu of one."""
        self.subject = path
        self.open("media")

    def marked_bar(self) -> View:
        """The bar while media are chosen."""
        tools = [
            tool("info", "Information", partial(self.open, "info")), tool("play", "Play", self.play_marked),
            tool("playlist_add", "Add to playlist", self.add_marked), tool("delete", "Delete", self.ask_delete),
        ]  # fmt: skip
        words = f"{len(self.marked)} selected"
        return toolbar(words, navigation=("close", "Done", self.marked.clear), actions=tools, color="surface_high")

    def on_back(self) -> bool:
        """BACK ends the choosing first."""
        was = bool(self.marked)
        self.marked.clear()
        return was

    # overlays

    def overlay(self) -> View | None:
        """Sheets and dialogs by name."""
        makers: dict[str, Callable[[], View]] = {
            "media": self._menu, "playlist": self._sheet, "info": self._info, "delete": self._delete,
        }  # fmt: skip
        return makers[self.opened]() if self.opened in makers else None

    def menu_items(self) -> list[tuple[str, str, Callable[[], object]]]:
        """Symbol, words and action for the media that `subject` is."""
        return [
            ("play", "Play", partial(self.play, [self.subject])),
            ("play_all", "Play all", self.play_from),
            ("info", "Information", partial(self.open, "info")),
            ("playlist_add", "Add to playlist", partial(self.ask_playlist, [self.subject])),
            ("delete", "Delete", self.ask_delete),
        ]

    def _menu(self) -> View:
        title = text(self.subject.rpartition("/")[2], size=18, bold=1, lines=1, padding=(20, 4, 20, 8), width=FILL)
        rows = [list_row(words, on_tap=action, icon_name=name, height=52) for name, words, action in self.menu_items()]
        return bottom_sheet(title, *rows)

    def _sheet(self) -> View:
        known = data.playlists(self.phone)
        name = self.field("new_name", hint="Playlist name", on_submit=self.create, id="dialog_playlist_name", weight=1)
        rows: list[View] = [self._playlist_row(p["id_playlist"], str(p["name"]), int(p["n"])) for p in known]
        if not rows:
            rows = [text("No playlist found.", color="text_dim", padding=(20, 16, 20, 16), width=FILL, align="center")]
        listed = scroll(*rows, key="panel")
        listed.height = min(max(len(known), 1), 3) * 60.0
        other = row(switch(self.replace, id="replaceSwitch"), text("Replace playlist", size=15), gap=12,
                    padding=(20, 4, 20, 4), on_tap=partial(self.set, "replace", not self.replace))  # fmt: skip
        return bottom_sheet(
            text("Create new playlist", size=16, bold=1, padding=(20, 0, 20, 0), width=FILL),
            row(name, orange("Create", self.create, "dialog_playlist_create"), padding=(20, 0, 12, 0), gap=8),
            row(text("Add to existing playlist", size=16, bold=1, weight=1, id="selected_playlist_count"),
                text(data.some(len(self.adding)), size=14, color="text_dim", id="medias"), padding=(20, 12, 20, 4)),
            other, listed,
            row(orange("Save", self.save, "dialog_playlist_save"), justify="end", padding=(12, 8, 12, 0)),
        )  # fmt: skip

    def _playlist_row(self, number: int, name: str, count: int) -> View:
        on = number in self.ticked
        lead = _tick(40, 40) if on else icon("queue", 32, "text_dim")
        made = list_row(name, data.some(count), partial(self.tick, number), leading=lead, height=60,
                        trailing=[checkbox(on)], summary_id="subtitle")  # fmt: skip
        made.selected = on
        return made

    def _info(self) -> View:
        paths = self.marked or [self.subject]
        known = [data.media(p, self.phone.fs.read(p)) for p in paths if self.phone.fs.isfile(p)]
        size = sum(self.phone.fs.stat(m.path).size for m in known)
        lines = [("Path", m.path) for m in known[:1]] if len(known) == 1 else [("Media", str(len(known)))]
        lines += [("Length", data.clock(sum(m.duration_ms for m in known))), ("File size", data.megabytes(size))]
        title = known[0].name if len(known) == 1 else "Information"
        rows = [text(f"{label}: {value}", size=15, padding=(12, 4, 12, 4), width=FILL) for label, value in lines]
        return dialog(title, column(*rows), buttons=[("OK", self.dismiss)])

    def _delete(self) -> View:
        names = [p.rpartition("/")[2] for p in self.marked or [self.subject]]
        words = f"Are you sure you want to delete the file '{names[0]}'?" if len(names) == 1 else (
            f"Are you sure you want to delete these {len(names)} files?")  # fmt: skip
        return dialog("Delete", message=words, buttons=[("Cancel", self.dismiss), ("Delete", self.delete)])

    # doing

    def play_from(self) -> None:
        """The whole screen, from this one on."""
        paths = self.paths()
        self.play(paths or [self.subject], paths.index(self.subject) if self.subject in paths else 0)

    def play_marked(self) -> None:
        """The chosen ones in their order."""
        self.play(list(self.marked))

    def add_marked(self) -> None:
        """The chosen ones into a playlist."""
        self.ask_playlist(self.marked)

    def ask_playlist(self, paths: Sequence[str]) -> None:
        """Into which playlist?"""
        self.adding, self.ticked, self.new_name = list(paths), [], ""
        self.open("playlist")

    def tick(self, number: int) -> None:
        """This playlist, or not."""
        if number in self.ticked:
            self.ticked.remove(number)
        else:
            self.ticked.append(number)

    def create(self) -> None:
        """A new playlist, ticked at once."""
        name = self.new_name.strip()
        if not name:
            return
        number = data.make_playlist(self.phone, name)
        if not number:
            self.toast(f"Playlist {name} already exists")
            return
        self.ticked.append(number)
        self.new_name = self.focus = ""
        self.phone.keyboard.hide()

    def save(self) -> None:
        """Into the ticked playlists."""
        if not self.ticked:
            return
        with self.phone.db(data.DB):
            for number in self.ticked:
                data.add(self.phone, number, self.adding, self.replace)
        self.marked.clear()
        self.dismiss()

    def ask_delete(self) -> None:
        """Really?"""
        self.open("delete")

    def delete(self) -> None:
        """The files themselves."""
        for path in self.marked or [self.subject]:
            if self.phone.fs.isfile(path):
                self.phone.fs.remove(path)
        self.marked.clear()
        self.dismiss()
        data.index(self.phone)


def tool(name: str, desc: str, action: Callable[[], object]) -> View:
    """A button of the bar."""
    return View(IMAGE_BUTTON, icon=name, desc=desc, color="text", width=44, height=48, on_tap=action)


def orange(label: str, action: Callable[[], object], id: str) -> View:
    """A button with orange words, VLC's own colour."""
    made = button(label, action, style="text", id=id)
    made.color = ORANGE
    return made


def _tick(width: float, height: float) -> View:
    color: Color = "white"
    inside = icon("check", 24, color)
    return row(inside, width=width, height=height, justify="center", background=ORANGE, radius=4)
