"""UI-Venus-Navi 1.0 (7B/72B, pixels of the resized image) and UI-Venus-1.5 (coordinates 0-1000).

Grammar: inclusionAI/UI-Venus, branch UI-Venus-1.0 @497e2cd and UI-Venus-1.5 @c3a1442, models/navigation/utils.py and
ui_venus_navi_agent.py. A reply is `<think>..</think><action>Call(..)</action><conclusion>..</conclusion>`, all three
tags in that order; calls are CamelCase with named arguments, points `(x, y)`, texts in single quotes without escapes.
A scroll is the finger's path; a bare direction word is taken for the finger's.

Departures: texts keep what follows an inner apostrophe and a comma (upstream cuts there), and their outer blanks
(upstream strips them). For 1.5 we follow its framework and grounding script (0-1000); its navigation script still
rescales as if the numbers were pixels.
"""

from __future__ import annotations

import re
from typing import ClassVar

from solar_eval.actions import (
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
from solar_eval.dialects.call_reading import Call, CallGrammar, Slots, Verb, VerbTable, assemble, last_match, nothing
from solar_eval.dialects.call_rendering import CallDialect
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule, Space
from solar_eval.dialects.prompting import Turn
from solar_eval.dialects.wording import path

_BOX = ("box", "point", "start")


def _swipe(slots: Slots) -> Swipe:
    if slots.has("end"):
        return Swipe(start=slots.point("start", "box"), end=slots.point("end"))
    return slots.word("direction", start=slots.maybe_point("start", "box"))


VERBS: VerbTable = {
    "Click": Verb("click", lambda s: Click(s.point(*_BOX))),
    "LongPress": Verb("long_press", lambda s: LongPress(s.point(*_BOX))),
    "DoubleClick": Verb("double_tap", lambda s: DoubleTap(s.point(*_BOX)), offered=False),
    "Drag": Verb("swipe", _swipe),
    "Scroll": Verb("swipe", _swipe),
    "Type": Verb("type", lambda s: Type(s.text("content", "text"))),
    "Launch": Verb("open_app", lambda s: OpenApp(s.text("app", "url"))),
    "Wait": Verb("wait", lambda s: Wait()),
    "Finished": Verb("finish", lambda s: Finish("success", s.maybe_text("content") or "")),
    "CallUser": Verb("call_user", lambda s: CallUser(s.maybe_text("content") or "")),
    "PressBack": Verb("press", lambda s: Press("back")),
    "PressHome": Verb("press", lambda s: Press("home")),
    "PressEnter": Verb("press", lambda s: Press("enter")),
    "PressRecent": Verb("press", lambda s: Press("recents")),
    "Hover": Verb(None, None),
    "Hotkey": Verb(None, None),
}
_GRAMMAR = CallGrammar(VERBS, (*_BOX, "end", "direction", "content", "text", "app", "url", "keys"), escapes=False)
_OPEN, _CLOSE = re.compile(r"<\s*action\s*>", re.IGNORECASE), re.compile(r"<\s*/\s*action\s*>", re.IGNORECASE)
_AFTER = re.compile(r"<\s*/?\s*conclusion\s*>", re.IGNORECASE)
_LEAD = re.compile(r"(?:```\w*\s|[\s`])*")
_UNKNOWN = re.compile(r"\s*([A-Za-z]\w*)\s*\(")

_POINT = r"\( ?\d+(?:\.\d+)? ?, ?\d+(?:\.\d+)? ?\)"
_DIRECTION = r"direction='(?:up|down|left|right)'"
_STRICT = re.compile(
    "|".join((
        rf"(?:Click|LongPress|DoubleClick)\(box={_POINT}\)",
        rf"(?:Drag|Scroll)\(start={_POINT}, ?end={_POINT}(?:, ?{_DIRECTION})?\)",
        rf"Scroll\({_DIRECTION}\)",
        r"(?:Type|CallUser|Finished)\(content='.*'\)|Launch\((?:app|url)='.*'\)",
        r"(?:Wait|Finished|Press(?:Back|Home|Enter|Recent))\(\)",
    )),
    re.DOTALL,
)  # fmt: skip


class UiVenus(CallDialect):
    """UI-Venus-Navi 1.0."""

    name = "ui_venus"
    family = "UI-Venus-Navi-7B, UI-Venus-Navi-72B"
    aliases: ClassVar[tuple[str, ...]] = (
        "ui_venus_navi",
        "ui-venus-navi-7b",
        "ui-venus-navi-72b",
        "ui-venus-1.0",
        "venus",
    )
    source = "inclusionAI/UI-Venus@497e2cd (branch UI-Venus-1.0)"
    space: ClassVar[Space] = "image_pixels"
    resize = ResizeRule("smart", 28, 830_000, 937_664)
    sampling = Sampling(
        temperature=0.0, repetition_penalty=1.05, max_tokens=2048, source="inclusionAI/UI-Venus@497e2cd"
    )
    expresses = frozenset({"click", "long_press", "swipe", "type", "open_app", "wait", "finish", "call_user", "press"})
    carries = frozenset({"finish_text", "user_text"})
    word_in_scroll: ClassVar[bool] = True
    """Whether Scroll names its direction beside the points."""

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body, flags, strict = prepared.body, list[Flag](), False
        found = _region(body)
        if found is None:
            flags.append("no_wrapper")
            line = _GRAMMAR.line.search(body)
            if line is None:
                return nothing(_AFTER.split(body)[0], False)
            region = _AFTER.split(body[line.end() :])[0]
        else:
            region = body[found[0] : found[1]]
            strict = _whole(prepared, *found)
            if not strict:
                flags.append("no_wrapper" if _CLOSE.search(body) else "truncated")
        lead = _LEAD.match(region)
        calls = list(_GRAMMAR.calls(region, lead.end() if lead else 0))
        if not calls:
            return self._unread(region, tuple(flags))
        strict = strict and _STRICT.fullmatch(region.strip()) is not None
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense, False)) for c in calls)
        return assemble(pending, VERBS, strict, flags)

    def _unread(self, region: str, flags: tuple[Flag, ...]) -> Reading:
        bare = _GRAMMAR.bare.fullmatch(region.strip())
        name = bare or _UNKNOWN.match(region)
        if name is not None:
            return assemble([(name.group(1), Slots(Call(name.group(1)), Point, "finger"))], VERBS, False, flags)
        return nothing(region, True, flags=flags)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The call."""
        if isinstance(action, Click | LongPress):
            verb = "Click" if isinstance(action, Click) else "LongPress"
            return f"{verb}(box={self._box(action.point, frame)})"
        if isinstance(action, Swipe):
            start, end = path(action)
            word = f", direction='{action.finger}'" if self.word_in_scroll and action.finger else ""
            return f"Scroll(start={self._box(start, frame)}, end={self._box(end, frame)}{word})"
        if isinstance(action, Type):
            return f"Type(content='{action.text}')"
        if isinstance(action, OpenApp):
            return f"Launch(app='{action.name}')"
        if isinstance(action, Wait):
            return "Wait()"
        if isinstance(action, Finish) and action.status == "success":
            return f"Finished(content='{action.text}')"
        if isinstance(action, CallUser):
            return f"CallUser(content='{action.text}')"
        if isinstance(action, Press):
            return {"back": "PressBack()", "home": "PressHome()", "enter": "PressEnter()", "recents": "PressRecent()"}[
                action.key
            ]
        raise self.cannot(action)

    def _box(self, point: Point, frame: Frame) -> str:
        x, y = self.numbers(point, frame)
        return f"({x}, {y})"

    def wrap(self, words: str, thought: str) -> str:
        """The three tags; the conclusion stays empty."""
        return f"<think>{thought}</think>\n<action>{words}</action>\n<conclusion></conclusion>"

    # ---- messages
    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step i: <think>..</think><action>..</action>` from 0, without the conclusion."""
        think, action = "", self.line(turn, frame)
        if turn.reply:
            found = re.search(r"<think>(.*?)</think>", turn.reply, re.DOTALL)
            think = found.group(1).strip() if found else ""
            where = _region(turn.reply)
            action = turn.reply[where[0] : where[1]].strip() if where else action
        return f"Step {index}: <think>{think}</think><action>{action}</action>"


