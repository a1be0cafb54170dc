"""GUI-Odyssey's own agent (OdysseyAgent, Qwen-VL-Chat base): one command line, nothing else, coordinates 0-1000.

Grammar: OpenGVLab/GUI-Odyssey @fefcbe9 data/format_converter.py: `CLICK: (x, y)`, `LONG_PRESS: (x, y)`, `SCROLL: UP`,
`TYPE: text`, `PRESS_HOME`, `PRESS_BACK`, `PRESS_RECENT`, `COMPLETE`, `IMPOSSIBLE`. A scroll word is the finger's.

Departures: the text of TYPE runs to the end (upstream's scorer cuts it at a second colon); `CLICK: 512, 87` is read,
flagged; a point without numbers is a fault, not (0, 0).
"""

from __future__ import annotations

import re
from dataclasses import replace

from solar_eval.actions import Action, Click, Finish, LongPress, Point, Press, Swipe, Type
from solar_eval.dialects.base import Flag, Reading, Sampling
from solar_eval.dialects.call_reading import MAX_CALLS, Arg, Call, Slots, Verb, VerbTable, assemble, nothing
from solar_eval.dialects.call_rendering import CallDialect
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Turn
from solar_eval.dialects.wording import finger

VERBS: VerbTable = {
    "CLICK": Verb("click", lambda s: Click(s.point("value"))),
    "LONG_PRESS": Verb("long_press", lambda s: LongPress(s.point("value"))),
    "SCROLL": Verb("swipe", lambda s: s.word("value")),
    "TYPE": Verb("type", lambda s: Type(s.text("value"))),
    "PRESS_HOME": Verb("press", lambda s: Press("home")),
    "PRESS_BACK": Verb("press", lambda s: Press("back")),
    "PRESS_RECENT": Verb("press", lambda s: Press("recents")),
    "COMPLETE": Verb("finish", lambda s: Finish("success")),
    "IMPOSSIBLE": Verb("finish", lambda s: Finish("infeasible")),
}
_ALONE = r"(?:PRESS_(?:HOME|BACK|RECENT)|COMPLETE|IMPOSSIBLE)(?=[ \t.:]*$)"
_COMMAND = re.compile(
    rf"^[ \t]*((?:CLICK|LONG_PRESS|SCROLL|TYPE)(?=[ \t]*[:：(])|{_ALONE})(?:[ \t]*[:：] ?)?", re.MULTILINE
)
_FIRST = re.compile(
    rf"[\s`]*((?:CLICK|LONG_PRESS|SCROLL|TYPE)\b|{_ALONE})(?:[ \t]*[:：] ?|[ \t]?)", re.MULTILINE | re.IGNORECASE
)
_UNKNOWN = re.compile(r"\s*([A-Z][A-Z_]+)(?:[ \t]*:|\s*\Z)")
_STRICT = re.compile(
    r"\s*(?:(?:CLICK|LONG_PRESS): \(\d+, \d+\)|SCROLL: (?:UP|DOWN|LEFT|RIGHT)|TYPE: .*|PRESS_(?:HOME|BACK|RECENT)"
    r"|COMPLETE|IMPOSSIBLE)\s*",
    re.DOTALL,
)


class GuiOdysseyAgent(CallDialect):
    """OdysseyAgent."""

    name = "gui_odyssey_agent"
    family = "OdysseyAgent (Qwen-VL-Chat)"
    aliases = ("odyssey_agent", "odysseyagent", "odyssey")
    source = "OpenGVLab/GUI-Odyssey@fefcbe9"
    space = "rel1000"
    resize = ResizeRule("square", longest=448)
    sampling = Sampling(temperature=0.0, max_tokens=30, source="OpenGVLab/GUI-Odyssey@fefcbe9 src/eval_mm")
    expresses = frozenset({"click", "long_press", "swipe", "type", "press", "finish"})
    history_images = 5
    history_texts = 4
    image_first = True

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body, flags = prepared.body, list[Flag]()
        first = _FIRST.match(body)
        found = [first, *_COMMAND.finditer(body, first.end())] if first else list(_COMMAND.finditer(body))
        if not found:
            return self._unread(body)
        if first is None:
            flags.append("no_wrapper")
        ends = [match.start() for match in found[1:]] + [len(body)]
        bounds = zip(found[:MAX_CALLS], ends, strict=False)
        calls = [_command(m.group(1).upper(), body[m.end() : end]) for m, end in bounds]
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense, False)) for c in calls)
        return assemble(pending, VERBS, _STRICT.fullmatch(body) is not None, flags)

    def _unread(self, body: str) -> Reading:
        unknown = _UNKNOWN.match(body)
        if unknown is not None:
            return assemble([(unknown.group(1), Slots(Call(""), Point, "finger"))], VERBS, False)
        return nothing(body, False)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The command."""
        if isinstance(action, Click | LongPress):
            verb = "CLICK" if isinstance(action, Click) else "LONG_PRESS"
            return "{}: ({}, {})".format(verb, *self.numbers(action.point, frame))
        if isinstance(action, Swipe):
            return f"SCROLL: {finger(action).upper()}"
        if isinstance(action, Type):
            return f"TYPE: {action.text}"
        if isinstance(action, Press) and action.key != "enter":
            return {"home": "PRESS_HOME", "back": "PRESS_BACK", "recents": "PRESS_RECENT"}[action.key]
        if isinstance(action, Finish) and action.status != "failure":
            return "COMPLETE" if action.status == "success" else "IMPOSSIBLE"
        raise self.cannot(action)

    def wrap(self, words: str, thought: str) -> str:
        """The command; there is no place for a thought."""
        return words

    # ---- messages
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """One user turn; on Low the step instruction takes the goal's place."""
        return super().messages(replace(request, goal=request.low) if request.level == "low" else request, template)

    def history_lines(self, turns: tuple[Turn, ...], request: PromptRequest) -> list[str]:
        """The last commands, numbered from 1."""
        return [f"{i + 1}. {self.line(turn, request.frame)}" for i, turn in enumerate(turns)]


def _command(name: str, value: str) -> Call:
    """One command: the text of TYPE keeps its blanks but not the final line break; other values are one line."""
    if name == "TYPE":
        return Call(name, {"value": Arg(value.rstrip("\r\n"), "")})
    value = value.strip().partition("\n")[0].strip(" .`\"'")
    return Call(name, {"value": Arg(value, "")} if value else {})
