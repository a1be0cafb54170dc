"""avd.py, sdk.py and emulators in a fleet, run against an SDK: our stand-in, or a real one (`pytest -m emulator`).

A real one needs $ANDROID_HOME with an emulator and a google_apis image of API 33; the AVD `SolarEvalTest` is made in a
folder of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from emulator import avd as avd_module
from emulator.adb_server import find_adb
from emulator.avd import Boot, Emulator, bless
from emulator.avd_source import Avds
from emulator.device_errors import CommandFailed, DeviceError, DeviceOffline, DeviceTimeout, NotSupported
from emulator.device_specs import BadSpec, source_of
from emulator.fleet import Fleet, open_devices
from emulator.ports import CONSOLE_PORTS, is_free
from emulator.sdk import Sdk, find_sdk, image_package, read_ini

ROOT = Path(__file__).parents[2]
STAND_IN = Path(__file__).parent / "sdk_stand_in"
AVD = "SolarEvalTest"
PLACES = {"emulator": "emulator", "avdmanager": "cmdline-tools/latest/bin", "sdkmanager": "cmdline-tools/latest/bin"}
QUICK: dict[str, Any] = {"stagger_s": 0.0, "boot_s": 60.0}


def stand_in(folder: Path) -> Sdk:
    """An SDK's folder with our programs in it, and the adb there is."""
    pytest.importorskip("grpc")
    root = folder / "sdk"
    for name, place in PLACES.items():
        (root / place).mkdir(parents=True, exist_ok=True)
        script = root / place / name
        script.write_text(
            f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "{STAND_IN / name}_program.py" "$@"\n'
        )
        script.chmod(0o755)
    (root / "platform-tools").mkdir()
    try:
        (root / "platform-tools" / "adb").symlink_to(find_adb())
    except NotSupported as error:
        pytest.skip(str(error))
    (root / "licenses").mkdir()
    (root / "licenses" / "android-sdk-license").write_text("accepted\n")
    (folder / "avd").mkdir()
    return Sdk(root, folder / "avd")


@pytest.fixture(params=["stand-in", pytest.param("real", marks=pytest.mark.emulator)])
def sdk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sdk:
    """An SDK with the AVD made; the stand-in one also has its image installed by `sdkmanager`."""
    if request.param == "real":
        try:
            found = find_sdk()
            found.program("emulator")
        except NotSupported as error:
            pytest.skip(str(error).splitlines()[0])
        (tmp_path / "avd").mkdir()
        real = Sdk(found.root, tmp_path / "avd")
        real.create(AVD)
        return real
    made = stand_in(tmp_path)
    made.install([image_package()])
    made.create(AVD)
    return made


@pytest.fixture
def fake(tmp_path: Path) -> Sdk:
    """The stand-in, for what a real emulator can't be asked to do."""
    made = stand_in(tmp_path)
    made.install([image_package()])
    made.create(AVD)
    return made


def break_it(sdk: Sdk, fault: str, boot_s: float = 0.2) -> None:
    """Make the AVD's next emulators fail in this way."""
    with (sdk.avd_home / f"{AVD}.avd" / "config.ini").open("a") as config:
        config.write(f"standin.fault={fault}\nstandin.boot_s={boot_s}\n")


