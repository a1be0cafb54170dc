"""A tiny Qwen2.5-VL with random weights behind an OpenAI-compatible server plays twenty episodes to their budgets."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (extra serve)")

EPISODES, BUDGET = 20, 2


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory):
    from transformers import Qwen2VLImageProcessorPil

    from solar_eval.models.local import LocalModel
    from solar_eval.serving.local_server import make_server
    from training.vlm.tiny import TinySizes, tiny_model, tiny_tokenizer

    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = tiny_tokenizer(["You are a helpful assistant. action: click coordinate"], 512)
    sizes = TinySizes(hidden=64, heads=2, key_heads=1, vision_hidden=32, vision_layers=1, layers=1, context=30_000)
    tiny_model(tokenizer, 3, sizes).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    Qwen2VLImageProcessorPil(min_pixels=3136, max_pixels=12_845_056).save_pretrained(folder)
    server = make_server(LocalModel(str(folder)), "tiny")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_twenty_episodes_of_a_served_checkpoint_run_to_their_budgets(url: str, tmp_path: Path) -> None:
    from solar_eval.benchmarks.pocket_world.suite import PocketWorld

    names = [template.name for template in PocketWorld().templates][:5]
    words = [sys.executable, "-m", "solar_eval.cli", "run", "pocket_world", "--model", "openai:tiny", "--base-url", url,
             "--dialect", "qwen2_5_vl", "--devices", "pocket-in-process:2?size=280x560", "--tasks", ",".join(names),
             "--seeds", "30-33", "--budget", str(BUDGET), "--max-tokens", "12", "--no-pictures",
             "--out", str(tmp_path / "run")]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, timeout=380, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    lines = [json.loads(line) for line in (tmp_path / "run" / "episodes.jsonl").read_text().splitlines()]
    assert len(lines) == EPISODES
    assert all(
        len(line["steps"]) == BUDGET if isinstance(line.get("steps"), list) else line["steps"] == BUDGET
        for line in lines
    )
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    text = json.dumps(summary)
    assert "unreadable" in text
