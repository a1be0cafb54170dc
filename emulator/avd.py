"""One real emulator: launched with ports of its own and an adb server of its own, ready when that is seen.

    with Emulator(find_sdk(), Boot("AndroidWorld", snapshot="blessed")) as emulator:
        emulator.device.screenshot()

Facts (public reports, ../shared/facts/android_world.md section 3): one adb server an emulator (Detox#4900); launches
one after another, since simultaneous ones read each other's configuration (Detox#2106); a `-port` that a wrapper lost
(docker-android#498), so the console is asked which AVD answers; "OK" of a loaded snapshot is no readiness
(auto-mobile#6489); the emulator's own words in every error (android_env#15); after about 64 loads it dies
(MobileWorld#48), so `loads` are counted; a boot that never ends (dotnet/android#660) has a deadline.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from emulator import health
from emulator.adb import AdbDevice
from emulator.adb_server import AdbServer
from emulator.adb_snapshots import LOAD_SECONDS, Console, ConsoleStore
from emulator.adb_socket import Deadline
from emulator.device import Foreground
from emulator.device_errors import CommandFailed, DeviceError, DeviceOffline, DeviceTimeout, NotSupported
from emulator.ports import PortAllocator, Ports, lock_folder
from emulator.processes import OwnProcess

if TYPE_CHECKING:
    from emulator.sdk import Sdk

ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
POLL_SECONDS = 0.25
LAUNCH_SECONDS = 120.0
ROOT_SECONDS = 30.0
NOT_HOME = ("", "android", "com.android.systemui")
FALLBACK_HOME = "FallbackHome"


@dataclass(frozen=True)
class Boot:
    """What is booted, and how.

    name: the AVD. snapshot: state to start from and to come back to ("": cold boot). read_only: one of several clones
    of the AVD; what it does is forgotten at its end. memory_mb, cores: of the guest (4 GB and 2 cores are what
    AndroidWorld wants). root: restart adbd as root. stagger_s: pause between two launches. boot_s: longest boot.
    extra: further options of the emulator.
    """

    name: str
    snapshot: str = ""
    read_only: bool = True
    memory_mb: int = 4096
    cores: int = 2
    gpu: str = "swiftshader_indirect"
    root: bool = True
    stagger_s: float = 3.0
    boot_s: float = 300.0
    extra: tuple[str, ...] = ()


@dataclass
class Booted:
    """What a boot showed. seconds: until adb listed it, until Android said it booted, until it was ready.

    clock_offset_s: the phone's clock minus ours. foreground: the launcher that was in front.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    fingerprint: str = ""
    api_level: str = ""
    clock_offset_s: float = 0.0
    foreground: Foreground | None = None


class WatchedStore(ConsoleStore):
    """An emulator's own snapshots; a load that ends the emulator is noticed at once.

    alive: raises if the process is gone. answers: a call that raises `DeviceError` while the phone is away.
    """

    def __init__(self, console: Console, alive: Callable[[], None], answers: Callable[[], object]) -> None:
        super().__init__(console)
        self._alive, self._answers = alive, answers

    def load(self, name: str) -> None:
        """Load, and wait until the phone answers again or its process is gone."""
        deadline = Deadline(LOAD_SECONDS, f"{self.console.serial}: restore")
        try:
            super().load(name)
        except CommandFailed:
            self._alive()
            raise
        while True:
            self._alive()
            with contextlib.suppress(DeviceError):
                self._answers()
                return
            deadline.pause(POLL_SECONDS)


