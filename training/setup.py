"""From a configuration to a trainer: data, policy, phases, run directory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from solar_eval import protocols
from solar_eval.asking import PromptPlan
from solar_eval.dialects import table as dialects
from solar_eval.dialects.base import CannotExpress
from solar_eval.dialects.frames import ResizeRule
from solar_eval.dialects.prompting import Image, PromptTemplate
from solar_eval.errors import DataError, UsageError, boundary
from solar_eval.protocols import Protocol
from solar_eval.result_files import write_json
from training.advantage import AdvantageRules
from training.checkpoint import Checkpoints
from training.config import SourceConfig, TrainConfig
from training.curation import Curated, Report, curate, fingerprint, fit, frame_of
from training.data import SourceSpec, load_source
from training.demo import PROMPT
from training.errors import EmptyGroup
from training.loop import Evaluation, Phase, Trainer
from training.loss import LossRules
from training.metrics_log import MetricsLog, sinks_named
from training.mix import Order, Source, atomic, trajectories
from training.policy import Policy, Task, TrainStep
from training.rules import CreditRules
from training.screens import ScreenStore
from training.shaping import ShapingRules
from training.validity import solar_protocol
from training.vlm.network import Network, value_head
from training.vlm.policy import VlmPolicy
from training.vlm.prompts import ChatTokens
from training.vlm.tiny import TinySizes, tiny_model, tiny_tokenizer

PATCH_BLOCK = 28
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Data:
    """What is trained on and what is held out, by source."""

    curated: list[tuple[SourceConfig, Curated]]
    held_out: tuple[Task, ...]

    @property
    def steps(self) -> list[TrainStep]:
        """All steps to train on."""
        return [step for _, part in self.curated for step in part.steps]


def prepare(config: TrainConfig, tell: Tell = print) -> Trainer:
    """Everything up to the first update. Raises UsageError, DataError and TrainingErrors; nothing is trained yet."""
    torch.set_num_threads(config.threads or (1 if config.model is None else torch.get_num_threads()))
    protocol = protocol_of(config)
    with boundary(DataError, str(config.out), "give another --out"):
        config.out.mkdir(parents=True, exist_ok=True)
    data, policy, store = (_pointer if config.policy == "pointer" else _vlm)(config, protocol)
    reports = [part.report for _, part in data.curated]
    write_json(config.out / "curation.json", {source_name(s): p.report.to_json() for s, p in data.curated})
    for (source, _), report in zip(data.curated, reports, strict=True):
        tell("\n".join([f"{source_name(source)}: {report.lines()[0]}", *report.lines()[1:]]))
    tell(f"held out: {len(data.held_out)} episodes, {len(_steps(data.held_out))} steps")
    identity = {**config.identity(), "data_sha256": fingerprint([*data.steps, *_steps(data.held_out)]),
                **{f"policy {k}": v for k, v in policy.identity().items()}}  # fmt: skip
    checkpoints = Checkpoints(config.out / "checkpoints", identity, config.keep)
    found = checkpoints.latest()
    log = MetricsLog(config.out, found[0] if found else 0, sinks_named(config.loggers, config.out, config.identity()))
    live = _live(config, policy)
    held = Evaluation(data.held_out, config.evaluate_every, config.candidates, config.temperature, live)
    made = Trainer(policy, phases_of(config, data), log, checkpoints, config.save_every,
                   held if data.held_out or live else None, protocol, config.seed, tell, config.tell_every_s,
                   screens=store)  # fmt: skip
    if found is not None:
        made.load(*found)
        tell(f"resumes after update {found[0]} of {made.total}")
    return made


def _vlm(config: TrainConfig, protocol: Protocol) -> tuple[Data, Policy, ScreenStore | None]:
    plan = plan_of(config)
    store = ScreenStore(ResizeRule("smart", PATCH_BLOCK, config.min_pixels, config.max_pixels), config.out / "screens")
    data = read_data(config, lambda source: _curated(config, source, plan, store, protocol))
    policy = policy_of(config, plan, store, data)
    return fitted(config, data, policy), policy, store


def _pointer(config: TrainConfig, protocol: Protocol) -> tuple[Data, Policy, ScreenStore | None]:
    """The pointer policy and its episodes, recorded now."""
    from training.pointer.network import Sizes
    from training.pointer.policy import PointerPolicy
    from training.pointer.recorded import recorded

    def read(source: SourceConfig) -> Curated:
        assert source.kind in ("pocket_world", "errands")
        count = min(source.episodes, source.limit or source.episodes)
        return recorded(source.kind, count, source.seed * source.episodes, source.slips, protocol,
                        config.demonstration_noise, config.seed)  # fmt: skip

    sizes = Sizes(config.pointer_embedding, config.pointer_hidden)
    return read_data(config, read), PointerPolicy(sizes, config.seed, config.critic), None


def _live(config: TrainConfig, policy: Policy) -> Callable[[], Mapping[str, float]] | None:
    if not config.live:
        return None
    from training.pointer.policy import PointerPolicy
    from training.pointer.recorded import live

    assert isinstance(policy, PointerPolicy)
    return live(policy.net, config.live, config.seed)


def _steps(tasks: Sequence[Task]) -> list[TrainStep]:
    return [step for task in tasks for step in task.steps]


def plan_of(config: TrainConfig) -> PromptPlan:
    """How steps are told; the demo world alone has a wording of its own."""
    demo = all(source.kind == "demo" for source in config.sources)
    template = PromptTemplate(PROMPT, "training/demo.py") if demo else None
    if config.prompt is not None:
        template = PromptTemplate.from_file(config.prompt)
    return PromptPlan(dialects.get(config.dialect), "android_control", config.level, template)


def protocol_of(config: TrainConfig) -> Protocol:
    """The rules of validity by name."""
    return solar_protocol() if config.protocol == "solar_rl" else protocols.select(config.protocol)[0]


def source_name(source: SourceConfig) -> str:
    """For tables."""
    return source.kind if source.path is None else f"{source.kind}:{source.path}"


def _curated(
    config: TrainConfig, source: SourceConfig, plan: PromptPlan, store: ScreenStore, protocol: Protocol
) -> Curated:
    spec = SourceSpec(**source.model_dump(exclude={"slips"}))
    return curate(load_source(spec), spec.family, plan, store, protocol, config.demonstration_noise, config.seed)


def read_data(config: TrainConfig, read: Callable[[SourceConfig], Curated]) -> Data:
    """All sources, curated but for lengths, whole episodes split into trained and held out by their id."""
    curated: list[tuple[SourceConfig, Curated]] = []
    held: list[Task] = []
    for source in config.sources:
        part = read(source)
        apart = [task for task in part.whole if _held_out(task.id, config)]
        held += apart
        curated.append((source, replace(part, whole=[task for task in part.whole if task not in apart])))
    if not any(part.steps for _, part in curated):
        told = "; ".join(line.strip() for _, part in curated for line in part.report.lines())
        raise EmptyGroup(f"curation left nothing to train on ({told})", "sources")
    return Data(curated, tuple(held))


def _held_out(name: str, config: TrainConfig) -> bool:
    import hashlib

    digest = hashlib.sha256(f"{config.seed}:{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < config.held_out * 2**64


def fitted(config: TrainConfig, data: Data, policy: VlmPolicy) -> Data:
    """Without what is too long for the context or the reply."""
    curated = [(s, fit(p, policy.lengths, config.context, config.max_reply_tokens)) for s, p in data.curated]
    held = fit(Curated(list(data.held_out), [], Report()), policy.lengths, config.context, config.max_reply_tokens)
    if not any(part.steps for _, part in curated):
        told = "; ".join(line.strip() for _, part in curated for line in part.report.lines())
        raise EmptyGroup(f"nothing fits into a context of {config.context} tokens ({told})", "sources",
                         "raise context or max_reply_tokens, or lower max_pixels")  # fmt: skip
    return Data(curated, tuple(held.whole))


def policy_of(config: TrainConfig, plan: PromptPlan, store: ScreenStore, data: Data) -> VlmPolicy:
    """The tiny model, or the checkpoint of --model."""
    if config.model is None:
        tokenizer = tiny_tokenizer(_texts(plan, data.steps), config.tiny_vocabulary)
        sizes = TinySizes(hidden=config.tiny_hidden, layers=config.tiny_layers, context=config.context)
        model = tiny_model(tokenizer, config.seed, sizes)
    else:
        tokenizer, model = loaded(config.model)
    device = device_of(config)
    model = model.to(device)
    if config.gradient_checkpointing:
        model.gradient_checkpointing_enable()
    chat = ChatTokens(tokenizer)
    banned = torch.zeros(model.config.text_config.vocab_size, dtype=torch.bool, device=device)
    banned[chat.banned()] = True
    banned[len(tokenizer) :] = True
    low = config.precision == "bfloat16" or (config.precision == "auto" and device.type == "cuda")
    network = Network(model, banned, torch.bfloat16 if low else torch.float32)
    name = "vlm-tiny" if config.model is None else f"vlm-{config.model.name}"
    return VlmPolicy(network, chat, plan, store, config.max_reply_tokens, config.sample_steps, frozen=config.freeze,
                     name=name, checkpointing=config.gradient_checkpointing, source=config.model,
                     thoughts=config.thoughts, critic=_critic(config, model, device))  # fmt: skip


def _critic(config: TrainConfig, model: Any, device: torch.device) -> torch.nn.Module | None:
    """The value head, where a phase's rule needs one."""
    return value_head(model.config.text_config.hidden_size, config.seed).to(device) if config.critic else None


