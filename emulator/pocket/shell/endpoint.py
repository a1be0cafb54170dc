"""What surrounds a phone's core and is shared by all its shells and fronts: counters, open ports, listeners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from emulator.pocket.intents import Intent
from emulator.pocket.phone import Phone


class Endpoint:
    """One phone as the fronts see it.

    unknown: commands asked for that don't exist. ports: device-side ports something listens on, by name ('tcp:9008'),
    with the number of listeners. on_broadcast: told of every `am broadcast`. on_reboot: told of `reboot`.
    """

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.unknown: Counter[str] = Counter()
        self.ports: Counter[str] = Counter()
        self.on_broadcast: list[Callable[[Intent], None]] = []
        self.on_reboot: list[Callable[[], None]] = []

    def reboot(self) -> None:
        """Stop every app, go home, and let the fronts drop their connections. Files and settings stay."""
        with self.phone.lock:
            for package in list(self.phone.activities.running):
                self.phone.force_stop(package)
            self.phone.set_awake(True)
            self.phone.key("HOME")
        for listener in self.on_reboot:
            listener()

    def note(self, tag: str, message: str) -> None:
        """Write to the phone's log, which `logcat` shows."""
        with self.phone.lock:
            self.phone.log.write("I", tag, message)
