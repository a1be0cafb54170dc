"""The OpenAI-compatible client against a real HTTP server on a free port."""

from __future__ import annotations

import base64
import io
import json

import anyio
import pytest
from PIL import Image as Pillow
from running_fakes import SCREEN, TinyDialect, completion, make_benchmark, png

from solar_eval.asking import Asker, Pictures, PromptPlan, label_history
from solar_eval.dialects.base import Sampling
from solar_eval.dialects.frames import ResizeRule
from solar_eval.errors import DataError, InfrastructureError, UsageError
from solar_eval.images import prepare_picture
from solar_eval.models.base import ModelReply, ModelRequest, RequestRefused
from solar_eval.models.openai_server import OpenAIServer, ServerOptions, public_url, read_completion

TINY = TinyDialect()


def ask(server, level="high", index=1, sampling=None, **options) -> ModelReply:
    names = ("seed", "extra_body", "token_field")
    mine = {name: options.pop(name) for name in names if name in options}
    name = options.pop("name", "fake")

    async def go() -> ModelReply:
        model = OpenAIServer(name, ServerOptions(base_url=server.url, **options), **mine)
        plan = PromptPlan(TINY, "android_control", level, None, sampling or TINY.sampling, TINY.resize)
        asker = Asker(model, plan, Pictures(plan.resize))
        episode = make_benchmark().episodes[0]
        step = episode.steps[index]
        try:
            return await model.ask(await asker.request(episode, step, label_history(episode, step)))
        finally:
            await model.aclose()

    return anyio.run(go)


def test_parts_stand_in_the_dialects_order_and_pictures_have_the_resized_size(server):
    reply = ask(server, index=2)
    body = server.requests[0]
    system, user = body["messages"]
    assert system == {"role": "system", "content": "You act."}
    assert [part["type"] for part in user["content"]] == ["image_url", "text", "image_url"]
    first, last = (user["content"][i]["image_url"]["url"] for i in (0, 2))
    assert first != last  # the earlier step's screenshot, then the current one
    head, data = last.split(",", 1)
    assert head == "data:image/png;base64"
    picture = Pillow.open(io.BytesIO(base64.b64decode(data)))
    assert picture.size == TINY.resize.size(SCREEN) == (112, 280)
    assert picture.getpixel((3, 3)) == (2, 80, 120)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (7, 3, "stop")
    assert reply.latency_s is not None and reply.latency_s >= 0


def test_sampling_is_sent_as_recorded(server):
    ask(server, extra_body={"chat_template_kwargs": {"enable_thinking": False}}, seed=5)
    body = server.requests[0]
    sent = {key: value for key, value in body.items() if key not in ("model", "messages")}
    assert sent == {
        "temperature": 0.0, "top_k": 1, "repetition_penalty": 1.05, "max_tokens": 64,
        "chat_template_kwargs": {"enable_thinking": False},
    }  # fmt: skip
    model = OpenAIServer("fake", ServerOptions(base_url=server.url), 5)
    assert model.request_fields(Sampling(temperature=0.7, stop=("END",), skip_special_tokens=False)) == {
        "max_tokens": 2048, "temperature": 0.7, "stop": ["END"], "skip_special_tokens": False, "seed": 5,
    }  # fmt: skip
    assert "seed" not in model.request_fields(Sampling(temperature=0.0))


def test_token_field_can_be_renamed(server):
    ask(server, token_field="max_completion_tokens")
    assert "max_tokens" not in server.requests[0] and server.requests[0]["max_completion_tokens"] == 64


def test_a_prefill_is_continued(server):
    ask(server, level="low", index=0)
    body = server.requests[0]
    assert body["messages"][-1] == {"role": "assistant", "content": "Thought: low 0 0\nACT"}
    assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)
    ask(server, level="high", index=0)
    assert "continue_final_message" not in server.requests[1]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_passing_http_failures_are_retried(server, status):
    server.retry_after = "0.01"
    server.answer = lambda body, before: (status, b"busy") if before < 2 else (200, completion("fine"))
    assert ask(server, max_retries=3).text == "fine"
    assert len(server.requests) == 3


def test_a_lasting_failure_is_infrastructure_and_quotes_the_server(server):
    server.retry_after = "0.01"
    server.answer = lambda body, before: (500, b'{"error": {"message": "CUDA went away"}}')
    with pytest.raises(InfrastructureError, match="CUDA went away") as caught:
        ask(server, max_retries=2)
    assert "e0/1" in caught.value.where and str(server.port) in caught.value.where
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 413, 422])
def test_a_refusal_is_not_retried_and_says_the_servers_words(server, status):
    server.answer = lambda body, before: (status, b'{"error": {"message": "picture not accepted"}}')
    with pytest.raises(RequestRefused, match=rf"HTTP {status}.*picture not accepted"):
        ask(server, max_retries=5)
    assert len(server.requests) == 1


def test_an_unknown_model_gets_the_names_that_are_served(server):
    server.answer = lambda body, before: (404, b'{"error": {"message": "no such model"}}')
    with pytest.raises(RequestRefused) as caught:
        ask(server, name="fake2")
    assert caught.value.fix == "did you mean fake?"


