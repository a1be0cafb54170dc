"""`solar-eval doctor`: is this computer fit for what is asked, line by line, each with its fix.

The phones' side is emulator/doctor.py; here are the model server's checks and the output. Exit code 0 if nothing that
the asked purposes need fails, 3 otherwise. What could not be proven is said and never called ok.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    import httpx

    from emulator.doctor import Finding, Purpose

SERVER_SECONDS = 60.0
QUESTION = "Which colour fills this picture? Answer with one word."
MARKS = {"ok": "ok        ", "warns": "warning   ", "fails": "FAILS     ", "not proven": "not proven"}


def doctor(
    *,
    purpose: Annotated[
        Literal["pocket", "emulators"],
        Parameter(name="--for", help="pocket: the built-in phone; emulators: Android emulators on this computer."),
    ] = "pocket",
    android_world: Annotated[Path | None, Parameter(help="Checkout of google-research/android_world.")] = None,
    base_url: Annotated[str, Parameter(help="Model server, for instance http://127.0.0.1:8000/v1.")] = "",
    model: Annotated[str, Parameter(help="Name under which the server has the model.")] = "",
    api_key_env: Annotated[str, Parameter(help="NAME of the variable that holds the server's key.")] = "",
    json_: Annotated[bool, Parameter(name="--json", help="Print the findings as JSON.", negative="")] = False,
) -> int:
    """Check this computer, phones, AndroidWorld's checkout and the model server; every line with its fix."""
    from emulator.doctor import blocks, examine

    purposes: list[Purpose] = [purpose]
    findings = examine(purposes)
    if android_world is not None:
        from emulator.doctor_android_world import android_world as check_checkout

        purposes.append("android_world")
        findings += check_checkout(android_world.expanduser())
    if base_url or model:
        purposes.append("model")
        findings += model_server(base_url, model, os.environ.get(api_key_env, "") if api_key_env else "")
    bad = [finding for finding in findings if blocks(finding, purposes)]
    if json_:
        print(json.dumps({"purposes": purposes, "fit": not bad, "findings": [f.to_json() for f in findings]}, indent=1))
    else:
        _print(findings, purposes, bad)
    return 3 if bad else 0


def _print(findings: list[Finding], purposes: list[Purpose], bad: list[Finding]) -> None:
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark = MARKS[finding.status]
        if finding.status == "fails" and finding not in bad:
            mark = "missing   "  # for another purpose than the asked ones
        print(f"{mark}  {finding.name:<{width}}  {finding.said}")
        if finding.fix and finding.status != "ok":
            print(f"{'':{len(mark) + width + 4}}-> {finding.fix}")
    names = ", ".join(purposes)
    if bad:
        print(f"\nnot fit for {names}: {', '.join(finding.name for finding in bad)}", file=sys.stderr)
    else:
        print(f"\nfit for {names}")


def model_server(base_url: str, model: str, key: str = "") -> list[Finding]:
    """Reachable, has the model, takes pictures. One small question is asked."""
    import httpx

    from emulator.doctor import Finding

    if not base_url:
        return [Finding("model server", "fails", "no address given", "give --base-url", ("model",))]
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(headers=headers, timeout=SERVER_SECONDS) as client:
        try:
            reach, served = _served(client, base_url.rstrip("/"))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = f"{base_url}: {type(error).__name__}: {error}"
            return [
                Finding(
                    "model server", "fails", said, "start it: `solar-eval serve`, or correct --base-url", ("model",)
                )
            ]
        if reach.status != "ok":
            return [reach]
        named = _named(served, model)
        if named.status == "fails":
            return [reach, named]
        return [reach, named, _pictures(client, base_url.rstrip("/"), model or served[0])]


def _served(client: httpx.Client, url: str) -> tuple[Finding, list[str]]:
    from emulator.doctor import Finding

    answer = client.get(f"{url}/models")
    if answer.status_code in (401, 403):
        fix = "give --api-key-env NAME, the variable that holds the key"
        return Finding("model server", "fails", f"{url} refuses: {answer.status_code}", fix, ("model",)), []
    try:
        served = [str(entry["id"]) for entry in answer.raise_for_status().json()["data"]]
    except (ValueError, KeyError, TypeError) as error:
        said = f"{url}/models is no list of models ({type(error).__name__})"
        return Finding("model server", "fails", said, "the address ends in /v1 on most servers", ("model",)), []
    if not served:
        return Finding("model server", "fails", f"{url} serves no model", "load one", ("model",)), []
    return Finding("model server", "ok", f"{url} serves {', '.join(served[:5])}"), served


def _named(served: list[str], model: str) -> Finding:
    from emulator.doctor import Finding

    if not model:
        return Finding("model", "warns", f"no --model given; asked {served[0]}", f"give --model {served[0]}")
    if model in served:
        return Finding("model", "ok", model)
    import difflib

    close = difflib.get_close_matches(model, served, 1, 0.4)
    fix = f"did you mean --model {close[0]}?" if close else f"one of: {', '.join(served[:5])}"
    return Finding("model", "fails", f"the server has no {model!r}", fix, ("model",))


def _pictures(client: httpx.Client, url: str, model: str) -> Finding:
    """Ask for the colour of a red picture."""
    import httpx
    from PIL import Image

    from emulator.doctor import Finding

    out = io.BytesIO()
    Image.new("RGB", (112, 112), (230, 20, 20)).save(out, "PNG")
    picture = {"url": "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()}
    content = [{"type": "image_url", "image_url": picture}, {"type": "text", "text": QUESTION}]
    body = {"model": model, "messages": [{"role": "user", "content": content}], "max_tokens": 32, "temperature": 0}
    fix = "serve a model that sees; `solar-eval check` looks closer"
    try:
        answer = client.post(f"{url}/chat/completions", json=body)
        if answer.status_code >= 400:
            said = f"a question with a picture is refused: {answer.status_code} {answer.text[:200]}"
            return Finding("pictures", "fails", said, fix, ("model",))
        text = str(answer.json()["choices"][0]["message"]["content"] or "")
    except (httpx.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
        said = f"a question with a picture gets no answer: {type(error).__name__}: {error}"
        return Finding("pictures", "fails", said[:300], fix, ("model",))
    if "red" in text.lower():
        return Finding("pictures", "ok", "a red picture is called red")
    return Finding("pictures", "warns", f"a red picture was answered with {text[:80]!r}", fix)
