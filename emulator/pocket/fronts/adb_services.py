"""The services an adb host can open on a pocket phone, by the beginning of their names.

A service is a coroutine over an AdbStream; the stream is closed when it returns. `tcp:` and `localabstract:` reach
device-side ports only: nothing here ever opens a port of the host.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from emulator.pocket.fronts.adb_shell import ShellSession, parse_request
from emulator.pocket.fronts.adb_stream import AdbStream
from emulator.pocket.fronts.adb_sync import SyncService
from emulator.pocket.fronts.uiautomator2 import serve_http

if TYPE_CHECKING:
    from emulator.pocket.fronts.adb_daemon import Connection

Service = Callable[[AdbStream], Awaitable[None]]
MAX_REVERSE = 256


def find_service(connection: Connection, name: str) -> Service | None:
    """The service for a name such as `shell:ls` or `tcp:9008`; None if the phone has no such thing."""
    if name.startswith(("shell:", "shell,", "exec:")):
        return lambda stream: ShellSession(connection, stream, parse_request(name)).run()
    if name == "sync:":
        return lambda stream: SyncService(connection.endpoint, stream).run()
    if name.startswith("reverse:"):
        return lambda stream: _answer(stream, reverse_answer(connection, name.removeprefix("reverse:")))
    if name == "framebuffer:":
        return lambda stream: _framebuffer(connection, stream)
    if name.startswith("reboot:"):
        return lambda stream: _reboot(connection)
    text = _announcement(name)
    if text is not None:
        return lambda stream: _answer(stream, text.encode())
    return _port(connection, name)


def _announcement(name: str) -> str | None:
    if name.startswith("tcpip:"):
        return f"restarting in TCP mode port: {name.removeprefix('tcpip:')}\n"
    return {
        "root:": "adbd is already running as root\n",
        "unroot:": "adbd of the pocket phone always runs as root\n",
        "remount:": "remount succeeded\n",
        "usb:": "adbd of the pocket phone has no USB\n",
        "disable-verity:": "verity is already disabled\n",
        "enable-verity:": "the pocket phone has no verity\n",
    }.get(name)


async def _answer(stream: AdbStream, data: bytes) -> None:
    await stream.write(data)
    await stream.finish()


async def _reboot(connection: Connection) -> None:
    connection.endpoint.reboot()
    raise ConnectionAbortedError


def _port(connection: Connection, name: str) -> Service | None:
    """What listens on a device-side port: uiautomator2's server, or a handler a test has put there."""
    handler = connection.daemon.ports.get(name)
    if handler is not None:
        return handler
    if name.startswith("tcp:") and connection.endpoint.ports[name] > 0:
        return lambda stream: serve_http(connection, stream)
    return None


async def _framebuffer(connection: Connection, stream: AdbStream) -> None:
    """The screen: version 2 of AOSP's struct fbinfo (framebuffer_service.cpp), then RGBA rows."""
    phone = connection.endpoint.phone

    def capture() -> tuple[int, int, bytes]:
        with phone.lock:
            pixels = phone.screenshot()
            return pixels.shape[1], pixels.shape[0], pixels.tobytes()

    width, height, data = await asyncio.get_running_loop().run_in_executor(connection.daemon.threads, capture)
    header = struct.pack("<14I", 2, 32, 1, len(data), width, height, 0, 8, 16, 8, 8, 8, 24, 8)
    await stream.write(header + data)
    await stream.finish()


def reverse_answer(connection: Connection, request: str) -> bytes:
    """`forward:[norebind:]DEVICE;HOST`, `killforward:DEVICE`, `killforward-all`, `list-forward`."""
    table = connection.daemon.reverse
    verb, _, rest = request.partition(":")
    if verb == "list-forward":
        lines = "".join(f"pocket {port} {target}\n" for port, target in table.items())
        return f"{len(lines):04x}{lines}".encode()
    if verb == "killforward-all":
        table.clear()
        return b"OKAY"
    if verb == "killforward":
        return b"OKAY" if table.pop(rest, None) else _refusal(f"listener '{rest}' not found")
    if verb != "forward":
        return _refusal(f"unknown reverse request '{verb[:40]}'")
    rebind = not rest.startswith("norebind:")
    port, separator, target = rest.removeprefix("norebind:").partition(";")
    if not separator or ":" not in port or ":" not in target:
        return _refusal("bad forward: DEVICE;HOST expected")
    if port in table and not rebind:
        return _refusal("cannot rebind existing socket")
    if len(table) >= MAX_REVERSE:
        return _refusal(f"{MAX_REVERSE} ports are forwarded already")
    chosen = b""
    if port == "tcp:0":
        port = next(f"tcp:{number}" for number in range(40000, 65536) if f"tcp:{number}" not in table)
        number = port.removeprefix("tcp:")
        chosen = f"{len(number):04x}{number}".encode()
    table[port] = target
    return b"OKAY" + chosen


def _refusal(message: str) -> bytes:
    return b"FAIL" + f"{len(message):04x}{message}".encode()