GARBAGE = [
    b"", b"<html>gateway</html>", b'{"choices": [{"message": {"con', b"[]", b"null", b'{"choices": []}',
    b'{"choices": null}', b'{"choices": [{"message": null}]}', b'{"choices": [{"message": {"content": 5}}]}',
    b'{"error": {"message": "overloaded"}}', b"\xff\xfe\x00", b"[" * 100_000, completion("half", "abort"),
]  # fmt: skip


@pytest.mark.parametrize("content", GARBAGE, ids=range(len(GARBAGE)))
def test_a_200_without_a_usable_choice_is_retried_then_infrastructure(server, content):
    server.answer = lambda body, before: (200, content) if before < 1 else (200, completion("fine"))
    assert ask(server, max_retries=1).text == "fine"
    server.answer = lambda body, before: (200, content)
    with pytest.raises(InfrastructureError):
        ask(server, max_retries=0)


def test_html_with_its_own_content_type_is_no_reply(server):
    server.content_type = "text/html"
    server.answer = lambda body, before: (200, b"<html>sign in</html>")
    with pytest.raises(InfrastructureError, match="sign in"):
        ask(server, max_retries=0)


def test_an_answer_of_nothing_is_an_answer():
    assert read_completion(completion(None), "x").text == ""
    assert read_completion(completion(""), "x") == ModelReply("", "stop", None, 7, 3)
    assert read_completion(completion("cut", "length"), "x").finish_reason == "length"


def test_reasoning_is_kept_apart():
    reply = read_completion(completion("do it", reasoning_content="let me see"), "x")
    assert (reply.text, reply.reasoning) == ("do it", "let me see")


def test_a_tool_parser_on_the_server_is_named():
    body = completion(None, tool_calls=[{"function": {"name": "mobile_use", "arguments": "{}"}}])
    with pytest.raises(RequestRefused, match="tool_calls"):
        read_completion(body, "x")


def test_lone_surrogates_and_nul_come_through():
    assert read_completion(completion("a\ud800b\x00"), "x").text == "a\ud800b\x00"


def test_a_dead_server_is_infrastructure():
    class Nowhere:
        url = "http://127.0.0.1:1/v1"

    with pytest.raises(InfrastructureError, match=r"127\.0\.0\.1:1"):
        ask(Nowhere, max_retries=0)


def test_a_slow_server_times_out_as_infrastructure(server):
    server.delay = 1.0
    with pytest.raises(InfrastructureError, match=r"no answer within 0\.1 s"):
        ask(server, max_retries=0, timeout_s=0.1)


def test_no_key_is_sent_to_a_named_server_unless_asked(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    ask(server)
    assert "sk-private" not in json.dumps(server.headers)
    monkeypatch.setenv("MY_KEY", "sk-mine")
    ask(server, api_key_env="MY_KEY")
    assert server.headers[-1]["authorization"] == "Bearer sk-mine"


def test_a_missing_key_is_a_usage_error_that_names_the_variable():
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        OpenAIServer("gpt")
    with pytest.raises(UsageError, match="MY_KEY"):
        OpenAIServer("m", ServerOptions("http://localhost/v1", "MY_KEY"))


def test_facts_name_root_and_context_and_never_raise(server):
    async def facts(url: str) -> dict[str, object]:
        model = OpenAIServer("fake", ServerOptions(url))
        found = await model.facts()
        await model.aclose()
        return found

    assert anyio.run(facts, server.url)["max_model_len"] == 4096
    assert "models_unavailable" in anyio.run(facts, "http://127.0.0.1:1/v1")


def test_public_url_hides_credentials():
    assert public_url("https://me:secret@host:8443/v1?key=abc#x") == "https://host:8443/v1"
    assert public_url("http://[::1]:80/v1") == "http://[::1]:80/v1"


# ---- pictures
def test_a_picture_that_fits_goes_out_untouched():
    data = png((112, 280))
    assert prepare_picture(data, ResizeRule("smart", max_pixels=40_000)).data is data
    jpeg = prepare_picture(data, ResizeRule(), "jpeg")
    assert jpeg.media_type == "image/jpeg" and jpeg.data.startswith(b"\xff\xd8") and jpeg.size == (112, 280)


def test_modes_other_than_rgb_become_rgb():
    out = io.BytesIO()
    Pillow.new("RGBA", (30, 30), (1, 2, 3, 0)).save(out, "PNG")
    picture = prepare_picture(out.getvalue(), ResizeRule())
    assert Pillow.open(io.BytesIO(picture.data)).mode == "RGB"


@pytest.mark.parametrize("data", [b"", b"no picture", png()[:200], png()[:60]], ids=["empty", "text", "cut", "head"])
def test_unreadable_pictures_are_data_errors(data):
    with pytest.raises(DataError):
        prepare_picture(data, ResizeRule())


def test_request_needs_no_picture_for_text_only_prompts():
    step = make_benchmark().episodes[0].steps[0]
    request = ModelRequest(step, (), TINY.frame_for(SCREEN))
    assert request.prefill == ""