class UiVenus15(UiVenus):
    """UI-Venus-1.5."""

    name = "ui_venus_1_5"
    family = "UI-Venus-1.5"
    aliases: ClassVar[tuple[str, ...]] = ("ui-venus-1.5", "uivenus15", "ui_venus_15", "venus15")
    source = "inclusionAI/UI-Venus@c3a1442 (branch UI-Venus-1.5)"
    space: ClassVar[Space] = "rel1000"
    resize = ResizeRule()
    history_texts = 5
    word_in_scroll = False


def _region(body: str) -> tuple[int, int] | None:
    """Where the inside of the last action tag begins and ends; the end of the text where it is not closed."""
    begin = last_match(_OPEN, body)
    if begin is None:
        return None
    end = last_match(_CLOSE, body, begin.end())
    after = end or _AFTER.search(body, begin.end())
    return begin.end(), after.start() if after else len(body)


def _whole(prepared: Prepared, begin: int, end: int) -> bool:
    """All three tags are there, in their order, around the call from `begin` to `end`, and nothing else."""
    before, after = prepared.body[:begin].strip(), prepared.body[end:].strip()
    return (
        prepared.raw.lstrip().startswith("<think>")
        and not prepared.open_thought
        and before == "<action>"
        and after.startswith("</action>")
        and after[len("</action>") :].lstrip().startswith("<conclusion>")
        and after.endswith("</conclusion>")
    )