def loaded(path: Path) -> tuple[object, torch.nn.Module]:
    """Tokenizer and float32 model of a checkpoint folder. Raises DataError where it is no Qwen2.5-VL."""
    from transformers import AutoConfig, AutoTokenizer, Qwen2_5_VLForConditionalGeneration

    fix = "give a folder with a Qwen2.5-VL checkpoint (config.json, weights, tokenizer)"
    if not (path / "config.json").is_file():
        raise DataError("there is no config.json", str(path), fix)
    with boundary(DataError, str(path), fix):
        kind = AutoConfig.from_pretrained(path).model_type
        if kind != "qwen2_5_vl":
            raise DataError(f"it is a {kind}, not a qwen2_5_vl", str(path), fix)
        tokenizer = AutoTokenizer.from_pretrained(path)
        model = Qwen2_5_VLForConditionalGeneration.from_pretrained(
            path, dtype=torch.float32, attn_implementation="sdpa"
        )
    return tokenizer, model


def device_of(config: TrainConfig) -> torch.device:
    """Where to compute. Raises UsageError for a device that is not there."""
    if config.device == "auto":
        return torch.device("cuda" if config.model is not None and torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(config.device)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"{config.device}: {str(error).splitlines()[0]}", "device", "give cpu or auto") from None
    return device