def running(folder: Path) -> list[str]:
    """Processes started for the AVDs in `folder`, by their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            env = (process / "environ").read_bytes()
        except OSError:
            continue
        if str(folder / "avd").encode() in env and int(process.name) != os.getpid():
            found.append(f"{process.name} {line}")
    return found


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """After every test: no process of its emulators and their adb servers."""
    yield
    end = time.monotonic() + 20
    while running(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert running(tmp_path) == []


def test_an_avd_is_made_as_androidworld_needs_it(sdk: Sdk) -> None:
    config = read_ini(sdk.avd_home / f"{AVD}.avd" / "config.ini")
    assert config["hw.device.name"] == "pixel_6"
    assert "android-33" in config["image.sysdir.1"] and "google_apis/" in config["image.sysdir.1"]
    with pytest.raises(NotSupported, match="exists already"):
        sdk.create(AVD)
    with pytest.raises(ValueError, match="letters"):
        sdk.create("../evil")
    with pytest.raises(NotSupported, match=r"not installed(?s:.*)sdkmanager"):
        sdk.create("Other", "system-images;android-1;google_apis;x86_64")


def test_a_boot_is_ready_when_that_is_seen_and_leaves_nothing(sdk: Sdk) -> None:
    with Emulator(sdk, Boot(AVD, **QUICK)) as emulator:
        assert emulator.device.screenshot().black is False
        assert emulator.device.shell("settings get global animator_duration_scale").stdout == "0\n"
        assert emulator.booted.api_level == "33"
        assert emulator.booted.foreground is not None and "launcher" in emulator.booted.foreground.package
        assert (
            emulator.booted.seconds["listed"] <= emulator.booted.seconds["booted"] <= emulator.booted.seconds["ready"]
        )
        console = int(emulator.device.serial.removeprefix("emulator-"))
        assert console in CONSOLE_PORTS and not is_free(console + 1)
    assert is_free(console) and is_free(console + 1)
    with pytest.raises(DeviceOffline, match="does not run"):
        _ = emulator.device


@pytest.mark.slow
def test_clones_of_a_blessed_avd_come_back_to_its_state_and_are_recycled(sdk: Sdk) -> None:
    """Every lease finds the blessed state; after `loads` loads the process is another one."""
    blessed = bless(sdk, AVD, boot=Boot(AVD, **QUICK))
    assert blessed.foreground is not None
    source = Avds(sdk, Boot(AVD, "blessed", **QUICK), loads=1)
    with Fleet(source, 2) as fleet:
        serials = set()
        with fleet.lease(120) as one, fleet.lease(120) as other:
            assert one.serial != other.serial
            one.push("/sdcard/left.txt", b"left behind")
            assert other.shell("ls /sdcard/left.txt").exit_code != 0
        for _ in range(4):
            with fleet.lease(120) as device:
                serials.add(device.serial)
                assert device.shell("ls /sdcard/left.txt").exit_code != 0
                device.push("/sdcard/left.txt", b"left behind")
        report = fleet.report()
    assert report.faults == 0 and report.leases == 6
    assert sum(phone.incarnation for phone in report.phones) > 2


@pytest.mark.slow
def test_without_read_only_an_avd_is_for_one_emulator(fake: Sdk) -> None:
    with (
        Emulator(fake, Boot(AVD, read_only=False, **QUICK)),
        pytest.raises(DeviceOffline, match=r"ended by itself(?s:.*)Running multiple emulators with the same AVD"),
    ):
        Emulator(fake, Boot(AVD, read_only=False, **QUICK)).start()


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("crash", DeviceOffline, "vkCreateInstance failed"),
        ("crash_at_boot", DeviceOffline, "KVM internal error"),
        ("never_boots", DeviceTimeout, r"not booted within 4 s.*(?s:.*)last output(?s:.*)emulator version"),
        ("wrong_name", DeviceOffline, "is AVD .'Another'., not this one"),
    ],
)
def test_a_boot_that_fails_says_why_in_the_emulators_own_words(
    fake: Sdk, fault: str, kind: type[DeviceError], says: str
) -> None:
    break_it(fake, fault)
    with pytest.raises(kind, match=says):
        Emulator(fake, Boot(AVD, stagger_s=0.0, boot_s=4.0)).start()


@pytest.mark.slow
def test_an_emulator_that_ignores_its_console_and_sigterm_is_killed_with_its_children(
    fake: Sdk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("emulator.processes.KIND_SECONDS", -1.5)
    monkeypatch.setattr("emulator.processes.ASK_SECONDS", 0.5)
    break_it(fake, "ignores_kill")
    emulator = Emulator(fake, Boot(AVD, **QUICK)).start()
    monkeypatch.setattr(emulator, "_kill_by_console", lambda: None)
    emulator.stop()
    assert [line for line in running(tmp_path) if "sleep 600" in line or "emulator_program" in line] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        ("load_does_nothing", CommandFailed, "loading 'blessed' changed nothing"),
        ("load_kills", DeviceError, r"loading 'blessed'(?s:.*)color buffer"),
    ],
)
def test_a_load_that_did_not_load_is_noticed(fake: Sdk, fault: str, kind: type[DeviceError], says: str) -> None:
    bless(fake, AVD, boot=Boot(AVD, **QUICK))
    break_it(fake, fault)
    with Emulator(fake, Boot(AVD, stagger_s=0.0, boot_s=20.0)) as emulator, pytest.raises(kind, match=says):
        emulator.load("blessed")


def test_emulators_end_with_the_program_that_started_them_however_it_ends(fake: Sdk, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import time\nfrom pathlib import Path\nfrom emulator.avd import Boot, Emulator\nfrom emulator.sdk import Sdk\n"
        f"sdk = Sdk(Path({str(fake.root)!r}), Path({str(fake.avd_home)!r}))\n"
        f"emulator = Emulator(sdk, Boot({AVD!r}, stagger_s=0)).start()\n"
        "print('ready', flush=True)\ntime.sleep(60)\n"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    program = subprocess.Popen([sys.executable, str(script)], env=env, stdout=subprocess.PIPE)
    assert program.stdout is not None and program.stdout.readline() == b"ready\n"
    assert running(tmp_path)
    program.send_signal(signal.SIGKILL)
    program.wait()
    program.stdout.close()


@pytest.mark.slow
def test_ctrl_c_in_a_fleet_of_emulators_ends_them_all(fake: Sdk) -> None:
    with pytest.raises(KeyboardInterrupt), Fleet(Avds(fake, Boot(AVD, **QUICK)), 1) as fleet, fleet.lease(120):
        raise KeyboardInterrupt


def test_launches_wait_for_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(avd_module, "lock_folder", lambda: tmp_path)
    monkeypatch.setattr(avd_module, "LAUNCH_SECONDS", 0.1)
    with avd_module.launch_mutex(0.0), pytest.raises(DeviceTimeout, match="launch lock"), avd_module.launch_mutex(0.0):
        pass


def test_the_command_line_has_what_this_version_knows(fake: Sdk) -> None:
    emulator = Emulator(fake, Boot(AVD, "blessed", extra=("-camera-back", "none")))
    with emulator._allocator.take() as ports:
        words = emulator.command(ports)
    assert words[1:5] == ["-avd", AVD, "-port", str(ports.console)]
    assert {"-no-window", "-read-only", "-no-snapshot-save", "-no-metrics", "-grpc"} <= set(words)
    assert words[words.index("-snapshot") + 1] == "blessed" and words[-2:] == ["-camera-back", "none"]
    (fake.root / "emulator" / "emulator").write_text("#!/bin/sh\necho '    -avd <name>   use a specific AVD'\n")
    with emulator._allocator.take() as ports:
        assert not {"-no-metrics", "-grpc", "-timezone"} & set(emulator.command(ports))


def test_specs_of_emulators(fake: Sdk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANDROID_HOME", str(fake.root))
    monkeypatch.setenv("ANDROID_AVD_HOME", str(fake.avd_home))
    source, count = source_of(f"avd:{AVD}:3?snapshot=blessed&memory=2048&loads=7")
    assert isinstance(source, Avds) and count == 3
    assert (source.boot.snapshot, source.boot.memory_mb, source.loads) == ("blessed", 2048, 7)
    with open_devices("avd:NoSuch:1") as fleet, pytest.raises(DeviceError, match=f"there are: {AVD}"):
        fleet.lease(30).__enter__()
    for spec, message in (
        ("avd::1", "which AVD"),
        ("avd:A:1?memory=lots", "memory must be"),
        ("avd:A:1?gpus=1", "gpu"),
    ):
        with pytest.raises(BadSpec, match=message):
            source_of(spec)
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(BadSpec, match="no Android SDK at"):
        source_of("avd:A:1")
    with pytest.raises(BadSpec, match="no Android SDK at"):
        source_of(f"avd:A:1?sdk={tmp_path / 'neither'}")


def test_licences_are_for_a_person_to_accept(fake: Sdk) -> None:
    (fake.root / "licenses" / "android-sdk-license").unlink()
    with pytest.raises(NotSupported, match="licences are not accepted"):
        fake.install(["platform-tools"])
