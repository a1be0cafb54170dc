"""Models without a server: what a run looks like when the answer is known, noisy, broken or blind.

Each draws from `random.Random("<seed>:<kind>:<step id>")`, so a reply depends on nothing but the seed and the
step: neither order nor concurrency nor the process changes it. Labels are written with the dialect's own
`render`; where its grammar has no words for an action the reply is CANNOT_SAY with finish_reason
"cannot_express", which no dialect reads as an action: it counts as wrong and can be counted apart.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Literal, get_args

from solar_eval.actions import (
    DIRECTIONS,
    KEYS,
    Action,
    Answer,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    Kind,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.base import CannotExpress, Dialect, Sampling
from solar_eval.errors import unknown_name
from solar_eval.models.base import ModelReply, ModelRequest

ScriptKind = Literal["gold", "noisy", "broken", "random"]
SCRIPT_KINDS: tuple[ScriptKind, ...] = get_args(ScriptKind)
CANNOT_SAY = "There are no words in this dialect for the labelled action."
PROSE = "The screen shows a list and a search field; I would first like to think about where to go from here."
WORDS = ("pear", "north gate", "42", "blue notebook", "Zürich", "half past nine", "lamp")
"""Texts that noisy and random models type."""
APPS = ("Clock", "Maps", "Notes", "Camera")


@dataclass(frozen=True)
class ScriptedModel:
    """`scripted:KIND`. `right`: how likely the noisy model answers with the label (0..1)."""

    kind: ScriptKind
    dialect: Dialect
    seed: int = 0
    right: float = 0.7
    needs_pictures: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.kind not in SCRIPT_KINDS:
            raise unknown_name("scripted model", self.kind, SCRIPT_KINDS)

    @property
    def spec(self) -> str:
        """scripted:KIND, for noisy with its probability."""
        return f"scripted:{self.kind}:{self.right:g}" if self.kind == "noisy" else f"scripted:{self.kind}"

    def request_fields(self, sampling: Sampling) -> dict[str, object]:
        """Nothing is sent: there is no decoding."""
        return {}

    async def facts(self) -> dict[str, object]:
        """No other end."""
        return {}

    async def aclose(self) -> None:
        """Nothing to release."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The reply that this kind of model gives to the step; the same for the same seed, always."""
        rng = random.Random(f"{self.seed}:{self.kind}:{request.step.id}")
        if self.kind == "broken":
            return ModelReply(broken_reply(rng, request, self.dialect), "stop")
        if self.kind == "random":
            return self._say(random_expressible(rng, self.dialect, request), request)
        label = request.step.label
        if label is not None and self.kind == "noisy" and rng.random() >= self.right:
            label = mistaken(rng, label)
        return self._say(label, request)

    def _say(self, action: Action | None, request: ModelRequest) -> ModelReply:
        text = None if action is None else rendered(action, request, self.dialect)
        return ModelReply(CANNOT_SAY, "cannot_express") if text is None else ModelReply(text, "stop")


def rendered(action: Action, request: ModelRequest, dialect: Dialect) -> str | None:
    """The reply that says `action`, less what the prompt already began; None where there are no words."""
    try:
        text = dialect.render(action, request.frame, request.step.low if request.prefill else "")
    except CannotExpress:
        return None
    return without_prefill(text, request.prefill)


def without_prefill(text: str, prefill: str) -> str:
    """`text` without the longest end of the prefill that it starts with, white space at the seam apart."""
    begun = prefill.strip()
    for start in range(len(begun)):
        if text.startswith(begun[start:]):
            return text[len(begun) - start :]
    return text


def mistaken(rng: random.Random, label: Action) -> Action:
    """A plausible wrong action: a point elsewhere, another direction, another text, a stray click."""
    if isinstance(label, Click | LongPress | DoubleTap):
        return type(label)(elsewhere(rng, label.point))
    if isinstance(label, Swipe):
        others = [direction for direction in DIRECTIONS if direction != label.finger]
        return Swipe(direction=rng.choice(others))
    if isinstance(label, Type):
        return Type(_other(rng, WORDS, label.text))
    if isinstance(label, OpenApp):
        return OpenApp(_other(rng, APPS, label.name))
    if isinstance(label, Press):
        return Press(rng.choice([key for key in KEYS if key != label.key]))
    return Click(anywhere(rng))


def anywhere(rng: random.Random) -> Point:
    """A point at least 2 % away from every edge."""
    return Point(rng.uniform(0.02, 0.98), rng.uniform(0.02, 0.98))


def elsewhere(rng: random.Random, point: Point) -> Point:
    """A point on the screen at least 0.3 of its width or height away from `point`."""
    while True:
        found = anywhere(rng)
        if not (abs(found.x - point.x) < 0.3 and abs(found.y - point.y) < 0.3):  # so that NaN is far from everything
            return found


def _other(rng: random.Random, choices: tuple[str, ...], text: str) -> str:
    """A choice that neither holds `text` nor stands in it, so that no substring rule credits it."""
    plain = text.lower()
    others = [choice for choice in choices if choice.lower() not in plain and not (plain and plain in choice.lower())]
    return rng.choice(others or choices)


def random_action(rng: random.Random, kind: Kind) -> Action:
    """A random action of one kind."""
    makers: dict[Kind, Action] = {
        "click": Click(anywhere(rng)),
        "long_press": LongPress(anywhere(rng)),
        "double_tap": DoubleTap(anywhere(rng)),
        "swipe": Swipe(direction=rng.choice(DIRECTIONS)),
        "type": Type(rng.choice(WORDS)),
        "open_app": OpenApp(rng.choice(APPS)),
        "press": Press(rng.choice(KEYS)),
        "wait": Wait(),
        "answer": Answer(rng.choice(WORDS)),
        "finish": Finish(),
        "call_user": CallUser(rng.choice(WORDS)),
    }
    return makers[kind]


def random_expressible(rng: random.Random, dialect: Dialect, request: ModelRequest) -> Action:
    """Kinds are drawn evenly from what the family expresses; what `render` still refuses is drawn again."""
    kinds = sorted(dialect.expresses)
    for _ in range(50):
        action = random_action(rng, rng.choice(kinds))
        if rendered(action, request, dialect) is not None:
            return action
    return Click(anywhere(rng))


def broken_reply(rng: random.Random, request: ModelRequest, dialect: Dialect) -> str:
    """A reply without a readable action: empty, prose, cut off, one token repeated, a placeholder."""
    action = request.step.label or Click(Point(0.5, 0.5))
    whole = rendered(action, request, dialect) or rendered(Click(Point(0.5, 0.5)), request, dialect) or PROSE
    clicked = rendered(Click(Point(0.5, 0.5)), request, dialect) or PROSE
    reply = rng.choice([
        "", " \n", PROSE, whole[: int(len(whole) * rng.uniform(0.1, 0.5))], "!" * 400,
        re.sub(r"\d+(\.\d+)?", "x", clicked),
    ])  # fmt: skip
    readable = dialect.parse(request.prefill + reply, request.frame).action is not None
    return PROSE if readable else reply
