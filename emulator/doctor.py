"""Is this computer fit to run phones? Each finding says what was seen and, if something lacks, what to do.

A finding is `ok`, `fails`, `warns` (usable, with less) or `not proven`: a check that could not be made is never `ok`.
Nothing is changed, no adb server is started or ended, and nothing on the network is asked.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from emulator import sdk as android_sdk
from emulator.device_errors import DeviceError, NotSupported
from emulator.ports import ADB_DEFAULT, CONSOLE_PORTS, SCANNED, is_free

Status = Literal["ok", "warns", "fails", "not proven"]
Purpose = Literal["pocket", "emulators", "android_world", "model"]

GUEST_SECONDS = 20.0
KERNEL_SECONDS = 60.0
PHONE_SECONDS = 90.0
MEMORY_GB, DISK_GB, CORES = 4.0, 9.0, 2
EXTRA_FIX = "pip install 'solar-eval[android]'"
KERNELS = Path("/boot")
LIBRARIES = ("adbutils", "uiautomator2", "android-env", "immutabledict", "grpcio", "protobuf")


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's. needed: for which purposes it must be ok."""

    name: str
    status: Status
    said: str
    fix: str = ""
    needed: tuple[Purpose, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return asdict(self)


def blocks(finding: Finding, purposes: Sequence[Purpose]) -> bool:
    """Whether it stands in the way of one of these purposes. What was not proven does not, but is said."""
    return finding.status == "fails" and any(purpose in finding.needed for purpose in purposes)


def examine(purposes: Sequence[Purpose]) -> list[Finding]:
    """Every check of this computer; the phone itself is started only where it is asked for."""
    findings = [python(), libraries(), adb(), adb_server(), memory(), disk(), ports(), *sdk(), kvm(), kernel()]
    if "pocket" in purposes:
        findings.append(pocket())
    return findings


def python() -> Finding:
    """Version and system."""
    said = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return Finding("python", "ok", said)


def libraries() -> Finding:
    """Versions of what the android extra installs, and whether they can be imported together."""
    found, lacking = [], []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            lacking.append(name)
    needed: tuple[Purpose, ...] = ("pocket", "emulators", "android_world")
    if lacking:
        return Finding("libraries", "fails", f"missing: {', '.join(lacking)}", EXTRA_FIX, needed)
    code = "import adbutils, uiautomator2, grpc; from android_env.proto import emulator_controller_pb2"
    done = run_program([sys.executable, "-c", code], PHONE_SECONDS)
    if done.code:
        return Finding("libraries", "fails", last_line(done.output), EXTRA_FIX + " --upgrade", needed)
    return Finding("libraries", "ok", ", ".join(found))


def adb() -> Finding:
    """The adb that is used, and its version."""
    from emulator.adb_server import find_adb

    needed: tuple[Purpose, ...] = ("pocket", "emulators", "android_world")
    try:
        path = find_adb()
    except NotSupported as error:
        return Finding("adb", "fails", error.what, error.fix, needed)
    done = run_program([path, "version"], 10.0)
    match = re.search(r"Version (\S+)", done.output)
    if done.code or not match:
        return Finding("adb", "fails", f"{path}: {last_line(done.output)}", "reinstall platform-tools", needed)
    old = int(match[1].split(".")[0]) < 29
    return Finding(
        "adb", "warns" if old else "ok", f"{match[1]} at {path}", "install newer platform-tools" if old else ""
    )


def adb_server() -> Finding:
    """What listens on adb's usual port; fleets of ours start servers of their own and leave it alone."""
    from emulator.adb_socket import Deadline, host_request

    port = int(os.environ.get("ANDROID_ADB_SERVER_PORT", ADB_DEFAULT))
    if is_free(port):
        return Finding(
            "adb server", "ok", f"none on port {port}; `--devices SERIAL` needs one", f"adb -P {port} start-server"
        )
    try:
        devices = host_request(port, "host:devices", Deadline(3.0, "adb server")).split("\n")
    except DeviceError as error:
        return Finding("adb server", "warns", f"port {port} is taken, but {error.what}", "see who listens there")
    listed = ", ".join(line.replace("\t", " ") for line in devices if line) or "no phones"
    bad = any("\tdevice" not in line for line in devices if line)
    fix = "unplug and plug in again, or accept the computer's key on the phone" if bad else ""
    return Finding("adb server", "warns" if bad else "ok", f"on port {port}: {listed}", fix)


def memory() -> Finding:
    """Free memory against what an emulator takes."""
    free = _free_memory_gb()
    if free is None:
        return Finding("memory", "not proven", "this system does not tell how much is free")
    fits = int(free / MEMORY_GB)
    cores = (os.cpu_count() or 1) // CORES
    said = f"{free:.1f} GB free: {fits} emulators by memory ({MEMORY_GB:g} GB each), {cores} by cores ({CORES} each)"
    if not fits or not cores:
        return Finding("memory", "fails", said, "free some, or give an emulator less: ?memory=2048", ("emulators",))
    return Finding("memory", "ok", said)


def _free_memory_gb() -> float | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    match = re.search(r"MemAvailable:\s+(\d+) kB", text)
    return int(match[1]) / 1024**2 if match else None


def disk() -> Finding:
    """Free space where AVDs lie, and for temporary files."""
    home = Path(os.environ.get("ANDROID_AVD_HOME") or "~/.android/avd").expanduser()
    while not home.exists():
        home = home.parent
    avds, temporary = (shutil.disk_usage(place).free / 1e9 for place in (home, tempfile.gettempdir()))
    said = f"{avds:.0f} GB free at {home}, {temporary:.0f} GB at {tempfile.gettempdir()}"
    if temporary < 0.5:
        return Finding("disk", "fails", said, "free some space", ("pocket", "emulators", "android_world"))
    if avds < DISK_GB:
        return Finding("disk", "fails", said, f"an AVD takes {DISK_GB:g} GB: set ANDROID_AVD_HOME", ("emulators",))
    return Finding("disk", "ok", said)


def ports() -> Finding:
    """Whether ports for emulators are free, and who sits where adb servers look."""
    free = sum(is_free(port) and is_free(port + 1) for port in CONSOLE_PORTS)
    taken = [port for port in SCANNED if not is_free(port)]
    said = f"{free} pairs free for emulators within {CONSOLE_PORTS[0]}..{CONSOLE_PORTS[-1] + 1}"
    said += f"; in use where adb looks for emulators: {', '.join(map(str, taken))}" if taken else ""
    if not free:
        return Finding("ports", "fails", said, "end emulators that are left over", ("emulators",))
    return Finding("ports", "ok", said)


def sdk() -> list[Finding]:
    """SDK, emulator, system image, AVDs."""
    needed: tuple[Purpose, ...] = ("emulators",)
    try:
        found = android_sdk.find_sdk()
        program = found.program("emulator")
    except NotSupported as error:
        return [Finding("sdk", "fails", error.what, error.fix, needed)]
    version = re.search(r"version ([\d.]+)", run_program([program, "-version"], 30.0, found.environment()).output)
    out = [Finding("sdk", "ok", f"{found.root}, emulator {version[1] if version else 'of unknown version'}")]
    image = android_sdk.image_package()
    if found.has_image(image):
        out.append(Finding("system image", "ok", image))
    else:
        out.append(Finding("system image", "fails", f"{image} is not installed", f'sdkmanager "{image}"', needed))
    avds = found.avds()
    fix = "" if avds else "python -c 'from emulator.sdk import find_sdk; find_sdk().create(\"AndroidWorld\")'"
    said = f"in {found.avd_home}: {', '.join(avds) or 'none'}"
    return [*out, Finding("avds", "ok" if avds else "fails", said, fix, needed)]


def kvm() -> Finding:
    """Whether /dev/kvm runs guests (kvm.py), in a process that can be ended."""
    needed: tuple[Purpose, ...] = ("emulators",)
    if platform.system() != "Linux":
        return Finding(
            "kvm", "not proven", f"{platform.system()} has another hypervisor; `emulator -accel-check` asks it"
        )
    if not Path("/dev/kvm").exists():
        fix = "enable virtualisation in the BIOS, or nested virtualisation of the host; `modprobe kvm`"
        return Finding("kvm", "fails", "there is no /dev/kvm", fix, needed)
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return Finding(
            "kvm", "fails", "/dev/kvm may not be opened", "sudo usermod -aG kvm $USER, then log in anew", needed
        )
    done = run_program([sys.executable, "-m", "emulator.kvm"], GUEST_SECONDS, os.environ | {"PYTHONPATH": _root()})
    said = "; ".join(done.output.split("\n"))
    if done.code == 3:
        return Finding("kvm", "not proven", said)
    if done.code:
        what = f"a guest hung for {GUEST_SECONDS:g} s" if done.code == TIMED_OUT else "a guest does not run"
        return Finding(
            "kvm", "fails", f"{what}: {said}", "this host's (nested) virtualisation is broken: use another", needed
        )
    return Finding("kvm", "ok", said)


def kernel() -> Finding:
    """Whether a stock kernel boots under KVM, where there are a kernel and a QEMU to try."""
    needed: tuple[Purpose, ...] = ("emulators",)
    qemu = shutil.which(f"qemu-system-{platform.machine()}")
    kernels = [path for path in sorted(KERNELS.glob("vmlinuz*")) if os.access(path, os.R_OK)]
    if not qemu or not kernels or not os.access("/dev/kvm", os.R_OK | os.W_OK):
        lacks = [what for what, there in (("a QEMU", qemu), ("a readable kernel in /boot", kernels)) if not there]
        said = f"no kernel was booted (there is not {' and not '.join(lacks) or '/dev/kvm'})"
        return Finding("kernel", "not proven", said, "install qemu-system, or boot an AVD: `pytest -m emulator`")
    line = ["-accel", "kvm", "-m", "512", "-display", "none", "-serial", "stdio", "-monitor", "none", "-no-reboot"]
    line += ["-kernel", str(kernels[-1]), "-append", "console=ttyS0 panic=-1"]
    done = run_program([qemu, *line], KERNEL_SECONDS)
    if "Linux version" in done.output and re.search(r"Unable to mount root|Run /init|VFS: ", done.output):
        return Finding("kernel", "ok", f"{kernels[-1].name} booted under KVM")
    said = f"{kernels[-1].name} did not come up within {KERNEL_SECONDS:g} s: {last_line(done.output)}"
    return Finding("kernel", "fails", said, "this host's (nested) virtualisation is broken: use another", needed)


def pocket() -> Finding:
    """The built-in phone, started and leased over real adb."""
    code = (
        "from emulator.fleet import open_devices\n"
        "with open_devices('pocket:1?size=216x480') as fleet, fleet.lease(60) as device:\n"
        "    print(device.foreground().package, len(device.ui_tree().elements), 'elements')"
    )
    done = run_program([sys.executable, "-c", code], PHONE_SECONDS, os.environ | {"PYTHONPATH": _root()})
    if done.code:
        return Finding("pocket phone", "fails", last_line(done.output), EXTRA_FIX, ("pocket",))
    return Finding("pocket phone", "ok", f"leased over adb: {last_line(done.output)}")


TIMED_OUT = -1


@dataclass(frozen=True)
class Done:
    """How a program ended."""

    code: int
    output: str


def run_program(command: Sequence[str], seconds: float, env: dict[str, str] | None = None) -> Done:
    """Exit code and both outputs of a program in a session of its own; TIMED_OUT, with the whole group ended."""
    import signal

    try:
        process = subprocess.Popen(
            list(command), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Done(127, str(error))
    try:
        output, _ = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = TIMED_OUT
    return Done(code, output.decode(errors="replace").replace("\r", "").strip())


def last_line(text: str) -> str:
    """The last line that is not empty, at most 300 characters."""
    return text.strip().rpartition("\n")[2][:300] or "(it said nothing)"


def _root() -> str:
    """Where this package lies, for child processes."""
    return os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
