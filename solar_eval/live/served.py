"""A model behind a server as an agent: dialect x model, exactly the ones of the offline half.

The prompt is rendered by the dialect, the picture resized by its rule, the reply read by its `parse`; the history is
the model's own earlier steps, as in semi-online asking (semi_online.py). A reply that can't be read is no part of the
history: it had no effect, and families tell earlier steps by their actions. What `Frame.scroll_sense` is on recorded
benchmarks is left to the family here: a swipe word means what its makers say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace

from solar_eval.actions import Click, Point
from solar_eval.asking import PromptPlan
from solar_eval.dialects.base import Dialect, Parsed
from solar_eval.dialects.prompting import PromptRequest, Turn
from solar_eval.errors import UsageError
from solar_eval.images import RESAMPLE, Picture, prepare_picture
from solar_eval.live.agents import Agent, AgentRun, Decision, Start
from solar_eval.live.general import IndexedJson
from solar_eval.live.seeing import Observation, Seeing, marked_png
from solar_eval.models.base import Model, ModelReply, ModelRequest, content_key, image_indices, prompt_json
from solar_eval.records import Step

RULES = "android_world"
"""The rule family that live prompts and frames are made for."""
Ask = Callable[[Model, ModelRequest], ModelReply]
"""Asks from a worker thread and waits for the answer (the suite's way into its event loop)."""
SIZE = (1080, 2400)


@dataclass(frozen=True)
class ServedAgent(Agent):
    """models: one for each repeat, alike but for the seed. ask: how a thread asks one of them."""

    models: tuple[Model, ...]
    plan: PromptPlan
    ask: Ask
    seeing: Seeing = "screenshot"

    def __post_init__(self) -> None:
        indexed = isinstance(self.plan.dialect, IndexedJson)
        if indexed and self.plan.dialect.seeing != self.seeing:  # type: ignore[attr-defined]  # just checked
            raise UsageError(f"{self.plan.dialect.name} does not see {self.seeing}", "seeing", "leave seeing out")
        if not indexed and self.seeing == "elements":
            name = self.plan.dialect.name
            raise UsageError(
                f"{name} answers on pictures, a list of elements is none", "seeing", "use dialect elements"
            )

    @property
    def spec(self) -> str:
        """As the model's."""
        return self.models[0].spec

    @property
    def needs_tree(self) -> bool:
        """Marks and lists are made of the hierarchy."""
        return self.seeing != "screenshot"

    def identity(self) -> Mapping[str, object]:
        """See `Agent.identity`."""
        plan, model = self.plan, self.models[0]
        template = plan.template or plan.dialect.template()
        out: dict[str, object] = {
            "model": self.spec, "dialect": plan.dialect.name, "seeing": self.seeing,
            "prompt_sha256": template.sha256, "prompt_probe_sha256": probe(plan),
            "history_texts": plan.dialect.history_texts, "history_images": plan.dialect.history_images,
            "request": model.request_fields(plan.sampling), "model_seed": getattr(model, "seed", None),
        }  # fmt: skip
        if self.seeing != "elements":
            out["images"] = {"format": plan.image_format, "resample": RESAMPLE, **asdict(plan.resize)}
        return out

    def begin(self, start: Start) -> AgentRun:
        """An episode with an empty history."""
        return ServedRun(self, start, self.models[start.repeat % len(self.models)])


@dataclass
class ServedRun(AgentRun):
    """One episode's conversation."""

    agent: ServedAgent
    start: Start
    model: Model
    history: list[Turn] = field(default_factory=list)
    pictures: dict[int, Picture] = field(default_factory=dict)
    index: int = 0

    def decide(self, observation: Observation) -> Decision:
        """See `AgentRun.decide`."""
        plan = self._plan(observation)
        request = self._request(plan, observation)
        answer = self.agent.ask(self.model, request)
        prefill = request.prefill if answer.prefill is None else answer.prefill
        text = prefill + answer.text
        parsed = plan.dialect.parse(text, request.frame)
        target = self._remember(plan.dialect, parsed, text)
        self.index += 1
        fields = self.model.request_fields(plan.sampling)
        return Decision(
            parsed.action, (), parsed.fault.code if parsed.fault else "", parsed.fault.detail if parsed.fault else "",
            "", text, parsed.thought, tuple(parsed.flags), parsed.strict_ok, target, request.frame.image,
            content_key(request, self.model.spec, fields), answer.reasoning, answer.finish_reason, answer.latency_s,
            answer.prompt_tokens, answer.completion_tokens,
        )  # fmt: skip

    def _plan(self, observation: Observation) -> PromptPlan:
        dialect = self.agent.plan.dialect
        if isinstance(dialect, IndexedJson):
            return replace(self.agent.plan, dialect=dialect.over(observation))
        return self.agent.plan

    def _request(self, plan: PromptPlan, observation: Observation) -> ModelRequest:
        step = Step(f"{self.start.task.name}/{self.index}", self.start.task.name, self.index, self.start.task.goal, "",
                    None, observation.size)  # fmt: skip
        if self.agent.seeing != "elements":
            self.pictures[self.index] = self._picture(plan, observation)
        frame = plan.frame(step.screen, observation.size)
        messages = plan.messages(step, frame, self.history)
        wanted = image_indices(messages)
        shown = {index: self.pictures[index] for index in wanted}
        self.pictures = {i: p for i, p in self.pictures.items() if i > self.index - max(plan.dialect.history_images, 1)}
        return ModelRequest(step, messages, frame, plan.sampling, shown, plan.benchmark)

    def _picture(self, plan: PromptPlan, observation: Observation) -> Picture:
        png = observation.screenshot.png
        if self.agent.seeing == "marks":
            png = marked_png(observation.screenshot, observation.elements)
        return prepare_picture(png, plan.resize, plan.image_format)

    def _remember(self, dialect: Dialect, parsed: Parsed, text: str) -> str:
        if parsed.action is None:
            return ""
        target = dialect.target(parsed.action) if isinstance(dialect, IndexedJson) else ""
        self.history.append(Turn(parsed.action, target, text, self.index))
        return target

    def close(self) -> None:
        """Nothing runs on."""


def probe(plan: PromptPlan) -> str:
    """Hash of a fixed prompt with one earlier step: notices a dialect whose code changed, and a broken template."""
    frame = plan.frame(SIZE)
    turn = Turn(Click(Point(0.25, 0.5)), "", "", 0)
    request = PromptRequest("Turn on the light.", frame, plan.level, "", (turn,), plan.benchmark, 1)
    messages = plan.dialect.messages(request, plan.template)
    return hashlib.sha256(json.dumps(prompt_json(messages, {}), sort_keys=True).encode()).hexdigest()
