"""`solar-eval serve` and `solar-eval check`: a checkpoint behind a server with a family's flags, checked before use."""

from __future__ import annotations

import asyncio
import importlib.util
import signal
import sys
from pathlib import Path
from typing import Annotated, Literal, TextIO

from cyclopts import Parameter

from solar_eval.dialects import table as dialects
from solar_eval.errors import UsageError
from solar_eval.models.openai_server import OpenAIServer, ServerOptions
from solar_eval.serving import vllm_flags
from solar_eval.serving.checks import check_model, render
from solar_eval.serving.process import free_port, serving

Engine = Literal["auto", "vllm", "transformers"]


def serve(
    checkpoint: Annotated[str, Parameter(help="Folder or hub name.")],
    *,
    dialect: Annotated[str, Parameter(help="Whose pictures, context and prompt; see `solar-eval ls dialects`.")],
    engine: Annotated[Engine, Parameter(help="auto: vLLM where it is installed and there is a GPU.")] = "auto",
    port: Annotated[int, Parameter(help="0: the system chooses.")] = 0,
    name: Annotated[str, Parameter(help="Name under which it is served; default: the checkpoint.")] = "",
    replicas: Annotated[int, Parameter(help="Copies, one a GPU (data parallel).")] = 1,
    tensor: Annotated[int, Parameter(help="GPUs a copy.")] = 1,
    ray: Annotated[bool, Parameter(help="Spread over a Ray cluster's nodes.")] = False,
    context: Annotated[int, Parameter(help="Tokens; default: what the dialect needs.")] = 0,
    timeout: Annotated[float, Parameter(help="Seconds to wait until it answers.")] = 900.0,
    compare: Annotated[bool, Parameter(help="Compare the canary with transformers (loads the model twice).")] = False,
    dry_run: Annotated[bool, Parameter(help="Print the command and stop.")] = False,
) -> int:
    """Serve a checkpoint with a family's flags until Ctrl-C; it is checked with pictures first.

    Without a GPU it is served through transformers, one request at a time, and that is said.
    """
    family = dialects.get(dialect)
    chosen = choose(engine)
    port = port or free_port()
    options = vllm_flags.ServeOptions(port=port, name=name, replicas=replicas, tensor=tensor, ray=ray, context=context)
    served = name or checkpoint
    words = vllm_flags.command(checkpoint, family, options)
    if chosen == "transformers":
        words = [sys.executable, "-m", "solar_eval.serving.local_server", checkpoint, str(port), served]
    if dry_run:
        import shlex

        print(shlex.join(words))
        return 0
    if chosen == "transformers":
        said = "no GPU or no vLLM here" if engine == "auto" else "as asked"
        print(f"{said}: serving through transformers, one request at a time", file=sys.stderr)
    url = f"http://127.0.0.1:{port}/v1"
    signal.signal(signal.SIGTERM, _ended)
    with serving(words, lambda: answers(url), timeout):
        ok = asyncio.run(_checked(served, url, dialect, checkpoint if compare else "", sys.stderr))
        print(
            f"{'ready' if ok else 'NOT FIT'}: --model openai:{served} --base-url {url} --dialect {dialect}", flush=True
        )
        if not ok:
            return 3
        try:
            signal.pause()
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
    return 0


def _ended(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def check(
    name: Annotated[str, Parameter(help="The served model's name.")],
    *,
    base_url: Annotated[str, Parameter(help="The server, ending in /v1.")],
    dialect: Annotated[str, Parameter(help="Whose pictures, context and prompt.")],
    reference: Annotated[
        Path | None, Parameter(help="The checkpoint, to compare the canary with transformers.")
    ] = None,
) -> int:
    """Check a served model before any number: answers pictures, sees their size, leaks no tokens, context, canary."""
    ok = asyncio.run(_checked(name, base_url, dialect, str(reference) if reference else "", sys.stdout))
    return 0 if ok else 3


async def _checked(name: str, url: str, dialect: str, reference: str, out: TextIO) -> bool:
    model = OpenAIServer(name, ServerOptions(url, max_retries=1))
    other = None
    if reference:
        from solar_eval.models.local import LocalModel

        other = LocalModel(reference)
    try:
        findings = await check_model(model, dialects.get(dialect), other)
    finally:
        await model.aclose()
    print(render(findings), file=out, flush=True)
    return all(one.state != "failed" for one in findings)


def choose(engine: Engine) -> Literal["vllm", "transformers"]:
    """The engine that can run here. Raises UsageError where vLLM is asked for and not installed."""
    there = importlib.util.find_spec("vllm") is not None
    if engine == "vllm" and not there:
        raise UsageError("vLLM is not installed", "--engine vllm", "pip install vllm, or --engine transformers")
    if engine == "auto":
        return "vllm" if there and _gpu() else "transformers"
    return engine


def _gpu() -> bool:
    return any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/kfd").exists()


def answers(url: str) -> bool:
    """Whether the server lists its models."""
    import httpx

    try:
        return httpx.get(f"{url}/models", timeout=2, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
