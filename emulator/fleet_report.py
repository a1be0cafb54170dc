"""What a fleet says about itself: a line a phone, and the counts a run records."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class PhoneReport:
    """One place: its phone's serial and phase, and what it went through. incarnation: how many phones it had."""

    number: int
    serial: str
    phase: str
    phase_s: float
    leases: int
    faults: int
    incarnation: int
    last_error: str


@dataclass(frozen=True)
class FleetReport:
    """The fleet now. leases: handed out so far, given back or not. out_now: of these, not yet given back."""

    source: str
    phones: tuple[PhoneReport, ...]
    leases: int
    out_now: int
    faults: int
    quarantined: int
    revoked: int

    def table(self) -> str:
        """One line a phone, for a person."""
        head = f"{self.source}: {self.leases} leases ({self.out_now} out), {self.faults} faults, " \
               f"{self.quarantined} quarantined, {self.revoked} revoked"  # fmt: skip
        lines = [
            f"  {p.number:>3} {p.serial or '-':<24} {p.phase:<14} {p.phase_s:6.1f} s  {p.leases} leases, "
            f"{p.faults} faults, phone {p.incarnation}{': ' + p.last_error if p.last_error else ''}"
            for p in self.phones
        ]
        return "\n".join([head, *lines])

    def to_json(self) -> dict[str, object]:
        """Plain values for a run's record."""
        return asdict(self)
