"""How fast the pocket phone is on this machine. Run by `scripts/benchmark`.

Every figure stands beside the aim of the project's issue for two free cores. Others may use the machine too, so what
one process does alone is given in processor time as well as by the clock. What needs android_env, grpc or adb is left
out, saying so, where the `android` extra is not installed.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import util
from itertools import count
from pathlib import Path
from typing import Any

from emulator.pocket.phone import Phone

FULL, SMALL = (1080, 2400), (540, 1200)
SETTINGS = "com.android.settings"
ROUNDS = 25
FLEET, RATE, FLEET_SECONDS = 8, 5.0, 4.0
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Figure:
    """One measured value. `aim` is what the issue asks for, with < or >; `cpu` the same in processor time (0: none)."""

    name: str
    value: float
    unit: str
    aim: str
    cpu: float = 0.0

    def __str__(self) -> str:
        cpu = f"{self.cpu:10.1f} cpu" if self.cpu else ""
        return f"pocket {self.name:42s}{self.value:10.1f} {self.unit:9s} aim {self.aim:6s}{cpu}"


def median_ms(action: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Median milliseconds of an action by the clock and in processor time of this process."""
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        action()
        walls.append(1000 * (time.perf_counter() - wall))
        cpus.append(1000 * (time.process_time() - cpu))
    return statistics.median(walls), statistics.median(cpus)


