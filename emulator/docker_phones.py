"""Emulators in containers: one container a lease, thrown away after it.

The image is the user's: anything that runs an Android emulator and answers adb on a port (google/
android-emulator-container-scripts, budtmo/docker-android, one's own). Facts: a container works once and never boots
again after a restart (android_world#313), so none is used twice; it needs /dev/kvm; the emulator's SIM is off where
IPv6 is on (MobileWorld's entrypoint), so it is switched off; published ports are on loopback only, since whoever
reaches adb controls the phone. Containers bear a label with our process number; only what was started here is removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from emulator import health
from emulator.adb import AdbDevice
from emulator.adb_server import AdbServer
from emulator.adb_socket import Deadline
from emulator.device import Device
from emulator.device_errors import CommandFailed, DeviceError, DeviceOffline, DeviceTimeout, NotSupported
from emulator.sources import Limits, Source

DOCKER_SECONDS = 120.0
PULL_SECONDS = 1800.0
REMOVE_SECONDS = 30.0
POLL_SECONDS = 0.5
LABEL = "solar-eval.owner"
IMAGE = re.compile(r"[a-zA-Z0-9][\w./:@-]*")


@dataclass(frozen=True)
class Container:
    """How containers are run. port: where adb answers inside. args: further options of `docker run`."""

    image: str
    port: int = 5555
    kvm: bool = True
    boot_s: float = 600.0
    args: tuple[str, ...] = ()
    program: str = "docker"

    def command(self, name: str) -> list[str]:
        """`docker run` as a list of words; the system chooses the published port."""
        words = [self.program, "run", "--detach", "--name", name, "--label", f"{LABEL}={os.getpid()}"]
        words += ["--publish", f"127.0.0.1::{self.port}", "--sysctl", "net.ipv6.conf.all.disable_ipv6=1"]
        words += ["--device", "/dev/kvm"] if self.kvm else []
        return [*words, *self.args, self.image]


class Containers:
    """A source of phones in containers."""

    replaces = True

    def __init__(self, container: Container) -> None:
        self.container = container
        self.name = f"docker:{container.image}"
        self.limits = Limits(start=container.boot_s + PULL_SECONDS, check=120.0, stop=REMOVE_SECONDS + 10)
        self._lock = threading.Lock()
        self._names: dict[str, str] = {}
        self._started: set[str] = set()
        self._servers: dict[str, AdbServer] = {}
        self._closed = False

    def start(self, number: int) -> Device:
        """A fresh container with a phone that has booted; its own words in the error if it does not."""
        name = f"solar-eval-{os.getpid()}-{number}-{secrets.token_hex(3)}"
        with self._lock:
            if self._closed:
                raise DeviceOffline("the fleet is closed", self.name)
            self._started.add(name)
        try:
            self._docker(self.container.command(name), PULL_SECONDS)
            return self._wait(name, Deadline(self.container.boot_s, name))
        except BaseException as error:
            last_words = self._logs(name)
            self._remove(name)
            if isinstance(error, DeviceError) and last_words:
                raise type(error)(f"{error.what}; the container's last output:\n{last_words}", name) from error
            raise

    def _wait(self, name: str, deadline: Deadline) -> Device:
        address = self._address(name)
        server = AdbServer().start()
        with self._lock:
            self._servers[name] = server
        last = "not connected"
        while True:
            if not self._runs(name):
                raise DeviceOffline("the container ended by itself", name)
            try:
                server.connect(address, 5.0)
                device = AdbDevice(address, server_port=server.port, adb_path=server.path)
                asked = device.shell("getprop sys.boot_completed", timeout=5.0).stdout.strip()
                if asked == "1":
                    device.press("home")
                    health.check(device)
                    break
                last = f"sys.boot_completed is {asked!r}"
            except DeviceError as error:
                last = error.what
                with contextlib.suppress(DeviceError):
                    server.disconnect(address)
            try:
                deadline.pause(POLL_SECONDS)
            except DeviceTimeout as error:
                raise DeviceTimeout(f"not ready within {self.container.boot_s:g} s: {last}", name) from error
        with self._lock:
            closed = self._closed
            self._names[address] = name
        if closed:
            raise DeviceOffline("the fleet is closed", self.name)
        return device

    def _address(self, name: str) -> str:
        said = self._docker([self.container.program, "port", name, f"{self.container.port}/tcp"])
        for line in said.splitlines():
            if re.fullmatch(r"127\.0\.0\.1:\d+", line.strip()):
                return line.strip()
        raise DeviceOffline(f"port {self.container.port} is not published: {said!r}", name)

    def _runs(self, name: str) -> bool:
        words = [self.container.program, "inspect", "--format", "{{.State.Running}}", name]
        return self._docker(words).strip() == "true"

    def _logs(self, name: str) -> str:
        with contextlib.suppress(DeviceError):
            return self._docker([self.container.program, "logs", "--tail", "20", name])[-1500:]
        return ""

    def _docker(self, words: list[str], seconds: float = DOCKER_SECONDS) -> str:
        """Output of one docker command; a typed error with what it said."""
        where = " ".join(words[:2])
        try:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                check=False, start_new_session=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise DeviceTimeout(f"no end within {seconds:g} s", where) from error
        except OSError as error:
            raise NotSupported(
                f"docker can't be run: {error}", where, "install docker, or give ?docker=PATH"
            ) from error
        said = done.stdout.decode(errors="replace").strip()
        if done.returncode:
            raise CommandFailed(said[-500:], where, exit_code=done.returncode, output=said)
        return said

    def renew(self, device: Device) -> Device:
        """NotSupported: a container is for one lease."""
        raise NotSupported("a container is used once", device.serial)

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """Remove the container."""
        with self._lock:
            name = self._names.pop(device.serial, None)
        if name is not None:
            self._remove(name)

    def _remove(self, name: str) -> None:
        with self._lock:
            mine = name in self._started
            self._started.discard(name)
            server = self._servers.pop(name, None)
        if server is not None:
            server.stop()
        if mine:
            end = time.monotonic() + REMOVE_SECONDS
            with contextlib.suppress(DeviceError):  # it may be gone already
                self._docker(
                    [self.container.program, "rm", "--force", "--volumes", name], max(1.0, end - time.monotonic())
                )

    def close(self) -> None:
        """Remove all that were started here."""
        with self._lock:
            self._closed = True
            left = list(self._started)
            self._names.clear()
        for name in left:
            self._remove(name)


def from_spec(spec: str, rest: str, options: Mapping[str, str]) -> tuple[Source, int]:
    """`docker:IMAGE:N?port=5555&args=...&kvm=1&boot=600&docker=PATH`; N is always written, since images have colons."""
    from emulator.device_specs import BadSpec, number

    image, _, count = rest.rpartition(":")
    if not IMAGE.fullmatch(image):
        raise BadSpec(f"{spec!r}: write docker:IMAGE:N, with the number of containers at the end")
    program = options.get("docker", "docker")
    if shutil.which(program) is None:
        raise BadSpec(f"{spec!r}: there is no program {program!r}; install docker, or give ?docker=PATH")
    container = Container(
        image,
        number(spec, options.get("port", "5555"), "port", 1, 65535),
        number(spec, options.get("kvm", "1"), "kvm", 0, 1) == 1,
        number(spec, options.get("boot", "600"), "boot", 1, 3600),
        tuple(shlex.split(options.get("args", ""))),
        program,
    )
    return Containers(container), number(spec, count, "N")
