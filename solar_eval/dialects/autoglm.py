"""Open-AutoGLM (AutoGLM-Phone-9B and -Multilingual): `do(action="..", ..)` and `finish(message="..")`.

Grammar: zai-org/Open-AutoGLM @6b18d7b phone_agent/model/client.py, actions/handler.py and config/prompts*.py. The
prompt asks for `<think>..</think><answer>call</answer>`; upstream's reader takes the bare call after any text, so both
are valid. The text of Type and the message of finish run from the first to the last quote without escapes; other
arguments are Python literals. The prompt states (0,0) to (999,999), the executor divides by 1000: so do we. Type clears
the field first. `finish` can't say failure.

Departures: `</answer>` is no part of the call (upstream keeps it: the task then ends, or the tag is typed); a reply
that can't be read is no finish; numbers in a string are read as a point, flagged; Note and Call_API have no
counterpart.
"""

from __future__ import annotations

import re

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
from solar_eval.dialects.base import Reading, Sampling
from solar_eval.dialects.call_reading import Call, CallGrammar, Slots, Verb, VerbTable, assemble, last_match, nothing
from solar_eval.dialects.call_rendering import CallDialect, quoted, system_turn
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import Image, Message, PromptRequest, PromptTemplate, Text, Turn, template_values
from solar_eval.dialects.wording import path

_AT = ("element", "point", "position", "box")

VERBS: VerbTable = {
    "Launch": Verb("open_app", lambda s: OpenApp(s.text("app", "app_name"))),
    "Tap": Verb("click", lambda s: Click(s.point(*_AT))),
    "Double Tap": Verb("double_tap", lambda s: DoubleTap(s.point(*_AT))),
    "Long Press": Verb("long_press", lambda s: LongPress(s.point(*_AT))),
    "Type": Verb("type", lambda s: Type(s.text("text"), clear=True)),
    "Type_Name": Verb("type", lambda s: Type(s.text("text"), clear=True)),
    "Swipe": Verb("swipe", lambda s: Swipe(start=s.point("start"), end=s.point("end"))),
    "Back": Verb("press", lambda s: Press("back")),
    "Home": Verb("press", lambda s: Press("home")),
    "Wait": Verb("wait", lambda s: Wait(s.number("duration"))),
    "Interact": Verb("call_user", lambda s: CallUser(s.maybe_text("message") or "")),
    "Take_over": Verb("call_user", lambda s: CallUser(s.maybe_text("message") or "")),
    "finish": Verb("finish", lambda s: Finish("success", s.maybe_text("message") or "")),
    "Note": Verb(None, None),
    "Call_API": Verb(None, None),
}
_ARGS = ("action", "element", "start", "end", "text", "app", "message", "duration", "instruction")
_DIRECT = ("Launch", "Tap", "Double Tap", "Long Press", "Type", "Swipe", "Back", "Home", "Wait", "Take_over")
_RAW, _ESCAPED = (CallGrammar(("do", "finish"), _ARGS, escapes) for escapes in (False, True))
_NAKED = CallGrammar(_DIRECT, _ARGS)
_CALL = re.compile(r"(?<!\w)(?:do\s*\(\s*action\s*=|finish\s*\(\s*message\s*=)")
_EMPTY = re.compile(r"(?<!\w)finish\s*\(\s*\)")
_TYPES = re.compile(r"finish|do\s*\(\s*action\s*=\s*.?Type")
_OPEN, _CLOSE = re.compile(r"<\s*answer\s*>", re.IGNORECASE), re.compile(r"<\s*/\s*answer\s*>", re.IGNORECASE)
_LEAD = re.compile(r"(?:```\w*\s|[\s`])*")

_STRING = r'"(?:[^"\\]|\\.)*+"'
_ARG = rf"(?:element|start|end)=\[ ?\d+ ?, ?\d+ ?\]|(?:app|message|duration|instruction)={_STRING}"
_STRICT = re.compile(
    rf'do\(action="Type(?:_Name)?", ?text=".*"\)|finish\(message=".*"\)|do\(action={_STRING}(?:, ?(?:{_ARG}))*+\)',
    re.DOTALL,
)


