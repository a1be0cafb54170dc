"""Ports are given to one taker at a time: threads, processes, strangers who listen."""

from __future__ import annotations

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from emulator.device_errors import DeviceOffline
from emulator.ports import ADB_DEFAULT, CONSOLE_PORTS, SCANNED, PortAllocator, Ports, is_free, lock_folder

ROOT = Path(__file__).parents[2]


def consoles(pairs: int) -> range:
    """So many neighbouring pairs that are free now, chosen by the system."""
    while True:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            first = int(sock.getsockname()[1]) // 2 * 2
        wanted = range(first, first + 2 * pairs, 2)
        if first + 2 * pairs < 65535 and all(is_free(port) and is_free(port + 1) for port in wanted):
            return wanted


def test_the_usual_range_is_what_an_emulator_takes_and_adb_servers_do_not_scan() -> None:
    assert all(port % 2 == 0 and 5554 <= port <= 5682 for port in CONSOLE_PORTS)
    assert not set(CONSOLE_PORTS) & set(SCANNED)


def test_many_threads_never_get_a_port_twice(tmp_path: Path) -> None:
    allocator = PortAllocator(consoles(12), tmp_path)
    with ThreadPoolExecutor(12) as pool:
        taken = list(pool.map(lambda _: allocator.take(), range(12)))
    numbers = [number for ports in taken for number in ports.numbers()]
    assert len(set(numbers)) == len(numbers)
    assert not set(numbers) & {ADB_DEFAULT, *SCANNED}
    assert all(ports.adb == ports.console + 1 and ports.serial == f"emulator-{ports.console}" for ports in taken)
    for ports in taken:
        ports.release()


def test_when_all_are_taken_it_says_so_and_a_released_one_can_be_had(tmp_path: Path) -> None:
    allocator = PortAllocator(consoles(1), tmp_path)
    with allocator.take() as first, pytest.raises(DeviceOffline, match="no two neighbouring ports"):
        PortAllocator(allocator.consoles, tmp_path).take()
    with allocator.take() as second:
        assert second.console == first.console


@pytest.mark.parametrize("offset", [0, 1])
def test_a_stranger_on_either_port_of_a_pair_is_left_alone(offset: int, tmp_path: Path) -> None:
    wanted = consoles(2)
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", wanted[0] + offset))
        stranger.listen()
        with PortAllocator(wanted, tmp_path).take() as ports:
            assert ports.console == wanted[1]


def test_another_process_holds_its_ports_until_it_dies(tmp_path: Path) -> None:
    wanted = consoles(1)
    code = (
        "from pathlib import Path\nfrom emulator.ports import PortAllocator\n"
        f"ports = PortAllocator(range({wanted.start}, {wanted.stop}, 2), Path({str(tmp_path)!r})).take()\n"
        "print(ports.console, flush=True)\ninput()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None and other.stdin is not None
    assert int(other.stdout.readline()) == wanted[0]
    with pytest.raises(DeviceOffline):
        PortAllocator(wanted, tmp_path).take()
    other.kill()
    other.wait()
    other.stdout.close()
    other.stdin.close()
    with PortAllocator(wanted, tmp_path).take() as ports:
        assert ports.console == wanted[0]


def test_release_twice_is_harmless_and_the_lock_folder_is_this_users() -> None:
    Ports(1, 2, 3, 4, 5).release()
    assert lock_folder().stat().st_mode & 0o777 == 0o700
