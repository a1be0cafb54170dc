"""`local:PATH` behind OpenAI's chat API on loopback, for machines without a GPU: one request at a time, no streaming.

Speaks what this project's own client sends (`models.openai_server`): /v1/models, /v1/chat/completions with pictures as
data URLs. Run as `python -m solar_eval.serving.local_server PATH PORT`.
"""

from __future__ import annotations

import base64
import binascii
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from solar_eval.dialects.base import Sampling
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.prompting import Image, Message, Text
from solar_eval.errors import SolarEvalError, UsageError
from solar_eval.images import Picture, prepare_picture
from solar_eval.models.base import ModelReply, ModelRequest
from solar_eval.models.local import LocalModel
from solar_eval.records import Step

LARGEST_BODY = 256 * 1024 * 1024


def to_request(body: dict[str, Any]) -> ModelRequest:
    """The wire's JSON as a question. Raises UsageError naming what does not fit."""
    pictures: dict[int, Picture] = {}
    messages: list[Message] = []
    try:
        for message in body["messages"]:
            content: Any = message["content"]
            given: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else content
            parts: list[Text | Image] = []
            for part in given:
                if part["type"] == "text":
                    parts.append(Text(part["text"]))
                elif part["type"] == "image_url":
                    pictures[len(pictures)] = prepare_picture(_data(part["image_url"]["url"]), ResizeRule())
                    parts.append(Image(len(pictures) - 1))
                else:
                    raise UsageError(f"parts of type {part['type']!r} are not known here", "messages")
            messages.append(Message(message["role"], tuple(parts)))
        sampling = Sampling(
            temperature=float(body.get("temperature") or 0), top_p=body.get("top_p"), top_k=body.get("top_k"),
            repetition_penalty=body.get("repetition_penalty"),
            max_tokens=int(body.get("max_tokens") or body.get("max_completion_tokens") or 512),
            stop=tuple([body["stop"]] if isinstance(body.get("stop"), str) else body.get("stop") or ()),
            skip_special_tokens=body.get("skip_special_tokens"),
        )  # fmt: skip
    except (LookupError, TypeError, ValueError) as error:
        raise UsageError(f"not a chat request ({type(error).__name__}: {error})", "body") from None
    size = pictures[0].size if pictures else (1, 1)
    step = Step("request", "request", 0, "", "", None, size)
    return ModelRequest(step, tuple(messages), Frame(size, size), sampling, pictures)


def _data(url: str) -> bytes:
    head, comma, rest = url.partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64") and comma):
        raise UsageError("pictures are taken as data: URLs only", "image_url", "send the picture itself")
    try:
        return base64.b64decode(rest, validate=True)
    except binascii.Error as error:
        raise UsageError(f"not base64 ({error})", "image_url") from None


def completion(name: str, reply: ModelReply) -> dict[str, Any]:
    """OpenAI's answer."""
    prompt, made = reply.prompt_tokens or 0, reply.completion_tokens or 0
    return {
        "id": f"local-{time.monotonic_ns()}", "object": "chat.completion", "created": int(time.time()), "model": name,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": reply.text},
                     "finish_reason": reply.finish_reason}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": made, "total_tokens": prompt + made},
    }  # fmt: skip


def make_server(model: LocalModel, name: str, port: int = 0) -> ThreadingHTTPServer:
    """The server, bound to loopback and not yet serving; `server_port` is its port."""

    class Handler(BaseHTTPRequestHandler):
        """One connection."""

        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

        def _send(self, code: int, data: object) -> None:
            body = json.dumps(data).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _fail(self, code: int, said: str) -> None:
            self._send(code, {"error": {"message": said, "type": "invalid_request_error", "code": code}})

        def do_GET(self) -> None:
            """The models, or that it lives."""
            if self.path == "/v1/models":
                self._send(200, {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "local"}]})
            elif self.path == "/health":
                self._send(200, {})
            else:
                self._fail(404, f"no {self.path} here")

        def do_POST(self) -> None:
            """A completion."""
            length = int(self.headers.get("Content-Length") or 0)
            if self.path != "/v1/chat/completions" or not 0 < length <= LARGEST_BODY:
                self.close_connection = True
                return self._fail(404 if self.path != "/v1/chat/completions" else 413, "no such thing")
            try:
                body = json.loads(self.rfile.read(length))
                if body.get("model") not in {None, name}:
                    return self._fail(404, f"The model `{body.get('model')}` does not exist.")
                self._send(200, completion(name, model.answer(to_request(body))))
            except (SolarEvalError, ValueError, AttributeError) as error:
                refused = not isinstance(error, SolarEvalError) or error.exit_code != 3
                self._fail(400 if refused else 500, str(error))
            return None

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    """PATH PORT [NAME]."""
    path, port = sys.argv[1], int(sys.argv[2])
    with make_server(LocalModel(path), sys.argv[3] if len(sys.argv) > 3 else path, port) as server:
        print(f"serving {path} on http://127.0.0.1:{server.server_port}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
