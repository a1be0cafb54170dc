"""GUI-R1-3B/7B: `<think>..</think> <answer>[{'action': .., 'point': [x, y], 'input_text': ..}]</answer>`.

Grammar: ritzz-ai/GUI-R1 @d43eea2 verl/utils/reward_score/r1gui.py and guir1/eval/eval_omni.py: a Python literal, a list
with one dict of three keys, single quotes, whole-number point in pixels of the resized image, nothing outside the tags.
Placeholders: point [-100, -100], text 'no input text'.

Departures: a scroll word is read as the finger's, because the 7B answers so on AndroidControl (its label `down` is
answered `up` 734 times of 849, `../shared/facts/offline_protocols.md` section 4) although it was trained on raw words;
`Swipe.word` keeps the word for the protocol that compares raw words. A point that a `type` or `scroll` carries is kept
(upstream's grounding rate reads it whatever the verb). Nothing is evaluated: the literal is read by patterns.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from solar_eval.actions import OPPOSITE, Action, Click, Finish, LongPress, OpenApp, Point, Press, Swipe, Type, Wait
from solar_eval.dialects.base import Flag, Loose, Reading, Sampling
from solar_eval.dialects.call_reading import (
    Arg,
    Call,
    CallFault,
    Slots,
    Verb,
    VerbTable,
    assemble,
    last_match,
    nothing,
    unescape,
)
from solar_eval.dialects.call_rendering import CallDialect, quoted
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Turn
from solar_eval.dialects.wording import finger

NO_TEXT = "no input text"
NO_POINT = "[-100, -100]"


def _target(slots: Slots) -> Point:
    if slots.has("placeholder"):
        raise CallFault("bad_coordinate", slots.text("placeholder"))
    return slots.point("point")


def _start(slots: Slots) -> Point | None:
    """The point of a verb that needs none: kept where it lies on the picture, else ignored."""
    if not slots.has("point"):
        return None
    try:
        point = slots.point("point")
    except CallFault:
        return None
    return point if 0 <= point.x <= 1 and 0 <= point.y <= 1 else None


VERBS: VerbTable = {
    "click": Verb("click", lambda s: Click(_target(s))),
    "long_press": Verb("long_press", lambda s: LongPress(_target(s))),
    "type": Verb("type", lambda s: Type(s.text("input_text"), _start(s))),
    "scroll": Verb("swipe", lambda s: s.word("input_text", start=_start(s))),
    "open_app": Verb("open_app", lambda s: OpenApp(s.text("input_text"))),
    "wait": Verb("wait", lambda s: Wait()),
    "press_back": Verb("press", lambda s: Press("back")),
    "press_home": Verb("press", lambda s: Press("home")),
    "press_recent": Verb("press", lambda s: Press("recents")),
    "complete": Verb("finish", lambda s: Finish("success")),
    "impossible": Verb("finish", lambda s: Finish("infeasible")),
}

_FAST = re.compile(
    r"\s*<answer>\s*\[\{'action': '(\w+)', 'point': \[(-?\d+, -?\d+)\], 'input_text': '([^'\\\n]*)'\}\]\s*</answer>\s*"
)
_WHOLE = re.compile(r"\s*<answer>(.*)</answer>\s*", re.DOTALL)
_STRING = r"'(?:[^'\\\n]|\\.)*+'"
_ENTRY = rf"'\w+'\s*:\s*(?:{_STRING}|\[\s*-?\d+\s*,\s*-?\d+\s*\])"
_LITERAL = re.compile(rf"\s*\[\s*\{{\s*{_ENTRY}(?:\s*,\s*{_ENTRY}){{2}}\s*,?\s*\}}\s*\]\s*")

_NUMBERS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)")
_OPEN, _CLOSE = re.compile(r"<answer>", re.IGNORECASE), re.compile(r"</answer>", re.IGNORECASE)
_QUOTE = r"['\"“”‘’]"
_DICT = re.compile(rf"\{{\s*(?={_QUOTE}?(?:action|point|input_text){_QUOTE}?\s*[:=])")
_ACTION = re.compile(rf"{_QUOTE}?action{_QUOTE}?\s*+[:=]\s*+(?:{_QUOTE}\s*+)?(\w+)")
_POINT = re.compile(rf"{_QUOTE}(?:point|bbox|coordinate)s?{_QUOTE}\s*+[:=]\s*+(['\"(\[\s]*+[^\])}}]*+)")
_LIST = re.compile(r"[\[(]\s*+[-+]?[\d.]++\s*+[,，][-+\d\s.,，]*+[\])]")
_TEXT = re.compile(rf"{_QUOTE}input_text{_QUOTE}\s*+[:=]\s*+")
_NEXT_KEY = re.compile(rf"[,，]\s*+{_QUOTE}(?:action|point|bbox|coordinate){_QUOTE}\s*+[:=]")
_KEYS = re.compile(r"'(action'\s*:\s*'|point'\s*:\s*\[|input_text'\s*:\s*')")
_EDGE_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")


class Fields(NamedTuple):
    """The three fields of one answer as they were written.

    `point`: the text of the coordinate slot, '' where there is none. `text`: None where the key is missing.
    `strict`: the documented literal. `closed`: its brackets are there. `wrapped`: the answer tags are.
    """

    verb: str
    point: str = ""
    text: str | None = None
    strict: bool = False
    closed: bool = True
    wrapped: bool = True

    @property
    def is_placeholder(self) -> bool:
        """[-100, -100] and its like: the prompt's way to say that there is no point."""
        if "-" not in self.point:
            return False
        found = re.findall(r"-?\d+", self.point)
        return len(found) == 2 and found[0] == found[1] and found[0].startswith("-")


