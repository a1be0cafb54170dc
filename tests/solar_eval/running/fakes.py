"""A tiny dialect, a tiny benchmark and a fake OpenAI-compatible server, for everything that asks models."""

from __future__ import annotations

import io
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from PIL import Image as Pillow

from solar_eval.actions import Action, Click, Finish, Kind, OpenApp, Point, Press, Swipe, Type, Wait, from_json, to_json
from solar_eval.dialects.base import CannotExpress, Dialect, Fault, Reading, Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule, Size, Space
from solar_eval.dialects.prompting import Image, Message, PromptRequest, PromptTemplate, Text
from solar_eval.records import Benchmark, Episode, Step

SCREEN = (270, 600)


class TinyDialect(Dialect):
    """`ACT {json}`; low level prefills "Thought: {low}\\nACT"."""

    name = "tiny"
    family = "none"
    source = "tests"
    space: ClassVar[Space] = "unit"
    resize = ResizeRule("smart", factor=28, min_pixels=784, max_pixels=40_000)
    sampling = Sampling(temperature=0.0, top_k=1, repetition_penalty=1.05, max_tokens=64, source="tests")
    expresses: ClassVar[frozenset[Kind]] = frozenset(
        {"click", "swipe", "type", "press", "wait", "finish", "long_press"}
    )
    history_images = 2

    def template(self) -> PromptTemplate:
        return PromptTemplate("{% block user %}{{ goal }}|{{ level }}|{{ low }}|{{ history|join(';') }}{% endblock %}")

    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        found = re.search(r"ACT (\{.*\})", prepared.body)
        if found is None:
            return Reading(fault=Fault("no_action"))
        return Reading((from_json(json.loads(found[1])),), strict_ok=True)

    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        if action.kind not in self.expresses:
            raise CannotExpress(action.kind)
        start = f"Thought: {thought}\n" if thought else ""
        return start + "ACT " + json.dumps(to_json(action))

    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        base = super().messages(request, template)
        user = base[-1]
        if request.history:
            user = Message("user", (Image(request.history[-1].image), *user.parts))
        prefill = Message("assistant", (Text(f"Thought: {request.low}\nACT"),))
        system = Message("system", (Text("You act."),))
        return [system, user, prefill] if request.level == "low" else [system, user]


LABELS: tuple[Action, ...] = (
    OpenApp("Clock"), Click(Point(0.25, 0.5)), Swipe(direction="up"), Type("pear"), Press("back"), Wait(), Finish(),
)  # fmt: skip


def png(size: Size = SCREEN, colour: int = 0) -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", size, (colour % 256, 80, 120)).save(out, "PNG")
    return out.getvalue()


def make_benchmark(episodes: int = 3, labels: tuple[Action, ...] = LABELS, pictures: bool = True) -> Benchmark:
    """`episodes` episodes with one step a label; ids "e0/0"..."""

    def step(e: int, i: int, label: Action) -> Step:
        shot: Callable[[], bytes] | None = (lambda: png(colour=20 * e + i)) if pictures else None
        return Step(f"e{e}/{i}", f"e{e}", i, f"goal {e}", f"low {e} {i}", label, SCREEN, screenshot=shot)

    made = tuple(
        Episode(f"e{e}", f"goal {e}", tuple(step(e, i, label) for i, label in enumerate(labels)))
        for e in range(episodes)
    )
    return Benchmark("android_control", "tiny", made)


Answerer = Callable[[dict[str, Any], int], tuple[int, bytes]]
"""Request body, how often this prompt was asked before -> status, response body."""


def completion(text: str | None, finish: str = "stop", **message: Any) -> bytes:
    return json.dumps({
        "id": "x", "object": "chat.completion", "created": 0, "model": "fake",
        "choices": [{"index": 0, "finish_reason": finish,
                     "message": {"role": "assistant", "content": text, **message}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }).encode()  # fmt: skip


def prompt_text(body: dict[str, Any]) -> str:
    """The text of the user turn: "goal|level|low|history"."""
    user = next(m for m in body["messages"] if m["role"] == "user")
    parts = [{"type": "text", "text": user["content"]}] if isinstance(user["content"], str) else user["content"]
    return next(part["text"] for part in parts if part["type"] == "text")


class FakeServer:
    """Answers /v1/chat/completions through `answer` and /v1/models; keeps every request body."""

    def __init__(self) -> None:
        self.answer: Answerer = lambda body, before: (200, completion('ACT {"kind": "wait"}'))
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked: Counter[str] = Counter()
        self.delay = 0.0
        self.retry_after: str | None = None
        self.content_type = "application/json"
        self.most_in_flight = self._in_flight = 0
        self._lock = threading.Lock()
        self._httpd = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._httpd.daemon_threads = True
        self.port = self._httpd.server_address[1]
        self._thread = threading.Thread(target=self._httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def close(self) -> None:
        self._httpd.shutdown()
        self._httpd.server_close()

    def _take(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, bytes]:
        with self._lock:
            key = prompt_text(body)
            before = self.asked[key]
            self.asked[key] += 1
            self.requests.append(body)
            self.headers.append(headers)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            time.sleep(self.delay)
            return self.answer(body, before)
        finally:
            with self._lock:
                self._in_flight -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                models = {"object": "list", "data": [{"id": "fake", "root": "/models/fake", "max_model_len": 4096}]}
                self._send(200, json.dumps(models).encode())

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                if len(content) < int(self.headers["content-length"]):
                    return  # the client was killed while it sent
                body = json.loads(content)
                self._send(*server._take(body, {k.lower(): v for k, v in self.headers.items()}))

            def _send(self, status: int, content: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", server.content_type)
                self.send_header("content-length", str(len(content)))
                if server.retry_after is not None and status != 200:
                    self.send_header("retry-after", server.retry_after)
                try:
                    self.end_headers()
                    self.wfile.write(content)
                except ConnectionError:  # the client was killed, or gave up: what some tests are about
                    self.close_connection = True

            def log_message(self, *args: Any) -> None:
                pass

        return Handler