class AutoGlm(CallDialect):
    """Open-AutoGLM."""

    name = "autoglm"
    family = "AutoGLM-Phone-9B, AutoGLM-Phone-9B-Multilingual"
    aliases = ("open_autoglm", "autoglm-phone", "autoglm-phone-9b", "autoglm-phone-9b-multilingual")
    source = "zai-org/Open-AutoGLM@6b18d7b"
    space = "rel1000"
    sampling = Sampling(
        temperature=0.0, top_p=0.85, frequency_penalty=0.2, max_tokens=3000, source="zai-org/Open-AutoGLM@6b18d7b"
    )
    expresses = frozenset(
        {"click", "double_tap", "long_press", "type", "swipe", "press", "wait", "open_app", "call_user", "finish"}
    )
    carries = frozenset({"clear", "seconds", "finish_text", "user_text"})

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        text, before, tagged = _answer(prepared.body)
        found = _CALL.search(text) or _EMPTY.search(text)
        if found is None:
            return self._naked(text, frame, tagged or "<" in prepared.body)
        call_text = (
            _CLOSE.split(text[found.start() :])[0]
            if not _TYPES.match(text, found.start())
            else _cut(text[found.start() :])
        )
        grammar = _RAW if _TYPES.match(call_text) else _ESCAPED
        calls = list(grammar.calls(call_text, 0))
        strict = _STRICT.fullmatch(call_text.strip()) is not None and _tags_fit(prepared.body, text[: found.start()])
        thought = prepared.thought or (before + text[: found.start()]).strip()
        return self._reading(calls, frame, strict, thought, grammar is _ESCAPED)

    def _reading(self, calls: list[Call], frame: Frame, strict: bool, thought: str, escapes: bool) -> Reading:
        sense = self.sense(frame)
        named = (_named(call) for call in calls)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense, escapes)) for c in named)
        return assemble(pending, VERBS, strict, (), thought)

    def _naked(self, text: str, frame: Frame, marked: bool) -> Reading:
        """`Tap([120,300])`: the action's name used as the function."""
        lead = _LEAD.match(text)
        calls = list(_NAKED.calls(text, lead.end() if lead else 0))
        if not calls:
            return nothing(text, marked or re.match(r"\s*(?:do|finish)\s*\(", text) is not None)
        return self._reading(calls, frame, False, "", True)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The call."""
        if isinstance(action, Click | DoubleTap | LongPress):
            verb = {"click": "Tap", "double_tap": "Double Tap", "long_press": "Long Press"}[action.kind]
            return f'do(action="{verb}", element={self._at(action.point, frame)})'
        if isinstance(action, Swipe):
            start, end = path(action)
            return f'do(action="Swipe", start={self._at(start, frame)}, end={self._at(end, frame)})'
        if isinstance(action, Type):
            return f'do(action="Type", text="{action.text}")'
        if isinstance(action, OpenApp):
            return f'do(action="Launch", app={quoted(action.name, chr(34))})'
        if isinstance(action, Press) and action.key in ("back", "home"):
            return f'do(action="{action.key.capitalize()}")'
        if isinstance(action, Wait):
            return (
                'do(action="Wait")'
                if action.seconds is None
                else f'do(action="Wait", duration="{action.seconds:g} seconds")'
            )
        if isinstance(action, CallUser):
            return (
                f'do(action="Take_over", message={quoted(action.text, chr(34))})'
                if action.text
                else 'do(action="Interact")'
            )
        if isinstance(action, Finish) and action.status == "success":
            return f'finish(message="{action.text}")'
        raise self.cannot(action)

    def _at(self, point: Point, frame: Frame) -> str:
        return "[{},{}]".format(*self.numbers(point, frame))

    def wrap(self, words: str, thought: str) -> str:
        """The two tags."""
        return f"<think>{thought}</think>\n<answer>{words}</answer>"

    # ---- messages
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """System rules; then one user turn a step, the task in the first, only the newest with its picture."""
        system, first, turns = self.blocks(request, template)
        wording = template or self.template()
        later = wording.block("screen", **template_values(request, [])).strip() or SCREEN
        out = system_turn(system)
        for number, turn in enumerate(turns):
            out.append(Message("user", (Text(later if number else first),)))
            out.append(Message("assistant", (Text(self.told(turn, request.frame)),)))
        out.append(Message("user", (Image(request.image), Text(later if turns else first))))
        return out

    def told(self, turn: Turn, frame: Frame) -> str:
        """An earlier reply with its tags, or the label as one."""
        prepared_call = turn.reply.strip()
        if not prepared_call:
            return self.wrap(self.line(turn, frame), turn.low)
        if "<answer>" in prepared_call:
            return prepared_call
        parsed = self.parse(prepared_call, frame)
        found = _CALL.search(prepared_call)
        call = _CLOSE.sub("", prepared_call[found.start() :]) if found else prepared_call
        return self.wrap(call.strip(), parsed.thought)


SCREEN = 'Screen:\n\n{"current_app": ""}'
"""What a later user turn says where the template has no block `screen`."""


def _answer(body: str) -> tuple[str, str, bool]:
    """The inside of the last answer tag (to the end of the reply), what stands before it, whether it is there."""
    begin = last_match(_OPEN, body)
    return (body, "", False) if begin is None else (body[begin.end() :], body[: begin.start()], True)


def _named(call: Call) -> Call:
    """`do(action="Tap", ..)` as a call of Tap."""
    action = call.args.get("action")
    if action is None:
        return call
    return call._replace(name=action.text.strip(), args={k: arg for k, arg in call.args.items() if k != "action"})


def _cut(text: str) -> str:
    """Without the last closing tag: a typed text may hold one of its own."""
    end = last_match(_CLOSE, text)
    return text if end is None else text[: end.start()] + text[end.end() :]


def _tags_fit(body: str, lead: str) -> bool:
    """Both answer tags with nothing between them but the call, or neither."""
    opens, closes = _OPEN.search(body), _CLOSE.search(body)
    if opens is None:
        return closes is None
    return closes is not None and not lead.strip() and body.rstrip().endswith("</answer>")
