"""Speed over adb with a lean client, and many phones at once. The limits leave room for a busy machine."""

from __future__ import annotations

import statistics
import threading
import time
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("grpc")
pytestmark = pytest.mark.slow
ROUNDS = 25


def median_ms(action: Any) -> float:
    """Median wall time of an action in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        action()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def test_tap_and_new_screenshot(adb: Any, lean_adb: ModuleType, record_property: Any) -> None:
    """Issue 3: under 20 ms at 1080x2400 on 2 free cores; here twice that is the limit."""
    from emulator.pocket.server import pocket_phones

    with pocket_phones(1) as (handle,):
        adb.run("connect", handle.address)
        client = lean_adb.LeanAdb(adb.port, handle.serial)
        toggle = iter(range(10**6))

        def step() -> None:
            # two screens in turn, so that each picture is a new one
            client.run("input keyevent HOME" if next(toggle) % 2 else "am start -n com.android.settings/.Settings")
            client.screenshot()

        step()
        tap = median_ms(lambda: client.tap(5, 1200))
        both = median_ms(step)
        adb.run("disconnect", handle.serial)
    record_property("tap_ms", tap)
    record_property("tap_and_screenshot_ms", both)
    print(f"tap {tap:.1f} ms, action and new screenshot {both:.1f} ms")
    assert both < 40


def test_8_phones_at_5_steps_a_second(adb: Any, lean_adb: ModuleType, record_property: Any) -> None:
    """Each phone: tap, screenshot, hierarchy; 5 times a second; at full size."""
    from emulator.pocket.server import pocket_phones

    seconds, rate = 4.0, 5.0
    counts: dict[str, int] = {}

    def drive(serial: str) -> None:
        client = lean_adb.LeanAdb(adb.port, serial)
        start, number = time.monotonic(), 0
        while (now := time.monotonic() - start) < seconds:
            if now < number / rate:
                time.sleep(number / rate - now)
                continue
            client.run("input keyevent HOME" if number % 2 else "am start -n com.android.settings/.Settings")
            assert client.screenshot().startswith(b"\x89PNG")
            assert b"<hierarchy" in client.run("uiautomator dump /dev/tty")
            number += 1
        counts[serial] = number

    with pocket_phones(8) as handles:
        for handle in handles:
            adb.run("connect", handle.address)
        threads = [threading.Thread(target=drive, args=(handle.serial,)) for handle in handles]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for handle in handles:
            assert not handle.endpoint.unknown
            adb.run("disconnect", handle.serial)
    total = sum(counts.values()) / seconds
    record_property("steps_per_second", total)
    print(f"{total:.1f} of {8 * rate:.0f} steps/s")
    assert total > 0.5 * 8 * rate
