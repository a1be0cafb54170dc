"""MagicGUI-CPT and -RFT (7B, Qwen2-VL base): a bare call such as `tap(700,964)`, coordinates 0-1000.

Grammar: MagicAgent-GUI/MagicGUI @48b3f94 README, inferece.py and utils/dataset/utils/configs.py. No quotes, no thought,
no tags; a text is unquoted and runs to the last bracket. `scroll(x,y,direction)` names the finger's direction.
English and Chinese prompts differ: `finish()` versus `action_completed()`; enter, take_over, drag, call_api and
no_answer stand in the Chinese one only. Either is valid here.

Departures: text(x,y,a, b) keeps `a, b` (upstream's converter keeps what follows the last comma); braces and quotes
around the call, as the README prints it, are stripped and flagged.
"""

from __future__ import annotations

import re
from dataclasses import replace

from solar_eval.actions import (
    Action,
    CallUser,
    Click,
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
from solar_eval.dialects.call_reading import Arg, Call, CallFault, Slots, Verb, VerbTable, assemble, nothing
from solar_eval.dialects.call_rendering import CallDialect
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Turn
from solar_eval.dialects.wording import CENTRE, finger


def _api(slots: Slots) -> OpenApp:
    if slots.text("mode").strip().lower() != "open":
        raise CallFault("unsupported_action", f"call_api: {slots.text('mode')}")
    return OpenApp(slots.text("app"))


VERBS: VerbTable = {
    "tap": Verb("click", lambda s: Click(s.point("point"))),
    "scroll": Verb("swipe", lambda s: s.word("direction", start=s.maybe_point("point"))),
    "text": Verb("type", lambda s: Type(s.text("text"), s.maybe_point("point"))),
    "navigate_back": Verb("press", lambda s: Press("back")),
    "navigate_home": Verb("press", lambda s: Press("home")),
    "long_press": Verb("long_press", lambda s: LongPress(s.point("point"))),
    "wait": Verb("wait", lambda s: Wait()),
    "finish": Verb("finish", lambda s: Finish("success")),
    "action_completed": Verb("finish", lambda s: Finish("success")),
    "no_answer": Verb("finish", lambda s: Finish("infeasible")),
    "enter": Verb("press", lambda s: Press("enter")),
    "take_over": Verb("call_user", lambda s: CallUser(s.maybe_text("text") or "")),
    "drag": Verb("swipe", lambda s: Swipe(start=s.point("start"), end=s.point("end"))),
    "call_api": Verb("open_app", _api),
    "screen_shot": Verb(None, None),
    "long_screen_shot": Verb(None, None),
}
_NAMES = "|".join(sorted(VERBS, key=len, reverse=True))
_START = re.compile(rf"^[ \t]*({_NAMES})[ \t]*\(", re.MULTILINE | re.IGNORECASE)
_SPLIT = re.compile(rf"\)[ \t;,]*\n\s*(?=(?:{_NAMES})\()")
_BARE = re.compile(rf"\s*({_NAMES})\s*\.?\s*", re.IGNORECASE)
_WRAPPED = " \t\r\n{}\"'`"
_UNKNOWN = re.compile(r"[\s{\"'`]*([A-Za-z_]\w*)\(")
_STRICT = re.compile(
    r"(?:tap|long_press)\(\d+, ?\d+\)|scroll\(\d+, ?\d+, ?(?:up|down|left|right)\)|text\(\d+, ?\d+,.*\)"
    r"|drag\(\d+, ?\d+, ?\d+, ?\d+\)|(?:navigate_(?:back|home)|wait|finish|enter|action_completed|no_answer)\(\)"
    r"|action_completed|no_answer|take_over\(.*\)|call_api\(.*, ?(?:open|kill)\)",
    re.DOTALL,
)


class MagicGui(CallDialect):
    """MagicGUI."""

    name = "magicgui"
    family = "MagicGUI-CPT, MagicGUI-RFT (7B)"
    aliases = ("magicgui-cpt", "magicgui-rft", "magic_gui")
    source = "MagicAgent-GUI/MagicGUI@48b3f94"
    space = "rel1000"
    resize = ResizeRule("smart", 28, 4 * 28 * 28, 768 * 28 * 28)
    sampling = Sampling(
        temperature=0.01, top_p=0.001, top_k=1, repetition_penalty=1.0, max_tokens=2048,
        source="MagicAgent-GUI/MagicGUI@48b3f94 inferece.py",
    )  # fmt: skip
    expresses = frozenset({"click", "swipe", "type", "press", "long_press", "wait", "finish", "call_user", "open_app"})
    carries = frozenset({"point", "user_text"})
    image_first = True

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body = prepared.body
        strict = _STRICT.fullmatch(body.strip()) is not None
        if not strict:
            body = body.strip(_WRAPPED)
        first = _START.search(body)
        if first is None:
            return self._bare(body)
        pieces = _SPLIT.split(body[first.start() :])
        calls = [_call(piece, index < len(pieces) - 1) for index, piece in enumerate(pieces)]
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense, False)) for c in calls)
        return assemble(pending, VERBS, strict and len(calls) == 1)

    def _bare(self, body: str) -> Reading:
        bare = _BARE.fullmatch(body)
        if bare is not None:
            name = bare.group(1)
            strict = name in ("action_completed", "no_answer") and name == body.strip()
            return assemble([(name, Slots(Call(name), Point, "finger"))], VERBS, strict)
        unknown = _UNKNOWN.match(body)
        if unknown is not None:
            return assemble([(unknown.group(1), Slots(Call(""), Point, "finger"))], VERBS, False)
        return nothing(body, False)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The call. A text or scroll that has no point is put at the centre."""
        if isinstance(action, Click | LongPress):
            return f"{'tap' if isinstance(action, Click) else 'long_press'}({self._at(action.point, frame)})"
        if isinstance(action, Swipe):
            if action.start is not None and action.end is not None:
                return f"drag({self._at(action.start, frame)},{self._at(action.end, frame)})"
            return f"scroll({self._at(action.start or CENTRE, frame)},{finger(action)})"
        if isinstance(action, Type):
            return f"text({self._at(action.point or CENTRE, frame)},{action.text})"
        if isinstance(action, OpenApp):
            return f"call_api({action.name},open)"
        if isinstance(action, Press) and action.key != "recents":
            return "enter()" if action.key == "enter" else f"navigate_{action.key}()"
        if isinstance(action, Wait):
            return "wait()"
        if isinstance(action, Finish) and action.status != "failure":
            return "finish()" if action.status == "success" else "no_answer()"
        if isinstance(action, CallUser):
            return f"take_over({action.text})"
        raise self.cannot(action)

    def _at(self, point: Point, frame: Frame) -> str:
        return "{},{}".format(*self.numbers(point, frame))

    def wrap(self, words: str, thought: str) -> str:
        """The call; there is no place for a thought."""
        return words

    # ---- messages
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """One user turn, picture first; on Low the step instruction takes the goal's place, the history stays."""
        return super().messages(replace(request, goal=request.low) if request.level == "low" else request, template)

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """The step instruction, or the call."""
        return turn.low or self.line(turn, frame)


