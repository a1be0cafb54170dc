"""The emulator's telnet console: sms, gsm, geo, avd, power, rotate, kill, auth, help, ping, quit.

Definition: developer.android.com/studio/run/emulator-console. No token is asked for. `adb emu` sends its command and
`quit` in one go and shows what stands behind the second OK line (AOSP adb console.cpp); a console that asks for no
token gives one OK only, so for a client that pipelines like that a second one is sent first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from emulator.pocket import calls
from emulator.pocket.fronts.snapshots import Snapshots
from emulator.pocket.phone import Phone
from emulator.pocket.shell.endpoint import Endpoint

GREETING = "Android Console: type 'help' for a list of commands\r\nOK\r\n"
LOCATION = "gps.pocket.location"  # a property: "latitude,longitude"
CALLS: dict[str, Callable[[Phone, str], None]] = {
    "call": calls.ring,
    "accept": lambda phone, number: calls.answer(phone),
    "cancel": lambda phone, number: calls.hang_up(phone),
    "busy": lambda phone, number: calls.hang_up(phone),
}
MAX_LINE = 64 << 10
MAX_CLIENTS = 64
VERBS = {
    "avd": "control the virtual device",
    "auth": "user authentication (none is needed)",
    "call": "a call comes in",
    "event": "simulate hardware events",
    "finger": "manage the fingerprint sensor",
    "geo": "location commands",
    "gsm": "telephony commands",
    "help": "this list",
    "kill": "cut every connection",
    "network": "network settings",
    "ping": "check if the console is alive",
    "power": "power commands",
    "redir": "port redirections",
    "rotate": "turn the screen by 90 degrees",
    "sensor": "sensor commands",
    "sms": "text messages",
    "quit": "leave the console",
}


class CommandFailed(Exception):
    """Answered with KO and the message."""


class Console:
    """The console of one phone. on_kill: what `kill` does."""

    def __init__(self, endpoint: Endpoint, snapshots: Snapshots, name: str, on_kill: Callable[[], None]) -> None:
        self.endpoint = endpoint
        self.phone = endpoint.phone
        self.snapshots = snapshots
        self.name = name
        self.on_kill = on_kill
        self.clients = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, until it quits or goes."""
        if self.clients >= MAX_CLIENTS:
            writer.transport.abort()
            return
        self.clients += 1
        try:
            writer.write(GREETING.encode())
            await self._talk(reader, writer)
        except (ConnectionError, ValueError) as error:
            self.endpoint.note("console", f"client dropped: {type(error).__name__}")
        finally:
            self.clients -= 1
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        buffer, first = b"", True
        while data := await reader.read(4096):
            buffer += data
            if len(buffer) > MAX_LINE:
                raise ValueError("line too long")
            *lines, buffer = buffer.split(b"\n")
            for index, raw in enumerate(lines):
                line = raw.decode("utf-8", "replace").strip("\r")
                if line in ("quit", "exit"):
                    return
                if first and not line.startswith("auth") and any(b"quit" in later for later in lines[index + 1 :]):
                    writer.write(b"OK\r\n")
                first = False
                if line:
                    writer.write(self.answer(line).encode("utf-8", "surrogateescape"))
                    await writer.drain()
                if line == "kill":
                    return

    def answer(self, line: str) -> str:
        """What one command prints, OK or KO included."""
        verb, _, rest = line.strip().partition(" ")
        action = getattr(self, f"_{verb}", None) if verb in VERBS else None
        if action is None:
            return "KO: unknown command, try 'help'\r\n"
        try:
            with self.phone.lock:
                text: str = action(rest.strip())
        except CommandFailed as error:
            return f"KO: {error}\r\n"
        return (text.replace("\n", "\r\n") if text else "") + "OK\r\n"

    def _help(self, rest: str) -> str:
        return "Android console commands:\n\n" + "".join(f"    {verb:<9}{text}\n" for verb, text in VERBS.items())

    def _auth(self, rest: str) -> str:
        return ""

    def _ping(self, rest: str) -> str:
        return "I am alive!\n"

    def _nothing(self, rest: str) -> str:
        """network, event, sensor, finger, redir: accepted, without effect."""
        return ""

    _network = _event = _sensor = _finger = _redir = _nothing

    def _sms(self, rest: str) -> str:
        verb, _, arguments = rest.partition(" ")
        number, _, text = arguments.strip().partition(" ")
        if verb != "send" or not number or not text:
            raise CommandFailed("usage: sms send <phonenumber> <message>")
        self.phone.sms_received(number, text)
        return ""

    def _gsm(self, rest: str) -> str:
        verb, _, number = rest.partition(" ")
        if verb in ("call", "accept", "cancel", "busy", "hold"):
            if not number:
                raise CommandFailed(f"missing argument, try 'gsm {verb} <phonenumber>'")
            if verb in CALLS:
                CALLS[verb](self.phone, number)
            return ""
        if verb in ("data", "voice", "signal", "signal-profile", "status", "list"):
            return ""
        raise CommandFailed("bad sub-command")

    def _call(self, rest: str) -> str:
        return self._gsm(f"call {rest}")

    def _geo(self, rest: str) -> str:
        words = rest.split()
        if words[:1] != ["fix"] or len(words) < 3:
            raise CommandFailed("usage: geo fix <longitude> <latitude> [<altitude>]")
        try:
            longitude, latitude = float(words[1]), float(words[2])
        except ValueError as error:
            raise CommandFailed("argument 'longitude' or 'latitude' is not a number") from error
        if not (-180 <= longitude <= 180 and -90 <= latitude <= 90):
            raise CommandFailed("longitude or latitude out of range")
        self.phone.properties[LOCATION] = f"{latitude},{longitude}"
        return ""

    def _avd(self, rest: str) -> str:
        words = rest.split()
        if words == ["name"]:
            return f"{self.name}\n"
        if words == ["status"]:
            return "virtual device is running\n"
        if words[:1] == ["snapshot"]:
            return self._avd_snapshot(words[1:])
        if words[:1] in (["path"], ["discoverypath"], ["start"], ["stop"]):
            return ""
        raise CommandFailed("bad sub-command")

    def _avd_snapshot(self, words: list[str]) -> str:
        verb, name = (words[0] if words else ""), (words[1] if len(words) > 1 else "")
        if verb == "list":
            return "".join(f"{index} {name}\n" for index, name in enumerate(self.snapshots.names(), 1))
        if verb not in ("save", "load", "delete", "del") or not name:
            raise CommandFailed("usage: avd snapshot list|save|load|delete [<name>]")
        if verb == "save":
            self.snapshots.save(name)
        elif not (self.snapshots.load(name) if verb == "load" else self.snapshots.delete(name)):
            raise CommandFailed(f"Snapshot {name!r} does not exist")
        return ""

    def _power(self, rest: str) -> str:
        return "AC: online\nstatus: Full\nhealth: Good\npresent: true\ncapacity: 100\n" if rest == "display" else ""

    def _rotate(self, rest: str) -> str:
        table = self.phone.settings["system"]
        table["user_rotation"] = str((int(table.get("user_rotation", "0")) + 1) % 4)
        self.phone.touched()
        return ""

    def _kill(self, rest: str) -> str:
        self.on_kill()
        return "OK: killing emulator, bye bye\n"
