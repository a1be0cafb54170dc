"""Phones on other hosts: against Ray itself where it is installed (slow), else against the few calls of it we use."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from emulator.device_errors import AppNotFound, DeviceOffline, DeviceTimeout, NotSupported
from emulator.device_specs import BadSpec, source_of
from emulator.fleet import Fleet, open_devices
from emulator.ray_hosts import CALLS, Host, RayHosts, RemoteDevice

SPEC = "pocket-in-process:2?size=216x480"


class FakeRay(types.ModuleType):
    """ray.nodes, remote, get, kill, is_initialized and the exceptions, in this process. `dead`: hosts that are gone."""

    class GetTimeoutError(Exception):
        pass

    class RayActorError(Exception):
        pass

    def __init__(self, hosts: int) -> None:
        super().__init__("ray")
        self.hosts, self.dead, self.slow, self.killed = hosts, set[str](), False, 0
        self.exceptions = types.SimpleNamespace(GetTimeoutError=self.GetTimeoutError, RayActorError=self.RayActorError)
        strategy = types.SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: node)
        self.util = types.ModuleType("ray.util")
        self.util.scheduling_strategies = types.ModuleType("ray.util.scheduling_strategies")  # type: ignore[attr-defined]
        vars(self.util.scheduling_strategies).update(vars(strategy))

    def nodes(self) -> list[dict[str, Any]]:
        made = [{"NodeID": f"n{i}", "NodeManagerHostname": f"host{i}", "Alive": True, "Resources": {"emulator": 4.0}}
                for i in range(self.hosts)]  # fmt: skip
        return [*made, {"NodeID": "cpu", "Alive": True, "Resources": {"CPU": 4.0}}]

    def is_initialized(self) -> bool:
        return True

    def remote(self, cls: type) -> Any:
        def options(**given: Any) -> Any:
            assert given["resources"] == {"emulator": 0.001} and given["max_concurrency"] > 1
            return types.SimpleNamespace(remote=lambda *args: Actor(given["scheduling_strategy"], cls(*args)))

        return types.SimpleNamespace(options=options)

    def get(self, reference: Any, timeout: float) -> Any:
        node, call = reference
        if node in self.dead:
            raise self.RayActorError("The actor died unexpectedly\nmore")
        if self.slow:
            raise self.GetTimeoutError
        return call()

    def kill(self, actor: Any) -> None:
        self.killed += 1


class Actor:
    """An actor whose calls run when they are waited for."""

    def __init__(self, node: str, held: Any) -> None:
        self.node, self.held = node, held

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.held, name)
        return types.SimpleNamespace(remote=lambda *args: (self.node, lambda: method(*args)))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    ray = FakeRay(2)
    for name, module in (("ray", ray), ("ray.util", ray.util)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "ray.util.scheduling_strategies", ray.util.scheduling_strategies)
    return ray


def test_phones_of_all_hosts_are_leased_from_one_place(fake: FakeRay) -> None:
    with open_devices(f"ray://auto/{SPEC}") as fleet:
        assert fleet.size == 4
        with fleet.lease(60) as a, fleet.lease(60) as b, fleet.lease(60) as c, fleet.lease(60) as d:
            serials = {device.serial for device in (a, b, c, d)}
            assert serials == {f"host{host}/pocket-{number}" for host in (0, 1) for number in (0, 1)}
            a.push("/sdcard/x.txt", b"1")
            assert a.pull("/sdcard/x.txt") == b"1" and b.shell("ls /sdcard/x.txt").exit_code != 0
            a.tap(10, 10)
            assert a.screenshot().size == a.screen_size()
            with pytest.raises(AppNotFound):
                a.open_app("no such app")
    assert fake.killed == 2


def test_a_host_that_dies_takes_only_its_own_phones_with_it(fake: FakeRay) -> None:
    with open_devices("ray://auto/pocket-in-process:1?size=216x480") as fleet:
        with fleet.lease(60), fleet.lease(60):
            pass
        fake.dead.add("n0")
        seen = set()
        for _ in range(4):
            seen.add(fleet.run(lambda device: (device.screenshot(), device.serial)[1], attempts=4, timeout=60))
        assert seen == {"host1/pocket-0"}


def test_no_answer_and_no_host_are_errors_of_the_device_kind(fake: FakeRay) -> None:
    hosts = RayHosts(fake, SPEC)
    device = hosts.start(0)
    fake.slow = True
    with pytest.raises(DeviceTimeout, match="no answer from the host"):
        device.screenshot()
    fake.slow = False
    hosts.stop(device)
    with pytest.raises(DeviceOffline, match="was stopped"):
        device.screenshot()
    with pytest.raises(NotSupported, match="resource `emulator`"):
        RayHosts(FakeRay(0), SPEC)


def test_only_the_calls_of_a_device_cross_to_a_host() -> None:
    from emulator.device import Device

    wanted = {name for name in vars(Device) if not name.startswith("_")} - {"serial"}
    assert wanted == CALLS
    with pytest.raises(ValueError, match="no call of a device"):
        Host(SPEC).call("pocket-0", "__init__", (), {})


def test_specs_of_hosts(monkeypatch: pytest.MonkeyPatch, fake: FakeRay) -> None:
    for spec in ("ray://", "ray://auto", "ray://auto/", "ray:///pocket:1", "ray://a/ray://b/pocket:1"):
        with pytest.raises(BadSpec, match="ray://ADDRESS/SPEC"):
            source_of(spec)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadSpec, match="pip install ray"):
        source_of(f"ray://auto/{SPEC}")


@pytest.fixture
def real_ray() -> Iterator[Any]:
    """Ray on this computer alone, with two `emulator` resources."""
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, resources={"emulator": 2}, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.slow
def test_with_ray_itself(real_ray: Any) -> None:
    with open_devices(f"ray://auto/{SPEC}") as fleet:
        assert isinstance(fleet, Fleet) and fleet.size == 2
        with fleet.lease(100) as one, fleet.lease(100) as other:
            one.push("/sdcard/x.txt", b"1")
            assert other.shell("ls /sdcard/x.txt").exit_code != 0
            with pytest.raises(AppNotFound, match="no such app"):
                one.open_app("no such app")
            assert isinstance(one._device, RemoteDevice)  # type: ignore[attr-defined]
            assert "launcher" in one.foreground().package
