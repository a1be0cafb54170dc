"""The page of `--watch`: every device's screen, step and reply, now. Served on this computer only.

Read only: the server knows three GET paths and nothing of the run can be changed through it. Whatever comes from tasks
and models reaches the page as JSON and is put there as text. The Host header is checked, so that no page of the web
can read it through a name that leads here (DNS rebinding).
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from solar_eval.errors import UsageError
from solar_eval.live.board import Board

HOST = "127.0.0.1"
PAGE = Path(__file__).parent / "watch.html"
NAMES = ("127.0.0.1", "localhost")


@contextmanager
def serve(board: Board, port: int = 0) -> Iterator[str]:
    """Serves the page for the length of a `with` block; yields its address. UsageError if the port is taken."""
    try:
        server = ThreadingHTTPServer((HOST, port), _handler(board))
    except OSError as error:
        raise UsageError(f"port {port} can't be had: {error.strerror}", "--watch-port", "leave it out") from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="watch", daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def state(board: Board) -> dict[str, object]:
    """What the page shows, without pictures. version: changes with the picture."""
    now = time.monotonic()
    slots = [
        {
            "number": slot.number, "device": slot.device, "episode": slot.episode, "goal": slot.goal, "step": slot.step,
            "budget": slot.budget, "doing": slot.doing, "reply": slot.reply, "played": slot.played,
            "seconds": round(now - slot.since, 1) if slot.episode else 0.0,
            "version": f"{slot.played}-{slot.step}" if slot.picture else "",
        }
        for slot in board.slots()
    ]  # fmt: skip
    return {"line": board.line(), "slots": slots}


def _handler(board: Board) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers for one board."""

        def do_GET(self) -> None:
            """The page, its state, a screen."""
            if self.headers.get("Host", "").rpartition(":")[0] not in NAMES:
                self._say(403, "text/plain", b"ask by 127.0.0.1")
                return
            path = self.path.partition("?")[0]
            screen = re.fullmatch(r"/screen/(\d{1,4})\.png", path)
            if path == "/":
                self._say(200, "text/html; charset=utf-8", PAGE.read_bytes())
            elif path == "/state.json":
                self._say(200, "application/json", json.dumps(state(board)).encode())
            elif screen and (picture := _picture(board, int(screen[1]))):
                self._say(200, "image/png", picture)
            else:
                self._say(404, "text/plain", b"nothing here")

        def _say(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Content-Security-Policy", "default-src 'self'; style-src 'unsafe-inline'; "
                             "script-src 'unsafe-inline'")  # fmt: skip
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not logged: standard error belongs to the progress display."""

    return Handler


def _picture(board: Board, number: int) -> bytes:
    return next((slot.picture for slot in board.slots() if slot.number == number), b"")
