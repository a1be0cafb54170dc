"""From a live configuration to everything a run needs: benchmark, episodes, agent, rules, identity, place."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solar_eval.asking import PromptPlan
from solar_eval.config import LiveConfig
from solar_eval.dialects.base import Dialect
from solar_eval.dialects.prompting import PromptTemplate
from solar_eval.dialects.table import DIALECTS
from solar_eval.dialects.table import get as get_dialect
from solar_eval.errors import UsageError, unknown_name
from solar_eval.live import scripted
from solar_eval.live.agents import Agent
from solar_eval.live.asking import Asking
from solar_eval.live.benchmarks import LIVE, chosen, items_of
from solar_eval.live.episode import Rules
from solar_eval.live.general import LIVE_DIALECTS, IndexedJson
from solar_eval.live.seeing import Seeing
from solar_eval.live.served import RULES, ServedAgent
from solar_eval.live.store import Item
from solar_eval.live.task import LiveBenchmark, Template
from solar_eval.models.base import Model
from solar_eval.models.table import MODELS, from_spec
from solar_eval.run_setup import model_options, resize_for, sampling_for

if TYPE_CHECKING:
    from emulator.device import Device

SETTLE_S = 6.0
POCKET = "pocket"


@dataclass(frozen=True)
class Prepared:
    """What a run needs and no phone is needed for. models: those to be closed at the end (() for scripted agents)."""

    benchmark: LiveBenchmark
    templates: tuple[Template, ...]
    items: tuple[Item, ...]
    agent: Agent
    models: tuple[Model, ...]
    asking: Asking
    stop: threading.Event
    devices: str


def prepare(config: LiveConfig) -> Prepared:
    """Raises UsageError or DataError before any phone is touched."""
    spec = LIVE[config.benchmark]
    benchmark = spec.make(config.android_world)
    templates = chosen(benchmark, config.tasks)
    stop = threading.Event()
    asking = Asking(stop)
    agent, models = agent_for(config, asking)
    items = items_of(benchmark, templates, config.seeds, config.repeats)
    _need_experts(agent, benchmark, items)
    return Prepared(benchmark, tuple(templates), tuple(items), agent, models, asking, stop, devices_of(config))


def devices_of(config: LiveConfig) -> str:
    """The phones' specification. UsageError where none is given and there is no default."""
    found = config.devices or LIVE[config.benchmark].devices
    if found is None:
        raise UsageError(f"{config.benchmark} needs phones", "--devices",
                         "for example emulator-5554,emulator-5556, or pocket:4 for the built-in phone")  # fmt: skip
    return f"{POCKET}:{found}" if found.isdigit() else found


def _need_experts(agent: Agent, benchmark: LiveBenchmark, items: Sequence[Item]) -> None:
    if not isinstance(agent, scripted.ScriptedAgent) or agent.kind not in ("expert", "noisy"):
        return
    names = dict.fromkeys(item.template for item in items)
    seed = items[0].seed if items else 0
    lacking = [name for name in names if benchmark.instantiate(name, seed).expert is None]
    if lacking:
        shown = ", ".join(lacking[:8]) + (f" and {len(lacking) - 8} more" if len(lacking) > 8 else "")
        raise UsageError(f"no scripted solution for {shown}", "--model", "leave them out of --tasks")


# ---- the agent
def agent_for(config: LiveConfig, asking: Asking) -> tuple[Agent, tuple[Model, ...]]:
    """Whom the run is about, and the models to close. Raises UsageError."""
    kind, _, rest = config.model.partition(":")
    if kind == "scripted":
        dialect = None if config.dialect is None else dialect_named(config.dialect)
        return scripted.from_spec(rest, config.seed, dialect), ()
    if kind == "recorded":
        raise UsageError("recorded replies can't act on a phone", "--model", "use openai:NAME or scripted:expert")
    if kind not in MODELS:
        raise unknown_name("model", kind, MODELS)
    if config.dialect is None:
        raise UsageError("a served model needs a dialect", "--dialect", "a model family's, or elements or marks")
    dialect = dialect_named(config.dialect)
    template = None if config.prompt is None else PromptTemplate.from_file(config.prompt)
    plan = PromptPlan(dialect, RULES, "high", template, sampling_for(config, dialect), resize_for(config, dialect),
                      config.image_format)  # fmt: skip
    models = tuple(_model(config, dialect, repeat) for repeat in range(config.repeats))
    own: Seeing = dialect.seeing if isinstance(dialect, IndexedJson) else "screenshot"
    return ServedAgent(models, plan, asking.ask, config.seeing or own), models


def _model(config: LiveConfig, dialect: Dialect, repeat: int) -> Model:
    seeded = config.model_copy(update={"seed": config.seed + repeat})
    return from_spec(config.model, model_options(seeded, dialect))


def dialect_named(name: str) -> Dialect:
    """A family's dialect, or one of those that only live episodes have. Raises UsageError."""
    if name in LIVE_DIALECTS:
        return LIVE_DIALECTS[name]()
    if name not in DIALECTS and not any(name in d.aliases for d in DIALECTS.values()):
        raise unknown_name("dialect", name, [*DIALECTS, *LIVE_DIALECTS])
    return get_dialect(name)


# ---- what it is
def rules_of(config: LiveConfig, phone: str) -> Rules:
    """The rules; on pocket phones, whose screen never moves of itself, a look needs no waiting."""
    settle = (0.0 if phone == POCKET else SETTLE_S) if config.settle_s is None else config.settle_s
    return Rules(config.budget, config.require_done, config.answer_ends, settle)


def phone_facts(device: Device) -> dict[str, object]:
    """What kind of phone this is: kind (pocket or android), Android release and API, model, size. DeviceError."""
    names = ("ro.build.version.release", "ro.build.version.sdk", "ro.product.model", "ro.build.fingerprint")
    result = device.shell(
        "; ".join(f"getprop {name}" for name in names) + "; type pocket >/dev/null 2>&1 && echo POCKET"
    )
    lines = [*result.stdout.splitlines(), "", "", "", ""]
    kind = POCKET if "POCKET" in lines else "android"
    size = device.screen_size()
    return {"kind": kind, "android": lines[0], "api": lines[1], "model": lines[2], "build": lines[3],
            "size": [size.width, size.height]}  # fmt: skip


def identity_of(prepared: Prepared, rules: Rules, phone: Mapping[str, object]) -> dict[str, object]:
    """What makes the numbers what they are; another identity is another run."""
    return {
        "benchmark": prepared.benchmark.name, "version": prepared.benchmark.version, "model": prepared.agent.spec,
        "agent": dict(prepared.agent.identity()), "rules": asdict(rules),
        "phone": {key: phone[key] for key in ("kind", "android", "size")},
    }  # fmt: skip


def label_of(benchmark: str, phone: Mapping[str, object]) -> str:
    """How the scores are called: those of official tasks on the built-in phone are no AndroidWorld scores."""
    if phone["kind"] == POCKET and benchmark != "pocket_world":
        return f"{benchmark} tasks on {POCKET}"
    return benchmark


def default_out(identity: Mapping[str, object]) -> Path:
    """runs/<benchmark>-<phone>-<dialect>-<model>-<hash>: the same configuration finds its own directory."""
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:8]
    agent, phone = identity["agent"], identity["phone"]
    assert isinstance(agent, dict) and isinstance(phone, dict)
    words = (str(w) for w in (identity["benchmark"], phone["kind"], agent.get("dialect", ""), agent["model"]))
    return Path("runs") / (
        "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", w).strip("_.")[:48] for w in words if w) + f"-{digest}"
    )
