"""Camera (AOSP Camera2): photo and video, list of modes, options, film strip.

Names of activity, ids and descriptions: AOSP packages/apps/Camera2 (CameraLauncher, `shutter_button`, "Shutter",
"Options", "Mode list", "Filmstrip"). A swipe to the right, or "Mode list", brings the modes; a swipe to the left the
film strip. Leaving the app ends a film and saves it. Departures: drawn scenes (scene.py), no zoom, timer, HDR.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from emulator.pocket import images, mp4
from emulator.pocket.app import App, Screen
from emulator.pocket.apps.camera import scene, shots
from emulator.pocket.apps.camera.filmstrip import SAVE_PLACE, Filmstrip, Settings, white_button
from emulator.pocket.boot import SNAPSHOTS
from emulator.pocket.intents import Intent, IntentFilter
from emulator.pocket.parts import dialog, page
from emulator.pocket.views import FILL, Color, View
from emulator.pocket.widgets import IMAGE_BUTTON, checkbox, column, icon, list_row, picture, row, spacer, stack, text

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

PACKAGE = "com.android.camera2"
MAIN = "com.android.camera.CameraLauncher"
ASKED = "first_run_done"
FLASHES = ("off", "auto", "on")
RED = (229, 57, 53)
SHADE = (32, 33, 36)
PREVIEW = (480, 640)


@dataclass
class Camera(Screen):
    """`since`: up-time in ms at which the film began, -1 while none is made."""

    activity: ClassVar[str] = MAIN
    backdrop: ClassVar[Color] = "black"
    fullscreen: ClassVar[bool] = True

    mode: str = "Camera"
    lens: scene.Lens = "back"
    flash: int = 0
    grid: bool = False
    options: bool = False
    since: int = -1

    def on_create(self) -> None:
        """The first time it asks whether places are to be remembered."""
        if not self.phone.prefs(PACKAGE).flag(ASKED):
            self.open("first")

    @property
    def recording_ms(self) -> int:
        """Length of the film so far."""
        return self.phone.clock.uptime_ns // 1_000_000 - self.since

    def build(self) -> View:
        """What the lens sees, the options on it, the buttons below."""
        second = self.recording_ms // 1000 if self.since >= 0 else 0
        width, height = self.phone.display_size
        size = PREVIEW if height > width else PREVIEW[::-1]
        shown = picture(scene.preview(size, self.lens, second), height=FILL)
        shown.id = "preview_content"
        layers = [shown]
        if self.grid and self.mode == "Camera":
            layers.append(_grid())
        if self.since >= 0:
            seconds = second % 60
            words = text(f"{second // 60:02d}:{seconds:02d}", size=16, color="white", id="recording_time")
            time = row(icon("record", size=12, color=RED), words, gap=8, height=48, justify="center")
            layers.append(column(time, height=FILL))
        layers.append(column(self._options(), height=FILL, justify="end"))
        view = stack(*layers, height=FILL, weight=1)
        view.on_swipe = self.swiped
        return page(view, self._bottom(), background="black")

    def _options(self) -> View:
        """Three dots, or what they stand for."""
        if self.since >= 0:
            return spacer()
        dots = white_button("more", "Options", partial(self.set, "options", not self.options), "mode_options_toggle")
        if not self.options:
            return row(spacer(weight=1), dots, padding=(8, 0, 8, 8))
        other = "Front camera" if self.lens == "front" else "Back camera"
        flash = f"Flash {FLASHES[self.flash]}"
        parts = [white_button("refresh", other, self.turn, "camera_toggle_button"),
                 white_button("flashlight", flash, self.next_flash, "flash_toggle_button")]  # fmt: skip
        if self.mode == "Camera":
            lines = f"Grid lines {'on' if self.grid else 'off'}"
            parts.append(
                white_button("grid", lines, partial(self.set, "grid", not self.grid), "grid_lines_toggle_button")
            )
        return row(*parts, spacer(weight=1), dots, padding=(8, 0, 8, 8), background=SHADE, id="mode_options_bar")

    def _bottom(self) -> View:
        video = self.mode == "Video"
        name, color = ("stop" if self.since >= 0 else "video", RED) if video else ("camera", SHADE)
        shutter = View(
            IMAGE_BUTTON, icon=name, icon_size=30, desc="Shutter", width=76, height=76, radius=38, background="white",
            color=color, on_tap=self.shoot, id="shutter_button",
        )  # fmt: skip
        modes, strip = spacer(width=48), spacer(width=48)
        if self.since < 0:
            modes = white_button("menu", "Mode list", partial(self.open, "modes"), "accessibility_mode_toggle_button")
            strip = self._last()
        return row(modes, spacer(weight=1), shutter, spacer(weight=1), strip, height=116, padding=(20, 0, 20, 0),
                   background="black", id="bottom_bar")  # fmt: skip

    def _last(self) -> View:
        """The newest one, small; a tap opens the film strip."""
        paths = shots.taken(self.phone)
        small = None
        if paths:
            data = self.phone.fs.read(paths[0])
            small = images.picture(next(iter(mp4.pictures(data)), b"") if paths[0].endswith(".mp4") else data)
        made = white_button("image", "Filmstrip", self.strip, "accessibility_filmstrip_toggle_button")
        if small is not None:
            made.icon, made.picture = "", small
        return made

    def overlay(self) -> View | None:
        """The modes, or the first question."""
        if self.opened == "modes":
            rows = [list_row(mode, on_tap=partial(self.change, mode), icon_name=name, icon_color="white",
                             title_id="selector_text", height=64)
                    for mode, name in (("Camera", "camera"), ("Video", "video"), ("Settings", "settings"))]  # fmt: skip
            for made in rows:
                made.desc = made.children[1].children[0].text
                made.children[1].children[0].color = "white"
            listed = column(*rows, width=260, height=FILL, background=SHADE, justify="center", id="mode_list_layout")
            listed.anchor = "start"
            return listed
        if self.opened == "first":
            on = self.phone.prefs(PACKAGE).flag(SAVE_PLACE)
            box = checkbox(on, partial(self.phone.prefs(PACKAGE).set, SAVE_PLACE, not on), "Tag photos and videos")
            return dialog("Remember photo locations?", box, buttons=[("NEXT", self.asked_once)],
                          message="Tag your photos and videos with the locations where they are taken.")  # fmt: skip
        return None

    # doing

    def asked_once(self) -> None:
        """NEXT."""
        self.phone.prefs(PACKAGE).set(ASKED, True)
        self.opened = ""

    def dismiss(self) -> None:
        """The first question stays until it is answered."""
        if self.opened != "first":
            super().dismiss()

    def swiped(self, direction: str) -> None:
        """To the modes, to the film strip."""
        if self.since >= 0:
            return
        if direction == "right":
            self.open("modes")
        elif direction == "left":
            self.strip()

    def strip(self) -> None:
        """The film strip."""
        self.push(Filmstrip())

    def change(self, mode: str) -> None:
        """Another mode, or the settings."""
        self.dismiss()
        if mode == "Settings":
            self.push(Settings())
        else:
            self.mode = mode

    def turn(self) -> None:
        """The other lens."""
        self.lens = "front" if self.lens == "back" else "back"

    def next_flash(self) -> None:
        """Off, auto, on; with films there is no auto."""
        self.flash = (self.flash + (2 if self.mode == "Video" and self.flash == 0 else 1)) % len(FLASHES)

    def shoot(self) -> None:
        """The shutter: a photo, the beginning or the end of a film."""
        if self.mode == "Camera":
            shots.take_photo(self.phone, self.lens)
        elif self.since < 0:
            self.since, self.options = self.phone.clock.uptime_ns // 1_000_000, False
        else:
            self.stop()

    def stop(self) -> None:
        """The film ends, then it is written: with a full disk it is lost."""
        long, self.since = self.recording_ms, -1
        shots.save_video(self.phone, self.lens, long)

    def on_pause(self) -> None:
        """Another app comes: the film ends."""
        if self.since >= 0:
            self.stop()

    def on_back(self) -> bool:
        """BACK ends a film first."""
        if self.since < 0:
            return False
        self.stop()
        return True


def _grid() -> View:
    """Lines at the thirds."""
    thin = View(width=FILL, height=1, background="white")
    lines = column(spacer(weight=1), thin, spacer(weight=1), View(width=FILL, height=1, background="white"),
                   spacer(weight=1), height=FILL)  # fmt: skip
    posts = [View(width=1, height=FILL, background="white") for _ in range(2)]
    across = row(spacer(weight=1), posts[0], spacer(weight=1), posts[1], spacer(weight=1), height=FILL)
    return stack(lines, across, height=FILL, id="grid_lines")


def _start(phone: Phone) -> None:
    """A phone comes with the first question answered; after `pm clear` it is asked again."""
    if not phone.fs.exists(f"{SNAPSHOTS}/{PACKAGE}"):
        phone.prefs(PACKAGE).set(ASKED, True)


def _photo(intent: Intent) -> Screen:
    return Camera()


def _video(intent: Intent) -> Screen:
    return Camera(mode="Video")


VIDEO = "com.android.camera.VideoCamera"
APP = App(
    package=PACKAGE,
    label="Camera",
    icon=("camera", (66, 66, 66)),
    main=MAIN,
    activities={MAIN: _photo, VIDEO: _video},
    filters=(
        (IntentFilter("android.media.action.STILL_IMAGE_CAMERA"), MAIN),
        (IntentFilter("android.media.action.VIDEO_CAMERA"), VIDEO),
    ),
    start=_start,
    permissions=("android.permission.CAMERA", "android.permission.RECORD_AUDIO",
                 "android.permission.ACCESS_COARSE_LOCATION"),
    version="2.0.002",
)  # fmt: skip