def _call(piece: str, closed: bool) -> Call:
    """One call's text as named arguments. `closed`: its bracket was taken away when the calls were split."""
    name, _, inside = piece.partition("(")
    name = name.strip().lower()
    if not closed:
        end = inside.rfind(")")
        closed, inside = end >= 0, inside[:end] if end >= 0 else inside
    return Call(name, _arguments(name, inside), (), closed)


def _arguments(name: str, inside: str) -> dict[str, Arg]:
    if name == "text":
        return _text_arguments(inside)
    if name == "take_over":
        return {"text": Arg(inside, "")}
    if name == "call_api":
        app, _, mode = inside.rpartition(",")
        return {"app": Arg(app, ""), "mode": Arg(mode, "")} if app else {"app": Arg(mode, "")}
    if name == "scroll":
        place, _, word = inside.rpartition(",")
        return {"point": Arg(place, ""), "direction": Arg(word.strip(" '\""), "")}
    if name == "drag":
        parts = inside.split(",")
        return {"start": Arg(",".join(parts[:2]), ""), "end": Arg(",".join(parts[2:]), "")}
    return {"point": Arg(inside, "")} if inside.strip() else {}


def _text_arguments(inside: str) -> dict[str, Arg]:
    """x, y, text; without two numbers in front everything is text. One blank after the comma goes with the style."""
    match = re.match(r"\s*([-\d.]+)\s*[,，](\s*)([-\d.]+)\s*[,，]", inside)
    if match is None:
        bare = re.fullmatch(r"\s*[-\d.]+\s*[,，]\s*[-\d.]+\s*", inside) or not inside.strip()
        return {} if bare else {"text": Arg(inside, "")}
    text = inside[match.end() :]
    text = text[1:] if match.group(2) and text.startswith(" ") else text
    return {"point": Arg(f"{match.group(1)},{match.group(3)}", ""), "text": Arg(text, "")}
