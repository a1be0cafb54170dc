"""Puts the windows of a phone together: what is drawn, what accessibility tools see, what a touch meets.

Behind a dialog the app's window is drawn darkened but neither reported nor touched, as on Android. A window
makes room for the keyboard, and a focused field under the keyboard's edge is scrolled into sight.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from emulator.pocket import keyboard, system_ui
from emulator.pocket.app import Screen
from emulator.pocket.faults import FaultKind
from emulator.pocket.layout import Layout
from emulator.pocket.system_actions import dialog_fault
from emulator.pocket.theme import NAVIGATION_BAR, STATUS_BAR
from emulator.pocket.views import Action, Bounds, View, Window
from emulator.pocket.widgets import FRAME

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

DIALOG_EDGE = 24.0
DIALOG_WIDEST = 380.0


@dataclass
class Frame:
    """One composed screen. `reported`: top first; `drawn`: bottom first with a darkened flag."""

    reported: list[Window] = field(default_factory=list)
    drawn: list[tuple[Window, bool]] = field(default_factory=list)
    app: list[Window] = field(default_factory=list)  # the app's windows that can be touched, top first


class Composer:
    """Builds one `Frame`."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.width, self.height = phone.display_size
        self.scale = phone.scale
        self.frame = Frame()
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
        root = View(FRAME, kind="stack", children=[content], background=screen.backdrop)
        root.bounds = root.clip = (0, 0, self.width, self.height)
        top = 0 if screen.fullscreen else self.top_edge
        box = (0, top, self.width, self.content_bottom)
        layout = self._layout(screen)
        layout.run(content, box)
        if self.phone.keyboard.visible and self._reveal(content, screen.scrolls):
            layout.run(content, box)
        title = self.phone.label_of(screen.package)
        return Window("application", title, screen.package, root, root.bounds, screen.scrolls, secure=screen.secure)

    def _layout(self, screen: Screen) -> Layout:
        return Layout(self.scale, screen.scrolls, screen.focus, screen.selection)

    def _reveal(self, root: View, scrolls: dict[str, int]) -> bool:
        """Scroll so that the focused field is in sight; True if something moved."""
        path = _path_to_focus(root)
        if path is None:
            return False
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
        bounds = self._place(view, self._layout(screen))
        window = Window(
            "application", self.phone.label_of(screen.package), screen.package, view, bounds, screen.scrolls,
            on_outside=on_outside, secure=screen.secure,
        )  # fmt: skip
        return window, view.anchor in {"center", "bottom", "start"}

    def _place(self, view: View, layout: Layout, top: int | None = None) -> Bounds:
        """Measure a dialog or menu and put it where its anchor says."""
        edge = round(DIALOG_EDGE * self.scale)
        low, high = self.content_bottom, self.top_edge if top is None else top
        room_w = min(self.width - (0 if view.anchor == "bottom" else 2 * edge), round(DIALOG_WIDEST * self.scale * 1.1))
        w, h = layout.measure(view, room_w, low - high - (0 if view.anchor == "start" else edge))
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
        return bounds

    # the system

    def _input_window(self) -> None:
        if not self.phone.keyboard.visible:
            return
        bounds = (0, self.keyboard_top, self.width, self.bottom_edge)
        root = Layout(self.scale).run(self.phone.keyboard.build(), bounds)
        window = Window("input_method", "Gboard", keyboard.PACKAGE, root, bounds)
        self.frame.drawn.append((window, False))
        self.frame.reported.append(window)

    def _system_windows(self) -> None:
        phone = self.phone
        wallpaper = phone.activities.top.backdrop == "wallpaper"
        dark = any(dimmed for _, dimmed in self.frame.drawn)
        bar = self._system(
            system_ui.navigation_bar(phone), (0, self.bottom_edge, self.width, self.height), "Navigation bar"
        )
        color = "white" if wallpaper or dark else "text"
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
        root = Layout(self.scale, self.phone.system.scrolls).run(view, bounds)
        return Window("system", title, system_ui.PACKAGE, root, bounds, self.phone.system.scrolls)

    def _modal(self) -> Window | None:
        """A dialog above everything: asked for as a fault."""
        layout = Layout(self.scale, self.phone.system.scrolls)
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
        bounds = self._place(view, layout)
        return Window("application", title, package, view, bounds, active=True, on_outside=_nothing)

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
        layout = Layout(self.scale)
        w, h = layout.measure(view, self.width, self.height)
        left, top, right, _ = target.visible_bounds
        x = min(max((left + right - w) // 2, 0), self.width - w)
        y = top - h - round(4 * self.scale)
        if y < self.top_edge:
            y = min(top + round(48 * self.scale), self.content_bottom - h)
        bounds = (x, y, x + w, y + h)
        layout.place(view, x, y, w, h, bounds)
        return Window("application", "PopupWindow", self.phone.activities.top.package, view, bounds)

    def _toast(self) -> Window | None:
        if not self.phone.system.toast:
            return None
        view = system_ui.toast(self.phone.system.toast)
        layout = Layout(self.scale)
        w, h = layout.measure(view, self.width - round(64 * self.scale), self.height)
        x, y = (self.width - w) // 2, self.content_bottom - h - round(24 * self.scale)
        bounds = (x, y, x + w, y + h)
        layout.place(view, x, y, w, h, bounds)
        return Window("system", "Toast", self.phone.activities.top.package, view, bounds)


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
