"""uiautomator2's server on the phone: HTTP and JSON-RPC 2.0 behind the adb service tcp:9008.

Client: openatx/uiautomator2 3.7.1, core.py; GET /ping answers `pong`, POST /jsonrpc/0 takes one call. HTTP is parsed
by h11. The methods are in uiautomator2_methods.py.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import h11

from emulator.pocket.fronts.adb_stream import AdbStream
from emulator.pocket.fronts.uiautomator2_methods import METHODS
from emulator.pocket.fronts.uiautomator2_session import ObjectNotFound, Session

if TYPE_CHECKING:
    from emulator.pocket.fronts.adb_daemon import Connection

MAX_BODY = 4 << 20
NOT_FOUND_CODE, INTERNAL_CODE, NO_METHOD_CODE, BAD_REQUEST_CODE = -32002, -32603, -32601, -32600


async def serve_http(connection: Connection, stream: AdbStream) -> None:
    """Answer HTTP requests on the stream until the client closes it."""
    http = h11.Connection(h11.SERVER, max_incomplete_event_size=64 << 10)
    while (request := await _next_request(http, stream)) is not None:
        method, path, body = request
        status, kind, data = await _answer(connection, method, path, body)
        headers = [("Content-Type", kind), ("Content-Length", str(len(data)))]
        sent = (http.send(h11.Response(status_code=status, headers=headers)) or b"") + (
            http.send(h11.Data(data)) or b""
        )
        await stream.write(sent + (http.send(h11.EndOfMessage()) or b""))
        await stream.finish()
        if http.our_state is not h11.DONE or http.their_state is not h11.DONE:
            return
        http.start_next_cycle()


async def _next_request(http: h11.Connection, stream: AdbStream) -> tuple[str, str, bytes] | None:
    """(method, path, body) of the next request; None at the end of the stream or after a broken request."""
    method, path, body = "", "", bytearray()
    while True:
        try:
            event = http.next_event()
        except h11.RemoteProtocolError:
            return None
        if event is h11.NEED_DATA:
            http.receive_data(await stream.read())
        elif isinstance(event, h11.Request):
            method, path = event.method.decode("ascii"), event.target.decode("ascii")
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > MAX_BODY:
                return None
        elif isinstance(event, h11.EndOfMessage):
            return method, path, bytes(body)
        else:
            return None


async def _answer(connection: Connection, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
    if method == "GET" and path == "/ping":
        return 200, "text/plain", b"pong"
    if method != "POST" or not path.startswith("/jsonrpc/0"):
        return 404, "text/plain", b"not found"
    loop = asyncio.get_running_loop()
    reply = await loop.run_in_executor(connection.daemon.threads, call, connection.daemon.u2, body)
    return 200, "application/json", json.dumps(reply).encode()


def call(session: Session, body: bytes) -> dict[str, Any]:
    """One JSON-RPC call; errors come back as uiautomator2 expects them, the exception's name in error.message."""
    try:
        request = json.loads(body)
        name, params = request["method"], request.get("params") or []
        number = request.get("id")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return _error(None, BAD_REQUEST_CODE, f"bad request: {type(error).__name__}")
    method = METHODS.get(name) if isinstance(name, str) else None
    if method is None:
        session.endpoint.unknown[f"jsonrpc {name}"] += 1
        return _error(number, NO_METHOD_CODE, f"method not found: {name}")
    arguments = list(params.values()) if isinstance(params, dict) else params
    try:
        return {"jsonrpc": "2.0", "id": number, "result": method(session, *arguments)}
    except ObjectNotFound as error:
        return _error(number, NOT_FOUND_CODE, f"androidx.test.uiautomator.UiObjectNotFoundException: {error}")
    except (ValueError, TypeError, LookupError, OverflowError, OSError) as error:
        session.endpoint.note("uiautomator2", f"{name} failed: {error}")
        return _error(number, INTERNAL_CODE, f"java.lang.IllegalArgumentException: {error}")


def _error(number: Any, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message, "data": message}}
