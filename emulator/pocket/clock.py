"""The phone's virtual clock: it moves when a user acts, never with the host's time.

Starts at AndroidWorld's fixed moment (google-research/android_world@d9c569f env/device_constants.py):
Sunday 2023-10-15 15:34:00 UTC. `date` sets the wall time; the up-time keeps running through that, so a
stopwatch is not thrown off. Departure from a real phone: no time passes between actions, which is what makes
the same seed and the same actions give the same bytes.
"""

from __future__ import annotations

from datetime import UTC, datetime

START = datetime(2023, 10, 15, 15, 34, tzinfo=UTC)
_SECOND = 1_000_000_000


class Clock:
    """Wall time and up-time in integer nanoseconds; time zone is always UTC, format always 24 hours."""

    def __init__(self, start: datetime = START) -> None:
        self.wall_ns = round(start.timestamp()) * _SECOND
        self.uptime_ns = 60 * _SECOND

    def now(self) -> float:
        """Wall time in seconds since 1970."""
        return self.wall_ns / _SECOND

    def now_ms(self) -> int:
        """Wall time in milliseconds since 1970."""
        return self.wall_ns // 1_000_000

    def now_ns(self) -> int:
        """Wall time in nanoseconds since 1970."""
        return self.wall_ns

    def uptime(self) -> float:
        """Seconds since the phone started; not changed by `set`."""
        return self.uptime_ns / _SECOND

    def set(self, epoch_s: float) -> None:
        """Put the wall time to `epoch_s` seconds since 1970 (0 to the year 9999)."""
        if not 0 <= epoch_s < 253_402_300_800:
            raise ValueError(f"the phone's clock takes 1970 to 9999, got {epoch_s} s")
        self.wall_ns = round(epoch_s * 1_000_000_000)

    def advance(self, seconds: float) -> None:
        """Let `seconds` (>= 0) pass for both clocks."""
        step = round(seconds * 1_000_000_000)
        if step < 0:
            raise ValueError(f"time does not run backwards on this phone: {seconds} s")
        self.wall_ns += step
        self.uptime_ns += step

    def datetime(self) -> datetime:
        """Wall time as an aware datetime in UTC."""
        return datetime.fromtimestamp(self.wall_ns // _SECOND, UTC)

    def snapshot(self) -> tuple[int, int]:
        """Everything there is to keep."""
        return self.wall_ns, self.uptime_ns

    def restore(self, state: tuple[int, int]) -> None:
        """Back to a `snapshot`."""
        self.wall_ns, self.uptime_ns = state
