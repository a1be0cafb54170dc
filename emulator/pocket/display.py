"""The display of a phone: composes windows when something changed, draws them when somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emulator.pocket import display_list, png
from emulator.pocket.display_list import DisplayList, Op
from emulator.pocket.faults import FaultKind
from emulator.pocket.render import Renderer
from emulator.pocket.reuse import Keeper
from emulator.pocket.theme import Theme
from emulator.pocket.views import Window
from emulator.pocket.windows import Composer, Frame

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MAX_CRASHES = 3


class Display:
    """Frame, display lists and surface of one phone, all brought up to date on demand.

    shown: the windows as they were composed last, whatever has happened since: what a finger aims at.
    """

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.previous = Frame()
        self.shown = Frame()
        self._keeper = Keeper()
        self._stamp: tuple[int, ...] = ()
        self._layers: list[list[Op]] = []
        self._meaning: list[Any] = []
        self._known_layers: dict[tuple[int, ...], list[Op]] = {}
        self._known_meanings: dict[int, list[Any]] = {}
        self._generation = 0
        self._renderer = Renderer(*phone.size)
        self._png: tuple[int, bytes] = (-1, b"")
        self._themes = (Theme(False), Theme(True))

    def generation(self) -> int:
        """Number of the picture now."""
        self.frame()
        return self._generation

    def frame(self) -> Frame:
        """The windows now."""
        if self._now() != self._stamp:
            self._compose()
            self._stamp = self._now()
        return self.shown

    def _now(self) -> tuple[int, ...]:
        """Everything that may change what is seen, as numbers that grow."""
        phone = self.phone
        return phone.changes, phone.fs.version, phone.settings.version, phone.faults.version, phone.clock.wall_ns

    def _compose(self) -> None:
        phone = self.phone
        if phone.system.toast and phone.clock.uptime() > phone.system.toast_until:
            phone.system.toast = ""
        frame = self._try_compose()
        layers = self._draw_lists(frame)
        meaning = self._meanings(frame)
        if layers != self._layers or meaning != self._meaning:
            self._generation += 1
            self.previous = self.shown
        self.shown, self._layers, self._meaning = frame, layers, meaning

    def _meanings(self, frame: Frame) -> list[Any]:
        old = self._known_meanings
        self._known_meanings = {w.look: old.get(w.look) or _meaning(w) for w in frame.reported}
        return list(self._known_meanings.values())

    def _try_compose(self) -> Frame:
        """Build all windows; an app whose screen can't be built crashes, and the next one is shown."""
        phone = self.phone
        for _ in range(MAX_CRASHES):
            try:
                return Composer(phone, self._keeper).compose()
            except Exception as error:  # whatever an app raises is its crash: recorded, logged, shown
                if phone.strict:
                    raise
                phone.crash(phone.activities.top.package, error)
        return Composer(phone, self._keeper).compose()

    def _draw_lists(self, frame: Frame) -> list[list[Op]]:
        phone = self.phone
        width, height = phone.display_size
        everything = (0, 0, width, height)
        asleep: Op = (display_list.RECT, everything, everything, (0, 0, 0), None, None)
        if not phone.system.awake:
            return [[asleep]]
        hidden = phone.faults.get(FaultKind.BLACK_SCREEN) is not None
        theme = self._themes[phone.dark]
        old, layers = self._known_layers, dict[tuple[int, ...], list[Op]]()
        for window, dimmed in frame.drawn:
            black = (hidden or window.secure) and window.kind == "application"
            key = (window.look, dimmed, black, theme.dark)
            if key in old:
                layers[key] = old[key]
            elif black:
                layers[key] = [(display_list.RECT, window.bounds, everything, (0, 0, 0), None, None)]
            else:
                layers[key] = DisplayList(theme, phone.scale, dimmed).build(window)
        self._known_layers = layers
        return list(layers.values())

    def pixels(self) -> NDArray[np.uint8]:
        """The surface, up to date, as a read-only view."""
        self.frame()
        width, height = self.phone.display_size
        if (self._renderer.width, self._renderer.height) != (width, height):
            self._renderer = Renderer(width, height)
        self._renderer.draw(self._layers)
        seen = self._renderer.surface.view()
        seen.flags.writeable = False
        return seen

    def png(self) -> bytes:
        """The picture as a PNG, made once a picture."""
        generation = self.generation()
        if self._png[0] != generation:
            self._png = (generation, png.encode(self.pixels()))
        return self._png[1]


def _meaning(window: Window) -> list[Any]:
    """What accessibility would say about a window, as plain values to compare."""
    return [window.title, window.bounds] + [
        (v.bounds, v.text, v.desc, v.hint, v.checked, v.selected, v.enabled, v.focused, v.scroll_max, v.scroll_at)
        for v in window.views()
    ]
