"""A checkpoint in this process through transformers: `local:PATH`. For machines without a server, tests, small models.

torch and transformers are imported when the model is made, never before (extra `serve`). One question at a time in a
worker thread: a server batches, this does not. The picture that goes in has the size the dialect asks for; the
processor's own resizing must leave it alone, which is checked at every question: coordinates refer to `Frame.image`.

Two ways in: the checkpoint's processor where it loads; else, for Qwen2-VL and Qwen2.5-VL, its tokenizer and the Pillow
image processor, with the placeholder repeated here (merged patches), which needs no torchvision.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solar_eval.dialects.base import Sampling
from solar_eval.dialects.prompting import Image
from solar_eval.errors import InfrastructureError, UsageError
from solar_eval.models.base import ModelReply, ModelRequest, RequestRefused

MERGEABLE = ("qwen2_vl", "qwen2_5_vl")
PLACEHOLDER = "<|image_pad|>"
FIX = "pip install 'solar-eval[serve]'; PATH is a folder with config.json, weights and tokenizer, or a hub name"


@dataclass
class LocalModel:
    """The checkpoint at `path`. device: "cpu", "cuda", or "" for a GPU where there is one.

    Raises UsageError where torch, transformers or the checkpoint can't be loaded.
    """

    path: str
    seed: int = 0
    device: str = ""
    needs_pictures: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        try:
            import torch
            from transformers import AutoModelForImageTextToText, AutoTokenizer
        except ImportError as error:
            raise UsageError(f"{error}", f"local:{self.path}", FIX) from None
        where = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        dtype = torch.float32 if where == "cpu" else torch.bfloat16
        load: Any = AutoModelForImageTextToText.from_pretrained
        tokens: Any = AutoTokenizer.from_pretrained
        try:
            self._model: Any = load(self.path, dtype=dtype).to(where).eval()
            self._tokenizer: Any = tokens(self.path)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise UsageError(f"the checkpoint does not load ({error})", f"local:{self.path}", FIX) from None
        self._where = where
        self._inputs: _Inputs = _inputs(self.path, self._model.config.model_type, self._tokenizer)
        self._lock = threading.Lock()

    @property
    def spec(self) -> str:
        """local:PATH."""
        return f"local:{self.path}"

    def request_fields(self, sampling: Sampling) -> dict[str, object]:
        """Decoding settings as they are used."""
        fields: dict[str, object] = {"max_new_tokens": sampling.max_tokens}
        for name in ("temperature", "top_p", "top_k", "repetition_penalty"):
            if (value := getattr(sampling, name)) is not None:
                fields[name] = value
        if sampling.temperature:
            fields["seed"] = self.seed
        if sampling.stop:
            fields["stop_strings"] = list(sampling.stop)
        return fields

    async def ask(self, request: ModelRequest) -> ModelReply:
        """One answer. RequestRefused for a prompt beyond the context, InfrastructureError for what torch raises."""
        import anyio.to_thread

        return await anyio.to_thread.run_sync(self.answer, request)

    def answer(self, request: ModelRequest) -> ModelReply:
        """One answer in the calling thread; see `ask`."""
        import torch

        with self._lock:
            started = time.monotonic()
            inputs = self._inputs.of(request)
            count = int(inputs["input_ids"].shape[1])
            self._check_length(count, request)
            inputs = {name: value.to(self._where) for name, value in inputs.items()}
            try:
                with torch.inference_mode(), torch.random.fork_rng():
                    torch.manual_seed(self.seed)
                    made = self._model.generate(**inputs, **self._how(request.sampling))
            except (RuntimeError, IndexError) as error:
                raise InfrastructureError(f"generation failed: {error}", f"step {request.step.id}") from error
            new = made[0, count:].tolist()
            ended = bool(new) and new[-1] in self._ends()
            plain = request.sampling.skip_special_tokens is not False
            text = self._tokenizer.decode(new[:-1] if ended else new, skip_special_tokens=plain)
            return ModelReply(
                text, "stop" if ended else "length", round(time.monotonic() - started, 4), count, len(new)
            )

    def _check_length(self, count: int, request: ModelRequest) -> None:
        text = getattr(self._model.config, "text_config", self._model.config)
        limit = getattr(text, "max_position_embeddings", None)
        if limit and count + request.sampling.max_tokens > limit and count >= limit:
            raise RequestRefused(f"the prompt has {count} tokens, the model takes {limit}", f"step {request.step.id}",
                                 "lower the dialect's max_pixels or the history")  # fmt: skip

    def _how(self, sampling: Sampling) -> dict[str, Any]:
        how: dict[str, Any] = {"max_new_tokens": sampling.max_tokens, "do_sample": bool(sampling.temperature)}
        if sampling.temperature:
            how |= {"temperature": sampling.temperature, "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
                    "top_k": 0 if sampling.top_k is None else sampling.top_k}  # fmt: skip
        else:
            how |= {"temperature": None, "top_p": None, "top_k": None}
        if sampling.repetition_penalty is not None:
            how["repetition_penalty"] = sampling.repetition_penalty
        if sampling.stop:
            how |= {"stop_strings": list(sampling.stop), "tokenizer": self._tokenizer}
        if banned := [i for i in self._placeholders() if i is not None]:
            how["suppress_tokens"] = banned
        return how

    def _placeholders(self) -> list[int | None]:
        config = self._model.config
        return [getattr(config, "image_token_id", None), getattr(config, "video_token_id", None)]

    def _ends(self) -> set[int]:
        found = self._model.generation_config.eos_token_id
        return set(found) if isinstance(found, list) else {found, self._tokenizer.eos_token_id} - {None}

    async def facts(self) -> dict[str, object]:
        """Versions, device, architecture, number of parameters."""
        import torch
        import transformers

        return {
            "engine": "transformers", "transformers": transformers.__version__, "torch": torch.__version__,
            "device": self._where, "dtype": str(self._model.dtype).removeprefix("torch."),
            "model_type": self._model.config.model_type, "parameters": self._model.num_parameters(),
            "inputs": self._inputs.name, "path_is_local": Path(self.path).is_dir(),
        }  # fmt: skip

    async def aclose(self) -> None:
        """Nothing to release before the process ends."""


@dataclass(frozen=True)
class _Inputs:
    """How messages become tensors. processor: the checkpoint's, or None for the merged-patch way."""

    name: str
    tokenizer: Any
    processor: Any
    images: Any

    def of(self, request: ModelRequest) -> Mapping[str, Any]:
        """input_ids and what goes with the pictures. UsageError where a picture would be resized; RequestRefused."""
        messages = [_wire(request, message) for message in request.messages]
        order = [part.index for message in request.messages for part in message.parts if isinstance(part, Image)]
        pictures = [_open(request.pictures[index].data) for index in order]
        talker = self.tokenizer if self.processor is None else self.processor
        prefilled = bool(request.prefill)
        text = talker.apply_chat_template(messages, tokenize=False, add_generation_prompt=not prefilled,
                                          continue_final_message=prefilled)  # fmt: skip
        if self.processor is not None:
            found = self.processor(text=[text], images=pictures or None, return_tensors="pt")
            _check_size(found.get("image_grid_thw"), pictures, request.step.id)
            return dict(found)
        return self._merged(text, pictures, request.step.id)

    def _merged(self, text: str, pictures: list[Any], step: str) -> Mapping[str, Any]:
        """Qwen's own expansion: one placeholder a picture becomes one a merged patch."""
        import torch

        seen = self.images(images=pictures, return_tensors="pt") if pictures else {}
        _check_size(seen.get("image_grid_thw"), pictures, step)
        grids = seen["image_grid_thw"].prod(-1).tolist() if pictures else []
        parts = text.split(PLACEHOLDER)
        if len(parts) != len(grids) + 1:
            said = f"{len(parts) - 1} placeholders in the prompt for {len(grids)} pictures"
            fix = "either a text spells the placeholder, or the checkpoint's chat template shows no pictures"
            raise RequestRefused(said, f"step {step}", fix)
        merge = self.images.merge_size**2
        whole = parts[0] + "".join(PLACEHOLDER * (n // merge) + rest for n, rest in zip(grids, parts[1:], strict=True))
        made = self.tokenizer(whole, return_tensors="pt", add_special_tokens=False)
        ids = made["input_ids"]
        image = self.tokenizer.convert_tokens_to_ids(PLACEHOLDER)
        kinds = torch.where(ids == image, 1, 0)
        return {"input_ids": ids, "attention_mask": made["attention_mask"], "mm_token_type_ids": kinds, **seen}


def _inputs(path: str, kind: str, tokenizer: Any) -> _Inputs:
    try:
        from transformers import AutoProcessor

        load: Any = AutoProcessor.from_pretrained
        found = load(path)
        if hasattr(found, "image_processor"):
            return _Inputs("processor", tokenizer, found, found.image_processor)
    except (ImportError, OSError, ValueError, TypeError, AttributeError, RuntimeError):
        pass  # no torchvision, or no processor files: the way below says what it needs
    if kind not in MERGEABLE:
        raise UsageError(
            "the checkpoint's processor does not load", f"local:{path}", "install torchvision for your torch"
        )
    from transformers import Qwen2VLImageProcessorPil

    read: Any = Qwen2VLImageProcessorPil.from_pretrained
    return _Inputs("tokenizer and Pillow image processor", tokenizer, None, read(path))


def _wire(request: ModelRequest, message: Any) -> dict[str, Any]:
    parts = [{"type": "image"} if isinstance(part, Image) else {"type": "text", "text": part.text}
             for part in message.parts]  # fmt: skip
    alone = len(parts) == 1 and parts[0]["type"] == "text"
    return {"role": message.role, "content": parts[0]["text"] if alone else parts}


def _open(data: bytes) -> Any:
    from PIL import Image as Pillow

    with Pillow.open(io.BytesIO(data)) as opened:
        return opened.convert("RGB")


def _check_size(grid: Any, pictures: list[Any], step: str, patch: int = 14) -> None:
    """The processor kept each picture's size: patches times 14 are its pixels."""
    if grid is None:
        return
    for (_, rows, columns), picture in zip(grid.tolist(), pictures, strict=True):
        if (columns * patch, rows * patch) != picture.size:
            made, given = f"{columns * patch}x{rows * patch}", f"{picture.size[0]}x{picture.size[1]}"
            fix = "set the processor's min_pixels and max_pixels to the dialect's"
            raise UsageError(f"the processor makes {made} of a picture of {given}", f"step {step}", fix)
