"""A place in a fleet: which phone stands on it, what that phone is about, and how a fleet treats its phones."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from emulator.device import Device

if TYPE_CHECKING:
    from emulator.leases import Lease


class Phase(StrEnum):
    """What a phone is about."""

    STARTING = "starting"
    RENEWING = "renewing"
    CHECKING = "checking"
    READY = "ready"
    LEASED = "leased"
    STOPPING = "stopping"
    OUT = "out of service"


Recycle = Literal["renew", "fresh", "none"]


@dataclass(frozen=True)
class Care:
    """How a fleet treats its phones.

    recycle: after each lease bring the phone back to its clean state, replace it, or leave it as it is. faults: so
    many in a row and a phone is quarantined. starts: so many failed starts in a row and its place is given up.
    lease_s: longest lease, None for no limit. settle_s: cap of the health check's wait for a still screen. check:
    whether phones are checked at all.
    """

    recycle: Recycle = "renew"
    faults: int = 3
    starts: int = 3
    lease_s: float | None = None
    settle_s: float = 6.0
    check: bool = True


@dataclass
class Slot:
    """A place in the fleet and the phone on it. `since`: when its phase began (time.monotonic)."""

    number: int
    phase: Phase = Phase.STARTING
    since: float = field(default_factory=time.monotonic)
    device: Device | None = None
    identity: str = ""
    checked: float = 0.0
    leases: int = 0
    faults: int = 0
    in_a_row: int = 0
    failed_starts: int = 0
    incarnation: int = 0
    last_error: str = ""
    lease: Lease | None = None
    abandoned: bool = False
    spoiled: bool = False
    """Its phone is to be replaced before the next lease."""
    used: bool = False
    """It was leased since it was last started or renewed."""
    returned: threading.Event = field(default_factory=threading.Event)

    def enter(self, phase: Phase) -> None:
        """Begin a phase."""
        self.phase, self.since = phase, time.monotonic()