class GuiR1(CallDialect):
    """GUI-R1."""

    name = "gui_r1"
    family = "GUI-R1-3B, GUI-R1-7B"
    aliases = ("gui-r1-3b", "gui-r1-7b", "guir1")
    source = "ritzz-ai/GUI-R1@d43eea2"
    space = "image_pixels"
    resize = ResizeRule("smart", 28)
    sampling = Sampling(
        temperature=0.0, top_p=0.001, repetition_penalty=1.05, max_tokens=1024, source="ritzz-ai/GUI-R1@d43eea2"
    )
    scroll_sense = "finger"
    raw_words = True
    expresses = frozenset({"click", "long_press", "swipe", "type", "open_app", "wait", "press", "finish"})
    carries = frozenset({"point"})
    image_first = True

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        found = fields(prepared)
        if not found:
            return nothing(prepared.body, _OPEN.search(prepared.body) is not None)
        first, sense = found[0], self.sense(frame)
        flags: list[Flag] = [] if first.wrapped else ["no_wrapper"]
        if first.wrapped and not first.closed:
            flags.append("truncated")
        strict = first.strict and len(found) == 1 and first.verb in VERBS
        pending = ((f.verb, Slots(_call(f), lambda x, y: self.point(x, y, frame), sense, False)) for f in found)
        found_as = assemble(pending, VERBS, strict, flags)
        loose = self._whatever(first, frame)
        return Reading(found_as.actions, found_as.fault, found_as.strict_ok, found_as.flags, "", found_as.seen, loose)

    def _whatever(self, answer: Fields, frame: Frame) -> Loose:
        """Point and text of any verb, as upstream's scorer reads them."""
        found = _NUMBERS.match(answer.point.lstrip("[("))
        point = None if found is None else self.point(float(found.group(1)), float(found.group(2)), frame)
        return Loose(point, NO_TEXT if answer.text is None else answer.text)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The list with its one dict."""
        if isinstance(action, Click | LongPress):
            return self._answer(action.kind, action.point, NO_TEXT, frame)
        if isinstance(action, Swipe):
            direction = finger(action)
            word = direction if self.sense(frame) == "finger" else OPPOSITE[direction]
            return self._answer("scroll", action.start if action.end is None else None, word, frame)
        if isinstance(action, Type):
            return self._answer("type", action.point, action.text, frame)
        if isinstance(action, OpenApp):
            return self._answer("open_app", None, action.name, frame)
        if isinstance(action, Press) and action.key != "enter":
            return self._answer(
                {"recents": "press_recent"}.get(action.key, f"press_{action.key}"), None, NO_TEXT, frame
            )
        if isinstance(action, Wait):
            return self._answer("wait", None, NO_TEXT, frame)
        if isinstance(action, Finish) and action.status != "failure":
            return self._answer("complete" if action.status == "success" else "impossible", None, NO_TEXT, frame)
        raise self.cannot(action)

    def _answer(self, verb: str, point: Point | None, text: str, frame: Frame) -> str:
        place = NO_POINT if point is None else "[{}, {}]".format(*self.numbers(point, frame))
        return f"[{{'action': '{verb}', 'point': {place}, 'input_text': {quoted(text)}}}]"

    def wrap(self, words: str, thought: str) -> str:
        """The two tags."""
        return f"<think>{thought}</think> <answer>{words}</answer>"

    # ---- messages
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """One user turn, picture first. On Low the step instruction takes the goal's place, without history."""
        if request.level == "low":
            request = replace(request, history=())
        return super().messages(request, template)

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: <step instruction>`, or the answer's dict."""
        return f"Step {index + 1}: {turn.low or self.line(turn, frame).strip('[]')}"


def fields(prepared: Prepared) -> list[Fields]:
    """The answers of a reply, as written and in order; empty where there is none."""
    raw = prepared.raw
    thinks = (raw.startswith("<think>") or raw.lstrip().startswith("<think>")) and not prepared.open_thought
    fast = _FAST.fullmatch(prepared.body)
    if fast is not None:
        return [Fields(fast.group(1), fast.group(2), fast.group(3), thinks)]
    block, wrapped = _block(prepared.body)
    starts = list(_DICT.finditer(block))
    if not starts:
        return []
    bounds = [m.start() for m in starts[1:]] + [len(block)]
    found = [_loose(block[m.end() : end], wrapped) for m, end in zip(starts, bounds, strict=True)]
    whole = _WHOLE.fullmatch(prepared.body)
    if len(found) == 1 and whole is not None and thinks and _LITERAL.fullmatch(whole.group(1)) is not None:
        keys = {key.partition("'")[0] for key in _KEYS.findall(block)}
        found = [answer and answer._replace(strict=len(keys) == 3) for answer in found]
    return [answer for answer in found if answer is not None]


def _block(body: str) -> tuple[str, bool]:
    """What the last answer tag holds and whether there is one."""
    begin = last_match(_OPEN, body)
    if begin is None:
        return _CLOSE.split(body)[0], False
    end = last_match(_CLOSE, body, begin.end())
    return body[begin.end() : end.start() if end else len(body)], True


def _loose(text: str, wrapped: bool) -> Fields | None:
    """The fields of one dict, however it is quoted and closed; None without an action."""
    verb = _ACTION.search(text)
    if verb is None:
        return None
    key = _TEXT.search(text)
    head = text[: key.start()] if key else text
    slot = _POINT.search(head) or (_POINT.search(text, key.end()) if key else None)
    bare = None if slot else _LIST.search(head)
    point = slot.group(1) if slot else bare.group() if bare else ""
    closed = "}" in text or "]" in text[-4:]
    return Fields(verb.group(1), point.strip(), _loose_text(text[key.end() :]) if key else None, False, closed, wrapped)


def _loose_text(rest: str) -> str:
    """The text that starts `rest`: up to the next key or the closing brackets, without its quotes."""
    following = _NEXT_KEY.search(rest)
    value = (rest[: following.start()] if following else rest).rstrip(" \t\r\n])},")
    quote = value[:1]
    if quote not in ("'", '"', "“", "‘"):
        return value
    value = value[1:]
    if (
        value.endswith({"“": "”", "‘": "’"}.get(quote, quote))
        or (value.endswith("'") and len(_EDGE_QUOTE.findall(value)) % 2)
        or (value.endswith('"') and value.count('"') % 2)
    ):
        value = value[:-1]
    if quote == "'":
        value = value.replace("''", "'")
    return unescape(value)


def _call(answer: Fields) -> Call:
    """The fields as the arguments of a call; placeholders are left out (the point's is remembered)."""
    args: dict[str, Arg] = {}
    if answer.is_placeholder:
        args["placeholder"] = Arg(answer.point, "")
    elif answer.point:
        args["point"] = Arg(answer.point, "")
    if answer.text is not None and answer.text.strip().lower() != NO_TEXT:
        args["input_text"] = Arg(answer.text, "'")
    return Call(answer.verb, args)
