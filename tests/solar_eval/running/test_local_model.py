"""A tiny Qwen2.5-VL in this process: answers, prefill, sizes, contexts, checkpoints that don't load."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from PIL import Image as Pillow

pytest.importorskip("torch", reason="torch is not installed (extra serve)")
pytest.importorskip("transformers", reason="transformers is not installed (extra serve)")

from solar_eval.dialects.base import Sampling
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import Image, Message, Text
from solar_eval.errors import UsageError
from solar_eval.images import Picture
from solar_eval.models.base import ModelRequest, RequestRefused
from solar_eval.models.table import ModelOptions, from_spec
from solar_eval.records import Step


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import Qwen2VLImageProcessorPil

    from training.vlm.tiny import TinySizes, tiny_model, tiny_tokenizer

    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = tiny_tokenizer(["Tap the red button.", "click(1, 2)"], 300)
    tiny_model(tokenizer, 1, TinySizes(hidden=64, heads=2, key_heads=1, vision_hidden=32, context=256)).save_pretrained(
        folder
    )
    tokenizer.save_pretrained(folder)
    Qwen2VLImageProcessorPil(min_pixels=784, max_pixels=784 * 64).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(checkpoint: Path):
    from solar_eval.dialects import table

    return from_spec(f"local:{checkpoint}", ModelOptions(table.get("qwen2_5_vl")))


def picture(size: tuple[int, int], shade: int = 90) -> Picture:
    out = io.BytesIO()
    Pillow.new("RGB", size, (shade, 40, 200)).save(out, "PNG")
    return Picture(out.getvalue(), "image/png", size, size)


def request(size: tuple[int, int] = (56, 112), text: str = "Tap it.", prefill: str = "", shade: int = 90,
            sampling: Sampling | None = None) -> ModelRequest:  # fmt: skip
    messages = [Message("user", (Image(0), Text(text)))]
    if prefill:
        messages.append(Message("assistant", (Text(prefill),)))
    step = Step("1/0", "1", 0, "goal", "", None, size)
    return ModelRequest(step, tuple(messages), Frame(size, size), sampling or Sampling(max_tokens=12),
                        {0: picture(size, shade)})  # fmt: skip


def ask(model, question: ModelRequest):
    return asyncio.run(model.ask(question))


def test_answers_are_repeatable_and_counted(model) -> None:
    first, second = ask(model, request()), ask(model, request())
    assert first.text == second.text
    assert first.prompt_tokens and 0 < first.completion_tokens <= 12
    assert first.finish_reason in {"stop", "length"}


def test_prefill_and_picture_are_part_of_the_prompt(model) -> None:
    assert ask(model, request(prefill="click(")).prompt_tokens != ask(model, request()).prompt_tokens
    longer = ask(model, request(size=(112, 112)))
    assert longer.prompt_tokens == ask(model, request()).prompt_tokens + 8


def test_samples_follow_the_seed(model) -> None:
    warm = Sampling(temperature=1.0, max_tokens=12)
    assert ask(model, request(sampling=warm)).text == ask(model, request(sampling=warm)).text
    assert model.request_fields(warm)["seed"] == 0


def test_a_picture_that_would_be_resized_again_is_refused(model) -> None:
    with pytest.raises(UsageError, match="of a picture of 50x100"):
        ask(model, request(size=(50, 100)))


def test_a_prompt_beyond_the_context_is_refused_and_not_cut(model) -> None:
    with pytest.raises(RequestRefused, match="the model takes 256"):
        ask(model, request(text="Tap the red button. " * 60))


def test_a_goal_that_spells_the_placeholder_is_refused(model) -> None:
    with pytest.raises(RequestRefused, match="placeholders"):
        ask(model, request(text="<|image_pad|>"))


def test_facts_name_the_engine(model, checkpoint: Path) -> None:
    found = asyncio.run(model.facts())
    assert found["engine"] == "transformers" and found["model_type"] == "qwen2_5_vl"
    assert model.spec == f"local:{checkpoint}"


@pytest.mark.parametrize("spec", ["local:", "local:/nowhere/at/all"])
def test_what_does_not_load_says_what_to_do(spec: str) -> None:
    from solar_eval.dialects import table

    with pytest.raises(UsageError, match="checkpoint"):
        from_spec(spec, ModelOptions(table.get("qwen2_5_vl")))
