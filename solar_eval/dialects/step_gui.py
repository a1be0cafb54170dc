"""Step-GUI / GELab-Zero-4B-preview (Qwen3-VL base): a thought, then `key:value` fields between tabs, 0-1000.

Grammar: stepfun-ai/gelab-zero @19465cf copilot_tools/parser_0920_summary.py: `<THINK> .. </THINK>`, line break, fields
explain, action, parameters, summary in any order, separated by tabs only; a key ends at the first colon, values are
stripped; every key with `point` holds two whole numbers. There is no back, home or enter.

Departures: missing THINK tags are flagged; fields parted by blanks or line breaks are found by their keys, flagged;
decimals are read, flagged; BACK, HOME, SCROLL and HOT_KEY, which only the executor knows, are read as outside the
prompt. ABORT is read as infeasible; the prompt knows no other failure.
"""

from __future__ import annotations

import re

from solar_eval.actions import (
    Action,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    Key,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.base import Flag, Reading, Sampling, swipe_from_word
from solar_eval.dialects.call_reading import Arg, Call, CallFault, Slots, Verb, VerbTable, assemble, keys_of, nothing
from solar_eval.dialects.call_rendering import CallDialect
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import PromptRequest, Turn
from solar_eval.dialects.wording import path

_HOT_KEYS: dict[str, Key] = {
    "back": "back",
    "home": "home",
    "enter": "enter",
    "recent": "recents",
    "recents": "recents",
}


def _type(slots: Slots) -> Type:
    return Type(slots.text("value"), slots.maybe_point("point"))


def _scroll(slots: Slots) -> Swipe:
    """The executor's word: where the content goes if vertical, the finger's if horizontal."""
    word = slots.text("value").strip().lower()
    swipe = swipe_from_word(word, "content" if word in ("up", "down") else "finger", slots.maybe_point("point"))
    if swipe is None:
        raise CallFault("missing_argument", f"{word!r} is no direction")
    return swipe


def _hot_key(slots: Slots) -> Press:
    name = slots.text("value", "key")
    if name.strip().lower() not in _HOT_KEYS:
        raise CallFault("unsupported_action", f"HOT_KEY: {', '.join(keys_of(name))}")
    return Press(_HOT_KEYS[name.strip().lower()])


VERBS: VerbTable = {
    "CLICK": Verb("click", lambda s: Click(s.point("point"))),
    "LONGPRESS": Verb("long_press", lambda s: LongPress(s.point("point"))),
    "TYPE": Verb("type", _type),
    "SLIDE": Verb("swipe", lambda s: Swipe(start=s.point("point1"), end=s.point("point2"))),
    "AWAKE": Verb("open_app", lambda s: OpenApp(s.text("value"))),
    "WAIT": Verb("wait", lambda s: Wait(s.number("value"))),
    "INFO": Verb("call_user", lambda s: CallUser(s.text("value"))),
    "COMPLETE": Verb("finish", lambda s: Finish("success", s.maybe_text("return", "value") or "")),
    "ABORT": Verb("finish", lambda s: Finish("infeasible", s.maybe_text("value", "return") or "")),
    "DOUBLE_TAP": Verb("double_tap", lambda s: DoubleTap(s.point("point")), offered=False),
    "DOUBLE_CLICK": Verb("double_tap", lambda s: DoubleTap(s.point("point")), offered=False),
    "CALL_USER": Verb("call_user", lambda s: CallUser(s.maybe_text("value") or ""), offered=False),
    "BACK": Verb("press", lambda s: Press("back"), offered=False),
    "HOME": Verb("press", lambda s: Press("home"), offered=False),
    "SCROLL": Verb("swipe", _scroll, offered=False),
    "HOT_KEY": Verb("press", _hot_key, offered=False),
}
NEEDS: dict[str, tuple[str, ...]] = {
    "CLICK": ("point",), "LONGPRESS": ("point",), "TYPE": ("value",), "SLIDE": ("point1", "point2"),
    "AWAKE": ("value",), "WAIT": (), "INFO": ("value",), "COMPLETE": (), "ABORT": (),
}  # fmt: skip
"""Verbs of the prompt and the fields that the strict grammar demands."""

_TINK = re.compile(r"<\s*(/?)\s*T(?:H)?INK\s*>", re.IGNORECASE)
_KEY = r"(?:explain|action|value|point[12]?|return|summary)"
_LOOSE = re.compile(rf"(?:(?<!\S)|(?<=\\t))({_KEY})[ ]*+[:：]", re.IGNORECASE)
_INNER_KEY = re.compile(rf"(?<=\s){_KEY}[ ]*+:")
_WHOLE_POINT = re.compile(r"\d+\s*(?:,|\s)\s*\d+")


class StepGui(CallDialect):
    """Step-GUI."""

    name = "step_gui"
    family = "GELab-Zero-4B-preview, Step-GUI-4B, Step-GUI-8B"
    aliases = ("gelab_zero", "gelab", "gelab-zero-4b-preview", "stepgui", "step-gui-4b", "step-gui-8b")
    source = "stepfun-ai/gelab-zero@19465cf"
    space = "rel1000"
    sampling = Sampling(temperature=0.1, top_p=0.95, frequency_penalty=0.0, max_tokens=4096,
                        source="stepfun-ai/gelab-zero@19465cf run_single_task")  # fmt: skip
    expresses = frozenset({"click", "long_press", "type", "swipe", "open_app", "wait", "call_user", "finish"})
    carries = frozenset({"point", "seconds", "finish_text", "user_text"})

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body, thought, mended = _without_thought(prepared)
        given = [field for field in body.strip().split("\t") if field.strip()]
        pairs = _pairs(given)
        tidy = all(key.isidentifier() for key, _ in pairs) and len(pairs) == len(given)
        names = [key for key, _ in pairs]
        if "action" not in names or (len(pairs) == 1 and "\n" in body.strip()) or _hidden(pairs):
            pairs, tidy = _loose_pairs(body), False
        actions = [index for index, (key, _) in enumerate(pairs) if key == "action"]
        if not actions:
            return nothing(body, bool(pairs) or "action:" in body, thought)
        flags: list[Flag] = [] if prepared.thought or thought or "<THINK>" in prepared.raw else ["no_wrapper"]
        calls = _calls(pairs, actions)
        strict = tidy and not mended and not flags and len(calls) == 1 and _strict(calls[0])
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense, False)) for c in calls)
        return assemble(pending, VERBS, strict, flags, thought)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The action field and its parameters."""
        if isinstance(action, Click | LongPress):
            return (
                f"action:{'CLICK' if isinstance(action, Click) else 'LONGPRESS'}\tpoint:{self._at(action.point, frame)}"
            )
        if isinstance(action, Swipe):
            start, end = path(action)
            return f"action:SLIDE\tpoint1:{self._at(start, frame)}\tpoint2:{self._at(end, frame)}"
        if isinstance(action, Type):
            place = "" if action.point is None else f"\tpoint:{self._at(action.point, frame)}"
            return f"action:TYPE\tvalue:{action.text}{place}"
        if isinstance(action, OpenApp):
            return f"action:AWAKE\tvalue:{action.name}"
        if isinstance(action, Wait):
            return "action:WAIT" if action.seconds is None else f"action:WAIT\tvalue:{action.seconds:g}"
        if isinstance(action, CallUser):
            return f"action:INFO\tvalue:{action.text}"
        if isinstance(action, Finish) and action.status == "success":
            return f"action:COMPLETE\treturn:{action.text}"
        if isinstance(action, Finish) and action.status == "infeasible":
            return f"action:ABORT\tvalue:{action.text}"
        raise self.cannot(action)

    def _at(self, point: Point, frame: Frame) -> str:
        return "{},{}".format(*self.numbers(point, frame))

    def wrap(self, words: str, thought: str) -> str:
        """Thought, explanation (empty), action, summary (empty): the label does not know them."""
        return f"<THINK> {thought} </THINK>\nexplain:\t{words}\tsummary:"

    # ---- messages
    def history_lines(self, turns: tuple[Turn, ...], request: PromptRequest) -> list[str]:
        """The running summary: the last reply's own, else the step instructions so far."""
        if not turns:
            return []
        summaries = [value for key, value in _pairs(turns[-1].reply.split("\t")) if key == "summary" and value]
        return summaries[-1:] or ["; ".join(turn.low or self.line(turn, request.frame) for turn in turns)]