class Emulator:
    """One emulator process, from `start` to `stop`. `device` is its phone, `booted` what its boot showed."""

    def __init__(self, sdk: Sdk, boot: Boot, allocator: PortAllocator | None = None) -> None:
        self.sdk, self.boot = sdk, boot
        self.loads = 0
        self.booted = Booted()
        self._allocator = allocator or PortAllocator()
        self._ports: Ports | None = None
        self._adb: AdbServer | None = None
        self._process: OwnProcess | None = None
        self._device: AdbDevice | None = None

    @property
    def device(self) -> AdbDevice:
        """The phone; DeviceOffline if the emulator does not run."""
        if self._device is None:
            raise DeviceOffline("the emulator does not run", self.boot.name)
        return self._device

    @property
    def where(self) -> str:
        """Serial and AVD, for messages."""
        return f"{self._ports.serial if self._ports else 'emulator'} ({self.boot.name})"

    def command(self, ports: Ports) -> list[str]:
        """The command line. Options this version does not know are left out where nothing depends on them."""
        known, boot = self.sdk.emulator_flags(), self.boot
        words = [self.sdk.program("emulator"), "-avd", boot.name, "-port", str(ports.console), "-no-window"]
        words += ["-no-audio", "-no-boot-anim", "-gpu", boot.gpu, "-memory", str(boot.memory_mb)]
        words += ["-cores", str(boot.cores), "-no-snapshot-save"]
        words += ["-snapshot", boot.snapshot] if boot.snapshot else ["-no-snapshot-load"]
        words += ["-read-only"] if boot.read_only else []
        for option in (("-grpc", str(ports.grpc)), ("-timezone", "UTC"), ("-no-metrics",), ("-skip-adb-auth",)):
            words += option if option[0] in known else ()
        return [*words, *boot.extra]

    def start(self) -> Self:
        """Launch and wait until it is ready; a `DeviceError` with the emulator's last words if it never is."""
        began = time.monotonic()
        self._ports = self._allocator.take()
        try:
            self._adb = AdbServer(self.sdk.program("adb"), self._ports.adb_server).start()
            deadline = Deadline(self.boot.boot_s, self.where)
            with launch_mutex(self.boot.stagger_s):
                env = self.sdk.environment() | {"ANDROID_ADB_SERVER_PORT": str(self._ports.adb_server)}
                self._process = OwnProcess(f"emulator {self.boot.name}", self.command(self._ports), env)
                self._until_listed(deadline)
            self.booted.seconds["listed"] = time.monotonic() - began
            ports, adb = self._parts()
            console = Console(ports.serial, adb.port, adb.path)
            store = WatchedStore(console, self._alive, lambda: self.device.shell("true", timeout=2.0))
            self._device = AdbDevice(ports.serial, server_port=adb.port, adb_path=adb.path, snapshots=store)
            self._until_booted(deadline)
            self.booted.seconds["booted"] = time.monotonic() - began
            self._prepare(deadline)
            self._until_ready(deadline)
            self.booted.seconds["ready"] = time.monotonic() - began
        except BaseException as error:
            last_words = self._process.tail() if self._process is not None else ""
            self.stop(hard=not isinstance(error, DeviceError))
            if isinstance(error, DeviceError) and last_words and last_words not in str(error):
                raise type(error)(f"{error.what}; the emulator's last output:\n{last_words}", error.where) from error
            raise
        return self

    def _alive(self) -> None:
        if self._process is None:
            raise DeviceOffline("the emulator does not run", self.where)
        self._process.check(self.where)

    def _parts(self) -> tuple[Ports, AdbServer]:
        """Ports and adb server; DeviceOffline once it was stopped (by another thread)."""
        if self._ports is None or self._adb is None:
            raise DeviceOffline("the emulator was stopped", self.boot.name)
        return self._ports, self._adb

    def _until_listed(self, deadline: Deadline) -> None:
        """Until the adb server lists it as usable, and its console says that it is the AVD that was asked for."""
        ports, adb = self._parts()
        while adb.devices().get(ports.serial) != "device":
            self._alive()
            with contextlib.suppress(DeviceOffline, DeviceTimeout):  # it registers by itself as well; not listening yet
                adb.announce(ports.adb, POLL_SECONDS)
            deadline.pause(POLL_SECONDS)
        name = Console(ports.serial, adb.port, adb.path).run("avd name").split()[:1]
        if name != [self.boot.name]:
            raise DeviceOffline(f"the emulator on port {ports.console} is AVD {name}, not this one", self.where)

    def _until_booted(self, deadline: Deadline) -> None:
        """Until Android says that it has booted and its boot animation has stopped."""
        last = ""
        while True:
            self._alive()
            try:
                asked = self.device.shell("getprop sys.boot_completed; getprop init.svc.bootanim", timeout=5.0)
                last = asked.stdout
                if last.split() == ["1", "stopped"]:
                    return
            except DeviceError as error:
                last = error.what
            try:
                deadline.pause(POLL_SECONDS)
            except DeviceTimeout as error:
                raise DeviceTimeout(f"not booted within {self.boot.boot_s:g} s: {last!r}", self.where) from error

    def _prepare(self, deadline: Deadline) -> None:
        """Root, no animations; and what there is to know about the phone."""
        if self.boot.root:
            self._become_root(deadline)
        for name in ANIMATIONS:
            self.device.shell(["settings", "put", "global", name, "0"])
        asked = self.device.shell("getprop ro.build.fingerprint; getprop ro.build.version.sdk; date +%s").stdout.split()
        if len(asked) == 3 and asked[2].isdigit():
            self.booted.fingerprint, self.booted.api_level = asked[:2]
            self.booted.clock_offset_s = int(asked[2]) - time.time()

    def _become_root(self, deadline: Deadline) -> None:
        """`adb root`; NotSupported for an image that can't (Play Store images)."""
        ports, adb = self._parts()
        if self.device.shell("whoami").stdout.strip() == "root":
            return
        line = [adb.path, "-P", str(adb.port), "-s", ports.serial, "root"]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(line, capture_output=True, timeout=ROOT_SECONDS, check=False, stdin=subprocess.DEVNULL)
        self._until_booted(deadline)
        if self.device.shell("whoami").stdout.strip() != "root":
            raise NotSupported(
                "this image can't be root", self.where, "use a google_apis image, not google_apis_playstore"
            )

    def _until_ready(self, deadline: Deadline) -> None:
        """Until the launcher is in front, with a picture that is not black and a fresh hierarchy."""
        last = ""
        while True:
            self._alive()
            try:
                self.device.press("home")
                seen = health.check(self.device).observation
                front = seen.foreground
                if front is not None and front.package not in NOT_HOME and FALLBACK_HOME not in front.activity:
                    self.booted.foreground = front
                    return
                last = f"{front} is in front, not a launcher"
            except DeviceError as error:
                last = error.what
            try:
                deadline.pause(POLL_SECONDS)
            except DeviceTimeout as error:
                raise DeviceTimeout(f"not ready within {self.boot.boot_s:g} s: {last}", self.where) from error

    def load(self, name: str = "") -> None:
        """Bring back a snapshot (that of the boot), checked by its mark and by a look; counts in `loads`."""
        name = name or self.boot.snapshot
        if not name:
            raise NotSupported("booted without a snapshot", self.where)
        self._alive()
        self.loads += 1
        try:
            self.device.restore(name)
            self._until_ready(Deadline(self.boot.boot_s, self.where))
        except DeviceError as error:
            tail = self._process.tail() if self._process is not None else ""
            raise type(error)(
                f"loading {name!r}: {error.what}; the emulator's last output:\n{tail}", self.where
            ) from error

    def stop(self, *, hard: bool = False) -> None:
        """End it: by its console, then by signals to its own process group. Safe to call twice; raises nothing."""
        device, self._device = self._device, None
        process, self._process = self._process, None
        if process is not None:
            if device is not None and not hard:
                with contextlib.suppress(DeviceError):
                    device.close()
            process.end(None if hard or self._adb is None else self._kill_by_console)
        adb, self._adb = self._adb, None
        if adb is not None:
            adb.stop()
        ports, self._ports = self._ports, None
        if ports is not None:
            ports.release()

    def _kill_by_console(self) -> None:
        if self._ports is not None and self._adb is not None:
            Console(self._ports.serial, self._adb.port, self._adb.path).run("kill", 5.0)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()


