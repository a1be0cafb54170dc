"""Puts the windows of a phone together: what is drawn, what accessibility tools see, what a touch meets.

Behind a dialog the app's window is drawn darkened but neither reported nor touched, as on Android. A window
makes room for the keyboard, and a focused field under the keyboard's edge is scrolled into sight.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from emulator.pocket import keyboard, system_ui
from emulator.pocket.app import Screen
from emulator.pocket.faults import FaultKind
from emulator.pocket.layout import ENDLESS, Layout
from emulator.pocket.reuse import Keeper
from emulator.pocket.system_actions import dialog_fault
from emulator.pocket.theme import NAVIGATION_BAR, STATUS_BAR
from emulator.pocket.views import NO_BOUNDS, WRAP, Action, Bounds, View, Window
from emulator.pocket.widgets import FRAME

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

DIALOG_EDGE = 24.0
DIALOG_WIDEST = 380.0
PANEL = "panel"
REVEALED = "revealed"


@dataclass
class Frame:
    """One composed screen. `reported`: top first; `drawn`: bottom first with a darkened flag."""

    reported: list[Window] = field(default_factory=list)
    drawn: list[tuple[Window, bool]] = field(default_factory=list)
    app: list[Window] = field(default_factory=list)  # the app's windows that can be touched, top first


class Composer:
    """Builds one `Frame`. `keeper` knows the last one's windows."""

    def __init__(self, phone: Phone, keeper: Keeper) -> None:
        self.phone = phone
        self.keeper = keeper
        keeper.begin()
        self.width, self.height = phone.display_size
        self.scale = phone.scale
        self.frame = Frame()
        self.panels: list[Window] = []
        self.top_edge = round(STATUS_BAR * self.scale)
        self.bottom_edge = self.height - round((24 if phone.gesture_navigation else NAVIGATION_BAR) * self.scale)
        self.keyboard_top = self.bottom_edge
        if phone.keyboard.visible:
            self.keyboard_top -= round(keyboard.HEIGHT * self.scale)
        covered = phone.faults.get(FaultKind.KEYBOARD_COVERS) is not None
        self.content_bottom = self.bottom_edge if covered else self.keyboard_top

    def compose(self) -> Frame:
        """The whole display."""
        self._app_windows()
        self._input_window()
        self._system_windows()
        return self.frame

    # the app

    def _app_windows(self) -> None:
        screens = self.phone.activities.front.screens
        at = max((i for i, s in enumerate(screens) if not s.floating), default=-1)
        base = screens[at] if at >= 0 else self.phone.home_screen()
        panels: list[tuple[Window, bool]] = []
        if at >= 0 and base.opened:
            panels.extend(self._overlay(base))
        for screen in screens[at + 1 :]:
            panels.append(self._panel(screen, screen.build(), screen.on_back_or_finish))
            if screen.opened:
                panels.extend(self._overlay(screen))
        window = self._base_window(base)
        self.frame.drawn.append((window, any(dims for _, dims in panels)))
        for index, (panel, _) in enumerate(panels):
            self.frame.drawn.append((panel, any(dims for _, dims in panels[index + 1 :])))
        front = panels[-1][0] if panels else window
        front.active = True
        self.frame.app.append(front)

    def _base_window(self, screen: Screen) -> Window:
        content = screen.build()
        root = View(FRAME, kind="stack", children=[content], background=screen.ground())
        whole = (0, 0, self.width, self.height)
        root.put(whole, whole)
        top = 0 if screen.fullscreen else self.top_edge
        box = (0, top, self.width, self.content_bottom)
        layout, keys = self._layout(screen), self.phone.keyboard.visible

        def work() -> Bounds:
            layout.run(content, box)
            if self._reveal(content, layout):
                layout.run(content, box)
            return whole

        title = self.phone.label_of(screen.package)
        given = (title, screen.package, whole, box, keys, screen.ground())
        kept = self.keeper.place("base", content, layout, given, work)
        return Window("application", title, screen.package, root, whole, screen.scrolls, secure=screen.secure,
                      look=kept.look)  # fmt: skip

    def _layout(self, screen: Screen) -> Layout:
        return Layout(self.scale, screen.scrolls, screen.focus, screen.selection)

    def _reveal(self, root: View, layout: Layout) -> bool:
        """Scroll so that the focused field is in sight; True if something moved.

        Once for each focus, cursor and height of the keyboard (remembered beside the scroll positions), so that the
        user can then scroll away from the field.
        """
        scrolls = layout.scrolls
        if not self.phone.keyboard.visible:
            scrolls.pop(REVEALED, None)
            return False
        place = zlib.crc32(repr((layout.focus, layout.selection, self.width, self.content_bottom)).encode())
        path = _path_to_focus(root)
        if path is None or scrolls.get(REVEALED) == place:
            return False
        scrolls[REVEALED] = place
        field_view = path[-1]
        for holder in reversed(path[:-1]):
            if holder.scroll == "y" and holder.scrollable:
                low = min(holder.bounds[3], holder.clip[3])
                over = field_view.bounds[3] - low
                under = holder.bounds[1] - field_view.bounds[1]
                move = over if over > 0 else -under if under > 0 else 0
                if move and field_view.bounds[3] - field_view.bounds[1] < low - holder.bounds[1]:
                    scrolls[holder.key] = holder.scroll_at + move
                    return True
        return False

    def _overlay(self, screen: Screen) -> list[tuple[Window, bool]]:
        view = screen.overlay()
        if view is None:
            return []
        return [self._panel(screen, view, screen.dismiss)]

    def _panel(self, screen: Screen, view: View, on_outside: Action) -> tuple[Window, bool]:
        window = self._placed(
            Window("application", self.phone.label_of(screen.package), screen.package, view, NO_BOUNDS, screen.scrolls,
                   on_outside=on_outside, secure=screen.secure),
            f"panel{len(self.panels)}", self._layout(screen), (), self._place,
        )  # fmt: skip
        self.panels.append(window)
        return window, view.anchor in {"center", "bottom", "start"}

    def _placed(
        self, window: Window, slot: str, layout: Layout, given: tuple[Any, ...], place: Callable[[View, Layout], Bounds]
    ) -> Window:
        """The window with bounds and look; `place` lays it out where the last frame had another one in the slot."""
        given = (window.title, window.package, self.width, self.top_edge, self.content_bottom, *given)
        kept = self.keeper.place(slot, window.root, layout, given, lambda: place(window.root, layout))
        window.bounds, window.look = kept.bounds, kept.look
        return window

    def _place(self, view: View, layout: Layout) -> Bounds:
        """Measure a dialog or menu and put it where its anchor says."""
        edge = round(DIALOG_EDGE * self.scale)
        low, high = self.content_bottom, self.top_edge
        room_w = min(self.width - (0 if view.anchor == "bottom" else 2 * edge), round(DIALOG_WIDEST * self.scale * 1.1))
        room_h = low - high - (0 if view.anchor == "start" else edge)
        w, h = layout.measure(view, room_w, room_h)
        if (
            h >= room_h
            and view.kind == "column"
            and view.height == WRAP
            and layout.measure(view, room_w, ENDLESS)[1] > h
        ):
            view.scroll, view.key = "y", PANEL  # higher than its room: it scrolls
            layout.measure(view, room_w, room_h)
        x, y = (self.width - w) // 2, (low + high - h) // 2
        if view.anchor == "bottom":
            y = low - h
        elif view.anchor == "top_end":
            x, y = self.width - w - round(8 * self.scale), high + round(8 * self.scale)
        elif view.anchor == "top":
            y = high
        elif view.anchor == "start":
            x, y = 0, high
        bounds = (x, y, x + w, y + h)
        layout.place(view, x, y, w, h, bounds)
        if self._reveal(view, layout):
            layout.place(view, x, y, w, h, bounds)
        return bounds

    # the system

    def _input_window(self) -> None:
        if not self.phone.keyboard.visible:
            return
        bounds = (0, self.keyboard_top, self.width, self.bottom_edge)
        given = (bounds, self.scale, self.phone.keyboard.state)
        kept = self.keeper.again("keys", given) or self.keeper.place(
            "keys", root := self.phone.keyboard.build(), layout := Layout(self.scale), given,
            lambda: layout.run(root, bounds).bounds,
        )  # fmt: skip
        window = Window("input_method", "Gboard", keyboard.PACKAGE, kept.root, bounds, look=kept.look)
        self.frame.drawn.append((window, False))
        self.frame.reported.append(window)

    def _system_windows(self) -> None:
        phone = self.phone
        deep = system_ui.is_deep(phone.activities.top.ground())
        dark = any(dimmed for _, dimmed in self.frame.drawn)
        bar = self._system(
            system_ui.navigation_bar(phone), (0, self.bottom_edge, self.width, self.height), "Navigation bar"
        )
        color = "white" if deep or dark else "text"
        strip = self._system(system_ui.status_bar(phone, color), (0, 0, self.width, self.top_edge), "Status bar")
        shown = [bar] if phone.activities.top.fullscreen else [bar, strip]
        for window in shown:
            self.frame.drawn.append((window, dark and window is bar))
        modal = self._modal()
        pull = self._shade()
        menu = self._text_menu()
        message = self._toast()
        self.frame.drawn.extend((w, False) for w in (menu, message, pull, modal) if w is not None)
        blocked = modal is not None or pull is not None
        above = [w for w in (modal, pull) if w is not None]
        within = [] if blocked else [w for w in (menu, message) if w is not None]
        if blocked:
            self.frame.app = []
        self.frame.reported = above + shown + within + self.frame.reported + self.frame.app

    def _system(self, view: View, bounds: Bounds, title: str) -> Window:
        scrolls = self.phone.system.scrolls
        window = Window("system", title, system_ui.PACKAGE, view, bounds, scrolls)
        return self._placed(
            window, title, Layout(self.scale, scrolls), (bounds,), lambda v, lay: lay.run(v, bounds).bounds
        )

    def _modal(self) -> Window | None:
        """A dialog above everything: asked for as a fault."""
        if dialog_fault(self.phone, FaultKind.NOT_RESPONDING):
            view, package, title = system_ui.not_responding(self.phone), "android", "Application Not Responding"
        elif fault := dialog_fault(self.phone, FaultKind.PERMISSION_DIALOG):
            view = system_ui.permission(self.phone, fault.value)
            package, title = "com.google.android.permissioncontroller", "Permission"
        elif fault := dialog_fault(self.phone, FaultKind.POPUP):
            view, package, title = system_ui.popup(self.phone, fault.value), self.phone.activities.top.package, "Pop-up"
        else:
            return None
        self.frame.drawn[:] = [(window, True) for window, _ in self.frame.drawn]
        window = Window("application", title, package, view, NO_BOUNDS, active=True, on_outside=_nothing)
        return self._placed(window, "modal", Layout(self.scale, self.phone.system.scrolls), (), self._place)

    def _shade(self) -> Window | None:
        if not self.phone.system.shade:
            return None
        window = self._system(system_ui.shade(self.phone), (0, 0, self.width, self.bottom_edge), "Notification shade")
        window.active = True
        return window

    def _text_menu(self) -> Window | None:
        target = next((v for w in self.frame.app for v in w.views() if v.editable and v.focused), None)
        if not self.phone.system.text_menu or target is None:
            return None
        view = system_ui.text_menu(self.phone, len(target.text))
        beside = target.visible_bounds
        window = Window("application", "PopupWindow", self.phone.activities.top.package, view, NO_BOUNDS)
        return self._placed(window, "menu", Layout(self.scale), beside, partial(self._place_beside, beside))

    def _place_beside(self, beside: Bounds, view: View, layout: Layout) -> Bounds:
        """Above a field, or where there is no room, over it."""
        w, h = layout.measure(view, self.width, self.height)
        left, top, right, _ = beside
        x = min(max((left + right - w) // 2, 0), self.width - w)
        y = top - h - round(4 * self.scale)
        if y < self.top_edge:
            y = min(top + round(48 * self.scale), self.content_bottom - h)
        bounds = (x, y, x + w, y + h)
        layout.place(view, x, y, w, h, bounds)
        return bounds

    def _toast(self) -> Window | None:
        if not self.phone.system.toast:
            return None
        view = system_ui.toast(self.phone.system.toast)
        window = Window("system", "Toast", self.phone.activities.top.package, view, NO_BOUNDS)
        return self._placed(window, "toast", Layout(self.scale), (), self._place_toast)

    def _place_toast(self, view: View, layout: Layout) -> Bounds:
        w, h = layout.measure(view, self.width - round(64 * self.scale), self.height)
        x, y = (self.width - w) // 2, self.content_bottom - h - round(24 * self.scale)
        bounds = (x, y, x + w, y + h)
        layout.place(view, x, y, w, h, bounds)
        return bounds


def _nothing() -> None:
    """A touch beside a system dialog does nothing."""


def _path_to_focus(view: View) -> list[View] | None:
    if view.focused:
        return [view]
    for child in view.children:
        below = _path_to_focus(child)
        if below is not None:
            return [view, *below]
    return None
