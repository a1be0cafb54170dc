"""Starting and stopping phones: ports, loopback, no leftovers."""

from __future__ import annotations

import socket
import threading

import pytest

pytest.importorskip("grpc")

from emulator.pocket.server import RESERVED_PORTS, PortError, bind_pair, pocket_phones

SMALL = (540, 1200)


def test_ports_are_neighbours_and_never_reserved() -> None:
    with pocket_phones(3, size=SMALL) as handles:
        ports = [port for handle in handles for port in (handle.adb_port, handle.console_port, handle.grpc_port)]
        assert len(set(ports)) == 9 and not set(ports) & RESERVED_PORTS
        assert all(handle.console_port == handle.adb_port - 1 for handle in handles)
        assert len({handle.phone.properties["ro.serialno"] for handle in handles}) == 3


def test_given_ports_are_taken_or_refused() -> None:
    first, second = bind_pair("127.0.0.1")
    wanted = first.getsockname()[1]
    first.close()
    second.close()
    with pocket_phones(1, size=SMALL, adb_port=wanted) as (handle,):
        assert handle.adb_port == wanted
        with pytest.raises(PortError, match=str(wanted)), pocket_phones(1, size=SMALL, adb_port=wanted):
            pass


def test_loopback_only() -> None:
    outside = socket.gethostbyname(socket.gethostname())
    if outside.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    with pocket_phones(1, size=SMALL) as (handle,):
        for port in (handle.adb_port, handle.console_port, handle.grpc_port):
            with pytest.raises(OSError), socket.create_connection((outside, port), timeout=1):
                pass


def test_nothing_is_left_behind() -> None:
    before = threading.active_count()
    with pocket_phones(2, size=SMALL) as handles:
        ports = [handle.adb_port for handle in handles]
    for port in ports:
        with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            pass
    extra = [thread.name for thread in threading.enumerate() if thread.name.startswith("pocket-loop")]
    assert not extra and threading.active_count() <= before + 8
