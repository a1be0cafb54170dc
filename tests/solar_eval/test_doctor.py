"""`solar-eval doctor`: the model server's checks, the exit code and the forms of its output."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx

from emulator.doctor import Finding
from solar_eval.commands import doctor as verb

URL = "http://server.test/v1"


def reply(text: str) -> httpx.Response:
    return httpx.Response(200, json={"choices": [{"message": {"content": text}}]})


MODELS = httpx.Response(200, json={"data": [{"id": "Qwen3-VL-8B"}]})


@pytest.mark.parametrize(
    ("models", "answer", "model", "expected"),
    [
        (MODELS, reply("Red."), "Qwen3-VL-8B", ["ok", "ok", "ok"]),
        (MODELS, reply("Red."), "", ["ok", "warns", "ok"]),
        (MODELS, reply("I can't see."), "Qwen3-VL-8B", ["ok", "ok", "warns"]),
        (MODELS, httpx.Response(400, text="no multimodal"), "Qwen3-VL-8B", ["ok", "ok", "fails"]),
        (MODELS, httpx.Response(200, text="<html>"), "Qwen3-VL-8B", ["ok", "ok", "fails"]),
        (MODELS, reply("Red."), "Qwen3-VL-80B", ["ok", "fails"]),
        (httpx.Response(401), reply(""), "m", ["fails"]),
        (httpx.Response(200, text="hello"), reply(""), "m", ["fails"]),
        (httpx.Response(200, json={"data": []}), reply(""), "m", ["fails"]),
    ],
)
@respx.mock
def test_a_model_server_is_examined(models: httpx.Response, answer: httpx.Response, model: str, expected: Any) -> None:
    respx.get(f"{URL}/models").mock(return_value=models)
    asked = respx.post(f"{URL}/chat/completions").mock(return_value=answer)
    findings = verb.model_server(URL, model)
    assert [finding.status for finding in findings] == expected
    assert all(finding.fix for finding in findings if finding.status != "ok")
    if asked.called:
        content = json.loads(asked.calls[0].request.content)["messages"][0]["content"]
        assert content[0]["image_url"]["url"].startswith("data:image/png;base64,")


@respx.mock
def test_a_server_that_is_not_there_and_a_near_name() -> None:
    respx.get(f"{URL}/models").mock(side_effect=httpx.ConnectError("refused"))
    assert "solar-eval serve" in verb.model_server(URL, "m")[0].fix
    assert "--base-url" in verb.model_server("", "m")[0].fix
    assert "did you mean --model Qwen3-VL-8B?" in verb._named(["Qwen3-VL-8B"], "qwen3-vl-8b").fix


@respx.mock
def test_the_key_is_sent_and_not_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("emulator.doctor.examine", lambda purposes: [])
    monkeypatch.setenv("SOME_KEY", "sk-secret")
    asked = respx.get(f"{URL}/models").mock(return_value=httpx.Response(403))
    assert verb.doctor(base_url=URL, api_key_env="SOME_KEY") == 3
    assert asked.calls[0].request.headers["Authorization"] == "Bearer sk-secret"
    said = capsys.readouterr()
    assert "sk-secret" not in said.out + said.err
    assert "not fit for pocket, model: model server" in said.err


def test_the_exit_code_follows_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Finding("sdk", "fails", "no SDK", "get one", ("emulators",)), Finding("adb", "ok", "36")]
    monkeypatch.setattr("emulator.doctor.examine", lambda purposes: found)
    assert verb.doctor() == 0
    assert "missing" in capsys.readouterr().out
    assert verb.doctor(purpose="emulators", json_=True) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["fit"] is False and told["findings"][0]["fix"] == "get one"
    assert verb.doctor(android_world=Path("/nowhere")) == 3


@pytest.mark.slow
def test_the_command_line_starts_a_phone_and_says_that_this_computer_is_fit() -> None:
    pytest.importorskip("grpc")
    done = subprocess.run(
        [sys.executable, "-m", "solar_eval.cli", "doctor", "--json"], capture_output=True, timeout=110, check=False
    )
    told = json.loads(done.stdout)
    states = {finding["name"]: finding["status"] for finding in told["findings"]}
    assert states["pocket phone"] == "ok" and done.returncode == 0
