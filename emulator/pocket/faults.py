"""Faults on request: what goes wrong with phones in the field, for tests and for training.

A typed set held by each phone. Core faults act inside the phone; front faults are asked for by the adb daemon,
the gRPC service and the shell (`take`). Nothing fails that was not asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class FaultKind(StrEnum):
    """Every fault the phone knows; the comment says who acts on it and what `value` means."""

    # core
    STALE_HIERARCHY = "stale_hierarchy"  # hierarchy and forest show the screen before the last change
    BLACK_SCREEN = "black_screen"  # screenshots are black, as for a window with FLAG_SECURE
    ROTATED_SCREEN = "rotated_screen"  # the display lies at rotation 1
    NOT_RESPONDING = "not_responding"  # "App isn't responding" over the app
    PERMISSION_DIALOG = "permission_dialog"  # "Allow App to ...?"; value: what it asks for
    POPUP = "popup"  # a pop-up of the app covers it; value: its text
    KEYBOARD_COVERS = "keyboard_covers"  # the window does not make room for the keyboard
    LOST_CHARACTERS = "lost_characters"  # `text` loses its first characters; value: how many (default 1)
    # fronts
    OFFLINE = "offline"  # the device does not answer
    UNAUTHORIZED = "unauthorized"  # adb asks for a key it will not accept
    CONNECTION_DROPPED = "connection_dropped"  # the stream dies mid-command; value: after how many bytes
    TRUNCATED_OUTPUT = "truncated_output"  # exit code 0, output cut; value: after how many bytes
    SLOW_COMMAND = "slow_command"  # value: seconds before the command answers
    HANGING_COMMAND = "hanging_command"  # the command never ends


CORE = (
    FaultKind.STALE_HIERARCHY, FaultKind.BLACK_SCREEN, FaultKind.ROTATED_SCREEN, FaultKind.NOT_RESPONDING,
    FaultKind.PERMISSION_DIALOG, FaultKind.POPUP, FaultKind.KEYBOARD_COVERS, FaultKind.LOST_CHARACTERS,
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One fault. `times`: how often it strikes before it is gone (-1: until cleared); `value`: see FaultKind.

    over: for the dialogs, a package or an activity's full class: it waits until that is in front ("" at once).
    """

    kind: FaultKind
    times: int = 1
    value: str = ""
    over: str = ""

    def number(self, default: float) -> float:
        """`value` as a number, `default` where it is empty; ValueError if it is text."""
        return float(self.value) if self.value else default


class Faults:
    """The faults waiting on one phone, at most one of a kind."""

    def __init__(self) -> None:
        self._waiting: dict[FaultKind, Fault] = {}
        self.version = 0

    def add(self, fault: Fault) -> None:
        """Ask for a fault (replaces one of the same kind)."""
        self._waiting[fault.kind] = fault
        self.version += 1

    def clear(self, kind: FaultKind | None = None) -> None:
        """Drop one kind, or all."""
        self.version += 1
        if kind is None:
            self._waiting.clear()
        else:
            self._waiting.pop(kind, None)

    def get(self, kind: FaultKind) -> Fault | None:
        """The waiting fault of this kind, without using it up."""
        return self._waiting.get(kind)

    def waiting(self) -> list[Fault]:
        """All of them, in the order they were asked for."""
        return list(self._waiting.values())

    def take(self, kind: FaultKind) -> Fault | None:
        """The fault if it strikes now; counts down `times`."""
        fault = self._waiting.get(kind)
        if fault is None or fault.times < 0:
            return fault
        self.version += 1
        if fault.times <= 1:
            del self._waiting[kind]
        else:
            self._waiting[kind] = replace(fault, times=fault.times - 1)
        return fault
