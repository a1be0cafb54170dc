"""Flags of a server by family, checks before any number, a checkpoint served without a GPU and stopped again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from solar_eval.dialects import table
from solar_eval.errors import InfrastructureError, UsageError
from solar_eval.models.base import ModelReply
from solar_eval.serving.checks import SIZES, check_model, render
from solar_eval.serving.process import ServerProcess, serving
from solar_eval.serving.vllm_flags import ServeOptions, command, context_for, picture_tokens

FAMILIES = ("qwen2_5_vl", "ui_tars", "ui_tars_1_5", "agentcpm", "ui_venus")


def after(words: list[str], flag: str) -> str:
    return words[words.index(flag) + 1]


@pytest.mark.parametrize("name", FAMILIES)
def test_flags_follow_the_family(name: str) -> None:
    dialect = table.get(name)
    words = command("org/model", dialect, ServeOptions(port=8123))
    assert json.loads(after(words, "--limit-mm-per-prompt"))["image"] == max(1, dialect.history_images)
    assert int(after(words, "--max-model-len")) >= dialect.history_images * picture_tokens(dialect)
    assert after(words, "--host") == "127.0.0.1"
    if dialect.resize.kind == "smart":
        assert json.loads(after(words, "--mm-processor-kwargs"))["max_pixels"] == dialect.resize.max_pixels
    assert context_for(dialect) % 1024 == 0


def test_several_gpus_and_nodes() -> None:
    words = command("m", table.get("qwen2_5_vl"), ServeOptions(replicas=4, tensor=2, ray=True, context=9000))
    assert after(words, "--data-parallel-size") == "4" and after(words, "--tensor-parallel-size") == "2"
    assert after(words, "--data-parallel-backend") == "ray" and after(words, "--max-model-len") == "9000"


class Fake:
    """Counts tokens as a server that keeps pictures as they are, or `shrinks` them."""

    spec, needs_pictures = "fake", True

    def __init__(self, shrinks: bool = False, leak: str = "", limit: int = 200_000, wobble: bool = False) -> None:
        self.shrinks, self.leak, self.limit, self.wobble, self.asked = shrinks, leak, limit, wobble, 0

    async def ask(self, request) -> ModelReply:
        self.asked += 1
        width, height = request.pictures[0].size
        tokens = 100 if self.shrinks else width // 28 * (height // 28)
        return ModelReply(f"blue{self.leak}{self.asked if self.wobble else ''}", "stop", 0.1, 20 + tokens, 4)

    async def facts(self) -> dict[str, object]:
        return {"max_model_len": self.limit}


def states(model, reference=None) -> dict[str, str]:
    found = asyncio.run(check_model(model, table.get("qwen2_5_vl"), reference))
    assert render(found)
    return {one.name: one.state for one in found}


def test_checks_pass_a_sound_server_and_name_each_defect() -> None:
    assert set(states(Fake()).values()) == {"ok"}
    assert states(Fake(shrinks=True))["picture size"] == "failed"
    assert states(Fake(leak="<|im_end|>"))["special tokens"] == "failed"
    assert states(Fake(limit=2048))["context"] == "failed"
    assert states(Fake(wobble=True))["canary"] == "failed"
    assert states(Fake(), Fake(leak="x"))["canary"] == "failed"
    assert states(Fake(), Fake())["canary"] == "ok"


def test_a_server_that_does_not_answer_is_one_failure() -> None:
    class Dead(Fake):
        async def ask(self, request):
            raise InfrastructureError("connection refused")

    found = states(Dead())
    assert found.pop("answers a picture") == "failed"
    assert set(found.values()) == {"not checked"}


def test_the_sizes_differ_by_whole_patches() -> None:
    assert all(side % 28 == 0 for size in SIZES for side in size)


def test_a_server_that_ends_early_says_its_last_words() -> None:
    words = [sys.executable, "-c", "print('no memory left'); raise SystemExit(7)"]
    with pytest.raises(InfrastructureError, match=r"code 7[\s\S]*no memory left"), serving(words, lambda: False, 20):
        pass


def test_children_end_with_the_server(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = ("import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
            f"open({str(child)!r}, 'w').write(str(p.pid)); time.sleep(60)")  # fmt: skip
    server = ServerProcess([sys.executable, "-c", code])
    server.wait_until(lambda: child.exists() and bool(child.read_text()), 20, 0.05)
    server.stop()
    pid = int(child.read_text())
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            break
        time.sleep(0.05)
    else:
        os.kill(pid, signal.SIGKILL)
        pytest.fail("the child outlived the server")


def test_engines_that_are_not_there_are_said() -> None:
    from solar_eval.commands.serve import choose

    assert choose("transformers") == "transformers"
    if choose("auto") == "transformers":
        with pytest.raises(UsageError, match="vLLM is not installed"):
            choose("vllm")


# ---- a tiny checkpoint, served
@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="torch is not installed (extra serve)")
    from transformers import Qwen2VLImageProcessorPil

    from training.vlm.tiny import TinySizes, tiny_model, tiny_tokenizer

    folder = tmp_path_factory.mktemp("served")
    tokenizer = tiny_tokenizer(["What colour is it?"], 300)
    sizes = TinySizes(hidden=64, heads=2, key_heads=1, vision_hidden=32, vision_layers=1, layers=1, context=30_000)
    tiny_model(tokenizer, 1, sizes).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    Qwen2VLImageProcessorPil(min_pixels=3136, max_pixels=12_845_056).save_pretrained(folder)
    return folder


@pytest.fixture
def server(checkpoint: Path):
    from solar_eval.models.local import LocalModel
    from solar_eval.serving.local_server import make_server

    made = make_server(LocalModel(str(checkpoint)), "tiny")
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}/v1"
    made.shutdown()
    made.server_close()


def showing(url: str) -> bytes:
    part = {"type": "image_url", "image_url": {"url": url}}
    return json.dumps({"messages": [{"role": "user", "content": [part]}]}).encode()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b'{"messages": [{}]}', 400),
        (b'{"messages": 3}', 400),
        (b'{"model": "other", "messages": []}', 404),
        (showing("file:///etc/passwd"), 400),
        (showing("data:image/png;base64,AA"), 400),
    ],
)
def test_the_local_server_refuses_what_is_no_request(server: str, body: bytes, code: int) -> None:
    answer = httpx.post(f"{server}/chat/completions", content=body, timeout=30, trust_env=False)
    assert answer.status_code == code
    assert answer.json()["error"]["message"]
    good = {"model": "tiny", "max_tokens": 4, "messages": [{"role": "user", "content": "Hello"}]}
    assert httpx.post(f"{server}/chat/completions", json=good, timeout=60, trust_env=False).status_code == 200


def test_served_and_in_process_answers_are_equal(server: str, checkpoint: Path) -> None:
    from solar_eval.models.local import LocalModel
    from solar_eval.models.openai_server import OpenAIServer, ServerOptions

    async def both():
        model = OpenAIServer("tiny", ServerOptions(server))
        small = replace(table.get("qwen2_5_vl").resize, max_pixels=28 * 28 * 64)
        dialect = type("Small", (type(table.get("qwen2_5_vl")),), {"resize": small, "history_images": 1})()
        found = await check_model(model, dialect, LocalModel(str(checkpoint)))
        await model.aclose()
        return {one.name: one.state for one in found}

    found = asyncio.run(both())
    assert found["answers a picture"] == "ok" and found["canary"] == "ok" and found["picture size"] == "ok"


@pytest.mark.slow
def test_serve_without_a_gpu_says_so_checks_and_stops(checkpoint: Path) -> None:
    words = [sys.executable, "-m", "solar_eval.cli", "serve", str(checkpoint), "--dialect", "qwen2_5_vl", "--name",
             "tiny", "--engine", "transformers", "--timeout", "120"]  # fmt: skip
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stderr is not None
    line = running.stdout.readline()
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=60)
    assert "--base-url http://127.0.0.1:" in line, err
    assert "one request at a time" in err
    port = line.split("127.0.0.1:")[1].split("/")[0]
    with pytest.raises(httpx.HTTPError):
        httpx.get(f"http://127.0.0.1:{port}/v1/models", timeout=2, trust_env=False)
