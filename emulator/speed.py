"""What adb costs: tap and screenshot through four clients on one pocket phone, in one run.

`lean` (pocket/lean_adb.py) is the least there can be: one connection a command, raw output, nothing checked. `ours` is
`AdbDevice`, with its exit codes, end marks, whole PNGs and black check. `adbutils` and `uiautomator2` are used as their
manuals do; their pictures are decoded by them (adbutils) or come as JPEG (uiautomator2), which is part of their cost.
The phone is in a process of its own; clients take turns, each with a new picture that the phone has not encoded yet;
times are medians of wall time.
"""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from emulator.adb import AdbDevice
from emulator.adb_server import AdbServer
from emulator.pocket.lean_adb import LeanAdb

ROUNDS = 40
SIZE = (1080, 2400)
CLIENTS = ("lean", "ours", "adbutils", "uiautomator2")
SCREENS = (  # of a number that has no divisor in common with that of the clients: each client gets all of them
    "input keyevent HOME",
    "am start -n com.android.settings/.Settings",
    "monkey -p com.google.android.contacts -c android.intent.category.LAUNCHER 1",
)
PLACE = (5, 1200)  # a tap that changes nothing


@dataclass(frozen=True)
class Cost:
    """Medians in milliseconds of one client. Screenshots are of a new picture each time."""

    client: str
    tap_ms: float
    screenshot_ms: float
    both_ms: float
    rounds: int


def measure(rounds: int = ROUNDS, clients: tuple[str, ...] = CLIENTS) -> list[Cost]:
    """Costs of each client on one phone of its own process, in the order given."""
    with AdbServer() as server, _Phone() as address:
        serial = server.connect(address)
        lean = LeanAdb(server.port, serial)
        pairs = {name: _actions(name, server.port, serial, lean) for name in clients}
        turn = itertools.count()
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in clients}
        for number in range(rounds + 2):
            first = number % len(clients)  # so that nobody always follows the same one
            for name in (*clients[first:], *clients[:first]):
                tap, look = pairs[name]
                _change(lean, next(turn))
                taken = (_timed(tap), _timed(look))
                if number >= 2:  # the first two warm up
                    times[name].append(taken)
    return [_cost(name, taken) for name, taken in times.items()]


def _cost(name: str, times: list[tuple[float, float]]) -> Cost:
    return Cost(
        name,
        statistics.median(tap for tap, _ in times),
        statistics.median(look for _, look in times),
        statistics.median(tap + look for tap, look in times),
        len(times),
    )


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - start)


def _change(lean: LeanAdb, number: int) -> None:
    """The next of the screens, so that each picture is a new one."""
    lean.run(SCREENS[number % len(SCREENS)])


def _actions(name: str, port: int, serial: str, lean: LeanAdb) -> tuple[Callable[[], object], Callable[[], object]]:
    """(tap, screenshot) of one client."""
    x, y = PLACE
    if name == "lean":
        return lambda: lean.run(f"input tap {x} {y}"), lambda: lean.run("screencap -p")
    if name == "ours":
        device = AdbDevice(serial, server_port=port)
        return lambda: device.tap(x, y), device.screenshot
    import adbutils

    plain = adbutils.AdbClient(host="127.0.0.1", port=port).device(serial)
    if name == "adbutils":
        return lambda: plain.click(x, y), lambda: plain.screenshot(error_ok=False)
    import uiautomator2

    smart = uiautomator2.connect(plain)
    return lambda: smart.click(x, y), smart.screenshot


class _Phone:
    """A pocket phone in a process of its own, for a `with` block; gives its address."""

    def __enter__(self) -> str:
        code = (
            "import sys\nfrom emulator.pocket.server import pocket_phones\n"
            f"with pocket_phones(1, size={SIZE}) as (phone,):\n"
            "    print(phone.address, flush=True)\n    sys.stdin.read()\n"
        )
        root = Path(__file__).parents[1]
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
        )
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def __exit__(self, *exception: object) -> None:
        self.process.communicate()


def table(costs: list[Cost]) -> str:
    """The costs as Markdown, with each client's ratio to the lean one."""
    base = next((cost.both_ms for cost in costs if cost.client == "lean"), float("nan"))
    lines = ["| client | tap ms | screenshot ms | both ms | x lean |", "|---|---|---|---|---|"]
    lines += [
        f"| {c.client} | {c.tap_ms:.1f} | {c.screenshot_ms:.1f} | {c.both_ms:.1f} | {c.both_ms / base:.2f} |"
        for c in costs
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(measure(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)))
