"""Aguvis-7B: recipient segments with pyautogui and `mobile.*` calls, coordinates as fractions 0-1.

Grammar: xlang-ai/aguvis @178c418 src/aguvis/constants.py and serve/cli.py. A reply may first speak to `all` (thought
and action in words) and then to `os`: the call. Depending on how special tokens are decoded, the header of the second
segment is left as `assistant<|recipient|>os`, `assistantos` or `os`; only what follows it is read as a call.
`scroll(page)` names where the content goes, positive is up (hscroll: right); a swipe is the finger's path.

Departures: `mobile.terminate` is in our prompt because the six listed functions can't finish;
`pyautogui.press('enter')` and double clicks are read, flagged; positional numbers of a click are read as pyautogui
does (x, y, clicks), flagged.
"""

from __future__ import annotations

import re

from solar_eval.actions import (
    Action,
    Answer,
    Click,
    DoubleTap,
    Finish,
    FinishStatus,
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
from solar_eval.dialects.call_reading import (
    Call,
    CallFault,
    CallGrammar,
    Slots,
    Verb,
    VerbTable,
    assemble,
    first_number,
    keys_of,
    last_match,
    nothing,
    numbers,
)
from solar_eval.dialects.call_rendering import CallDialect, quoted
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Text
from solar_eval.dialects.wording import path

_KEYS: dict[str, Key] = {"enter": "enter", "return": "enter", "back": "back", "esc": "back", "home": "home"}
_STATUS: dict[str, FinishStatus] = {
    "success": "success", "failure": "failure", "fail": "failure", "infeasible": "infeasible",
    "impossible": "infeasible",
}  # fmt: skip


def _click(slots: Slots) -> Action:
    """A click; with `clicks=2`, by name or in third place, a double tap."""
    spread = slots.call.positional
    clicks = slots.number("clicks") if slots.has("clicks") else None
    if len(spread) == 3 and not slots.has("x", "y"):
        clicks = first_number(spread[2].text)
        point = slots.place(*numbers(f"{spread[0].text} {spread[1].text}"))
    else:
        point = slots.point("coord", "point")
    if clicks == 2:
        slots.note("outside_prompt")
        return DoubleTap(point)
    return Click(point)


def _scroll(slots: Slots, positive: str, negative: str) -> Swipe:
    page = slots.number("page", "clicks")
    if not page:
        raise CallFault("missing_argument", "page")
    swipe = swipe_from_word(positive if page > 0 else negative, slots.sense)
    if swipe is None:
        raise CallFault("missing_argument", "page")
    return swipe


def _press(slots: Slots) -> Press:
    name = slots.text("keys", "key")
    if name.lower() not in _KEYS:
        raise CallFault("unsupported_action", f"press: {', '.join(keys_of(name))}")
    return Press(_KEYS[name.lower()])


def _terminate(slots: Slots) -> Finish:
    status = (slots.maybe_text("status") or "success").strip().lower()
    if status not in _STATUS:
        raise CallFault("missing_argument", f"status {status!r} is none of {', '.join(_STATUS)}")
    return Finish(_STATUS[status])


def _swipe(slots: Slots) -> Swipe:
    return Swipe(start=slots.point("from_coord", "start"), end=slots.point("to_coord", "end"))


_NOT_HERE = Verb(None, None)
VERBS: VerbTable = {
    "pyautogui.click": Verb("click", _click),
    "pyautogui.doubleClick": Verb("double_tap", lambda s: DoubleTap(s.point("coord")), offered=False),
    "pyautogui.write": Verb("type", lambda s: Type(s.text("message", "text"))),
    "pyautogui.typewrite": Verb("type", lambda s: Type(s.text("message", "text")), offered=False),
    "pyautogui.scroll": Verb("swipe", lambda s: _scroll(s, "up", "down")),
    "pyautogui.hscroll": Verb("swipe", lambda s: _scroll(s, "right", "left")),
    "pyautogui.press": Verb("press", _press, offered=False),
    "mobile.swipe": Verb("swipe", _swipe),
    "mobile.home": Verb("press", lambda s: Press("home")),
    "mobile.back": Verb("press", lambda s: Press("back")),
    "mobile.wait": Verb("wait", lambda s: Wait(s.number("seconds"))),
    "mobile.long_press": Verb("long_press", lambda s: LongPress(s.point("coord"))),
    "mobile.open_app": Verb("open_app", lambda s: OpenApp(s.text("app_name", "app"))),
    "mobile.terminate": Verb("finish", _terminate),
    "mobile.answer": Verb("answer", lambda s: Answer(s.text("text", "answer")), offered=False),
    "answer": Verb("answer", lambda s: Answer(s.text("text", "answer")), offered=False),
    "terminate": Verb("finish", _terminate),
    "pyautogui.hotkey": _NOT_HERE, "pyautogui.rightClick": _NOT_HERE, "pyautogui.middleClick": _NOT_HERE,
    "pyautogui.moveTo": _NOT_HERE, "pyautogui.dragTo": _NOT_HERE, "browser.select_option": _NOT_HERE,
}  # fmt: skip
_ARGS = ("x", "y", "clicks", "message", "text", "page", "keys", "key", "from_coord", "to_coord", "seconds", "app_name",
         "app", "status", "answer", "value", "coord")  # fmt: skip
_GRAMMAR = CallGrammar(VERBS, _ARGS)
_OS = re.compile(
    r"^[ \t]*+(?:assistant)?(?:<\|recipient\|>)?[ \t]*+os[ \t]*+(?:\n|(?=(?:pyautogui|mobile|browser)\.))", re.MULTILINE
)
_UNKNOWN = re.compile(r"^[ \t]*((?:pyautogui|mobile|browser)\.\w+)\(", re.MULTILINE)
_LEAD = re.compile(rf"[\s`]*+(?=(?:{'|'.join(map(re.escape, VERBS))})\s*+[(（])", re.IGNORECASE)
_LABEL = re.compile(r"^(?:assistant)?(?:<\|recipient\|>)?(?:all)?\s*(?:Thought\s*:\s*)?")

_N = r"-?\d*\.?\d+"
_TEXT = r"""(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+")"""
_STRICT = re.compile(
    "|".join((
        rf"(?:pyautogui\.(?:click|doubleClick)|mobile\.long_press)\(x={_N}, ?y={_N}\)",
        rf"pyautogui\.(?:write|typewrite)\(message={_TEXT}\)|pyautogui\.h?scroll\(page={_N}\)",
        rf"mobile\.swipe\(from_coord=\[{_N}, ?{_N}\], ?to_coord=\[{_N}, ?{_N}\]\)",
        rf"mobile\.(?:home|back)\(\)|mobile\.wait\((?:seconds={_N})?\)|mobile\.open_app\(app_name={_TEXT}\)",
        rf"mobile\.terminate\(status={_TEXT}\)|pyautogui\.press\({_TEXT}\)",
    ))
)  # fmt: skip


class Aguvis(CallDialect):
    """Aguvis."""

    name = "aguvis"
    family = "Aguvis-7B-720P, Aguvis-72B"
    aliases = ("aguvis-7b", "aguvis-7b-720p", "aguvis-72b")
    source = "xlang-ai/aguvis@178c418"
    space = "unit"
    sampling = Sampling(
        temperature=0.0, max_tokens=1024, stop=("<|diff_marker|>",), source="xlang-ai/aguvis@178c418 constants.py"
    )
    scroll_sense = "content"
    expresses = frozenset({"click", "type", "swipe", "press", "wait", "long_press", "open_app", "finish"})
    carries = frozenset({"seconds"})
    image_first = True

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body = prepared.body
        header = last_match(_OS, body)
        begin = header.end() if header else 0
        line = _LEAD.match(body, begin) or _GRAMMAR.line.search(body, begin)
        thought = _LABEL.sub("", body[: header.start() if header else line.start() if line else 0].strip(), count=1)
        if line is None:
            return self._unread(body, begin, header is not None, thought)
        calls = list(_GRAMMAR.calls(body, line.end()))
        between = body[begin : line.start()].strip()
        strict = between == "" and _STRICT.fullmatch(body[line.end() :].strip()) is not None
        flags: tuple[Flag, ...] = ("no_wrapper",) if header is None and between else ()
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense)) for c in calls)
        return assemble(pending, VERBS, strict, flags, thought)

    def _unread(self, body: str, begin: int, marked: bool, thought: str) -> Reading:
        unknown = _UNKNOWN.search(body, begin)
        if unknown is not None:
            return assemble([(unknown.group(1), Slots(Call(""), Point, "finger"))], VERBS, False, (), thought)
        return nothing(body[begin:], marked, thought)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The call."""
        if isinstance(action, Click):
            return f"pyautogui.click(x={_short(action.point.x)}, y={_short(action.point.y)})"
        if isinstance(action, LongPress):
            return f"mobile.long_press(x={_short(action.point.x)}, y={_short(action.point.y)})"
        if isinstance(action, Swipe):
            (x1, y1), (x2, y2) = path(action)
            start, end = f"[{_short(x1)}, {_short(y1)}]", f"[{_short(x2)}, {_short(y2)}]"
            return f"mobile.swipe(from_coord={start}, to_coord={end})"
        if isinstance(action, Type):
            return f"pyautogui.write(message={quoted(action.text)})"
        if isinstance(action, OpenApp):
            return f"mobile.open_app(app_name={quoted(action.name)})"
        if isinstance(action, Press) and action.key in ("home", "back"):
            return f"mobile.{action.key}()"
        if isinstance(action, Wait):
            return "mobile.wait()" if action.seconds is None else f"mobile.wait(seconds={action.seconds:g})"
        if isinstance(action, Finish):
            return f"mobile.terminate(status='{action.status}')"
        raise self.cannot(action)

    def wrap(self, words: str, thought: str) -> str:
        """The two segments, or the call alone."""
        return f"all\nThought: {thought}\nassistantos\n{words}" if thought else words

    # ---- messages
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """Picture, then task and previous actions; on Low the reply is begun with the step instruction."""
        out = super().messages(request, template)
        if request.level == "low":
            out.append(Message("assistant", (Text(f"all\nAction: {request.low}\n"),)))
        return out


def _short(value: float) -> str:
    """A fraction with at most four decimals."""
    return f"{value:.4f}".rstrip("0").rstrip(".")
