"""A Qwen2.5-VL as a policy: prompts from a dialect, replies sampled and scored, weights kept, frozen, exported."""

from __future__ import annotations

import copy
import hashlib
import json
import shutil
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from solar_eval.asking import PromptPlan
from solar_eval.dialects.frames import Frame
from solar_eval.models.scripted import without_prefill
from solar_eval.scoring.columns import Prediction
from training.curation import frame_of
from training.policy import Sampled, Scored, TrainStep
from training.ragged import Ints
from training.screens import MEAN, STD, ScreenStore
from training.vlm.network import Network
from training.vlm.packing import Packed, pack
from training.vlm.prompts import ChatTokens, Prompt
from training.vlm.sampling import Drawn, draw

KEPT_PROMPTS = 4096
BESIDE = ("preprocessor_config.json", "processor_config.json", "video_preprocessor_config.json", "chat_template.json",
          "chat_template.jinja")  # fmt: skip
"""Files of a checkpoint that say how pictures and messages are prepared."""


@dataclass(frozen=True)
class _Tokens:
    """What a batch's rows are made of: prompt s, and the reply tokens of row s * count + c."""

    prompts: list[Prompt]
    replies: list[Ints]
    count: int


@dataclass
class VlmPolicy:
    """Implements `training.policy.Policy`.

    plan: how a step is told in the family's words. most: longest reply in tokens. at_once: prompts sampled together.
    share: encode a step once for all of its rows (off only to measure what that is worth). frozen: beginnings of the
    names of weights that stay. checkpointing: the model computes layers again for the gradient, which it does in its
    training mode only (there is no dropout in this family by default, so nothing else changes). source: the
    checkpoint folder that the weights came from. thoughts: whether demonstrations begin with the step's instruction.
    critic: a head (M, hidden) -> (M, 1) for rules that need values (`training.critic`).
    """

    network: Network
    chat: ChatTokens
    plan: PromptPlan
    store: ScreenStore
    most: int = 64
    at_once: int = 64
    share: bool = True
    frozen: tuple[str, ...] = ()
    name: str = "vlm"
    checkpointing: bool = False
    source: Path | None = None
    thoughts: bool = True
    critic: torch.nn.Module | None = None
    _reference: Any = field(default=None, repr=False)
    _active: Network | None = field(default=None, repr=False)
    _prompts: OrderedDict[tuple[object, ...], Prompt] = field(default_factory=OrderedDict, repr=False)

    def __post_init__(self) -> None:
        self.network.model.eval()
        for name, weight in self.network.model.named_parameters():
            weight.requires_grad_(not name.startswith(self.frozen) if self.frozen else True)

    # ---- prompts and replies
    def frame(self, step: TrainStep) -> Frame:
        """What the reply's coordinates refer to: the picture at its resized size."""
        return frame_of(self.plan.dialect, step)

    def prompt(self, step: TrainStep) -> Prompt:
        """The step's prompt, encoded once. Ids are unique within a source only, so what is shown is part of the key."""
        shown = tuple(sorted(step.screens.items()))
        key = (step.family, step.step.id, step.step.goal, step.step.low, step.image, shown, step.history)
        if key not in self._prompts:
            plan = replace(self.plan, benchmark=step.family)
            messages = plan.messages(step.step, self.frame(step), step.history)
            self._prompts[key] = self.chat.prompt(messages, step.screens, lambda name: self.store.patches(name)[1])
            if len(self._prompts) > KEPT_PROMPTS:
                self._prompts.popitem(last=False)
        return self._prompts[key]

    def target(self, step: TrainStep) -> str:
        """The reply that supervised training imitates. Raises CannotExpress."""
        text = self.plan.dialect.render(step.target, self.frame(step), step.step.low if self.thoughts else "")
        return without_prefill(text, self.prompt(step).prefill)

    def lengths(self, step: TrainStep) -> tuple[int, int]:
        """Tokens of the prompt, image tokens included, and of the target reply."""
        return len(self.prompt(step).ids), len(self.chat.reply(self.target(step)))

    # ---- the protocol
    def identity(self) -> dict[str, object]:
        """Architecture, tokenizer, dialect and wording."""
        template = self.plan.template or self.plan.dialect.template()
        config = self.network.model.config
        vocabulary = sorted(self.chat.tokenizer.get_vocab().items(), key=lambda item: item[1])
        return {
            "policy": self.name, "hidden": config.text_config.hidden_size,
            "layers": config.text_config.num_hidden_layers,
            "parameters": sum(p.numel() for p in self.network.model.parameters()),
            "tokenizer_sha256": hashlib.sha256(repr(vocabulary).encode()).hexdigest(),
            "dialect": self.plan.dialect.name, "prompt_sha256": template.sha256, "level": self.plan.level,
            "most": self.most, **({} if self.critic is None else {"critic": True}),
        }  # fmt: skip

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """The trainable weights, in the model's order."""
        return (weight for weight in self.network.model.parameters() if weight.requires_grad)

    def sample(self, steps: Sequence[TrainStep], count: int, temperature: float, seed: int) -> Sampled:
        """See the protocol. Steps are sampled `at_once` together; a step's replies don't depend on the others'."""
        generator = torch.Generator().manual_seed(seed)
        prompts = [self.prompt(step) for step in steps]
        drawn = [
            self._draw(prompts[first : first + self.at_once], count, temperature, generator)
            for first in range(0, len(prompts), self.at_once)
        ]
        width = max(part.tokens.shape[1] for part in drawn)
        tokens, logp, mask = (
            torch.cat([torch.nn.functional.pad(x, (0, width - x.shape[1])) for x in part])
            for part in ([d.tokens for d in drawn], [d.logp for d in drawn], [d.mask for d in drawn])
        )
        lengths = mask.sum(dim=1).tolist()
        replies = [row[:n].cpu().numpy() for row, n in zip(tokens, lengths, strict=True)]
        return self._read(steps, prompts, replies, logp, mask, sum(part.cut for part in drawn))

    def _draw(self, prompts: Sequence[Prompt], count: int, temperature: float, generator: torch.Generator) -> Drawn:
        self.network.model.eval()
        shared = (prompts, count) if self.share else ([p for p in prompts for _ in range(count)], 1)
        return draw(self.network, shared[0], self.store, shared[1], self.most, temperature, self.chat.end,
                    self.chat.id("<|endoftext|>"), generator)  # fmt: skip

    def _read(
        self, steps: Sequence[TrainStep], prompts: list[Prompt], replies: list[Ints], logp: torch.Tensor,
        mask: torch.Tensor, cut: int,
    ) -> Sampled:  # fmt: skip
        count = len(replies) // len(steps)
        texts: list[list[str]] = []
        said: list[list[Prediction]] = []
        for s, (step, prompt) in enumerate(zip(steps, prompts, strict=True)):
            raw = [self.chat.decode(reply.tolist()) for reply in replies[s * count : (s + 1) * count]]
            frame = self.frame(step)
            read = {text: self.plan.dialect.parse(prompt.prefill + text, frame) for text in set(raw)}
            texts.append(raw)
            said.append([read[text] for text in raw])
        return Sampled(said, logp, mask, texts, _Tokens(prompts, replies, count), cut)

    def demonstrate(self, steps: Sequence[TrainStep]) -> Sampled:
        """See the protocol."""
        prompts = [self.prompt(step) for step in steps]
        replies = [np.array(self.chat.reply(self.target(step)), dtype=np.int64) for step in steps]
        width = max(len(reply) for reply in replies)
        mask = torch.arange(width)[None, :] < torch.tensor([len(reply) for reply in replies])[:, None]
        mask = mask.to(self.network.device)
        return self._read(steps, prompts, replies, torch.zeros(mask.shape, device=mask.device), mask, 0)

    def log_probs(self, sampled: Sampled, rows: Ints, temperature: float = 1.0) -> Scored:
        """See the protocol. Rows of one step that stand together are packed behind one prompt."""
        network = self._active or self.network
        network.model.train(self.checkpointing and torch.is_grad_enabled())
        with network.computing():
            packed, hidden = self._hidden(network, sampled.tokens, rows)
            found, entropy = network.token_log_probs(hidden[packed.group, packed.place], packed.target, temperature)
        shape = (len(rows), sampled.mask.shape[1])
        place = (packed.row, packed.column)
        blank = torch.zeros(shape, device=found.device)
        mask = torch.zeros(shape, dtype=torch.bool, device=found.device).index_put(
            place, torch.ones_like(packed.row) > 0
        )
        return Scored(blank.index_put(place, found), blank.index_put(place, entropy), mask)

    def _hidden(self, network: Network, tokens: _Tokens, rows: Ints) -> tuple[Packed, torch.Tensor]:
        """The rows packed, and their hidden states (G, L, hidden)."""
        step = rows // tokens.count
        starts = np.flatnonzero(np.r_[True, np.diff(step) != 0]) if self.share else np.arange(len(rows))
        prompts = [tokens.prompts[int(step[i])] for i in starts]
        replies = [[tokens.replies[int(row)] for row in part] for part in np.split(rows, starts[1:])]
        packed = pack(prompts, replies, self.chat.id("<|endoftext|>"), network.device)
        keys = [key for prompt in prompts for key in prompt.images]
        features = network.features(keys, self.store) if self.share else {}
        embeds = network.embedded(packed.ids, prompts, features or self._unshared(network, prompts, keys))
        return packed, network.hidden(embeds, packed.positions, packed.mask)[0]

    def values(self, sampled: Sampled, rows: Ints) -> torch.Tensor:
        """See `training.critic.Valued`: the head on the hidden state of each reply's last token.

        The gradient ends at the hidden state: the critic learns from the policy and does not move it.
        """
        assert self.critic is not None, "made without a critic"
        self.network.model.eval()
        with torch.no_grad(), self.network.computing():
            packed, hidden = self._hidden(self.network, sampled.tokens, rows)
        found: torch.Tensor = self.critic(hidden[packed.last[:, 0], packed.last[:, 1]].float())
        return found[:, 0]

    def _unshared(self, network: Network, prompts: Sequence[Prompt], keys: Sequence[str]) -> dict[str, torch.Tensor]:
        """Every picture encoded as often as it is shown, for the measurement: the last copy of each is used."""
        made: dict[str, torch.Tensor] = {}
        for key in keys:
            made |= network.features([key], self.store)
        return made

    def freeze_reference(self) -> None:
        """See the protocol."""
        self._reference = copy.deepcopy(self.network.model).requires_grad_(False)

    @contextmanager
    def reference(self) -> Iterator[None]:
        """See the protocol; the policy itself where nothing was frozen."""
        kept = self._reference if self._reference is not None else self.network.model
        self._active = Network(kept, self.network.banned, self.network.precision)
        try:
            with torch.no_grad():
                yield
        finally:
            self._active = None

    def state(self) -> dict[str, Any]:
        """Weights, and the reference's where there is one."""
        own = {"model": _weights(self.network.model)}
        if self.critic is not None:
            own["critic"] = _weights(self.critic)
        return own if self._reference is None else {**own, "reference": _weights(self._reference)}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""
        self._reference = None
        if "reference" in state:
            self.freeze_reference()
            self._reference.load_state_dict(state["reference"])
        self.network.model.load_state_dict(state["model"])
        if self.critic is not None:
            self.critic.load_state_dict(state["critic"])

    def export(self, folder: Path) -> None:
        """A folder that transformers and servers load: weights, configuration, tokenizer, image processor.

        What a checkpoint brought along for pictures and chat is copied from it; the tiny model gets its own.
        """
        self.network.model.save_pretrained(folder)
        self.chat.tokenizer.save_pretrained(folder)
        if self.source is not None:
            for name in BESIDE:
                if (self.source / name).is_file() and not (folder / name).exists():
                    shutil.copyfile(self.source / name, folder / name)
            return
        rule = self.store.rule
        settings = {
            "image_processor_type": "Qwen2VLImageProcessor", "processor_class": "Qwen2_5_VLProcessor",
            "min_pixels": rule.min_pixels, "max_pixels": rule.max_pixels, "patch_size": self.store.patch,
            "merge_size": self.store.merge, "temporal_patch_size": self.store.frames,
            "image_mean": [round(float(x), 8) for x in MEAN], "image_std": [round(float(x), 8) for x in STD],
        }  # fmt: skip
        (folder / "preprocessor_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def _weights(model: Any) -> dict[str, torch.Tensor]:
    return {name: weight.detach().cpu().clone() for name, weight in model.state_dict().items()}
