"""The display of a phone: composes windows when something changed, draws them when somebody looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emulator.pocket import display_list, png
from emulator.pocket.display_list import DisplayList, Op
from emulator.pocket.faults import FaultKind
from emulator.pocket.render import Renderer
from emulator.pocket.theme import Theme
from emulator.pocket.views import Window
from emulator.pocket.windows import Composer, Frame

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MAX_CRASHES = 3


class Display:
    """Frame, display lists and surface of one phone, all brought up to date on demand."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.previous = Frame()
        self._frame = Frame()
        self._stamp: tuple[int, ...] = ()
        self._layers: list[list[Op]] = []
        self._meaning: list[Any] = []
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
        phone = self.phone
        stamp = (phone.changes, phone.fs.version, phone.settings.version, phone.faults.version, phone.clock.wall_ns)
        if stamp != self._stamp:
            self._compose()
            self._stamp = (
                phone.changes, phone.fs.version, phone.settings.version, phone.faults.version, phone.clock.wall_ns,
            )  # fmt: skip
        return self._frame

    def _compose(self) -> None:
        phone = self.phone
        if phone.system.toast and phone.clock.uptime() > phone.system.toast_until:
            phone.system.toast = ""
        frame = self._try_compose()
        layers = self._draw_lists(frame)
        meaning = [_meaning(window) for window in frame.reported]
        if layers != self._layers or meaning != self._meaning:
            self._generation += 1
            self.previous = self._frame
        self._frame, self._layers, self._meaning = frame, layers, meaning

    def _try_compose(self) -> Frame:
        """Build all windows; an app whose screen can't be built crashes, and the next one is shown."""
        phone = self.phone
        for _ in range(MAX_CRASHES):
            try:
                return Composer(phone).compose()
            except Exception as error:  # whatever an app raises is its crash: recorded, logged, shown
                if phone.strict:
                    raise
                phone.crash(phone.activities.top.package, error)
        return Composer(phone).compose()

    def _draw_lists(self, frame: Frame) -> list[list[Op]]:
        phone = self.phone
        width, height = phone.display_size
        everything = (0, 0, width, height)
        black: Op = (display_list.RECT, everything, everything, (0, 0, 0), None, None)
        if not phone.system.awake:
            return [[black]]
        hidden = phone.faults.get(FaultKind.BLACK_SCREEN) is not None
        theme = self._themes[phone.dark]
        layers = []
        for window, dimmed in frame.drawn:
            if (hidden or window.secure) and window.kind == "application":
                layers.append([(display_list.RECT, window.bounds, everything, (0, 0, 0), None, None)])
            else:
                layers.append(DisplayList(theme, phone.scale, dimmed).build(window))
        return layers

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
