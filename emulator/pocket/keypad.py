"""What the keys of a phone do: BACK, HOME, ENTER, letters, Ctrl combinations, volume, power."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from emulator.pocket import calls, keys, system_actions

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone


class Keypad:
    """Key presses of one phone. Callers hold the phone's lock."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        editor = phone.editor
        code = keys.CODES
        self.actions: dict[int, Callable[[], object]] = {
            code["HOME"]: partial(system_actions.home, phone),
            code["BACK"]: partial(system_actions.back, phone),
            code["ESCAPE"]: partial(system_actions.back, phone),
            code["APP_SWITCH"]: partial(system_actions.recents, phone),
            code["ENTER"]: editor.enter,
            code["NUMPAD_ENTER"]: editor.enter,
            code["DPAD_CENTER"]: editor.enter,
            code["DEL"]: editor.delete,
            code["FORWARD_DEL"]: lambda: editor.delete(forward=True),
            code["DPAD_LEFT"]: lambda: editor.move(-1),
            code["DPAD_RIGHT"]: lambda: editor.move(1),
            code["MOVE_HOME"]: lambda: editor.move_to(end=False),
            code["MOVE_END"]: lambda: editor.move_to(end=True),
            code["CUT"]: lambda: editor.copy(cut=True),
            code["COPY"]: editor.copy,
            code["PASTE"]: editor.paste,
            code["TAB"]: editor.enter,
            code["NOTIFICATION"]: partial(setattr, phone.system, "shade", "notifications"),
            code["ENDCALL"]: partial(calls.hang_up, phone),
            code["POWER"]: lambda: phone.set_awake(not phone.system.awake),
            code["SLEEP"]: lambda: phone.set_awake(False),
            code["WAKEUP"]: lambda: phone.set_awake(True),
            code["VOLUME_UP"]: lambda: self._volume(1),
            code["VOLUME_DOWN"]: lambda: self._volume(-1),
            code["BRIGHTNESS_UP"]: lambda: self._brightness(26),
            code["BRIGHTNESS_DOWN"]: lambda: self._brightness(-26),
        }
        self.controls: dict[int, Callable[[], object]] = {
            code["A"]: editor.select_all,
            code["C"]: editor.copy,
            code["X"]: lambda: editor.copy(cut=True),
            code["V"]: editor.paste,
        }

    def press(self, code: int) -> None:
        """One key by itself."""
        if not self.phone.system.awake and code not in {keys.CODES["POWER"], keys.CODES["WAKEUP"]}:
            return
        action = self.actions.get(code)
        if action is not None:
            action()
            return
        typed = keys.character(code)
        if typed:
            self.phone.editor.insert(typed)

    def combine(self, codes: list[int]) -> None:
        """Keys held together: modifiers first, then the others one by one."""
        held = {code for code in codes if code in keys.MODIFIERS}
        for code in (c for c in codes if c not in keys.MODIFIERS):
            if held & keys.CONTROLS:
                self.controls.get(code, lambda: None)()
            elif held & keys.SHIFTS and keys.character(code, shift=True):
                self.phone.editor.insert(keys.character(code, shift=True))
            else:
                self.press(code)

    def _volume(self, step: int) -> None:
        table = self.phone.settings["system"]
        table["volume_music"] = str(min(max(table.number("volume_music") + step, 0), 15))

    def _brightness(self, step: int) -> None:
        table = self.phone.settings["system"]
        table["screen_brightness"] = str(min(max(table.number("screen_brightness") + step, 1), 255))
