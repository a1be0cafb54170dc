"""uiautomator2's server on a phone, called with our own deadlines: hierarchies and the clipboard.

The server (u2.jar) and how it is started are uiautomator2's (3.7.1, core.py); its Python client is not used for calls
since it restarts the server and sends a failed call a second time, waits 10 s where nobody asked, and keeps threads and
atexit hooks. Health is a real call, not `/ping`, which says `pong` while the automation behind it is dead
(openatx/uiautomator2#340). HTTP goes through an adb stream: no forwarded port that another process could rebind.
"""

from __future__ import annotations

import hashlib
import json
import time
from importlib import resources
from typing import Any

from emulator import adb_socket
from emulator.adb_calls import Adb
from emulator.adb_socket import AdbStream, Deadline, ServiceRefused
from emulator.device_errors import CommandFailed, NotSupported, TruncatedOutput

JAR = "/data/local/tmp/u2.jar"
PORT = 9008
MAIN_CLASS = "com.wetest.uia2.Main"
DEPTH = 50
POLL_SECONDS = 0.1
START_SECONDS = 20.0
START_SHARE = 0.7  # of the call's time; the rest is for `uiautomator dump` in its place


class U2Server:
    """The server of one phone; started on first use, ended by `stop` if this object started it."""

    def __init__(self, adb: Adb, port: int = PORT) -> None:
        self.adb, self.port = adb, port
        self._process: AdbStream | None = None

    def hierarchy(self, deadline: Deadline) -> str:
        """XML of the active window."""
        return str(self.call("dumpWindowHierarchy", [False, DEPTH, True], deadline))

    def set_clipboard(self, text: str, deadline: Deadline) -> None:
        """Put a text on the phone's clipboard."""
        self.call("setClipboard", ["solar", text], deadline)

    def clipboard(self, deadline: Deadline) -> str:
        """The text on the phone's clipboard."""
        return str(self.call("getClipboard", [], deadline) or "")

    def call(self, method: str, parameters: list[Any], deadline: Deadline) -> Any:
        """One call, sent once; the server is started before if it does not run. CommandFailed for its refusals."""
        if not self._listens(deadline):
            self.start(deadline)
        return self._post(method, parameters, deadline)

    def _listens(self, deadline: Deadline) -> bool:
        try:
            with adb_socket.open_service(self.adb.port, self.adb.serial, f"tcp:{self.port}", deadline):
                return True
        except ServiceRefused:
            return False

    def start(self, deadline: Deadline) -> None:
        """Bring the jar to the phone if it is not there, run it, wait until a real call is answered."""
        self.stop()
        self._bring_jar(deadline)
        command = f"CLASSPATH={JAR} app_process / {MAIN_CLASS} -p {self.port}"
        running = Deadline(24 * 3600, f"{self.adb.serial}: uiautomator2's server")
        self._process = adb_socket.open_service(self.adb.port, self.adb.serial, f"shell:{command}", running)
        end = time.monotonic() + min(START_SECONDS, deadline.left() * START_SHARE)
        while True:
            try:
                self._post("deviceInfo", [], deadline)
                return
            except (ServiceRefused, TruncatedOutput) as error:
                said, over = self._said()
                if over or time.monotonic() >= end:
                    self.stop()
                    raise CommandFailed(
                        f"uiautomator2's server did not start: {said[-300:]}", deadline.where
                    ) from error
                deadline.pause(POLL_SECONDS)

    def _said(self) -> tuple[str, bool]:
        """What the server's process has printed lately, and whether it has ended."""
        assert self._process is not None
        sock = self._process.sock
        sock.settimeout(0)
        try:
            data = sock.recv(4096)
        except (BlockingIOError, InterruptedError):
            return "", False
        except OSError as error:
            return str(error), True
        return data.decode(errors="replace").strip(), not data or b"already registered" in data

    def _bring_jar(self, deadline: Deadline) -> None:
        jar = package_file("u2.jar")
        found = self.adb.shell(["toybox", "md5sum", JAR], deadline).stdout.split()
        if found[:1] != [hashlib.md5(jar, usedforsecurity=False).hexdigest()]:
            self.adb.push(JAR, jar, deadline)

    def _post(self, method: str, parameters: list[Any], deadline: Deadline) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
        with adb_socket.open_service(self.adb.port, self.adb.serial, f"tcp:{self.port}", deadline) as stream:
            status, answer = _http(stream, body)
        try:
            reply = json.loads(answer)
        except ValueError as error:
            raise TruncatedOutput(f"uiautomator2's server sent no JSON: {answer[:100]!r}", deadline.where) from error
        if status != 200 or not isinstance(reply, dict) or "result" not in reply:
            told = reply.get("error", reply) if isinstance(reply, dict) else reply
            raise CommandFailed(f"uiautomator2's server, {method}: {str(told)[:300]}", deadline.where)
        return reply["result"]

    def stop(self) -> None:
        """End the server if this object started it."""
        if self._process is not None:
            self._process.sock.close()
            self._process = None


def _http(stream: AdbStream, body: bytes) -> tuple[int, bytes]:
    """POST to the JSON-RPC address: (status, content); TruncatedOutput if the answer is not whole."""
    import h11

    client = h11.Connection(h11.CLIENT)
    headers = [("Host", "localhost"), ("Content-Type", "application/json"), ("Content-Length", str(len(body))),
               ("Accept-Encoding", ""), ("Connection", "close")]  # fmt: skip
    request = h11.Request(method="POST", target="/jsonrpc/0", headers=headers)
    stream.send(
        (client.send(request) or b"") + (client.send(h11.Data(body)) or b"") + (client.send(h11.EndOfMessage()) or b"")
    )
    status, content = 0, bytearray()
    try:
        while True:
            event = client.next_event()
            if event is h11.NEED_DATA:
                client.receive_data(stream.read())
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                content += event.data
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
                return status, bytes(content)
    except h11.RemoteProtocolError as error:
        raise TruncatedOutput(f"uiautomator2's answer is not whole: {error}", stream.deadline.where) from error


def available() -> bool:
    """Whether uiautomator2, which brings the server, is installed here."""
    try:
        return resources.files("uiautomator2").joinpath("assets/u2.jar").is_file()
    except ModuleNotFoundError:
        return False


def package_file(name: str) -> bytes:
    """A file of uiautomator2's package (u2.jar, app-uiautomator.apk); NotSupported without it."""
    try:
        return resources.files("uiautomator2").joinpath(f"assets/{name}").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise NotSupported(
            f"uiautomator2 with {name} is not installed", "", "pip install 'solar-eval[android]'"
        ) from error
