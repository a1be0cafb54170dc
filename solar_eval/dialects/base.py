"""The shape of a dialect: what it sends, what it reads, and what it can express.

A reply is data and never raises: `parse` returns a `Parsed` whose `action` is None and whose `fault` says why.
Strict and lenient are two answers to one reply: `action` is the lenient reading (what a person would say the model
meant), `strict_ok` says whether the family's own documented grammar accepts the text as it stands. `flags` lists
every liberty that was taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from solar_eval.actions import DIRECTIONS, OPPOSITE, Action, Kind, Point, Swipe, out_of_range
from solar_eval.dialects.cleaning import Prepared, prepare
from solar_eval.dialects.frames import Frame, ResizeRule, ScrollSense, Size, Space, from_fraction, to_fraction
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Turn, recent, single_turn
from solar_eval.errors import SolarEvalError

FaultCode = Literal[
    "empty",  # nothing, or only white space
    "degenerate_output",  # one token repeated to the limit: a serving failure in disguise
    "too_long",  # beyond cleaning.MAX_CHARS
    "no_action",  # prose or thought only
    "malformed",  # something like an action that can't be read
    "unknown_action",  # a verb this family does not have
    "unsupported_action",  # a verb of the family with no counterpart in the vocabulary (hotkey, volume keys)
    "missing_argument",  # the verb is known, what it needs is not there
    "bad_coordinate",  # the coordinate slot holds no, too few or non-finite numbers
    "placeholder_coordinate",  # the prompt's own placeholder was echoed: [x, y]
    "out_of_range",  # a coordinate more than OVERSHOOT beyond the picture
]
Flag = Literal[
    "repaired",  # brackets, quotes, tags or names were mended
    "multi_action",  # more than one action; the family's rule chose one
    "truncated",  # the reply stops before its closing tag or bracket
    "out_of_range",  # a coordinate outside the picture, kept as it is
    "box_as_point",  # four numbers; the centre was taken
    "outside_prompt",  # a verb that the family knows but its prompt does not offer
    "no_wrapper",  # the family's tags or header were missing
]
OVERSHOOT = 0.05
"""Coordinates up to 5 % beyond the edge are kept and flagged, larger ones are a fault (Qwen3.8-Flash-Next#4)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why no action could be read. `detail` quotes at most a line of the reply."""

    code: FaultCode
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Loose:
    """The point and the text that a reply holds whatever its verb needs (families whose replies always have both).

    Only protocols that require no type match look at it: GUI-R1's own scorer compares the point of a `wait`.
    """

    point: Point | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """One reply, read. Exactly one of `action` and `fault` is set.

    `seen`: the verb as far as it was understood even where the whole is a fault (a click without coordinates).
    `more`: the further actions of a multi-action reply, in order. `loose`: see `Loose`.
    """

    action: Action | None
    fault: Fault | None = None
    strict_ok: bool = False
    flags: tuple[Flag, ...] = ()
    thought: str = ""
    more: tuple[Action, ...] = ()
    seen: str = ""
    loose: Loose | None = None


@dataclass(frozen=True, slots=True)
class Sampling:
    """Decoding settings a family's makers recommend. None: not sent. `source` says where they stand."""

    temperature: float | None = 0.0
    top_p: float | None = None
    top_k: int | None = None
    repetition_penalty: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    max_tokens: int = 2048
    stop: tuple[str, ...] = ()
    skip_special_tokens: bool | None = None
    source: str = ""


class CannotExpress(SolarEvalError):
    """The family's grammar has no words for this action."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a family's reader hands back: the actions found, in order, and how they were found.

    Readers build actions in fractions through `Dialect.point`. An empty `actions` needs a `fault`.
    """

    actions: tuple[Action, ...] = ()
    fault: Fault | None = None
    strict_ok: bool = False
    flags: tuple[Flag, ...] = ()
    thought: str = ""
    seen: str = ""
    loose: Loose | None = None


class Dialect(ABC):
    """One model family. Subclasses set the class attributes, read replies and render actions."""

    name: ClassVar[str]
    family: ClassVar[str]
    """Checkpoints it is for, as a person would name them."""
    aliases: ClassVar[tuple[str, ...]] = ()
    source: ClassVar[str]
    """Upstream repository and commit that the grammar was read from."""
    space: ClassVar[Space]
    resize: ClassVar[ResizeRule] = ResizeRule()
    sampling: ClassVar[Sampling] = Sampling()
    scroll_sense: ClassVar[ScrollSense] = "finger"
    """What a bare scroll word means; two points are always the finger's path."""
    scroll_sense_by_benchmark: ClassVar[Mapping[str, ScrollSense]] = {}
    raw_words: ClassVar[bool] = False
    """Whether a finger word is kept in `Swipe.word` too: checkpoints trained on AndroidControl's raw words (GUI-R1) are
    judged by the word as written where a protocol compares raw words; others by what their word means."""
    expresses: ClassVar[frozenset[Kind]]
    """Kinds of action its grammar has words for."""
    history_images: ClassVar[int] = 1
    """Pictures in a prompt, the current one included."""
    history_texts: ClassVar[int | None] = None
    """Earlier steps told as text: 0 none, None all."""
    image_first: ClassVar[bool] = False
    multi_rule: ClassVar[Literal["first", "last"]] = "first"
    """Which action of a multi-action reply counts (the family's own reader's choice)."""

    # ---- reply in
    def parse(self, text: str, frame: Frame) -> Parsed:
        """Reads one raw reply. Never raises; see `Parsed`."""
        prepared = prepare(text)
        if prepared.fault is not None:
            return Parsed(None, Fault(prepared.fault, prepared.body[:80]), thought=prepared.thought)
        try:
            reading = self.read(prepared, frame)
        except (ValueError, OverflowError, RecursionError) as error:
            return Parsed(None, Fault("malformed", str(error)[:160]), thought=prepared.thought)
        return self._chosen(reading, prepared)

    @abstractmethod
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """The family's grammar. May raise ValueError for what it can't read."""

    def _chosen(self, reading: Reading, prepared: Prepared) -> Parsed:
        thought = reading.thought or prepared.thought
        if not reading.actions:
            fault = reading.fault or Fault("no_action")
            return Parsed(None, fault, False, reading.flags, thought, seen=reading.seen, loose=reading.loose)
        index = 0 if self.multi_rule == "first" else len(reading.actions) - 1
        action = reading.actions[index]
        if isinstance(action, Swipe) and action.word and not self.raw_words and action.direction == action.word:
            action = replace(action, word=None)
        flags, strict = reading.flags, reading.strict_ok
        if len(reading.actions) > 1 and "multi_action" not in flags:
            flags, strict = (*flags, "multi_action"), False
        over = out_of_range(action)
        if over > 0:
            if over > OVERSHOOT:
                detail = f"{over:.4g} of the screen beyond its edge"
                return Parsed(None, Fault("out_of_range", detail), False, (*flags, "out_of_range"), thought,
                              seen=action.kind)  # fmt: skip
            flags, strict = (*flags, "out_of_range"), False
        more = reading.actions[:index] + reading.actions[index + 1 :]
        return Parsed(action, None, strict, flags, thought, more, action.kind, reading.loose)

    # ---- coordinates
    def point(self, x: float, y: float, frame: Frame) -> Point:
        """The family's numbers as a fraction of the screen."""
        return to_fraction(x, y, self.space, frame)

    def numbers(self, point: Point, frame: Frame) -> tuple[int, int]:
        """A fraction of the screen in the family's numbers, rounded to whole ones."""
        x, y = from_fraction(point, self.space, frame)
        return round(x), round(y)

    def frame_for(self, screen: Size, benchmark: str = "") -> Frame:
        """The frame this family sees for a screenshot of `screen` on `benchmark`."""
        return Frame(screen, self.resize.size(screen), self.scroll_sense_by_benchmark.get(benchmark))

    def sense(self, frame: Frame) -> ScrollSense:
        """What a bare scroll word of this reply means."""
        return frame.scroll_sense or self.scroll_sense

    # ---- action out
    @abstractmethod
    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """The whole reply with which this family would say `action`. Raises CannotExpress."""

    def can_express(self, action: Action) -> bool:
        """Whether `render` would succeed."""
        try:
            self.render(action, Frame((1080, 2400), (1080, 2400)))
        except CannotExpress:
            return False
        return True

    # ---- prompt out
    def template(self) -> PromptTemplate:
        """Our wording for this family, `prompts/<name>.jinja`; users replace it with `--prompt FILE`."""
        return PromptTemplate.bundled(self.name)

    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """Messages for one step: one system and one user turn unless the family speaks otherwise."""
        wording = template or self.template()
        turns = recent(request.history, self.history_texts)
        return single_turn(wording, request, self.history_lines(turns, request), self.image_first)

    def history_lines(self, turns: tuple[Turn, ...], request: PromptRequest) -> list[str]:
        """Earlier steps as the family's text lines, the last of them directly before the current step."""
        first = len(request.history) - len(turns)
        return [self.history_line(first + i, turn, request.frame) for i, turn in enumerate(turns)]

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """One earlier step as text; `index` counts from 0. Families with another form override this."""
        return f"Step {index + 1}: {turn.low or self.render(turn.action, frame)}"


def swipe_from_word(word: str, sense: ScrollSense, start: Point | None = None) -> Swipe | None:
    """A swipe named by one word ("up", "DOWN"), read in `sense`; None if it is not a direction."""
    lowered = word.strip().lower()
    for direction in DIRECTIONS:
        if lowered == direction:
            finger = direction if sense == "finger" else OPPOSITE[direction]
            return Swipe(direction=finger, start=start, word=lowered)
    return None
