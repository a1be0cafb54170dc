"""Phones on several hosts through Ray: an actor a host, the same `Device` interface, leased from one place.

    ray://auto/avd:AndroidWorld:4?snapshot=blessed      4 emulators on each host whose Ray node has `emulator`
    ray://10.0.0.1:10001/pocket:2                       connect to that head first

A host takes part when its Ray node has the resource `emulator` (`ray start --resources '{"emulator": 4}'`). The actor
there holds a source of phones (sources.py) and does the calls; what crosses the network is calls and their values. Ray
is imported only here and only when such a spec is asked for. A host that dies takes its phones with it: their calls
raise `DeviceOffline`, and the fleet goes on with the phones of the other hosts.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Any, cast

from emulator.device import Device, Foreground, Key, Screenshot, ShellResult, Size, Tree
from emulator.device_errors import DeviceError, DeviceOffline, DeviceTimeout, NotSupported
from emulator.sources import Limits, Source

RESOURCE = "emulator"
CALL_SECONDS = 150.0
"""Longest wait for a call's answer from another host; the phone's own deadlines are shorter."""
INSTALL = "pip install ray"


class Host:
    """What runs on a host, as a Ray actor: a source of phones, and calls to them by number.

    Every method returns ("ok", value) or ("error", DeviceError), so that errors arrive as what they are.
    """

    def __init__(self, spec: str) -> None:
        from emulator.device_specs import source_of

        self.source, self.size = source_of(spec)
        self._devices: dict[str, Device] = {}
        self._lock = threading.Lock()

    def about(self) -> tuple[int, bool, Limits]:
        """(phones, whether stopped ones are replaced, time limits)."""
        return self.size, self.source.replaces, self.source.limits

    def start(self, number: int) -> tuple[str, Any]:
        """A started phone's serial."""
        return self._guarded(lambda: self._kept(self.source.start(number)))

    def renew(self, serial: str) -> tuple[str, Any]:
        """The serial of the renewed phone."""
        return self._guarded(lambda: self._kept(self.source.renew(self._device(serial))))

    def call(self, serial: str, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[str, Any]:
        """A call of the Device interface."""
        if name not in CALLS:
            raise ValueError(f"{name!r} is no call of a device")
        return self._guarded(lambda: getattr(self._device(serial), name)(*arguments, **options))

    def stop(self, serial: str, hard: bool) -> tuple[str, Any]:
        """End a phone."""
        with self._lock:
            device = self._devices.pop(serial, None)
        if device is not None:
            self.source.stop(device, hard=hard)
        return "ok", None

    def close(self) -> None:
        """End all."""
        self.source.close()

    def _kept(self, device: Device) -> str:
        with self._lock:
            self._devices[device.serial] = device
        return device.serial

    def _device(self, serial: str) -> Device:
        with self._lock:
            if serial not in self._devices:
                raise DeviceOffline("this phone was stopped", serial)
            return self._devices[serial]

    def _guarded(self, call: Any) -> tuple[str, Any]:
        try:
            return "ok", call()
        except DeviceError as error:
            return "error", error


class RemoteDevice:
    """A phone on another host. Each call is one call of the host's actor; see `Device`."""

    def __init__(self, hosts: RayHosts, host: int, serial: str) -> None:
        self._hosts, self.host, self.remote_serial = hosts, host, serial
        self.serial = f"{hosts.labels[host]}/{serial}"

    def _ask(self, name: str, *arguments: Any, **options: Any) -> Any:
        extra = options.get("timeout") or 0.0
        return self._hosts.ask(
            self.host, "call", self.remote_serial, name, arguments, options, seconds=CALL_SECONDS + extra
        )

    def screenshot(self) -> Screenshot:
        """See `Device`."""
        return cast(Screenshot, self._ask("screenshot"))

    def ui_tree(self) -> Tree:
        """See `Device`."""
        return cast(Tree, self._ask("ui_tree"))

    def screen_size(self) -> Size:
        """See `Device`."""
        return cast(Size, self._ask("screen_size"))

    def tap(self, x: int, y: int) -> None:
        """See `Device`."""
        self._ask("tap", x, y)

    def double_tap(self, x: int, y: int) -> None:
        """See `Device`."""
        self._ask("double_tap", x, y)

    def long_press(self, x: int, y: int, duration_ms: int = 1000) -> None:
        """See `Device`."""
        self._ask("long_press", x, y, duration_ms)

    def swipe(self, x1: int, y1: int, x2: int, y2: int, duration_ms: int = 300, *, edges: bool = False) -> None:
        """See `Device`."""
        self._ask("swipe", x1, y1, x2, y2, duration_ms, edges=edges)

    def type_text(self, text: str, *, clear: bool = False) -> None:
        """See `Device`."""
        self._ask("type_text", text, clear=clear)

    def press(self, key: Key) -> None:
        """See `Device`."""
        self._ask("press", key)

    def open_app(self, name: str) -> Foreground:
        """See `Device`."""
        return cast(Foreground, self._ask("open_app", name))

    def foreground(self) -> Foreground:
        """See `Device`."""
        return cast(Foreground, self._ask("foreground"))

    def shell(self, command: str | Sequence[str], timeout: float | None = None) -> ShellResult:
        """See `Device`."""
        return cast(ShellResult, self._ask("shell", command, timeout=timeout))

    def pull(self, path: str) -> bytes:
        """See `Device`."""
        return cast(bytes, self._ask("pull", path))

    def push(self, path: str, content: bytes) -> None:
        """See `Device`."""
        self._ask("push", path, content)

    def snapshot(self, name: str) -> None:
        """See `Device`."""
        self._ask("snapshot", name)

    def restore(self, name: str) -> None:
        """See `Device`."""
        self._ask("restore", name)

    def close(self) -> None:
        """See `Device`."""
        with contextlib.suppress(DeviceError):
            self._ask("close")


CALLS = frozenset(name for name in vars(RemoteDevice) if not name.startswith("_"))


class RayHosts:
    """A source over hosts. `ray`: the module. Phones are dealt out host by host, so that few use all hosts."""

    def __init__(self, ray: Any, spec: str) -> None:
        self.ray, self.spec = ray, spec
        self.name = f"ray:{spec}"
        nodes = [node for node in ray.nodes() if node.get("Alive") and node.get("Resources", {}).get(RESOURCE, 0) > 0]
        if not nodes:
            raise NotSupported(
                f"no Ray node has the resource `{RESOURCE}`", "ray", "ray start ... --resources '{\"emulator\": 4}'"
            )
        self.labels = [str(node.get("NodeManagerHostname") or node["NodeID"]) for node in nodes]
        self._actors = [self._actor(str(node["NodeID"])) for node in nodes]
        about = [self._get(actor.about.remote(), CALL_SECONDS) for actor in self._actors]
        self._each = about[0][0]
        self.size = self._each * len(nodes)
        self.replaces, self.limits = bool(about[0][1]), cast(Limits, about[0][2])

    def _actor(self, node: str) -> Any:
        """An actor pinned to a node, with threads enough for its phones."""
        affinity = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        options = {
            "num_cpus": 0,
            "resources": {RESOURCE: 0.001},
            "max_concurrency": 64,
            "scheduling_strategy": affinity,
        }
        return self.ray.remote(Host).options(**options).remote(self.spec)

    def _get(self, reference: Any, seconds: float) -> Any:
        """The value; DeviceTimeout and DeviceOffline for what goes wrong between the hosts."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference, timeout=seconds)
        except errors.GetTimeoutError as error:
            raise DeviceTimeout(f"no answer from the host within {seconds:g} s", self.name) from error
        except errors.RayActorError as error:
            raise DeviceOffline(f"the host's actor is gone: {str(error).splitlines()[0]}", self.name) from error

    def ask(self, host: int, method: str, *arguments: Any, seconds: float) -> Any:
        """A method of a host's actor: its value, or its DeviceError raised here."""
        kind, value = self._get(getattr(self._actors[host], method).remote(*arguments), seconds)
        if kind == "error":
            raise value
        return value

    def start(self, number: int) -> Device:
        """A phone on the host whose turn it is."""
        host, place = number % len(self._actors), number // len(self._actors)
        return RemoteDevice(self, host, self.ask(host, "start", place, seconds=self.limits.start))

    def renew(self, device: Device) -> Device:
        """As the host's source does it."""
        phone = cast(RemoteDevice, device)
        serial = self.ask(phone.host, "renew", phone.remote_serial, seconds=self.limits.renew)
        return RemoteDevice(self, phone.host, serial)

    def stop(self, device: Device, *, hard: bool = False) -> None:
        """As the host's source does it; nothing where the host is gone."""
        phone = cast(RemoteDevice, device)
        with contextlib.suppress(DeviceError):
            self.ask(phone.host, "stop", phone.remote_serial, hard, seconds=self.limits.stop)

    def close(self) -> None:
        """End the phones and the actors. The connection to Ray stays: it is the user's."""
        for actor in self._actors:
            with contextlib.suppress(DeviceError):
                self._get(actor.close.remote(), self.limits.stop)
            self.ray.kill(actor)


def source(spec: str) -> tuple[Source, int]:
    """`ray://ADDRESS/SPEC`; BadSpec, also where ray is not installed."""
    from emulator.device_specs import BadSpec

    address, _, inner = spec.removeprefix("ray://").partition("/")
    if not address or not inner or inner.startswith("ray://"):
        raise BadSpec(f"{spec!r}: write ray://ADDRESS/SPEC, for instance ray://auto/avd:AndroidWorld:4")
    try:
        import ray
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise BadSpec(f"{spec!r}: ray is not installed; {INSTALL}") from error
    if not ray.is_initialized():
        ray.init(address=address if address == "auto" else f"ray://{address}", log_to_driver=False)
    hosts = RayHosts(ray, inner)
    return hosts, hosts.size