@contextlib.contextmanager
def launch_mutex(stagger_s: float) -> Iterator[None]:
    """One launch at a time on this computer, and a pause after it. DeviceTimeout if one before it never gets on."""
    from filelock import FileLock, Timeout

    lock = FileLock(lock_folder() / "launch.lock", thread_local=False)
    try:
        lock.acquire(timeout=LAUNCH_SECONDS)
    except Timeout as error:
        raise DeviceTimeout(
            f"another launch holds the launch lock for more than {LAUNCH_SECONDS:g} s", "avd"
        ) from error
    try:
        yield
        time.sleep(stagger_s)
    finally:
        lock.release()


def bless(sdk: Sdk, name: str, snapshot: str = "blessed", *, boot: Boot | None = None) -> Booted:
    """Boot an AVD alone and writable, cold, and keep its state as the snapshot that clones start from.

    Set the phone up before (apps, permissions): what is on its disk is in the snapshot. A snapshot is valid only for
    this emulator version, this image and this computer (Android's documentation; DigiRL#53).
    """
    wanted = boot or Boot(name)
    plain = Boot(name, "", False, wanted.memory_mb, wanted.cores, wanted.gpu, wanted.root, boot_s=wanted.boot_s)
    with Emulator(sdk, plain) as emulator:
        emulator.device.snapshot(snapshot)
        return emulator.booted
