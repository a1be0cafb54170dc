"""The command line of a vLLM server that fits a dialect: pictures a prompt, picture size, context, replicas.

Flag names after vLLM's engine arguments (vllm-project/vllm, `vllm serve --help`, 0.24 to 0.33). Nothing is tuned here:
only what decides whether numbers mean anything.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from solar_eval.dialects.base import Dialect

SCREEN = (1080, 2400)
"""The screen whose picture the context is sized for."""
TEXT_TOKENS = 3072
"""Room for the prompt's words and its history."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """replicas: data-parallel copies. tensor: GPUs a copy. ray: several nodes. extra: further words, last."""

    host: str = "127.0.0.1"
    port: int = 0
    name: str = ""
    replicas: int = 1
    tensor: int = 1
    ray: bool = False
    context: int = 0
    extra: Sequence[str] = ()


def picture_tokens(dialect: Dialect, screen: tuple[int, int] = SCREEN) -> int:
    """Tokens of one picture after the dialect's resizing, for processors that merge 28x28 pixels into one."""
    width, height = dialect.resize.size(screen)
    factor = dialect.resize.factor
    return -(-width // factor) * -(-height // factor)


def context_for(dialect: Dialect) -> int:
    """Tokens that a prompt with all its pictures, its words and the longest reply needs, up to whole 1,024s."""
    need = dialect.history_images * picture_tokens(dialect) + TEXT_TOKENS + dialect.sampling.max_tokens
    return -(-need // 1024) * 1024


def command(checkpoint: str, dialect: Dialect, options: ServeOptions) -> list[str]:
    """The words that start the server; model output never gets here."""
    words = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", checkpoint,
        "--served-model-name", options.name or checkpoint, "--host", options.host, "--port", str(options.port),
        "--limit-mm-per-prompt", json.dumps({"image": max(1, dialect.history_images), "video": 0}),
        "--max-model-len", str(options.context or context_for(dialect)),
        "--generation-config", "vllm",
    ]  # fmt: skip
    if dialect.resize.kind == "smart":
        size = {"min_pixels": dialect.resize.min_pixels, "max_pixels": dialect.resize.max_pixels}
        words += ["--mm-processor-kwargs", json.dumps(size)]
    if options.tensor > 1:
        words += ["--tensor-parallel-size", str(options.tensor)]
    if options.replicas > 1:
        words += ["--data-parallel-size", str(options.replicas)]
    if options.ray:
        words += ["--data-parallel-backend" if options.replicas > 1 else "--distributed-executor-backend", "ray"]
    return [*words, *options.extra]
