"""UI-TARS v1 (2B/7B/72B SFT and DPO, coordinates 0-1000) and UI-TARS-1.5-7B (pixels of the resized image).

Grammar: bytedance/UI-TARS @582f3a7 codes/ui_tars/action_parser.py and prompt.py, README_v1, README_coordinates,
README_deploy; messages and the Low prefill: OpenBMB/AgentCPM-GUI @acbaf50 run_predict_ui_tars.py, GUIEvalKit @56ed9d8.
A reply is `Thought: ...`, a line break, `Action: call(name='value')`. Boxes are `(x,y)`, in box tokens or not, or
`<point>x y</point>`. A scroll word names where the content goes; two boxes are the finger's path.

Departures: of several `Action:` headers the last counts (as upstream), of several calls under it the first; a `time`
is read as seconds; `finished` can't say failure. 1.5's phone prompt has no wait: ours offers it, because
AndroidControl has such steps and the computer prompt knows the call. Upstream's special case for unescaped apostrophes
in type() holds here for every text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from solar_eval.actions import (
    OPPOSITE,
    Action,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.base import Flag, Reading, Sampling
from solar_eval.dialects.call_reading import (
    Call,
    CallGrammar,
    Slots,
    Verb,
    VerbTable,
    assemble,
    nothing,
)
from solar_eval.dialects.call_rendering import CallDialect, quoted, system_turn
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule, Space
from solar_eval.dialects.prompting import Image, Message, PromptRequest, PromptTemplate, Text, Turn
from solar_eval.dialects.wording import CENTRE, finger

START = ("start_box", "start_point", "point", "box", "position", "start")
END = ("end_box", "end_point", "end")


def _type(slots: Slots) -> Type:
    text = slots.text("content", "text")
    bare = text.rstrip("\r\n")
    return Type(bare, submit=bare != text)


def _scroll(slots: Slots) -> Swipe:
    if slots.has(*END):
        return Swipe(start=slots.point(*START), end=slots.point(*END))
    return slots.word("direction", start=slots.maybe_point(*START))


def _long_press(slots: Slots) -> LongPress:
    seconds = slots.number("time") if slots.has("time") else None
    return LongPress(slots.point(*START), None if seconds is None else round(seconds * 1000))


VERBS: VerbTable = {
    "click": Verb("click", lambda s: Click(s.point(*START))),
    "left_single": Verb("click", lambda s: Click(s.point(*START)), offered=False),
    "left_double": Verb("double_tap", lambda s: DoubleTap(s.point(*START)), offered=False),
    "long_press": Verb("long_press", _long_press),
    "type": Verb("type", _type),
    "scroll": Verb("swipe", _scroll),
    "drag": Verb("swipe", lambda s: Swipe(start=s.point(*START), end=s.point(*END))),
    "press_back": Verb("press", lambda s: Press("back")),
    "press_home": Verb("press", lambda s: Press("home")),
    "press_appselect": Verb("press", lambda s: Press("recents")),
    "press_enter": Verb("press", lambda s: Press("enter"), offered=False),
    "open_app": Verb("open_app", lambda s: OpenApp(s.text("app_name", "app", "content"))),
    "wait": Verb("wait", lambda s: Wait(s.number("time", "seconds"))),
    "finished": Verb("finish", lambda s: Finish("success", s.maybe_text("content") or "")),
    "call_user": Verb("call_user", lambda s: CallUser(s.maybe_text("content") or "")),
    "hotkey": Verb(None, None), "hover": Verb(None, None), "select": Verb(None, None),
    "right_single": Verb(None, None), "press": Verb(None, None), "release": Verb(None, None),
}  # fmt: skip
VERBS_1_5: VerbTable = {
    **VERBS,
    "press_appselect": Verb("press", lambda s: Press("recents"), offered=False),
    "call_user": Verb("call_user", lambda s: CallUser(s.maybe_text("content") or ""), offered=False),
}

_KEYS = (*START, *END, "content", "text", "direction", "app_name", "app", "time", "key", "x", "y")
_GRAMMAR = CallGrammar(VERBS, _KEYS)
_HEADER = re.compile(r"^[ \t]*+(?:[*#>-]++[ \t]*+)?Action\**[ \t]*[:：]\**", re.MULTILINE)
_INLINE = re.compile(r"(?<![A-Za-z_])Action[ \t]*[:：]")
_DECORATION = re.compile(r"(?:```\w*\s|[\s*`'\">-]|\d{1,2}[.)](?=\s))*")
_UNKNOWN = re.compile(r"([A-Za-z_]\w*)\(")
_MENTION = re.compile(r"(?<=Action)\**[ \t]*+[:：]")
_THOUGHT = re.compile(r"\s*(?:Thought|Reflection|Action_Summary)\s*[:：]\s*")

_BOX = r"'(?:\( ?-?\d+(?:\.\d+)? ?, ?-?\d+(?:\.\d+)? ?\)|<point>\d+\s+\d+</point>)'"
_AT, _TO = rf"(?:start_box|start_point|point)={_BOX}", rf"(?:end_box|end_point)={_BOX}"
_TEXT = r"'(?:[^'\\\n]|\\.)*+'"
_WORD = r"direction='(?:up|down|left|right)'"
_STRICT = re.compile(
    "|".join((
        rf"(?:click|left_double)\({_AT}\)",
        rf"long_press\({_AT}(?:, ?time='[\d.]*')?\)",
        r"type\(content='[^\n]*'\)",
        rf"scroll\((?:{_WORD}|{_AT}, ?{_WORD}|{_WORD}, ?{_AT})\)",
        rf"(?:scroll|drag)\({_AT}, ?{_TO}\)",
        rf"open_app\(app_name={_TEXT}\)",
        rf"(?:finished|call_user)\((?:content={_TEXT})?\)",
        r"(?:press_\w+|wait)\(\)",
    ))
)  # fmt: skip


class UiTars(CallDialect):
    """UI-TARS v1."""

    name = "ui_tars"
    family = "UI-TARS v1: 2B-SFT, 7B-SFT, 7B-DPO, 72B-SFT, 72B-DPO"
    aliases: ClassVar[tuple[str, ...]] = (
        "ui-tars-v1", "uitars", "uitars1", "ui-tars-2b-sft", "ui-tars-7b-sft", "ui-tars-7b-dpo", "ui-tars-72b-sft",
        "ui-tars-72b-dpo",
    )  # fmt: skip
    source = "bytedance/UI-TARS@582f3a7"
    space: ClassVar[Space] = "rel1000"
    resize = ResizeRule("smart", 28, 100 * 28 * 28, 2700 * 28 * 28)
    sampling = Sampling(
        temperature=0.1, max_tokens=512, source="OpenBMB/AgentCPM-GUI@acbaf50 (T 0.1); README_v1: 128 tokens"
    )
    scroll_sense = "content"
    expresses = frozenset({"click", "long_press", "swipe", "type", "open_app", "press", "wait", "finish", "call_user"})
    carries = frozenset({"submit", "press_ms", "finish_text", "user_text"})
    keys: ClassVar[Mapping[str, str]] = {"back": "press_back()", "home": "press_home()", "recents": "press_appselect()"}
    verbs: ClassVar[VerbTable] = VERBS
    always_content: ClassVar[bool] = False
    """Whether `finished` must have a content, be it empty (GUIEvalKit rejects 1.5's `finished()`)."""
    history_images = 5
    history_texts = 4
    multi_rule = "last"

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body = prepared.body
        headers = list(_HEADER.finditer(body)) or list(_INLINE.finditer(body))
        if not headers:
            return self._headerless(prepared, frame)
        ends = [header.start() for header in headers[1:]] + [len(body)]
        found = [self._calls(body[h.end() : end]) for h, end in zip(headers, ends, strict=True)]
        last = max((i for i, calls in enumerate(found) if calls), default=len(found) - 1)
        header, segment = headers[last], body[headers[last].end() : ends[last]]
        thought = _thought(body[: header.start()], prepared.thought)
        if not found[last]:
            return self._unread(segment, thought)
        calls = [*found[last], *(call for calls in found[:last] for call in calls)]
        strict = (
            header.group() == "Action:" and segment[:1] == " " and _STRICT.fullmatch(segment[1:].rstrip()) is not None
        )
        return self._reading(calls, frame, strict, (), thought)

    def _headerless(self, prepared: Prepared, frame: Frame) -> Reading:
        line = _GRAMMAR.line.search(prepared.body)
        if line is None:
            return nothing(prepared.body, False)
        calls = list(_GRAMMAR.calls(prepared.body, line.end()))
        thought = _thought(prepared.body[: line.start()], prepared.thought)
        return self._reading(calls, frame, False, ("no_wrapper",), thought)

    def _reading(self, calls: list[Call], frame: Frame, strict: bool, flags: tuple[Flag, ...], thought: str) -> Reading:
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense)) for c in calls)
        reading = assemble(pending, self.verbs, strict, flags, thought)
        if len(reading.actions) < 2:
            return reading
        return replace(reading, actions=(*reading.actions[1:], reading.actions[0]))

    def _calls(self, segment: str) -> list[Call]:
        """The calls right after a header; or, in prose, the first that has a named argument or none at all."""
        lead = _DECORATION.match(segment)
        at = lead.end() if lead else 0
        if _GRAMMAR.start.match(segment, at) is None:
            bare = _GRAMMAR.bare.fullmatch(segment.strip(" \t\r\n`*.\"'"))
            if bare is not None:
                return [Call(bare.group(1))]
            keyed = None if _UNKNOWN.match(segment, at) else _GRAMMAR.keyed.search(segment, at)
            if keyed is None:
                return []
            at = keyed.end()
        return list(_GRAMMAR.calls(segment, at))

    def _unread(self, segment: str, thought: str) -> Reading:
        rest = segment.strip(" \t\r\n`*.\"'")
        unknown = _UNKNOWN.match(rest)
        if unknown is not None:
            return assemble([(unknown.group(1), Slots(Call(""), Point, "finger"))], self.verbs, False, (), thought)
        reading = nothing(rest, True, thought)
        verb = _GRAMMAR.bare.match(rest)
        return reading if verb is None else replace(reading, seen=self.verbs[verb.group(1).lower()].kind or "")

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The call."""
        if isinstance(action, Swipe):
            return self._swipe_words(action, frame)
        if isinstance(action, LongPress):
            seconds = "" if action.duration_ms is None else f"{action.duration_ms / 1000:g}"
            return f"long_press(start_box={self._box(action.point, frame)}{self._time(seconds)})"
        if isinstance(action, Click):
            return f"click(start_box={self._box(action.point, frame)})"
        if isinstance(action, Type):
            if action.text.endswith(("\n", "\r")):
                raise self.cannot(action, "reads a line break at the end of a text as enter")
            return f"type(content={quoted(action.text + chr(10) * action.submit)})"
        if isinstance(action, OpenApp):
            return f"open_app(app_name={quoted(action.name)})"
        if isinstance(action, Press) and action.key in self.keys:
            return self.keys[action.key]
        if isinstance(action, Wait):
            return "wait()"
        if isinstance(action, Finish) and action.status == "success":
            return f"finished(content={quoted(action.text)})" if action.text or self.always_content else "finished()"
        if isinstance(action, CallUser):
            return f"call_user(content={quoted(action.text)})" if action.text else "call_user()"
        raise self.cannot(action)

    def _time(self, seconds: str) -> str:
        return f", time='{seconds}'"

    def _box(self, point: Point, frame: Frame) -> str:
        x, y = self.numbers(point, frame)
        return f"'({x},{y})'"

    def _swipe_words(self, action: Swipe, frame: Frame) -> str:
        if action.start is not None and action.end is not None:
            return f"scroll(start_box={self._box(action.start, frame)}, end_box={self._box(action.end, frame)})"
        word = self._word(action, frame)
        if action.start is None:
            return f"scroll(direction='{word}')"
        return f"scroll(start_box={self._box(action.start, frame)}, direction='{word}')"

    def _word(self, action: Swipe, frame: Frame) -> str:
        direction = finger(action)
        return direction if self.sense(frame) == "finger" else OPPOSITE[direction]

    def wrap(self, words: str, thought: str) -> str:
        """`Thought:` and `Action:`; a header inside the thought loses its colon, for the last one would count."""
        return f"Thought: {_MENTION.sub(' -', thought)}\nAction: {words}" if thought else f"Action: {words}"

    # ---- messages
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """Task first, then picture and reply of the last four steps, then the current picture; Low is a prefill."""
        system, text, turns = self.blocks(request, template)
        out = [*system_turn(system), Message("user", (Text(text),))]
        for turn in turns:
            out.append(Message("user", (Image(turn.image),)))
            out.append(Message("assistant", (Text(self.told(turn, request.frame)),)))
        out.append(Message("user", (Image(request.image),)))
        if request.level == "low":
            out.append(Message("assistant", (Text(f"Thought: {request.low}\nAction:"),)))
        return out

    def told(self, turn: Turn, frame: Frame) -> str:
        """An earlier reply, or the label as one; box tokens stand around coordinates (README_deploy)."""
        reply = turn.reply.strip() or self.wrap(self.line(turn, frame), turn.low)
        return re.sub(r"_box='(\(\d+, ?\d+\))'", r"_box='<|box_start|>\1<|box_end|>'", reply)


class UiTars15(UiTars):
    """UI-TARS-1.5-7B."""

    name = "ui_tars_1_5"
    family = "UI-TARS-1.5-7B"
    aliases: ClassVar[tuple[str, ...]] = ("ui-tars-1.5", "uitars15", "ui-tars-1.5-7b", "ui_tars_15")
    space: ClassVar[Space] = "image_pixels"
    resize = ResizeRule("smart", 28, 100 * 28 * 28, 16384 * 28 * 28)
    sampling = Sampling(
        temperature=0.0, max_tokens=512, source="bytedance/UI-TARS@582f3a7 README_deploy (T 0.0, 400 tokens)"
    )
    expresses = frozenset({"click", "long_press", "swipe", "type", "open_app", "press", "wait", "finish"})
    carries = frozenset({"submit", "finish_text"})
    keys: ClassVar[Mapping[str, str]] = {"back": "press_back()", "home": "press_home()"}
    verbs = VERBS_1_5
    always_content = True

    def _time(self, seconds: str) -> str:
        return ""

    def _swipe_words(self, action: Swipe, frame: Frame) -> str:
        if action.start is not None and action.end is not None:
            return f"drag(start_box={self._box(action.start, frame)}, end_box={self._box(action.end, frame)})"
        return f"scroll(start_box={self._box(action.start or CENTRE, frame)}, direction='{self._word(action, frame)}')"


def _thought(before: str, tagged: str) -> str:
    """What stands before the header, without its label; a think block's text where there is one and no label."""
    label = _THOUGHT.match(before)
    if label is not None:
        return before[label.end() :].strip()
    return tagged or before.strip()
