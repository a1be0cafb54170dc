"""OpenTracks: a track being recorded. It goes on while the app is closed; holding the round button ends it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from emulator.pocket.app import Screen
from emulator.pocket.apps.opentracks import data
from emulator.pocket.apps.opentracks.details import Editor
from emulator.pocket.apps.opentracks.look import Markers, pair, value
from emulator.pocket.parts import page, toolbar
from emulator.pocket.views import View
from emulator.pocket.widgets import divider, empty, icon_button, scroll


@dataclass
class Recording(Screen):
    """Time since the start; the phone lies still, so there is no distance and no speed."""

    activity: ClassVar[str] = f"{data.PACKAGE}.TrackRecordingActivity"

    def build(self) -> View:
        """Bar, figures, stop button."""
        track = data.recording(self.phone)
        if track is None:
            return page(toolbar("OpenTracks", back=self.finish), empty("No track is being recorded", "run"))
        markers = icon_button("location", "Markers", partial(self.push, Markers(track["_id"])))
        unit, slow = ("km", "km/h") if data.is_metric(self.phone) else ("mi", "mph")
        body = scroll(
            pair(value("Distance", "0.00", unit, id="distance"), value("Moving time", "00:00", id="moving_time")),
            divider(),
            pair(value("Speed", "0.0", slow, id="speed"),
                 value("Total time", data.time_label(data.elapsed_ms(self.phone, track)), id="total_time")),
            divider(),
            pair(value("Gain", *data.elevation(self.phone, 0), id="altitude_gain"),
                 value("Loss", *data.elevation(self.phone, 0), id="altitude_loss")),
            id="stats",
        )  # fmt: skip
        stop = View(
            "android.widget.ImageButton", icon="stop", desc="Stop", on_tap=self.hint, on_long=self.stop, width=60,
            height=60, radius=30, background=(190, 22, 27), color="white", icon_size=30,
            id="track_recording_fab_action",
        )  # fmt: skip
        return page(toolbar(track["name"] or "", back=self.finish, actions=[markers]), body, fab=stop)

    def hint(self) -> None:
        """A tap does not end it."""
        self.toast("Hold to stop")

    def stop(self) -> None:
        """The button was held: ask for name and kind of sport."""
        number = data.stop(self.phone)
        self.finish()
        if number:
            self.push(Editor(number, fresh=True))
