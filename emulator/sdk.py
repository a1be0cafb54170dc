"""An Android SDK on this computer: where its programs are, what is installed, how an AVD is made.

AndroidWorld @d9c569f needs a Pixel 6 with API 33 and a `google_apis` image: Play Store images can't be rooted
(android_world#118, #198), and its steps expect 1080x2400.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from emulator.device_errors import CommandFailed, DeviceTimeout, NotSupported

API_LEVEL = 33
DEVICE_PROFILE = "pixel_6"
TOOL_SECONDS = 120.0
DOWNLOAD_SECONDS = 3600.0
NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
SDK_FIX = "set ANDROID_HOME to an Android SDK (command-line tools, platform-tools, emulator)"


def abi() -> str:
    """The ABI whose images this computer's processor runs without translation."""
    return "arm64-v8a" if platform.machine().lower() in ("arm64", "aarch64") else "x86_64"


def image_package(level: int = API_LEVEL) -> str:
    """sdkmanager's name of the system image AndroidWorld needs."""
    return f"system-images;android-{level};google_apis;{abi()}"


@dataclass(frozen=True)
class Sdk:
    """An SDK. root: its folder. avd_home: where AVDs are kept."""

    root: Path
    avd_home: Path

    def program(self, name: str) -> str:
        """Path of `emulator`, `adb`, `avdmanager` or `sdkmanager`; NotSupported, saying how to get it."""
        places = {
            "emulator": ["emulator/emulator"],
            "adb": ["platform-tools/adb"],
            "avdmanager": ["cmdline-tools/latest/bin/avdmanager", "tools/bin/avdmanager"],
            "sdkmanager": ["cmdline-tools/latest/bin/sdkmanager", "tools/bin/sdkmanager"],
        }[name]
        for place in places:
            if (self.root / place).is_file():
                return str(self.root / place)
        package = {"emulator": "emulator", "adb": "platform-tools"}.get(name, "cmdline-tools;latest")
        raise NotSupported(f"the SDK at {self.root} has no {name}", "sdk", f'sdkmanager "{package}"')

    def environment(self) -> dict[str, str]:
        """Environment for its programs."""
        kept = {k: v for k, v in os.environ.items() if k not in ("ANDROID_SERIAL", "ANDROID_ADB_SERVER_PORT")}
        kept |= {"ANDROID_HOME": str(self.root), "ANDROID_SDK_ROOT": str(self.root)}
        return kept | {"ANDROID_AVD_HOME": str(self.avd_home)}

    def run(self, name: str, *words: str, answer: str = "", seconds: float = TOOL_SECONDS) -> str:
        """Output of one of its programs; CommandFailed with what it said, DeviceTimeout."""
        command = [self.program(name), *words]
        try:
            done = subprocess.run(
                command, input=answer.encode(), env=self.environment(), timeout=seconds, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise DeviceTimeout(f"no end within {seconds:g} s", f"{name} {' '.join(words)}") from error
        said = done.stdout.decode(errors="replace").strip()
        if done.returncode:
            raise CommandFailed(said[-800:], f"{name} {' '.join(words)}", exit_code=done.returncode, output=said)
        return said

    def has_image(self, package: str) -> bool:
        """Whether a system image is installed."""
        return (self.root / package.replace(";", "/")).is_dir()

    def install(self, packages: Sequence[str]) -> None:
        """`sdkmanager` for packages that are wanted; its licences must have been accepted by a person."""
        said = self.run("sdkmanager", *packages, seconds=DOWNLOAD_SECONDS)
        if "licen" in said.lower() and "not accepted" in said.lower():
            raise NotSupported("the SDK's licences are not accepted", "sdkmanager", "run `sdkmanager --licenses`")

    def avds(self) -> list[str]:
        """Names of the AVDs there are."""
        return sorted(path.stem for path in self.avd_home.glob("*.ini"))

    def create(self, name: str, package: str = "", device: str = DEVICE_PROFILE, data_mb: int = 6144) -> None:
        """Make an AVD. ValueError for a bad name; NotSupported if it exists or its image is missing."""
        package = package or image_package()
        if not NAME.fullmatch(name):
            raise ValueError(f"an AVD's name is letters, digits, . _ and -, not {name!r}")
        if name in self.avds():
            raise NotSupported(f"AVD {name} exists already", "avd", f"`avdmanager delete avd --name {name}` removes it")
        if not self.has_image(package):
            raise NotSupported(f"{package} is not installed", "avd", f'sdkmanager "{package}"')
        self.run("avdmanager", "create", "avd", "--name", name, "--device", device, "--package", package, answer="no\n")
        config = self.avd_home / f"{name}.avd" / "config.ini"
        if not config.is_file():
            raise CommandFailed(f"avdmanager made no {config}", "avd")
        settings = read_ini(config) | {
            "disk.dataPartition.size": f"{data_mb}M",
            "hw.keyboard": "yes",
            "hw.mainKeys": "no",
            "showDeviceFrame": "no",
        }
        config.write_text("".join(f"{key}={value}\n" for key, value in sorted(settings.items())), encoding="utf-8")

    def emulator_flags(self) -> frozenset[str]:
        """Options this emulator knows, as its `-help` lists them: they differ between versions."""
        return frozenset(re.findall(r"^\s+(-[a-z][a-z0-9-]*)", self.run("emulator", "-help"), re.M))


def read_ini(path: Path) -> dict[str, str]:
    """`key=value` lines of an AVD's file."""
    lines = (line.partition("=") for line in path.read_text(encoding="utf-8").splitlines() if "=" in line)
    return {key.strip(): value.strip() for key, _, value in lines}


def find_sdk(root: str | Path | None = None) -> Sdk:
    """The SDK at `root`, $ANDROID_HOME, $ANDROID_SDK_ROOT or the usual place; NotSupported, saying where it looked."""
    usual = [Path("~/Android/Sdk").expanduser(), Path("~/Library/Android/sdk").expanduser()]
    named = [root, os.environ.get("ANDROID_HOME"), os.environ.get("ANDROID_SDK_ROOT")]
    tried = [Path(place) for place in named if place] or usual
    for place in tried:
        if place.is_dir():
            home = os.environ.get("ANDROID_AVD_HOME") or os.environ.get("ANDROID_USER_HOME", "~/.android") + "/avd"
            return Sdk(place, Path(home).expanduser())
    raise NotSupported(f"no Android SDK at {', '.join(map(str, tried))}", "sdk", SDK_FIX)
