"""Switches and sliders of the phone that both Settings and quick settings have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

MAX_BRIGHTNESS = 255


def brightness_fraction(level: int) -> float:
    """Slider position of a brightness from 1 to 255."""
    return (min(max(level, 1), MAX_BRIGHTNESS) - 1) / (MAX_BRIGHTNESS - 1)


def set_brightness(phone: Phone, fraction: float) -> None:
    """Write the brightness for a slider position; the ends are exactly 1 and 255."""
    phone.settings["system"]["screen_brightness"] = str(1 + round(fraction * (MAX_BRIGHTNESS - 1)))


def toggle(phone: Phone, key: str) -> None:
    """A quick settings tile or a switch: flip a global setting."""
    table = phone.settings["global"]
    set_global(phone, key, not table.flag(key))


def set_global(phone: Phone, key: str, on: bool) -> None:
    """Turn a global setting on or off, airplane mode with what hangs on it."""
    if key == "airplane_mode_on":
        phone.settings.set_airplane(on)
    else:
        phone.settings["global"][key] = "1" if on else "0"


def toggle_flashlight(phone: Phone) -> None:
    """The flashlight tile."""
    table = phone.settings["secure"]
    table["flashlight_enabled"] = "0" if table.flag("flashlight_enabled") else "1"
