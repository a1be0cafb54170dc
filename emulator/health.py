"""Is this phone fit for an episode? Asked by real calls, since a ping answers long after the rest is dead.

Facts: `/ping` says "pong" while no hierarchy can be had (openatx/uiautomator2#797); a loaded snapshot is "OK" while the
phone is offline for seconds more (kaeawc/auto-mobile#6489); "System UI isn't responding" covers the app on a starved
emulator (actions/runner-images#2741). What looks wrong is settled and looked at a second time before it counts.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from emulator.device import Device
from emulator.device_errors import DeviceError, DeviceOffline, NoFreshTree, ScreenshotFailed, TruncatedOutput
from emulator.settle import Observation, settle

SHELL_SECONDS = 10.0
WAIT_BUTTON = "aerr_wait"


@dataclass(frozen=True)
class Health:
    """What a look found. identity: a mark of the phone itself, to notice that a serial leads to another one."""

    identity: str
    observation: Observation


def check(device: Device, identity: str = "", cap_s: float = 6.0) -> Health:
    """The phone answers, is the one it was, shows a picture and a fresh hierarchy; a `DeviceError` says what it lacks.

    identity: that of an earlier check ("" if there was none). cap_s: longest wait for the screen to stand still.
    """
    found = _identity(device)
    if identity and found != identity:
        raise DeviceOffline(
            f"another phone answers under this serial (android_id {found}, not {identity})", device.serial
        )
    observation = settle(device, cap_s)
    problem = _problem(observation)
    if problem is not None:
        _dismiss(device, observation)
        observation = settle(device, cap_s)
        problem = _problem(observation)
    if problem is not None:
        raise problem
    return Health(found, observation)


def _identity(device: Device) -> str:
    """Asks the phone who it is, with a number that must come back: a true answer of this very moment."""
    nonce = secrets.token_hex(4)
    result = device.shell(f"settings get secure android_id; echo {nonce}", timeout=SHELL_SECONDS)
    lines = result.stdout.split()
    if len(lines) != 2 or lines[1] != nonce:
        raise TruncatedOutput(f"the shell answered {result.stdout[:80]!r}, without {nonce}", f"{device.serial}: check")
    return lines[0]


def _problem(seen: Observation) -> DeviceError | None:
    """What makes the screen unfit, None if nothing."""
    if seen.screenshot.black:
        why = " (the window in front forbids pictures)" if seen.screenshot.secure else ""
        return ScreenshotFailed(f"the screen is black{why}", "health check")
    if seen.tree is None:
        return NoFreshTree(seen.tree_error, "health check")
    if _wait_button(seen) is not None:
        return NoFreshTree(f"a dialog says that {seen.tree.package} isn't responding", "health check")
    return None


def _wait_button(seen: Observation) -> tuple[int, int] | None:
    """Middle of the button "Wait" of an "isn't responding" dialog."""
    for element in seen.tree.elements if seen.tree is not None else ():
        if element.id == WAIT_BUTTON:
            return element.center
    return None


def _dismiss(device: Device, seen: Observation) -> None:
    """Do once what a person would: press Wait, or wake the screen up."""
    button = _wait_button(seen)
    if button is not None:
        device.tap(*button)
    elif seen.screenshot.black:
        device.shell(["input", "keyevent", "KEYCODE_WAKEUP"], timeout=SHELL_SECONDS)
