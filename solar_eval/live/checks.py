"""The state of a phone around an episode: is it usable before, and what is other than before afterwards.

`ready` is a real look, not a ping (openatx/uiautomator2#340: `pong` from a server that is dead). `fingerprint` reads
what outlives an episode and no task may leave changed: settings, packages, keyboards, the display. What differs is
recorded with the episode ("leftovers") and the phone is renewed; the episode's own score stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from emulator.device_errors import CommandFailed, ScreenshotFailed

if TYPE_CHECKING:
    from emulator.device import Device

SPACES = ("system", "secure", "global")
VOLATILE = frozenset({
    "global/boot_count", "global/device_provisioned", "global/netstats_enabled", "global/ntp_server",
    "secure/android_id", "secure/default_input_method", "system/screen_brightness_float", "global/auto_time",
    "system/time_12_24", "global/auto_time_zone", "secure/last_setup_shown",
})  # fmt: skip
"""Settings that the system, the keyboard route or the fixing of the clock change of themselves."""
MARK = "---solar-eval---"
SHOWN = 12


def ready(device: Device) -> None:
    """Raises DeviceError unless the phone gives a picture that is not black, of the size it says it has."""
    picture = device.screenshot()
    if picture.black and not picture.secure:
        raise ScreenshotFailed("the picture is black before the episode", device.serial, "wake the phone")
    if picture.size != device.screen_size():
        raise ScreenshotFailed(f"the picture is {picture.size}, the screen {device.screen_size()}", device.serial)


def fingerprint(device: Device) -> Mapping[str, str]:
    """What must be the same after an episode, by name. DeviceError."""
    parts = [*(f"settings list {space}" for space in SPACES), "pm list packages", "ime list -s", "wm size"]
    result = device.shell(f"; echo {MARK}; ".join(parts) + f"; echo {MARK}")
    found = result.stdout.split(MARK + "\n")
    if len(found) != len(parts) + 1:
        raise CommandFailed(f"{len(found) - 1} of {len(parts)} answers came", f"{device.serial}: state of the phone")
    out: dict[str, str] = {}
    for space, text in zip(SPACES, found, strict=False):
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if f"{space}/{key}" not in VOLATILE:
                out[f"{space}/{key}"] = value
    out |= {name: "" for text in found[3:5] for name in text.split()}
    return out | {"display": found[5].strip()}


def leftovers(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Each difference as "name: before -> after", at most a dozen and how many more."""
    names = [n for n in sorted({*before, *after}) if before.get(n) != after.get(n)]
    lines = [f"{n}: {before.get(n, '(none)')[:40]} -> {after.get(n, '(none)')[:40]}" for n in names]
    return (*lines[:SHOWN], f"and {len(lines) - SHOWN} more") if len(lines) > SHOWN else tuple(lines)
