"""The command `solar-emulator`: start pocket phones, take a screenshot, write expert episodes.

Heavy imports stand inside the verbs, so that `--help` is quick.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

app = App(
    name="solar-emulator",
    help="Phones for GUI agents: the pocket phone, a small Android-like device in one Python process.",
)
MAX_PHONES = 256


class BadInput(ValueError):
    """An argument that can't be used; the message says what, where, and what to do."""


def parse_size(text: str) -> tuple[int, int]:
    """`1080x2400` -> (1080, 2400); BadInput for anything that is no size of 120 to 8192 pixels a side."""
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text.strip().lower())
    if not match or not all(120 <= int(side) <= 8192 for side in match.groups()):
        raise BadInput(f"--size {text!r}: give WIDTHxHEIGHT in pixels, each 120 to 8192, for example 1080x2400")
    return int(match[1]), int(match[2])


@app.command
def pocket(
    *,
    count: Annotated[int, Parameter(help="How many phones.")] = 1,
    size: Annotated[str, Parameter(help="WIDTHxHEIGHT in pixels, in portrait.")] = "1080x2400",
    seed: Annotated[int, Parameter(help="Seed of the first phone; the next ones count up.")] = 0,
    adb_port: Annotated[int, Parameter(help="adb port of the first phone; 0: chosen by the system.")] = 0,
    grpc_port: Annotated[int, Parameter(help="gRPC port of the first phone; 0: chosen by the system.")] = 0,
    host: Annotated[
        str, Parameter(help="Address to listen on. Anybody who reaches it controls the phones.")
    ] = "127.0.0.1",
) -> None:
    """Start pocket phones in the foreground, say how to connect, and run until Ctrl-C."""
    if not 1 <= count <= MAX_PHONES:
        raise BadInput(f"--count {count}: give 1 to {MAX_PHONES}")
    for name, port in (("--adb-port", adb_port), ("--grpc-port", grpc_port)):
        if port and not 1024 <= port <= 65535 - 2 * count:
            raise BadInput(f"{name} {port}: give 1024 to {65535 - 2 * count}, or 0 to let the system choose")
    wanted = parse_size(size)
    try:
        from emulator.pocket.server import PortError, serve
    except ImportError as error:
        raise BadInput(f"{error}; the network fronts need: pip install 'solar-eval[android]'") from error
    try:
        server = serve(count, wanted, seed, host=host, adb_port=adb_port, grpc_port=grpc_port)
    except PortError as error:
        raise BadInput(f"{error}; choose other ports, or 0 to let the system choose") from error
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        for handle in server.handles:
            print(f"phone {handle.serial}: adb connect {handle.address}")
            print(f"  or as {handle.emulator_serial}; console port {handle.console_port}, gRPC port {handle.grpc_port}")
        print("Ctrl-C stops them.", flush=True)
        stop.wait()
    finally:
        server.close()


@app.command
def screenshot(
    path: Annotated[Path, Parameter(help="PNG file to write.")],
    *,
    size: Annotated[str, Parameter(help="WIDTHxHEIGHT in pixels.")] = "1080x2400",
    seed: Annotated[int, Parameter(help="Seed of the phone.")] = 0,
    launch: Annotated[str, Parameter(help="Package to start first, for example com.android.settings.")] = "",
    dark: Annotated[bool, Parameter(help="Night mode.")] = False,
) -> None:
    """Write the screen of a fresh pocket phone as PNG."""
    from emulator.pocket.intents import ActivityNotFound
    from emulator.pocket.phone import Phone

    phone = Phone(seed=seed, size=parse_size(size), dark=dark)
    if launch:
        try:
            phone.launch(launch)
        except ActivityNotFound as error:
            known = ", ".join(sorted(app.package for app in phone.enabled_apps()))
            raise BadInput(f"--launch {launch}: no such app on the phone; it has {known}") from error
    path.write_bytes(phone.screenshot_png())
    print(path)


@app.command
def export(
    folder: Annotated[Path, Parameter(help="Where to write the files.")],
    *,
    form: Annotated[
        Literal["androidcontrol"], Parameter(name="--format", help="Schema of the records.")
    ] = "androidcontrol",
    episodes: Annotated[int, Parameter(help="How many expert episodes.")] = 4,
    size: Annotated[str, Parameter(help="WIDTHxHEIGHT in pixels.")] = "1080x2400",
    seed: Annotated[int, Parameter(help="Seed of the first episode.")] = 0,
) -> None:
    """Write expert episodes of the pocket phone as GZIP TFRecords in AndroidControl's schema."""
    if not 1 <= episodes <= 100_000:
        raise BadInput(f"--episodes {episodes}: give 1 to 100000")
    wanted = parse_size(size)
    from emulator.pocket.export import export_android_control

    print(export_android_control(folder, episodes=episodes, size=wanted, seed=seed))


def main() -> None:
    """Run the command line; bad input is one line on stderr and exit status 2."""
    try:
        app()
    except BadInput as error:
        print(f"solar-emulator: {error}", file=sys.stderr)
        sys.exit(2)
