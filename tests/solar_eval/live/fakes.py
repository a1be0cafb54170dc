"""Doubles for live tests: tasks with a chosen fate, a pool that makes phones fail, a chat server."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from emulator.device import Device
from emulator.device_errors import DeviceError, DeviceOffline, DeviceTimeout, ScreenshotFailed
from emulator.pocket.phone import Phone
from emulator.pocket_device import PocketDevice
from solar_eval.live.task import Expert, Said, Template

SETTINGS = "com.android.settings"


def pocket(seed: int = 1) -> PocketDevice:
    return PocketDevice(Phone(seed=seed, size=(540, 1200)), f"pocket-{seed}")


def open_settings(driver: Any) -> None:
    driver.open_app(SETTINGS)
    driver.tap("Network & internet")
    driver.back()


@dataclass
class OneTask:
    """A task that starts at home and is done when `check` says so."""

    template: Template
    seed: int
    expert: Expert | None = open_settings
    check: Callable[[Any, Said], float] = lambda device, said: float(device.foreground().package == SETTINGS)
    on_tear_down: Callable[[], None] = lambda: None
    calls: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.template.name}/{self.seed}"

    @property
    def goal(self) -> str:
        return f"Open Settings ({self.name})."

    @property
    def params(self) -> Mapping[str, object]:
        return {"n": self.seed}

    def initialize(self, device: Device) -> None:
        self.calls.append("initialize")
        device.shell("pocket reset")

    def score(self, device: Device, said: Said) -> float:
        self.calls.append("score")
        return self.check(device, said)

    def tear_down(self, device: Device) -> None:
        self.calls.append("tear_down")
        self.on_tear_down()


@dataclass
class Tasks:
    """A benchmark of `count` templates; `make` may change each task."""

    count: int = 3
    make: Callable[[OneTask], None] = lambda task: None
    name: str = "pocket_world"
    version: str = "test"
    made: list[OneTask] = field(default_factory=list)

    @property
    def templates(self) -> Sequence[Template]:
        return [Template(f"Task{n}", 1.0, 3, "easy", ("tag",), ("Settings",)) for n in range(self.count)]

    def instantiate(self, template: str, seed: int) -> OneTask:
        task = OneTask(next(t for t in self.templates if t.name == template), seed)
        self.make(task)
        self.made.append(task)
        return task


class Flaky:
    """A device whose calls fail with probability `p`, in any of the ways phones fail."""

    FAULTS = (DeviceOffline, DeviceTimeout, ScreenshotFailed)
    CALLS = ("screenshot", "ui_tree", "tap", "swipe", "type_text", "press", "open_app", "shell", "foreground")

    def __init__(self, device: Device, p: float, rng: random.Random) -> None:
        self._device, self._p, self._rng, self.serial = device, p, rng, device.serial

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._device, name)
        if name not in self.CALLS:
            return value

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._rng.random() < self._p:
                raise self._rng.choice(self.FAULTS)("injected", f"{self.serial}: {name}")
            return value(*args, **kwargs)

        return call


class OnePhonePool:
    """Leases of `size` phones, each new for every lease."""

    def __init__(self, size: int = 1, p: float = 0.0, seed: int = 0) -> None:
        self.size, self.p, self.faults, self.leases = size, p, [], 0
        self._rng, self._lock = random.Random(seed), threading.Lock()

    def lease(self, timeout: float | None = None, *, avoid: frozenset[str] = frozenset()) -> Any:
        pool = self

        class _Lease:
            def __enter__(self) -> Any:
                with pool._lock:
                    pool.leases += 1
                    rng = random.Random(pool._rng.random())
                return Flaky(pocket(1), pool.p, rng) if pool.p else pocket(1)

            def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
                if isinstance(error, DeviceError):
                    self.fault(error)

            def fault(self, error: DeviceError) -> None:
                pool.faults.append(error)

        return _Lease()


def completion(text: str) -> bytes:
    return json.dumps({
        "id": "x", "object": "chat.completion", "created": 0, "model": "fake",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }).encode()  # fmt: skip


class FakeServer:
    """An OpenAI-compatible server: `answer(body)` gives status and text."""

    def __init__(self) -> None:
        self.answer: Callable[[dict[str, Any]], tuple[int, str]] = lambda body: (200, "no action here")
        self.requests: list[dict[str, Any]] = []
        self._httpd = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._httpd.daemon_threads = True
        threading.Thread(target=self._httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._httpd.server_address[1]}/v1"

    def close(self) -> None:
        self._httpd.shutdown()
        self._httpd.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(200, json.dumps({"object": "list", "data": [{"id": "fake"}]}).encode())

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.requests.append(body)
                status, text = server.answer(body)
                self._send(status, completion(text) if status == 200 else json.dumps({"error": text}).encode())

            def _send(self, status: int, content: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


@contextmanager
def nothing() -> Iterator[None]:
    yield
