"""Audio Recorder (Dimowner): record, pause, stop, name, play; a list of records, a trash.

Words, ids and descriptions are those of Dimowner/AudioRecorder@00190c3 res/values/strings.xml and
res/layout/activity_main.xml, among them the record button's description `Recording: %s`, which the real app never
fills in. The records directory and what AndroidWorld reads in it: records.py. Departures: nothing is heard; import,
bookmarks, file browser and colour themes are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket.app import App, Screen
from emulator.pocket.apps.audio_recorder import records
from emulator.pocket.apps.audio_recorder.listing import Playing, Records, Settings
from emulator.pocket.apps.audio_recorder.look import FAINT, GROUND, RED, TALL, bar, tool, wave
from emulator.pocket.apps.audio_recorder.records import PACKAGE, RECORDS
from emulator.pocket.apps.audio_recorder.welcome import WELCOME, Welcome
from emulator.pocket.intents import Intent
from emulator.pocket.parts import dialog, menu, page
from emulator.pocket.views import FILL, View
from emulator.pocket.widgets import IMAGE_BUTTON, checkbox, column, row, spacer, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MIC = "android.permission.RECORD_AUDIO"
MAIN = f"{PACKAGE}.app.main.MainActivity"


@dataclass
class Recorder(Playing):
    """The first screen. `last` is the record that was made last; `new_name` the name being typed for it."""

    activity: ClassVar[str] = MAIN

    last: str = ""
    new_name: str = ""
    silent: bool = False

    def on_resume(self) -> None:
        """The first run comes first."""
        if not self.phone.prefs(PACKAGE).flag(records.READY):
            self.push(Welcome())

    def build(self) -> View:
        """Bar, wave, time, buttons."""
        on = bool(records.going_on(self.phone))
        more = tool("more", "", partial(self.open, "more"), "btn_share") if self.last else spacer(width=48)
        middle = column(self._wave(on), height=FILL, weight=1, justify="center")
        parts = [bar("Audio Recorder", buttons=[more]), middle, self._words(on), self._buttons(on)]
        return page(*parts, background=GROUND)

    def _last(self) -> records.Record | None:
        return next((r for r in records.records(self.phone) if r.path == self.last), None)

    def _wave(self, on: bool) -> View:
        wide = 380.0
        if on:
            return wave(records.elapsed_ms(self.phone), wide, moving=True)
        last = self._last()
        if last is None:
            return column(height=TALL)
        share = self.position_ms(last.duration_ms) / max(last.duration_ms, 1) if self.played else 0.0
        playing = bool(self.played) and self.is_playing(last.duration_ms)
        button = tool("pause" if playing else "play", "", partial(self.play, last), "btn_play")
        return column(wave(last.duration_ms, wide, share), row(button, justify="center"))

    def _words(self, on: bool) -> View:
        last = self._last()
        shown = records.elapsed_ms(self.phone) if on else 0
        if last is not None and not on:
            shown = self.position_ms(last.duration_ms) if self.played else last.duration_ms
        parts = [text(records.clock(shown), size=54, bold=2, color="white", id="txt_progress")]
        if on:
            words = "Paused" if records.paused(self.phone) else "Recording\u2026"
            parts.append(text(words, size=20, color="white", id="txt_name"))
        elif last is not None:
            parts.append(text(last.name, size=20, color="white", lines=2, id="txt_name", on_tap=self.ask_name))
        parts.append(text(records.about(self.phone), size=14, color=FAINT, id="txt_record_info"))
        return column(*parts, align="center", gap=2, padding=(16, 0, 16, 8))

    def _buttons(self, on: bool) -> View:
        paused = records.paused(self.phone)
        name = ("record" if paused else "pause") if on else "record"
        main = View(
            IMAGE_BUTTON, icon=name, icon_size=40, desc="Recording: %s", width=72, height=72, radius=36,
            background="white", color=RED, on_tap=self.record, id="btn_record",
        )  # fmt: skip
        left = right = spacer(width=56)
        if on:
            left = tool("delete", "Delete", partial(self.open, "discard"), "btn_record_delete", 56)
            right = tool("stop", "", self.stop, "btn_record_stop", 56)
        return row(
            tool("settings", "Settings", partial(self.push, Settings()), "btn_settings", 56), spacer(weight=1), left,
            main, right, spacer(weight=1), tool("list", "", partial(self.push, Records()), "btn_records_list", 56),
            height=104, padding=(12, 0, 12, 12), gap=6,
        )  # fmt: skip

    def overlay(self) -> View | None:
        """The name of what was recorded; what can be done with it."""
        if self.opened == "name":
            field = self.field("new_name", on_submit=self.phone.keyboard.hide, id="input_name")
            box = checkbox(self.silent, partial(self.set, "silent", not self.silent), label="Don't ask again")
            return dialog("New name", field, box, buttons=[("Cancel", self.keep), ("Save", self.save)])
        if self.opened == "discard":
            return dialog("Warning!", message="Delete this record?",
                          buttons=[("No", self.dismiss), ("Yes", self.discard)])  # fmt: skip
        if self.opened == "more":
            return menu([("Rename", self.ask_name), ("Delete", self.delete)])
        return None

    # doing

    def record(self) -> None:
        """The red button: start, pause, go on."""
        if records.going_on(self.phone):
            records.pause(self.phone)
        else:
            self.need(MIC, "mic")

    def on_result(self, key: str, value: object) -> None:
        """The permission."""
        if value is True:
            self.stop_playing()
            records.start(self.phone)
        else:
            self.toast("Permission denied")

    def stop(self) -> None:
        """The square: the recording is saved, then its name is asked for."""
        self.last = records.stop(self.phone)
        if self.phone.prefs(PACKAGE).flag(records.ASK, True):
            self.ask_name()

    def ask_name(self) -> None:
        """The dialog for a name, the old one selected."""
        self.new_name = self.last.rpartition("/")[2].removesuffix(records.SUFFIX)
        self.open("name")
        self.focus_on("new_name", self.new_name)
        self.selection = (0, len(self.new_name))

    def keep(self) -> None:
        """Cancel: it keeps the name it has."""
        if self.silent:
            self.phone.prefs(PACKAGE).set(records.ASK, False)
        self.dismiss()

    def save(self) -> None:
        """Save: `.m4a` comes behind whatever was typed."""
        wrong = records.rename(self.phone, self.last, self.new_name)
        if wrong:
            self.toast(wrong)
            return
        self.last = f"{RECORDS}/{records.clean(self.new_name)}{records.SUFFIX}"
        self.keep()

    def discard(self) -> None:
        """Yes: what is being recorded goes."""
        records.discard(self.phone)
        self.dismiss()

    def delete(self) -> None:
        """The last record into the trash."""
        if self.phone.fs.exists(self.last):
            records.trash(self.phone, self.last)
            self.toast("The record moved to trash")
        self.last = ""
        self.dismiss()


def _start(phone: Phone) -> None:
    """The records directory; a recording that was cut off with the process is over."""
    phone.fs.mkdir(RECORDS, parents=True, mode=0o770)
    if records.going_on(phone):
        records.forget(phone)


def _main(intent: Intent) -> Screen:
    return Recorder()


APP = App(
    package=PACKAGE,
    label="Audio Recorder",
    icon=("mic", (84, 110, 122)),
    main=WELCOME,
    activities={WELCOME: _main, MAIN: _main},
    start=_start,
    permissions=(MIC, "android.permission.POST_NOTIFICATIONS"),
    system=False,
    version="0.9.98",
)