def _without_thought(prepared: Prepared) -> tuple[str, str, bool]:
    """Fields, thought, and whether the tags had to be mended (`<TINK>`, blanks inside)."""
    if _TINK.search(prepared.body) is None:
        return prepared.body, prepared.thought, False
    pieces = list(_TINK.finditer(prepared.body))
    closing = [tag for tag in pieces if tag.group(1)]
    if not closing:
        return prepared.body[pieces[0].end() :], prepared.thought, True
    thought = prepared.body[pieces[0].end() : closing[-1].start()] if pieces[0] is not closing[-1] else ""
    return prepared.body[closing[-1].end() :], thought.strip() or prepared.thought, True


def _pairs(fields: list[str]) -> list[tuple[str, str]]:
    """Key and value of every field that has a colon, both stripped as upstream does."""
    split = [field.split(":", 1) for field in fields if ":" in field]
    return [(key.strip(), value.strip()) for key, value in split]


def _hidden(pairs: list[tuple[str, str]]) -> bool:
    """A verb with more text behind it: its parameters were not parted by tabs."""
    return any(key == "action" and _INNER_KEY.search(value) is not None for key, value in pairs)


def _loose_pairs(body: str) -> list[tuple[str, str]]:
    """Fields by their keys, whatever parts them."""
    found = list(_LOOSE.finditer(body))
    if not found:
        return []
    ends = [match.start() for match in found[1:]] + [len(body)]
    return [
        (m.group(1).lower(), body[m.end() : end].strip().removesuffix("\\t"))
        for m, end in zip(found, ends, strict=True)
    ]


def _calls(pairs: list[tuple[str, str]], actions: list[int]) -> list[Call]:
    """One call for each action field. Fields before the first action belong to it."""
    bounds = [0, *actions[1:], len(pairs)]
    calls = []
    for index, at in enumerate(actions):
        own = pairs[bounds[index] : bounds[index + 1]]
        args = {key: Arg(value, "") for key, value in own if key != "action"}
        calls.append(Call(pairs[at][1], args))
    return calls


def _strict(call: Call) -> bool:
    """A verb of the prompt, with its fields, and whole numbers in every point."""
    points = [arg.text for key, arg in call.args.items() if "point" in key]
    return (
        call.name in NEEDS
        and all(key in call.args for key in NEEDS[call.name])
        and all(_WHOLE_POINT.fullmatch(point) for point in points)
    )
