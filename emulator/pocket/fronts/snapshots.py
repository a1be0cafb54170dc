"""Named snapshots of one phone, shared by the gRPC service and the console."""

from __future__ import annotations

from typing import Any

from emulator.pocket.phone import Phone

MAX_SNAPSHOTS = 64


class Snapshots:
    """Snapshots in memory, at most MAX_SNAPSHOTS; the oldest goes first."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self._saved: dict[str, Any] = {}

    def names(self) -> list[str]:
        """Names in the order they were saved."""
        return list(self._saved)

    def save(self, name: str) -> None:
        """Keep the phone as it is."""
        with self.phone.lock:
            self._saved.pop(name, None)
            self._saved[name] = self.phone.snapshot()
            while len(self._saved) > MAX_SNAPSHOTS:
                del self._saved[next(iter(self._saved))]

    def load(self, name: str) -> bool:
        """Back to a snapshot; False if there is none of this name."""
        with self.phone.lock:
            if name not in self._saved:
                return False
            self.phone.restore(self._saved[name])
        return True

    def delete(self, name: str) -> bool:
        """Forget a snapshot; False if there is none of this name."""
        return self._saved.pop(name, None) is not None
