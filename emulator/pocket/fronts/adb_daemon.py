"""The adb daemon of a pocket phone: what `adb connect` talks to.

Protocol: adb_packets.py. No TLS and no keys: a connection is accepted as it comes, unless the UNAUTHORIZED fault is
set. A peer that breaks the protocol loses its connection and nothing else; what happened is in the phone's log.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import traceback
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor

from emulator.pocket.faults import FaultKind
from emulator.pocket.fronts import adb_packets as adb
from emulator.pocket.fronts.adb_packets import Packet, ProtocolError
from emulator.pocket.fronts.adb_services import Service, find_service
from emulator.pocket.fronts.adb_stream import AdbStream, StreamClosed
from emulator.pocket.fronts.uiautomator2_session import Session
from emulator.pocket.shell.endpoint import Endpoint

FEATURES = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,fixed_push_symlink_timestamp,sendrecv_v2"
BANNER_PROPERTIES = ("ro.product.name", "ro.product.model", "ro.product.device")
MAX_CONNECTIONS = 256
MAX_STREAMS = 256
MAX_COMMANDS = 64
HANDSHAKE_SECONDS = 30.0


class AdbDaemon:
    """Listens for adb servers on behalf of one phone. All methods belong to the event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.connections: list[Connection] = []
        self.reverse: dict[str, str] = {}
        self.ports: dict[str, Service] = {}
        self.u2 = Session(endpoint)
        self.server: asyncio.Server | None = None
        self.console: asyncio.Server | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.threads = ThreadPoolExecutor(MAX_COMMANDS, thread_name_prefix="pocket-shell")

    async def listen(self, sock: socket.socket) -> None:
        """Serve on an already bound socket."""
        self.loop = asyncio.get_running_loop()
        self.server = await asyncio.start_server(self._accept, sock=sock, backlog=1024)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self.connections) >= MAX_CONNECTIONS and not self._make_room():
            self.endpoint.note("adbd", f"refused a connection: {MAX_CONNECTIONS} are open")
            writer.transport.abort()
            return
        connection = Connection(self, reader, writer)
        self.connections.append(connection)
        try:
            await connection.serve()
        finally:
            if connection in self.connections:
                self.connections.remove(connection)

    def _make_room(self) -> bool:
        """Drop the oldest connection that has not yet said what it is."""
        silent = next((connection for connection in self.connections if not connection.connected), None)
        if silent is not None:
            self.endpoint.note("adbd", "dropped the oldest silent connection: too many are open")
            silent.writer.transport.abort()
            self.connections.remove(silent)
        return silent is not None

    def drop_connections(self) -> None:
        """Cut every connection, as a reboot or a pulled cable does."""
        for connection in list(self.connections):
            connection.writer.transport.abort()

    def drop_from_any_thread(self) -> None:
        """`drop_connections`, from outside the event loop."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.drop_connections)

    async def close(self) -> None:
        """Stop listening and cut every connection."""
        for server in (self.server, self.console):
            if server is not None:
                server.close()
        self.drop_connections()
        self.threads.shutdown(wait=False, cancel_futures=True)

    def open_reverse(self, port: str) -> AdbStream:
        """Connect, from inside the phone, to a port `adb reverse` has forwarded; ConnectionRefusedError if none."""
        live = [connection for connection in self.connections if connection.connected]
        if port not in self.reverse or not live:
            raise ConnectionRefusedError(111, f"nothing listens on {port} of this phone")
        return live[-1].open_to_host(self.reverse[port])


class Connection:
    """One adb server's connection, with its streams."""

    def __init__(self, daemon: AdbDaemon, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.daemon = daemon
        self.endpoint = daemon.endpoint
        self.reader = reader
        self.writer = writer
        self.peer = writer.get_extra_info("peername")
        self.connected = False
        self.checked = True
        self.max_payload = adb.MAX_PAYLOAD
        self.streams: dict[int, AdbStream] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.last_id = 0

    async def serve(self) -> None:
        """Handle packets until the peer goes or breaks the protocol."""
        try:
            while True:
                reading = adb.read(self.reader, checked=self.checked)
                packet = await (reading if self.connected else asyncio.wait_for(reading, HANDSHAKE_SECONDS))
                if not self._handle(packet):
                    return
                await self.writer.drain()
        except ProtocolError as error:
            self.endpoint.note("adbd", f"closing {self.peer}: {error}")
        except (asyncio.IncompleteReadError, ConnectionError):
            if self.streams:
                self.endpoint.note("adbd", f"{self.peer} went away with {len(self.streams)} streams open")
        except TimeoutError:
            self.endpoint.note("adbd", f"closing {self.peer}: nothing useful within {HANDSHAKE_SECONDS:g} s")
        finally:
            self._end()

    def _end(self) -> None:
        for stream in list(self.streams.values()):
            stream.got_close()
        self.writer.transport.abort()

    def send(self, command: int, arg0: int, arg1: int, payload: bytes = b"") -> None:
        """Queue a packet."""
        if not self.writer.transport.is_closing():
            self.writer.write(adb.encode(command, arg0, arg1, payload, checksum=self.checked))

    def _handle(self, packet: Packet) -> bool:
        """One packet; False ends the connection."""
        if packet.command == adb.CNXN:
            self._connect(packet)
        elif packet.command == adb.AUTH:
            if packet.arg0 == adb.AUTH_SIGNATURE:
                self.send(adb.AUTH, adb.AUTH_TOKEN, 0, os.urandom(20))
        elif not self.connected:
            raise ProtocolError(f"{packet.name()} before CNXN")
        elif packet.command == adb.OPEN:
            return self._open(packet)
        elif (stream := self.streams.get(packet.arg1)) is None or stream.remote not in (0, packet.arg0):
            if packet.command == adb.WRTE:
                self.send(adb.CLSE, 0, packet.arg0)
        elif packet.command == adb.OKAY:
            stream.remote = packet.arg0
            stream.got_okay()
        elif packet.command == adb.WRTE:
            stream.got_write(packet.payload)
        elif packet.command == adb.CLSE:
            stream.got_close()
        return True

    def _connect(self, packet: Packet) -> None:
        faults = self.endpoint.phone.faults
        if faults.take(FaultKind.OFFLINE):
            self.endpoint.note("adbd", "fault: offline, the connection isn't answered")
            return
        if faults.take(FaultKind.UNAUTHORIZED):
            self.endpoint.note("adbd", "fault: unauthorized, asking for a key that isn't accepted")
            self.send(adb.AUTH, adb.AUTH_TOKEN, 0, os.urandom(20))
            return
        self.max_payload = max(4096, min(packet.arg1, adb.MAX_PAYLOAD))
        properties = self.endpoint.phone.properties
        banner = ";".join(f"{name}={properties.get(name, '')}" for name in BANNER_PROPERTIES)
        answer = f"device::{banner};features={FEATURES}".encode()
        self.send(adb.CNXN, adb.VERSION, adb.MAX_PAYLOAD, answer)
        self.checked = packet.arg0 < adb.VERSION
        self.connected = True

    def _open(self, packet: Packet) -> bool:
        if self.endpoint.phone.faults.get(FaultKind.OFFLINE):
            self.endpoint.note("adbd", "fault: offline, connection cut")
            return False
        if len(self.streams) >= MAX_STREAMS:
            self.endpoint.note("adbd", f"refused a stream: {MAX_STREAMS} are open on this connection")
            self.send(adb.CLSE, 0, packet.arg0)
            return True
        name = packet.payload.rstrip(b"\0").decode("utf-8", "surrogateescape")
        service = find_service(self, name)
        if service is None:
            self.endpoint.note("adbd", f"no such service: {name[:200]}")
            self.send(adb.CLSE, 0, packet.arg0)
            return True
        stream = self._new_stream(packet.arg0)
        stream.opened_by_host()
        task = asyncio.ensure_future(self._run(service(stream), stream, name))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return True

    def _new_stream(self, remote: int) -> AdbStream:
        self.last_id += 1
        stream = AdbStream(self.last_id, remote, self.max_payload, self.send)
        self.streams[self.last_id] = stream
        return stream

    def open_to_host(self, service: str) -> AdbStream:
        """A stream opened by the phone, for reverse forwards: the host connects to `service`, e.g. tcp:5000."""
        stream = self._new_stream(0)
        self.send(adb.OPEN, stream.local, 0, service.encode() + b"\0")
        task = asyncio.ensure_future(self._forget_when_closed(stream))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return stream

    async def _forget_when_closed(self, stream: AdbStream) -> None:
        await stream.closed.wait()
        self.streams.pop(stream.local, None)

    async def _run(self, serving: Awaitable[None], stream: AdbStream, name: str) -> None:
        """Run a service on its stream; whatever it does, the stream is closed and the daemon goes on."""
        try:
            await serving
        except StreamClosed:
            self.endpoint.note("adbd", f"the host closed {name[:60]!r} before its end")
        except ConnectionAbortedError:
            self.endpoint.note("adbd", f"fault: connection cut during {name[:60]!r}")
            self.writer.transport.abort()
        except Exception:  # a defect of one service is logged whole and costs its stream, not the phone
            self.endpoint.note("adbd", f"service {name[:60]!r} failed: {traceback.format_exc()}")
        finally:
            stream.close()
            self.streams.pop(stream.local, None)
            with contextlib.suppress(ConnectionError):
                await self.writer.drain()
