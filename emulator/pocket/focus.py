"""Which window has the focus, as `dumpsys window` tells it: the app's, the shade's, a system dialog's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator.pocket.faults import FaultKind

if TYPE_CHECKING:
    from emulator.pocket.phone import Phone

GRANT_ACTIVITY = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"


@dataclass(frozen=True)
class Focus:
    """title: the window's name in dumps. activity: its class, "" for a window without one. secure: no pictures."""

    title: str
    package: str
    activity: str
    secure: bool


def focus(phone: Phone) -> Focus:
    """The window in focus. Names of the system's windows are those of Android 13."""
    front = phone.activities.foreground
    window = next((w for w in phone.frame().reported if w.active), None)
    if window is None or window.package == front.package:
        hidden = phone.faults.get(FaultKind.BLACK_SCREEN) is not None
        secure = hidden or (window is not None and window.secure)
        return Focus(f"{front.package}/{front.cls}", front.package, front.cls, secure)
    if window.title == "Application Not Responding":
        return Focus(f"{window.title}: {front.package}", window.package, "", window.secure)
    if window.title == "Permission":
        return Focus(f"{window.package}/{GRANT_ACTIVITY}", window.package, GRANT_ACTIVITY, window.secure)
    return Focus("NotificationShade", window.package, "", window.secure)
