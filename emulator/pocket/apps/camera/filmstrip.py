"""The film strip: what was taken, one a page, and the camera's settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from emulator.pocket import images, mp4
from emulator.pocket.app import Screen
from emulator.pocket.apps.camera import shots
from emulator.pocket.documents import document_uri
from emulator.pocket.intents import SEND, VIEW, ActivityNotFound, Intent
from emulator.pocket.mime import mime_type
from emulator.pocket.parts import dialog, page, toolbar
from emulator.pocket.views import FILL, Action, Color, Picture, View
from emulator.pocket.widgets import column, empty, icon_button, picture, row, spacer, stack, switch_row, text

SAVE_PLACE = "pref_camera_recordlocation_key"


def white_button(name: str, desc: str, action: Action, id: str = "") -> View:
    """A symbol on black."""
    return icon_button(name, desc, action, color="white", id=id)


@dataclass
class Filmstrip(Screen):
    """Swipe to see older ones; swipe right before the newest goes back to the camera."""

    backdrop: ClassVar[Color] = "black"

    at: int = 0

    def build(self) -> View:
        """The picture, below what can be done with it."""
        paths = shots.taken(self.phone)
        if not paths:
            nothing = empty("No photos", "image")
            nothing.on_swipe = self.swiped
            return page(self._bar("Camera"), nothing, background="black")
        path = paths[min(self.at, len(paths) - 1)]
        video = path.endswith(".mp4")
        shown = self._picture(path, video)
        large = picture(shown, height=FILL, desc=path.rpartition("/")[2]) if shown else spacer()
        parts = [large]
        if video:
            parts.append(white_button("play", "Play video", partial(self.open_with, VIEW, path), "play_button"))
        body = stack(*parts, height=FILL, weight=1, align="center", justify="center")
        body.on_swipe = self.swiped
        when = datetime.fromtimestamp(self.phone.fs.stat(path).mtime_ns // 10**9, UTC)
        buttons = row(
            white_button("share", "Share", partial(self.open_with, SEND, path), "filmstrip_bottom_control_share"),
            white_button("delete", "Delete", partial(self.open, "delete"), "filmstrip_bottom_control_delete"),
            justify="center", gap=64, height=72,
        )  # fmt: skip
        return page(self._bar(f"{when:%b} {when.day}, {when:%H:%M}"), body, buttons, background="black")

    def _bar(self, words: str) -> View:
        return row(white_button("back", "Navigate up", self.finish), text(words, size=18, color="white"), height=56,
                   padding=(4, 0, 4, 0), gap=8)  # fmt: skip

    def _picture(self, path: str, video: bool) -> Picture | None:
        data = self.phone.fs.read(path)
        if video:
            data = next(iter(mp4.pictures(data)), b"")
        return images.picture(data)

    def overlay(self) -> View | None:
        """Are you sure?"""
        if self.opened != "delete":
            return None
        return dialog("", message="Delete this item?", buttons=[("CANCEL", self.dismiss), ("DELETE", self.delete)])

    def delete(self) -> None:
        """The one that is shown."""
        paths = shots.taken(self.phone)
        if paths:
            self.phone.fs.remove(paths[min(self.at, len(paths) - 1)])
        self.at = max(min(self.at, len(paths) - 2), 0)
        self.dismiss()

    def swiped(self, direction: str) -> None:
        """Older, newer, back to the camera."""
        step = {"left": 1, "right": -1}.get(direction, 0)
        if self.at + step < 0:
            self.finish()
        else:
            self.at = min(self.at + step, max(len(shots.taken(self.phone)) - 1, 0))

    def open_with(self, action: str, path: str) -> None:
        """Hand it to another app."""
        uri, mime = document_uri(path), mime_type(path)
        wanted = Intent(action, data=uri, mime=mime) if action == VIEW else Intent(
            action, mime=mime, extras={"android.intent.extra.STREAM": uri})  # fmt: skip
        try:
            self.phone.start_activity(wanted)
        except ActivityNotFound:
            self.toast("No apps can perform this action.")


@dataclass
class Settings(Screen):
    """What the list of modes leads to last."""

    activity: ClassVar[str] = "com.android.camera.settings.CameraSettingsActivity"

    def build(self) -> View:
        """One switch, and what is fixed on this phone."""
        prefs = self.phone.prefs(self.package)
        on = prefs.flag(SAVE_PLACE)
        sizes = (("Back camera photo", "(4:3) 1.2 megapixels"), ("Back camera video", "VGA"))
        rows = [column(text(name), text(value, size=14, color="text_dim"), padding=(16, 12, 16, 12), gap=2)
                for name, value in sizes]  # fmt: skip
        return page(
            toolbar("Settings", back=self.finish), text("Resolution & quality", size=14, bold=1, color="primary",
                                                        padding=(16, 16, 16, 4)), *rows,
            switch_row("Save location", on, partial(prefs.set, SAVE_PLACE, not on)),
        )  # fmt: skip
