"""The doctor tells what it saw: of this computer, of SDKs and checkouts made here, and of guests that hang."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from emulator import doctor, kvm
from emulator.doctor import Finding, blocks
from emulator.doctor_android_world import android_world
from emulator.sdk import image_package


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_only_failures_of_what_is_needed_block() -> None:
    sdk = Finding("sdk", "fails", "none", needed=("emulators",))
    assert blocks(sdk, ["emulators"]) and not blocks(sdk, ["pocket"])
    assert not blocks(Finding("kernel", "not proven", "", needed=("emulators",)), ["emulators"])


def test_this_computers_findings_have_a_fix_wherever_they_fail() -> None:
    checks = [doctor.python(), doctor.adb_server(), doctor.memory(), doctor.disk(), doctor.ports(), doctor.adb()]
    assert all(finding.said for finding in checks)
    assert all(finding.fix for finding in checks if finding.status == "fails")


def test_a_guest_computes_and_is_interrupted() -> None:
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        pytest.skip("no /dev/kvm that may be opened")
    if doctor.kvm().status != "ok":
        pytest.skip(f"this computer's KVM is not fit: {doctor.kvm().said}")
    assert kvm.run_guest(kvm.HELLO) == b"4"
    assert kvm.run_guest(b"\xf4") == b""


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("echo instructions ran; echo ten ticks", "ok", "ten ticks"),
        (
            "echo the guest ended with reason 17; exit 1",
            "fails",
            "a guest does not run: the guest ended with reason 17",
        ),
        ("echo instructions ran; sleep 60", "fails", "a guest hung for 1 s: instructions ran"),
        ("echo no guest for s390x is written yet; exit 3", "not proven", "s390x"),
    ],
)
def test_kvm_is_judged_by_what_the_guests_do(
    script: str, status: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        pytest.skip("no /dev/kvm that may be opened")
    monkeypatch.setattr(sys, "executable", str(program(tmp_path / "python", script)))
    monkeypatch.setattr(doctor, "GUEST_SECONDS", 1.0)
    finding = doctor.kvm()
    assert finding.status == status and said in finding.said


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("echo 'Linux version 6.1'; echo 'VFS: Unable to mount root fs'", "ok"),
        ("echo 'Linux version 6.1'; sleep 60", "fails"),
        ("sleep 60", "fails"),
    ],
)
def test_a_kernel_that_hangs_is_no_boot(
    script: str, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        pytest.skip("no /dev/kvm that may be opened")
    (tmp_path / "vmlinuz-6.1").write_bytes(b"kernel")
    qemu = program(tmp_path / "qemu", script)
    monkeypatch.setattr(doctor, "KERNELS", tmp_path)
    monkeypatch.setattr("shutil.which", lambda name: str(qemu))
    monkeypatch.setattr(doctor, "KERNEL_SECONDS", 1.0)
    assert doctor.kernel().status == status


def test_without_a_kernel_to_boot_nothing_is_called_ok(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "KERNELS", tmp_path)
    finding = doctor.kernel()
    assert finding.status == "not proven" and "no kernel was booted" in finding.said


def test_an_sdk_is_examined_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path / "sdk"))
    monkeypatch.setenv("ANDROID_AVD_HOME", str(tmp_path / "avd"))
    assert [(f.name, f.status) for f in doctor.sdk()] == [("sdk", "fails")]
    program(tmp_path / "sdk" / "emulator" / "emulator", "echo Android emulator version 35.1.4.0")
    found = {finding.name: finding for finding in doctor.sdk()}
    assert "35.1.4.0" in found["sdk"].said
    assert found["system image"].fix == f'sdkmanager "{image_package()}"'
    assert found["avds"].status == "fails"
    (tmp_path / "sdk" / image_package().replace(";", "/")).mkdir(parents=True)
    (tmp_path / "avd").mkdir()
    (tmp_path / "avd" / "AndroidWorld.ini").write_text("path=x\n")
    assert [finding.status for finding in doctor.sdk()] == ["ok", "ok", "ok"]


def checkout(folder: Path, registry: str) -> Path:
    (folder / "android_world").mkdir(parents=True)
    (folder / "android_world" / "__init__.py").write_text("")
    (folder / "android_world" / "registry.py").write_text(registry)
    return folder


TASKS = """
class TaskRegistry:
    ANDROID_WORLD_FAMILY = "android_world"
    def get_registry(self, family):
        return {str(n): None for n in range(116)}
"""


def test_a_checkout_is_examined(tmp_path: Path) -> None:
    pytest.importorskip("android_env")
    assert "git clone" in android_world(tmp_path)[0].fix
    commit, imported = android_world(checkout(tmp_path / "a", TASKS))
    assert (commit.status, imported.status) == ("not proven", "ok")
    assert imported.said.startswith("116 tasks; protobuf ")
    git = ["git", "-C", str(tmp_path / "a"), "-c", "user.name=n", "-c", "user.email=e@x"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "m"]):
        subprocess.run([*git, *words], check=True)
    commit, _ = android_world(tmp_path / "a")
    assert commit.status == "warns" and "d9c569f" in commit.fix


@pytest.mark.parametrize(
    ("registry", "fix"),
    [
        ("import immutabledict_that_is_missing", "pip install immutabledict_that_is_missing"),
        ("raise TypeError('gencode 6.33.5 runtime 5.29.6')", "pip install 'protobuf>=6.33.5'"),
        ("from android_world import state_pb2", "python -m grpc_tools.protoc -I"),
        ("1 / 0", "by hand"),
    ],
)
def test_an_import_that_fails_gets_the_fix_for_its_cause(registry: str, fix: str, tmp_path: Path) -> None:
    finding = android_world(checkout(tmp_path, registry))[1]
    assert finding.status == "fails" and fix in finding.fix


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    mark = f"{tmp_path}/mark"
    done = doctor.run_program(["sh", "-c", f"echo begun; sh -c 'sleep 60; echo {mark}' & wait"], 0.5)
    assert done.code == doctor.TIMED_OUT and done.output == "begun"
    lines = [p.read_bytes() for p in Path("/proc").glob("[0-9]*/cmdline") if p.exists()]
    assert not any(mark.encode() in line and b"sleep" in line for line in lines)
