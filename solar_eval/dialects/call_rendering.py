"""The base of the dialects whose replies are calls, commands or tagged lines: `render`, and what goes into messages.

`render` says an action in the family's strict grammar and then reads it back: where the words, the direction or the
status would not survive, it raises CannotExpress instead of writing something else. So parse(render(a)) says what a
says, whatever quotes, brackets or tags its text holds.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Literal

from solar_eval.actions import Action, CallUser, Finish, Swipe, Type
from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import (
    Image,
    Message,
    PromptRequest,
    PromptTemplate,
    Text,
    Turn,
    recent,
    template_values,
)
from solar_eval.dialects.wording import plain_thought, sentence

IMAGE_MARK, HISTORY_MARK = "<image>", "<history_images>"
"""Lines of a template where the current picture, and the earlier ones, go."""

Detail = Literal["submit", "point", "clear", "finish_text", "user_text", "press_ms", "seconds"]
"""What an action may say beyond its kind and target. Times (the last two) are dropped without a place."""


class CallDialect(Dialect):
    """A dialect that renders an action as one line of words, then wraps it."""

    carries: ClassVar[frozenset[Detail]] = frozenset()
    """Details that the family's grammar has a place for."""

    @abstractmethod
    def words(self, action: Action, frame: Frame) -> str:
        """The bare call or command. Raises CannotExpress."""

    @abstractmethod
    def wrap(self, words: str, thought: str) -> str:
        """The whole reply."""

    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """See `Dialect.render`."""
        if action.kind not in self.expresses:
            raise self.cannot(action)
        for detail in _details(action):
            if detail not in self.carries:
                raise self.cannot(action, f"has no place for {detail}")
        try:
            reply = self.wrap(self.words(action, frame), plain_thought(thought))
        except (ValueError, OverflowError) as error:
            raise self.cannot(action, str(error)) from None
        parsed = self.parse(reply, frame)
        same = parsed.action is not None and _gist(parsed.action, self.carries) == _gist(action, self.carries)
        if not same or not parsed.strict_ok or parsed.flags:
            raise self.cannot(action, f"would not survive being read back: {reply[:80]!r}")
        return reply

    def cannot(self, action: Action, why: str = "has no words for it") -> CannotExpress:
        """The error for an action that this family can't say."""
        return CannotExpress(f"{self.name} {why}", action.kind)

    # ---- messages
    def line(self, turn: Turn, frame: Frame) -> str:
        """An earlier action as the bare call; a sentence where the family has no words for it."""
        try:
            return self.words(turn.action, frame) if turn.action.kind in self.expresses else sentence(turn.action)
        except CannotExpress:
            return sentence(turn.action)

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: <step instruction>`, or the call where there is no instruction."""
        return f"Step {index + 1}: {turn.low or self.line(turn, frame)}"

    def blocks(self, request: PromptRequest, template: PromptTemplate | None) -> tuple[str, str, tuple[Turn, ...]]:
        """The rendered system and user text, and the earlier turns that are shown."""
        wording = template or self.template()
        turns = recent(request.history, self.history_texts)
        clean = replace(request, goal=_unmarked(request.goal), low=_unmarked(request.low))
        values = template_values(clean, [_unmarked(line) for line in self.history_lines(turns, request)])
        return wording.block("system", **values).strip(), wording.block("user", **values).strip(), turns

    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """One system turn, if the template has one, and one user turn of text and pictures."""
        system, text, turns = self.blocks(request, template)
        earlier = [turn.image for turn in turns[max(0, len(turns) - self.history_images + 1) :]]
        parts = parts_of(text, request.image, earlier if self.history_images > 1 else [], self.image_first)
        return [*system_turn(system), Message("user", parts)]


def system_turn(text: str) -> list[Message]:
    """A system message, or none for an empty text."""
    return [Message("system", (Text(text),))] if text else []


def parts_of(text: str, image: int, earlier: list[int], image_first: bool) -> tuple[Text | Image, ...]:
    """Text and pictures in the order of the marks in `text`; without marks the picture goes first or last."""
    if IMAGE_MARK not in text:
        text = f"{IMAGE_MARK}\n{text}" if image_first else f"{text}\n{IMAGE_MARK}"
    parts: list[Text | Image] = []
    before, _, after = text.partition(IMAGE_MARK)
    for piece, pictures in ((before, [image]), (after, [])):
        head, mark, tail = piece.partition(HISTORY_MARK)
        parts += _texts(head)
        parts += [Image(index) for index in earlier] if mark else []
        parts += _texts(tail)
        parts += [Image(index) for index in pictures]
    return tuple(parts)


def _unmarked(text: str) -> str:
    """A goal that happens to hold a mark must not move the picture."""
    return text.replace(IMAGE_MARK, "< image >").replace(HISTORY_MARK, "< history_images >") if "<" in text else text


def _texts(text: str) -> list[Text | Image]:
    return [Text(text.strip())] if text.strip() else []


def quoted(text: str, quote: str = "'") -> str:
    """A text as a Python literal in these quotes: backslash, the quote and control characters are escaped."""
    out = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return quote + out.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + quote


def _details(action: Action) -> list[Detail]:
    """What must not be dropped silently."""
    said: dict[Detail, bool] = {}
    if isinstance(action, Type):
        said = {"submit": action.submit, "point": action.point is not None, "clear": action.clear}
    elif isinstance(action, Finish):
        said = {"finish_text": action.text != ""}
    elif isinstance(action, CallUser):
        said = {"user_text": action.text != ""}
    return [detail for detail, there in said.items() if there]


def _gist(action: Action, carries: frozenset[Detail]) -> tuple[object, ...]:
    """What an action says, but for its exact places (rounded to the family's numbers) and the times it can't carry."""
    direction = action.finger if isinstance(action, Swipe) else None
    names = ["text", "name", "key", "status", "submit"]
    names += ["seconds"] if "seconds" in carries else []
    names += ["duration_ms"] if "press_ms" in carries and not isinstance(action, Swipe) else []
    return (action.kind, direction, *(getattr(action, name, None) for name in names))
