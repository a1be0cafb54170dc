"""What can go wrong with a phone, one class a cause. Each says what happened, on which phone, and what to do.

None of these is ever a fault of a model: a caller that scores turns every `DeviceError` into an infrastructure fault.
`retryable` says whether the same call may be tried again on the same phone: a command that may have been carried out
(a tap, a text) is never repeated blindly; look at the screen instead.
"""

from __future__ import annotations


class DeviceError(Exception):
    """Base of all. `what` happened `where` (serial and call); `fix` is what a person can do."""

    retryable: bool = False

    def __init__(self, what: str, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        super().__init__(": ".join(part for part in (where, what) if part) + (f"\n  {fix}" if fix else ""))


class DeviceOffline(DeviceError):
    """The phone is not there: unknown serial, `offline`, connection refused or lost."""


class DeviceUnauthorized(DeviceError):
    """The phone asks its owner to accept this computer's key."""


class DeviceTimeout(DeviceError):
    """No answer within the call's own deadline; the command may or may not have been carried out."""


class TruncatedOutput(DeviceError):
    """The output ended before its end marker, whatever the exit code says."""

    retryable = True


class CommandFailed(DeviceError):
    """A shell command ended with another exit code than 0, or said that it failed."""

    def __init__(self, what: str, where: str = "", fix: str = "", exit_code: int = 1, output: str = "") -> None:
        super().__init__(what, where, fix)
        self.exit_code, self.output = exit_code, output


class ScreenshotFailed(DeviceError):
    """No whole picture came (no PNG, cut off, `Failed`)."""

    retryable = True


class NoFreshTree(DeviceError):
    """No hierarchy, an empty one, one that would not settle, or one of another app than the one in front."""

    retryable = True


class AppNotFound(DeviceError):
    """No installed app has this name."""


class AppNotInFront(DeviceError):
    """The app was started but another package is in front."""


class TextNotTyped(DeviceError):
    """The text can't be typed by any route there is, or the field does not hold it afterwards."""


class InputMethodNotActive(TextNotTyped):
    """The keyboard that would carry the text is not the active one."""


class OutsideScreen(DeviceError, ValueError):
    """A touch beside the screen as it lies now: a caller's mistake, or the screen has turned since the picture."""


class NotSupported(DeviceError):
    """This phone has no such ability (for instance snapshots of a real device)."""
