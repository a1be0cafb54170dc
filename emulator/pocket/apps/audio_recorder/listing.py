"""Audio Recorder's list of records with its player, the trash, and the settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.audio_recorder import records
from emulator.pocket.apps.audio_recorder.look import DEEP, FAINT, GROUND, bar, tool
from emulator.pocket.apps.audio_recorder.records import PACKAGE, RECORDS, TRASHED, Record
from emulator.pocket.apps.audio_recorder.welcome import choices, pill, toggle_row
from emulator.pocket.documents import document_uri
from emulator.pocket.files import STORAGE
from emulator.pocket.intents import SEND, ActivityNotFound, Intent
from emulator.pocket.parts import Choice, choice_dialog, dialog, menu, page
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import column, empty, icon, lazy_list, progress, row, scroll, text

ROW = 72.0


@dataclass
class Playing(Screen):
    """A screen that can play a record: nothing is heard, the time runs. `played` path, `since` ms of up-time or -1."""

    backdrop: ClassVar[Color] = GROUND

    played: str = ""
    since: int = -1
    before: int = 0

    def position_ms(self, long: int) -> int:
        """How far it has got, at most its length."""
        now = self.phone.clock.uptime_ns // 1_000_000
        return min(self.before + (now - self.since if self.since >= 0 else 0), long)

    def is_playing(self, long: int) -> bool:
        """True until the end."""
        return self.since >= 0 and self.position_ms(long) < long

    def play(self, record: Record) -> None:
        """Play, pause, go on; from the beginning after the end or with another record."""
        if record.path != self.played or self.position_ms(record.duration_ms) >= record.duration_ms:
            self.played, self.before, self.since = record.path, 0, self.phone.clock.uptime_ns // 1_000_000
        elif self.since >= 0:
            self.before, self.since = self.position_ms(record.duration_ms), -1
        else:
            self.since = self.phone.clock.uptime_ns // 1_000_000

    def stop_playing(self) -> None:
        """Back to the beginning, still."""
        self.played, self.since, self.before = "", -1, 0


@dataclass
class Records(Playing):
    """All records, or the trash."""

    activity: ClassVar[str] = f"{PACKAGE}.app.records.RecordsActivity"

    trash: bool = False
    sort: int = 0
    chosen: str = ""
    new_name: str = ""

    def build(self) -> View:
        """Bar, list, player."""
        found = records.records(self.phone, self.sort, self.trash)
        buttons = [tool("sort", "Sort", partial(self.open, "sort"), "btn_sort"),
                   tool("delete", "Trash", partial(self.push, Records(trash=True)), "btn_trash")]  # fmt: skip
        top = bar("Trash" if self.trash else "Records", self.finish, [] if self.trash else buttons)
        nothing = empty("Records is empty", "mic")
        for part in nothing.walk():
            part.color = FAINT
        body = lazy_list(len(found), ROW, lambda i: self._row(found[i]), id="recycler_view") if found else nothing
        now = next((r for r in found if r.path == self.played), None)
        return page(top, body, *([self._player(now)] if now is not None else []), background=GROUND)

    def _row(self, record: Record) -> View:
        on = record.path == self.played
        names = column(
            text(record.name, color="white", bold=1, lines=1, width=FILL, id="list_item_name"),
            row(text(records.clock(record.duration_ms), size=13, color=FAINT, id="list_item_description"),
                text(f"{record.size / 1_000_000:.2f} Mb", size=13, color=FAINT),
                text(records.day(self.phone, record.created_ns), size=13, color=FAINT, id="list_item_date"), gap=12),
            weight=1, gap=4, justify="center",
        )  # fmt: skip
        playing = on and self.is_playing(record.duration_ms)
        more = tool("more", "More options", partial(self.about, record.path), "list_item_more")
        made = row(icon("pause" if playing else "play", color="white"), names, more, gap=16, height=ROW,
                   padding=(16, 0, 4, 0), on_tap=partial(self.touched, record), id="container",
                   background=DEEP if on else None)  # fmt: skip
        made.selected = on
        return made

    def _player(self, record: Record) -> View:
        at = self.position_ms(record.duration_ms)
        playing = self.is_playing(record.duration_ms)
        buttons = row(
            tool("pause" if playing else "play", "Play", partial(self.play, record), "btn_play"),
            tool("stop", "Stop", self.stop_playing, "btn_stop"), justify="center", gap=16,
        )  # fmt: skip
        return column(
            progress(at / max(record.duration_ms, 1)),
            row(text(records.clock(at), size=14, color="white", weight=1, id="txt_progress"),
                text(records.clock(record.duration_ms), size=14, color="white", id="txt_duration")),
            text(record.name, size=18, color="white", lines=1, align="center", width=FILL, id="txt_name"), buttons,
            background=DEEP, padding=(16, 12, 16, 8), gap=4, id="touch_layout",
        )  # fmt: skip

    def touched(self, record: Record) -> None:
        """A tap plays; in the trash it asks what to do."""
        if self.trash:
            self.about(record.path)
        else:
            self.play(record)

    def about(self, path: str) -> None:
        """The menu of a record."""
        self.chosen = path
        self.open("record")

    @property
    def name(self) -> str:
        """The chosen record's."""
        return self.chosen.rpartition("/")[2].removesuffix(TRASHED).removesuffix(records.SUFFIX)

    def overlay(self) -> View | None:
        """Sorting, and what can be done with a record."""
        if self.opened == "sort":
            return choice_dialog("Sort", records.SORTS, self.sort, self.sort_by)
        if self.opened and not self.phone.fs.isfile(self.chosen):
            return None
        if self.opened == "record":
            return menu(self._menu(), anchor="top")
        if self.opened == "rename":
            field = self.field("new_name", on_submit=self.phone.keyboard.hide, id="input_name")
            return dialog("New name", field, buttons=[("Cancel", self.dismiss), ("Save", self.rename)])
        if self.opened == "info":
            return dialog("Information", message=self._info(), buttons=[("Ok", self.dismiss)])
        words = {"delete": f"Move to trash {self.name}?", "forever": f"Delete record {self.name} forever?"}
        if self.opened in words:
            action = self.to_trash if self.opened == "delete" else self.delete_forever
            return dialog("Warning!", message=words[self.opened], buttons=[("No", self.dismiss), ("Yes", action)])
        return None

    def _menu(self) -> list[Choice]:
        if self.trash:
            return [("Restore", self.restore), ("Delete", partial(self.open, "forever"))]
        return [
            ("Share", self.share), ("Information", partial(self.open, "info")), ("Rename", self.ask_name),
            ("Download", self.download), ("Delete", partial(self.open, "delete")),
        ]  # fmt: skip

    def _info(self) -> str:
        record = next(r for r in records.records(self.phone, 0, self.trash) if r.path == self.chosen)
        created = datetime.fromtimestamp(record.created_ns // 10**9, UTC)
        return "\n".join((
            f"Name: {record.name}", "Format: M4a", f"Duration: {records.clock(record.duration_ms)}",
            "Frequency: 44.1kHz", f"Size: {record.size / 1_000_000:.2f} Mb", f"Created: {created:%d.%m.%Y %H:%M}",
            f"File location: {record.path}",
        ))  # fmt: skip

    # doing

    def sort_by(self, number: int) -> None:
        """Another order."""
        self.sort = number
        self.dismiss()

    def ask_name(self) -> None:
        """The dialog for a name."""
        self.new_name = self.name
        self.open("rename")
        self.focus_on("new_name", self.new_name)
        self.selection = (0, len(self.new_name))

    def rename(self) -> None:
        """Save."""
        wrong = records.rename(self.phone, self.chosen, self.new_name)
        self.dismiss()
        if wrong:
            self.toast(wrong)

    def to_trash(self) -> None:
        """Yes."""
        records.trash(self.phone, self.chosen)
        self.dismiss()
        self.toast("The record moved to trash")

    def restore(self) -> None:
        """Out of the trash."""
        records.restore(self.phone, self.chosen)
        self.dismiss()
        self.toast("The record restored successfully")

    def delete_forever(self) -> None:
        """Yes."""
        self.phone.fs.remove(self.chosen)
        self.dismiss()
        self.toast("The record deleted successfully")

    def download(self) -> None:
        """A copy in Download."""
        name = self.chosen.rpartition("/")[2]
        target = f"{STORAGE}/Download/{name}"
        if self.phone.fs.exists(target):
            self.toast(f"Failed to download. File with name {name} already exists")
        else:
            self.phone.fs.mkdir(f"{STORAGE}/Download", parents=True)
            self.phone.fs.copy(self.chosen, target)
            self.toast(f"{name} downloaded to the Download directory")
        self.dismiss()

    def share(self) -> None:
        """Hand it to another app."""
        self.dismiss()
        try:
            stream = {"android.intent.extra.STREAM": document_uri(self.chosen)}
            self.phone.start_activity(Intent(SEND, mime="audio/mp4", extras=stream))
        except ActivityNotFound:
            self.toast("No apps can perform this action.")


@dataclass
class Settings(Screen):
    """What the gear opens."""

    activity: ClassVar[str] = f"{PACKAGE}.app.settings.SettingsActivity"
    backdrop: ClassVar[Color] = GROUND

    def build(self) -> View:
        """Switch, choices, sums."""
        prefs = self.phone.prefs(PACKAGE)
        ask = prefs.flag(records.ASK, True)
        found = records.records(self.phone)
        total = records.clock(sum(r.duration_ms for r in found))
        sums = [f"Total records count: {len(found)}", f"Total recorded duration: {total}"]
        words = [*sums, f"Records location:\n{RECORDS}"]
        switch_ask = partial(prefs.set, records.ASK, not ask)
        body = scroll(
            toggle_row("Show rename dialog after recording is completed", ask, switch_ask),
            *choices(self.phone), *[text(w, size=15, color="white", padding=(24, 8, 24, 4), width=FILL) for w in words],
            column(pill("Delete all records", partial(self.open, "all")), padding=(24, 16, 24, 24)),
        )  # fmt: skip
        return page(bar("Settings", self.finish), body, background=GROUND)

    def overlay(self) -> View | None:
        """Are you sure?"""
        buttons: list[Choice] = [("No", self.dismiss), ("Yes", self.delete_all)]
        return dialog("Warning!", message="Delete all records?", buttons=buttons) if self.opened == "all" else None

    def delete_all(self) -> None:
        """Yes."""
        for record in records.records(self.phone):
            self.phone.fs.remove(record.path)
        self.dismiss()
        self.toast("All records deleted successfully")
