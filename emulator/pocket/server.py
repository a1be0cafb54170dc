"""Pocket phones on the network: one process, one event loop in a thread, each phone with an adb port, an emulator
console one below it, and a gRPC port.

Listens on loopback only unless told otherwise. The system chooses the ports by default; 5037 and 5554-5585 are never
chosen, since every adb server looks for emulators there. The console's port is the adb port minus one because an
emulator's serial, `emulator-N`, names the console port: `adb emu` and android_env both count on that.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from emulator.pocket.fronts.a11y_forwarder import A11yForwarder
from emulator.pocket.fronts.adb_daemon import AdbDaemon
from emulator.pocket.fronts.console import Console
from emulator.pocket.fronts.emulator_grpc import start_grpc
from emulator.pocket.fronts.snapshots import Snapshots
from emulator.pocket.phone import Phone
from emulator.pocket.shell.endpoint import Endpoint

RESERVED_PORTS = frozenset({5037, *range(5554, 5586)})
DEFAULT_SIZE = (1080, 2400)
TRIES = 200


class PortError(OSError):
    """A port that was asked for can't be had, or none is free."""


@dataclass
class PhoneHandle:
    """One running phone: `adb connect` takes `address`; `serial` is its name after that.

    emulator_serial is its name when the adb server is told `host:emulator:<adb_port>` instead, as android_env's
    loader needs. endpoint counts unknown commands.
    """

    phone: Phone
    endpoint: Endpoint
    snapshots: Snapshots
    daemon: AdbDaemon
    host: str
    adb_port: int
    console_port: int
    grpc_port: int
    grpc_server: Any
    forwarder: A11yForwarder

    @property
    def address(self) -> str:
        """host:port for `adb connect`."""
        return f"{self.host}:{self.adb_port}"

    @property
    def serial(self) -> str:
        """The serial after `adb connect`."""
        return self.address

    @property
    def emulator_serial(self) -> str:
        """The serial after `host:emulator:<adb_port>`."""
        return f"emulator-{self.console_port}"


class PocketServer:
    """Runs phones until closed. Use `pocket_phones` or `serve`."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.host = host
        self.handles: list[PhoneHandle] = []
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name="pocket-loop", daemon=True)
        self.thread.start()

    def add(self, phone: Phone, *, adb_port: int = 0, grpc_port: int = 0, name: str = "pocket") -> PhoneHandle:
        """Put a phone on the network; PortError when a port can't be had."""
        adb_socket, console_socket = bind_pair(self.host, adb_port)
        endpoint, snapshots = Endpoint(phone), Snapshots(phone)
        daemon = AdbDaemon(endpoint)
        console = Console(endpoint, snapshots, name, on_kill=daemon.drop_from_any_thread)
        self._run(self._listen(daemon, console, adb_socket, console_socket))
        endpoint.on_reboot.append(daemon.drop_from_any_thread)
        try:
            grpc_server, grpc_bound = start_grpc(endpoint, snapshots, self.host, grpc_port)
        except RuntimeError as error:
            self._run(daemon.close())
            raise PortError(f"gRPC port {grpc_port} can't be had: {error}") from error
        handle = PhoneHandle(
            phone,
            endpoint,
            snapshots,
            daemon,
            self.host,
            adb_socket.getsockname()[1],
            console_socket.getsockname()[1],
            grpc_bound,
            grpc_server,
            A11yForwarder(endpoint),
        )
        self.handles.append(handle)
        return handle

    async def _listen(
        self, daemon: AdbDaemon, console: Console, adb_socket: socket.socket, console_socket: socket.socket
    ) -> None:
        await daemon.listen(adb_socket)
        daemon.console = await asyncio.start_server(console.serve, sock=console_socket)

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=10)

    def close(self) -> None:
        """Close every connection and port, and end the thread."""
        for handle in self.handles:
            handle.forwarder.stop()
            handle.grpc_server.stop(grace=None)
            self._run(handle.daemon.close())
        self.handles.clear()
        self._run(_cancel_everything())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=10)
        self.loop.close()


async def _cancel_everything() -> None:
    """Cancel what still runs on the loop, and give it the chance to end."""
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def announce(adb_port: int, adb_server_port: int, timeout_s: float = 5.0) -> None:
    """Tell an adb server to take a phone in as `emulator-<adb_port - 1>`, as a real emulator does when it starts.

    Returns when the request is delivered; the server connects a moment later. OSError if no server listens.
    """
    request = f"host:emulator:{adb_port}".encode()
    with socket.create_connection(("127.0.0.1", adb_server_port), timeout=timeout_s) as sock:
        sock.sendall(b"%04x%s" % (len(request), request))
        sock.recv(4)


def bind_pair(host: str, adb_port: int = 0) -> tuple[socket.socket, socket.socket]:
    """(adb, console) sockets, console one port below; PortError when the wanted pair, or any, isn't free."""
    if adb_port:
        try:
            return _bound(host, adb_port), _bound(host, adb_port - 1)
        except OSError as error:
            raise PortError(f"ports {adb_port} (adb) and {adb_port - 1} (console) can't be had: {error}") from error
    for _ in range(TRIES):
        adb_socket = _bound(host, 0)
        port = adb_socket.getsockname()[1]
        if not {port, port - 1} & RESERVED_PORTS:
            with contextlib.suppress(OSError):
                return adb_socket, _bound(host, port - 1)
        adb_socket.close()
    raise PortError(f"no two neighbouring ports are free on {host}")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets TCP_NODELAY
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError:
        sock.close()
        raise
    return sock


def serve(
    count: int = 1,
    size: tuple[int, int] = DEFAULT_SIZE,
    seed: int = 0,
    *,
    host: str = "127.0.0.1",
    adb_port: int = 0,
    grpc_port: int = 0,
) -> PocketServer:
    """Start phones with seeds `seed`, `seed + 1`, ... and return the server that runs them; `close()` it.

    size: (width, height) in pixels. adb_port: the first phone's, the next ones' are 2 higher each; 0: chosen by the
    system. grpc_port: likewise, 1 higher each.
    """
    server = PocketServer(host)
    try:
        for index in range(count):
            server.add(
                Phone(seed=seed + index, size=size),
                adb_port=adb_port + 2 * index if adb_port else 0,
                grpc_port=grpc_port + index if grpc_port else 0,
                name=f"pocket-{index}",
            )
    except BaseException:
        server.close()
        raise
    return server


@contextlib.contextmanager
def pocket_phones(
    count: int = 1,
    size: tuple[int, int] = DEFAULT_SIZE,
    seed: int = 0,
    *,
    host: str = "127.0.0.1",
    adb_port: int = 0,
    grpc_port: int = 0,
) -> Iterator[list[PhoneHandle]]:
    """Phones for the length of a `with` block; arguments as for `serve`."""
    server = serve(count, size, seed, host=host, adb_port=adb_port, grpc_port=grpc_port)
    try:
        yield server.handles
    finally:
        server.close()