def _texts(plan: PromptPlan, steps: Sequence[TrainStep]) -> list[str]:
    """What the tiny tokenizer is made from: prompts and target replies."""
    texts = ["system\n", "user\n", "assistant\n"]
    for step in steps:
        told = replace(plan, benchmark=step.family)
        frame = frame_of(plan.dialect, step)
        for message in told.messages(step.step, frame, step.history):
            texts += [part.text for part in message.parts if not isinstance(part, Image)]
        for action in (step.step.label, step.target):
            try:
                texts.append(plan.dialect.render(action, frame, step.step.low) if action is not None else "")
            except CannotExpress:
                continue
    return texts


def phases_of(config: TrainConfig, data: Data) -> list[Phase]:
    """Warm-up, atomic stage, trajectory stage; those of 0 updates are left out."""
    whole = [Source(source_name(s), tuple(p.whole), s.share) for s, p in data.curated]
    every = [Source(source_name(s), (*p.whole, *p.loose), s.share) for s, p in data.curated]
    loss = LossRules(config.clip_low, config.clip_high, config.dual_clip, config.kl, config.entropy, config.aggregate)
    shaping = ShapingRules(target=config.target, suffix=config.suffix)
    advantage = AdvantageRules(config.group, config.scale, std_floor=config.std_floor)
    credit = CreditRules(shaping, advantage, config.splices)
    seeds = np.random.SeedSequence(config.seed).generate_state(3)
    steps = [one for source in every for one in atomic(source, config.atomic_flatten)]

    def phase(name: str, updates: int, batch: int, order: Order, rule: str) -> Phase:
        return Phase(name, "reinforce", updates, batch, order, rule, config.candidates, config.temperature, config.lr,
                     config.warmup, config.weight_decay, config.max_grad_norm, config.passes, config.minibatches,
                     config.micro_steps, config.format_reward, loss, credit, config.critic_lr)  # fmt: skip

    made: list[Phase] = []
    if config.sft_updates:
        made.append(Phase("sft", "supervised", config.sft_updates, config.sft_batch, Order(steps, int(seeds[0])),
                          lr=config.sft_lr, warmup=config.warmup, weight_decay=config.weight_decay,
                          max_grad_norm=config.max_grad_norm, micro_steps=4 * config.micro_steps))  # fmt: skip
    if config.atomic_updates:
        order = Order(steps, int(seeds[1]))
        made.append(phase("atomic", config.atomic_updates, config.atomic_batch, order, config.atomic_rule))
    if config.trajectory_updates:
        if not any(source.tasks for source in whole):
            raise EmptyGroup("no episode is whole after curation, so there is no trajectory to train on", "sources",
                             "see curation.json, or set trajectory_updates = 0")  # fmt: skip
        order = Order([one for s in whole for one in trajectories(s, config.trajectory_flatten)], int(seeds[2]))
        made.append(phase("trajectory", config.trajectory_updates, config.trajectory_batch, order, config.rule))
    if not made:
        raise UsageError("all phases have 0 updates", "configuration", "set sft_, atomic_ or trajectory_updates")
    return made


def facts(trainer: Trainer) -> str:
    """One line for people before the first update."""
    return json.dumps({"policy": trainer.policy.name, **trainer.policy.identity()}, default=str)
