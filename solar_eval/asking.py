"""One step becomes one question, one answer becomes one reply record; whatever goes wrong becomes a fault
record.

Three kinds of fault, told apart by the first word of `Reply.error`: "input" (the screenshot can't be used),
"server" (after all retries), "refused" (the server won't take this request). All are infrastructure faults:
no score, owed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from solar_eval.dialects.base import CannotExpress, Dialect, Sampling
from solar_eval.dialects.frames import Frame, ResizeRule, Size
from solar_eval.dialects.prompting import Level, Message, PromptRequest, PromptTemplate, Turn
from solar_eval.errors import DataError, InfrastructureError, UsageError, boundary
from solar_eval.images import ImageFormat, Picture, prepare_picture
from solar_eval.models.base import (
    Model,
    ModelReply,
    ModelRequest,
    RequestRefused,
    content_key,
    image_indices,
    to_reply,
)
from solar_eval.records import Episode, Reply, Step

NOT_ASKED = "not asked yet"
"""`Reply.error` of a step that the run did not come to; never stored."""


@dataclass(frozen=True)
class PromptPlan:
    """How steps are put to a model. `benchmark`: its rule family, which decides what a scroll word means."""

    dialect: Dialect
    benchmark: str
    level: Level = "high"
    template: PromptTemplate | None = None
    sampling: Sampling = field(default_factory=Sampling)
    resize: ResizeRule = field(default_factory=ResizeRule)
    image_format: ImageFormat = "png"

    def frame(self, screen: Size, picture: Size | None = None) -> Frame:
        """What the reply's numbers refer to. `picture`: size of the screenshot file, where one was read."""
        made = self.dialect.frame_for(screen, self.benchmark)
        return replace(made, image=self.resize.size(picture or screen))

    def messages(self, step: Step, frame: Frame, history: Sequence[Turn]) -> tuple[Message, ...]:
        """The family's messages. Earlier steps that it has no words for are left out of the history."""
        request = PromptRequest(step.goal, frame, self.level, step.low, tuple(history), self.benchmark, step.index)
        try:
            return tuple(self.dialect.messages(request, self.template))
        except CannotExpress:
            sayable = tuple(turn for turn in history if self.dialect.can_express(turn.action))
            return tuple(self.dialect.messages(replace(request, history=sayable), self.template))


@dataclass
class Pictures:
    """Screenshots of episodes, decoded and resized in worker threads; the last `capacity` are kept for histories."""

    rule: ResizeRule
    form: ImageFormat = "png"
    capacity: int = 64
    _kept: OrderedDict[tuple[str, int], Picture] = field(default_factory=OrderedDict)

    async def get(self, episode: Episode, index: int) -> Picture:
        """The picture of the step with this index. Raises DataError naming the step."""
        import anyio.to_thread

        key = (episode.id, index)
        if key not in self._kept:
            self._kept[key] = await anyio.to_thread.run_sync(self._load, episode, index)
            while len(self._kept) > self.capacity:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _load(self, episode: Episode, index: int) -> Picture:
        step = next((step for step in episode.steps if step.index == index), None)
        where = f"screenshot of step {step.id if step else f'{episode.id}/{index}'}"
        if step is None or step.screenshot is None:
            raise DataError("there is none", where, "give the folder or file with the screenshots")
        with boundary(DataError, where):
            data = step.screenshot()
        try:
            return prepare_picture(data, self.rule, self.form)
        except (DataError, UsageError) as error:
            raise DataError(error.what, where, error.fix) from None


@dataclass(frozen=True)
class Answer:
    """What is to be stored for one question. `refused`: the server does not take the request as it is."""

    reply: Reply
    key: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)
    refused: RequestRefused | None = None


@dataclass
class Asker:
    """Asks one model in one way."""

    model: Model
    plan: PromptPlan
    pictures: Pictures

    async def ask(self, episode: Episode, step: Step, history: Sequence[Turn]) -> Answer:
        """One question. Faults of input and server come back as records; errors of the user's own are raised."""
        try:
            request = await self.request(episode, step, history)
        except DataError as error:
            return Answer(fault(step, "input", error))
        key = content_key(request, self.model.spec, self.model.request_fields(request.sampling))
        try:
            answer = await self.model.ask(request)
        except RequestRefused as error:
            return Answer(fault(step, "refused", error), key, refused=error)
        except InfrastructureError as error:
            return Answer(fault(step, "server", error), key)
        return Answer(to_reply(request, answer), key, _beside(request, answer))

    async def request(self, episode: Episode, step: Step, history: Sequence[Turn]) -> ModelRequest:
        """The whole question with its pictures. Raises DataError for a screenshot that can't be used."""
        pictures: dict[int, Picture] = {}
        if self.model.needs_pictures:
            pictures[step.index] = await self.pictures.get(episode, step.index)
        frame = self._frame(step, pictures.get(step.index))
        messages = self.plan.messages(step, frame, history)
        if self.model.needs_pictures:
            for index in image_indices(messages):
                pictures[index] = await self.pictures.get(episode, index)
        return ModelRequest(step, messages, frame, self.plan.sampling, pictures, self.plan.benchmark)

    def _frame(self, step: Step, picture: Picture | None) -> Frame:
        try:
            return self.plan.frame(step.screen, picture.original if picture else None)
        except UsageError as error:
            raise DataError(error.what, f"step {step.id}", error.fix) from None


def fault(step: Step, kind: str, error: DataError | InfrastructureError | RequestRefused) -> Reply:
    """The record of a step that got no answer."""
    return Reply(
        step.id, None, error=f"{kind}: {error.where}: {error.what}" if error.where else f"{kind}: {error.what}"
    )


def fault_kind(reply: Reply) -> str:
    """ "input", "server", "refused", "not_asked" or, for anything else, "other"."""
    if reply.error == NOT_ASKED:
        return "not_asked"
    kind = reply.error.partition(":")[0]
    return kind if kind in ("input", "server", "refused") else "other"


def _beside(request: ModelRequest, answer: ModelReply) -> dict[str, object]:
    """What is stored beside the reply: a reasoning channel, and the screenshot's size if the label names another."""
    out: dict[str, object] = {"reasoning": answer.reasoning} if answer.reasoning else {}
    picture = request.pictures.get(request.step.index)
    if picture is not None and picture.original != request.step.screen:
        out["screenshot"] = list(picture.original)
    return out


# ---- histories
def is_asked(step: Step) -> bool:
    """Whether the model is asked: the label can be read, and the step is not there for histories alone."""
    return step.label is not None and not step.history_only


def label_turn(step: Step) -> Turn | None:
    """An earlier step as its label has it; None where the label can't be read."""
    return None if step.label is None else Turn(step.label, step.low, "", step.index)


def label_history(episode: Episode, step: Step) -> list[Turn]:
    """The labels of all steps that stand before `step`."""
    before = episode.steps[: episode.steps.index(step)]
    return [turn for earlier in before if (turn := label_turn(earlier)) is not None]
