"""Containers as phones, against a stand-in `docker` that is run, not mocked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from emulator.device_errors import DeviceError, DeviceOffline, DeviceTimeout, NotSupported
from emulator.device_specs import BadSpec, source_of
from emulator.docker_phones import Container, Containers
from emulator.fleet import Fleet

ROOT = Path(__file__).parents[2]
STAND_IN = Path(__file__).parent / "sdk_stand_in" / "docker_program.py"


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Path of the stand-in; its containers' folders lie in tmp_path/containers."""
    pytest.importorskip("grpc")
    (tmp_path / "containers").mkdir()
    monkeypatch.setenv("DOCKER_STAND_IN", str(tmp_path / "containers"))
    script = tmp_path / "docker"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" "{STAND_IN}" "$@"\n')
    script.chmod(0o755)
    return str(script)


def containers(tmp_path: Path) -> tuple[list[str], list[str]]:
    """Names of those there are, and of those removed."""
    names = sorted(folder.name for folder in (tmp_path / "containers").iterdir())
    return [n for n in names if not n.startswith("removed-")], [n for n in names if n.startswith("removed-")]


@pytest.mark.slow
def test_every_lease_is_a_container_of_its_own_and_none_is_left(docker: str, tmp_path: Path) -> None:
    with Fleet(Containers(Container("phone/android:13", program=docker)), 1) as fleet:
        for _ in range(2):
            with fleet.lease(60) as device:
                assert device.shell("ls /sdcard/left.txt").exit_code != 0
                device.push("/sdcard/left.txt", b"x")
        assert fleet.report().faults == 0
    there, removed = containers(tmp_path)
    assert there == [] and len(removed) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("image", "kind", "says"),
    [
        ("phone/broken", DeviceOffline, r"ended by itself(?s:.*)/dev/kvm is not found"),
        ("phone/deaf", DeviceTimeout, r"not ready within 1 s(?s:.*)in a container"),
    ],
)
def test_a_container_that_does_not_come_up_says_why_and_is_removed(
    image: str, kind: type[DeviceError], says: str, docker: str, tmp_path: Path
) -> None:
    source = Containers(Container(image, boot_s=1.0, program=docker))
    with pytest.raises(kind, match=says):
        source.start(0)
    assert containers(tmp_path)[0] == []


def test_the_command_is_a_list_of_words_and_publishes_on_loopback_only() -> None:
    words = Container("an/image:13", 5556, args=("--memory", "6g; rm -rf /")).command("name")
    assert words[:3] == ["docker", "run", "--detach"] and words[-1] == "an/image:13"
    assert words[words.index("--publish") + 1] == "127.0.0.1::5556"
    assert words[words.index("--device") + 1] == "/dev/kvm"
    assert "6g; rm -rf /" in words
    assert "--device" not in Container("i", kvm=False).command("n")


def test_specs_of_containers(docker: str) -> None:
    source, count = source_of(f"docker:registry:5000/a/b:13:4?docker={docker}&port=5557&kvm=0&args=--memory%206g")
    assert isinstance(source, Containers) and count == 4
    assert source.container == Container("registry:5000/a/b:13", 5557, False, 600, ("--memory", "6g"), docker)
    for spec, message in (
        (f"docker:image?docker={docker}", "docker:IMAGE:N"),
        (f"docker:--privileged:1?docker={docker}", "docker:IMAGE:N"),
        (f"docker:image:many?docker={docker}", "N must be"),
        ("docker:image:1?docker=/no/such/docker", "no program"),
    ):
        with pytest.raises(BadSpec, match=message):
            source_of(spec)


def test_without_docker_it_says_so() -> None:
    with pytest.raises(NotSupported, match="docker can't be run"):
        Containers(Container("i", program="/no/such/docker")).start(0)