def raw_steps(size: tuple[int, int], steps: int = 600) -> Figure:
    """Steps of android_env over a phone in this process: touch and lift at random places, an app opened every 50 steps.

    One step is one `env.step`, its observation the picture; about one step in ten changes it.
    """
    import numpy as np

    from emulator.pocket.fronts.in_process import load_in_process

    phone, rng = Phone(seed=1, size=size), random.Random(0)
    env = load_in_process(phone)
    env.reset()

    def run() -> None:
        for number in range(steps // 2):
            if number % 25 == 0:
                phone.key("HOME") if number % 50 else phone.launch(SETTINGS)
            place = np.array([rng.random(), rng.random()], np.float32)
            for kind in (0, 1):
                env.step({"action_type": np.array(kind, np.int32), "touch_position": place})

    run()  # caches fill
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    env.close()
    aim = ">150" if size == FULL else ">600"
    return Figure(f"raw steps in process, {size[0]}x{size[1]}", steps / wall, "steps/s", aim, steps / cpu)


def changing(phone: Phone) -> Callable[[], None]:
    """An action that brings another screen each time."""
    turn = count()

    def change() -> None:
        if next(turn) % 2:
            phone.key("HOME")
        else:
            phone.launch(SETTINGS)

    return change


def new_frame(size: tuple[int, int] = FULL) -> Figure:
    """A screen that was not shown before, composed, drawn and encoded."""
    phone = Phone(seed=1, size=size)
    change = changing(phone)

    def rounds() -> Iterator[tuple[float, float]]:
        for _ in range(ROUNDS):
            change()
            yield median_ms(phone.screenshot_png, 1)

    phone.screenshot_png()
    found = list(rounds())
    wall, cpu = (statistics.median(column) for column in zip(*found, strict=True))
    return Figure(f"new frame drawn and PNG, {size[0]}x{size[1]}", wall, "ms", "<10", cpu)


def keeping() -> list[Figure]:
    """Snapshot and restore of a phone with an app open."""
    phone = Phone(seed=1)
    phone.launch(SETTINGS)
    phone.screenshot()
    kept = phone.snapshot()
    taken, brought = median_ms(phone.snapshot), median_ms(lambda: phone.restore(kept))
    return [Figure("snapshot", taken[0], "ms", "<2", taken[1]), Figure("restore", brought[0], "ms", "<2", brought[1])]


def resident() -> int:
    """Bytes of memory this process holds now (where /proc is not there: at most held)."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        import resource

        return int(statm.read_text().split()[1]) * resource.getpagesize()
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def memory_of_phones(phones: int = 6) -> float:
    """Megabytes of resident memory one more phone takes that was used and looked at, in this very process."""

    def used(seed: int) -> Phone:
        phone = Phone(seed=seed)
        for package in (SETTINGS, "net.gsantner.markor", "com.simplemobiletools.calendar.pro"):
            phone.launch(package)
            phone.screenshot_png()
        phone.key("HOME")
        phone.screenshot_png()
        return phone

    fleet = [used(0)]
    before = resident()
    fleet.extend(used(seed) for seed in range(1, 1 + phones))
    return (resident() - before) / phones / MEGABYTE


def memory() -> Figure:
    """`memory_of_phones` in a process of its own, so that nothing else counts."""
    code = "from emulator.pocket.speed import memory_of_phones; print(memory_of_phones())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return Figure("memory one more phone takes, 1080x2400", float(told.stdout), "MB", "<40")


def over_adb() -> list[Figure]:
    """A tap, and an action with a new screenshot, over adb with the lean client; then eight phones at once."""
    from emulator.pocket.lean_adb import LeanAdb, join, own_adb_server
    from emulator.pocket.server import pocket_phones

    with own_adb_server() as port:
        with pocket_phones(1) as (handle,):
            join(port, handle.address)
            client, turn = LeanAdb(port, handle.serial), count()

            def step() -> None:
                settings = handle.phone.find("Settings")
                if next(turn) % 2 or settings is None:
                    client.tap(*_center(handle.phone, "Home"))
                else:
                    client.tap(*settings.center)
                client.screenshot()

            step()
            tap = median_ms(lambda: client.tap(5, 1200))
            both = median_ms(step)
        with pocket_phones(FLEET) as handles:
            for handle in handles:
                join(port, handle.address)
            fleet = steps_together([LeanAdb(port, handle.serial) for handle in handles])
    return [
        Figure("tap over adb", tap[0], "ms", "", tap[1]),
        Figure("tap and new screenshot over adb, 1080x2400", both[0], "ms", "<20", both[1]),
        Figure(f"{FLEET} phones, tap + screenshot + hierarchy", fleet, "steps/s", f"{FLEET * RATE:.0f}"),
    ]


def _center(phone: Phone, label: str) -> tuple[int, int]:
    view = phone.find(label)
    if view is None:
        raise LookupError(f"no {label!r} on the screen")
    return view.center


def steps_together(clients: list[Any], rate: float = RATE, seconds: float = FLEET_SECONDS) -> float:
    """Steps a second of all clients together, each asking for `rate`: an action, the picture, the hierarchy."""
    counts: list[int] = []

    def drive(client: Any) -> None:
        start, number = time.monotonic(), 0
        while (now := time.monotonic() - start) < seconds:
            if now < number / rate:
                time.sleep(number / rate - now)
                continue
            client.run("input keyevent HOME" if number % 2 else f"am start -n {SETTINGS}/.Settings")
            if not client.screenshot().startswith(b"\x89PNG") or b"<hierarchy" not in client.run(DUMP):
                raise ConnectionError("a screenshot or a hierarchy did not come whole")
            number += 1
        counts.append(number)

    threads = [threading.Thread(target=drive, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


DUMP = "uiautomator dump /dev/tty"


def figures() -> Iterator[Figure | str]:
    """All figures as they are measured, and what is left out."""
    missing = [name for name in ("android_env", "grpc", "adbutils") if util.find_spec(name) is None]
    if missing:
        yield f"pocket: steps and adb are not measured, {', '.join(missing)} not installed (extra `android`)"
    else:
        yield raw_steps(FULL)
        yield raw_steps(SMALL)
    yield new_frame(FULL)
    yield new_frame(SMALL)
    yield from keeping()
    yield memory()
    if not missing:
        yield from over_adb()


def main() -> None:
    """Prints one line a figure."""
    for figure in figures():
        print(figure, flush=True)


if __name__ == "__main__":
    main()
