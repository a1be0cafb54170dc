"""A stand-in for the Android emulator: same command line, ports, console and files; inside is a pocket phone.

What it copies of the real one: options it knows are listed by `-help` and others end it; `-port` is even and within
5554..5682, and both ports must be free; an AVD is locked unless all its emulators are `-read-only`; it registers with
the adb server of $ANDROID_ADB_SERVER_PORT; boot takes time; snapshots lie in the AVD's folder; the console's `kill`
and SIGTERM end it. `standin.fault` in the AVD's config.ini makes it fail: crash, crash_at_boot, never_boots,
ignores_kill, wrong_name, load_does_nothing, load_kills; `standin.boot_s` is how long a boot takes.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

FLAGS = ("no-window", "no-audio", "no-boot-anim", "read-only", "no-snapshot-save", "no-snapshot-load", "no-metrics",
         "skip-adb-auth", "wipe-data", "no-snapshot")  # fmt: skip
VALUES = ("avd", "port", "gpu", "memory", "cores", "snapshot", "grpc", "timezone", "accel", "prop")
KEPT = ("files", "settings")
SIZE = (216, 480)


if "-help" in sys.argv:  # before the imports, which take a second
    print("Android Emulator usage: emulator [options]\n  options:")
    print("\n".join(f"    -{name:<20} as the real one's" for name in (*FLAGS, *VALUES)))
    sys.exit(0)

from emulator.pocket import server as pocket_server  # noqa: E402
from emulator.pocket.fronts.console import Console  # noqa: E402
from emulator.pocket.fronts.snapshots import Snapshots  # noqa: E402
from emulator.pocket.phone import Phone  # noqa: E402
from emulator.sdk import read_ini  # noqa: E402


def fail(message: str, code: int = 1) -> None:
    print(f"ERROR        | {message}", flush=True)
    os._exit(code)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prefix_chars="-", allow_abbrev=False)
    for name in FLAGS:
        parser.add_argument(f"-{name}", action="store_true")
    for name in VALUES:
        parser.add_argument(f"-{name}", default="")
    return parser.parse_args()


class DiskSnapshots(Snapshots):
    """Snapshots that outlive the process: files and settings of the phone, in the AVD's folder."""

    folder = Path()
    read_only = False
    fault = ""

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*") if path.is_dir())

    def save(self, name: str) -> None:
        if self.read_only:
            return
        parts = {key: self.phone.snapshot().parts[key] for key in KEPT}
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / name / "ram.bin").write_bytes(pickle.dumps(parts))

    def load(self, name: str) -> bool:
        path = self.folder / name / "ram.bin"
        if not path.is_file():
            return False
        if self.fault == "load_kills":
            fail("color buffer 0x12 not found, aborting", 134)
        if self.fault != "load_does_nothing":
            with self.phone.lock:
                now = self.phone.snapshot()
                now.parts.update(pickle.loads(path.read_bytes()))
                self.phone.restore(now)
                self.phone.key("HOME")
        return True


def claim(avd: Path, read_only: bool) -> Any:
    """The AVD's lock: shared among read-only emulators, else for one alone."""
    lock = (avd / "hardware-qemu.ini.lock").open("w")
    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if read_only else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        fail("Running multiple emulators with the same AVD is an experimental feature. Use -read-only flag.")
    return lock


def boot(phone: Phone, seconds: float) -> None:
    """Android comes up; until then the phone says so."""
    time.sleep(seconds)
    with phone.lock:
        phone.properties |= {"sys.boot_completed": "1", "init.svc.bootanim": "stopped"}
        phone.set_awake(True)


def main() -> None:
    """Run until killed."""
    options = parse()
    home = Path(os.environ["ANDROID_AVD_HOME"])
    if not (home / f"{options.avd}.ini").is_file():
        fail(f"Unknown AVD name [{options.avd}], use -list-avds to see valid list.")
    avd = Path(read_ini(home / f"{options.avd}.ini")["path"])
    settings = read_ini(avd / "config.ini")
    fault, boot_s = settings.get("standin.fault", ""), float(settings.get("standin.boot_s", "0.2"))
    port = int(options.port or "5554")
    if port % 2 or not 5554 <= port <= 5682:
        fail(f"-port must be an even number within 5554 and 5682, not {port}")
    print("INFO         | Android emulator version 35.1.4.0 (stand-in)", flush=True)
    lock = claim(avd, options.read_only)
    if fault == "crash":
        fail("vkCreateInstance failed: no GPU for this emulator", 139)
    DiskSnapshots.folder, DiskSnapshots.read_only, DiskSnapshots.fault = avd / "snapshots", options.read_only, fault
    pocket_server.Snapshots = DiskSnapshots  # type: ignore[misc]
    stop = threading.Event()
    kill = Console._kill

    def killed(console: Console, rest: str) -> str:
        if fault != "ignores_kill":
            threading.Timer(0.05, stop.set).start()
        return kill(console, rest)

    Console._kill = killed  # type: ignore[method-assign]
    if fault == "ignores_kill":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 600; true"])
    else:
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    phone = Phone(seed=1, size=SIZE)
    phone.properties |= {"sys.boot_completed": "", "init.svc.bootanim": "running"}
    phone.set_awake(False)
    server = pocket_server.PocketServer()
    try:
        name = "Another" if fault == "wrong_name" else options.avd
        handle = server.add(phone, adb_port=port + 1, grpc_port=int(options.grpc or "0"), name=name)
    except OSError as error:
        fail(f"{error}")
    if options.snapshot and not handle.snapshots.load(options.snapshot):
        print(f"WARNING      | snapshot '{options.snapshot}' does not exist, booting cold", flush=True)
    with contextlib.suppress(OSError):
        pocket_server.announce(port + 1, int(os.environ.get("ANDROID_ADB_SERVER_PORT", "5037")))
    if fault == "crash_at_boot":
        time.sleep(boot_s)
        fail("qemu-system-x86_64: KVM internal error. Suberror: 3", 134)
    if fault != "never_boots":
        threading.Thread(target=boot, args=(phone, boot_s), daemon=True).start()
    stop.wait()
    print("INFO         | Wait for emulator to terminate, bye bye", flush=True)
    server.close()
    lock.close()


main()
