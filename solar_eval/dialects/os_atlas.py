"""OS-Atlas-Pro-7B and its AndroidControl and GUI-Odyssey models: `actions:` and one command line, 0-1000.

Grammar: OS-Copilot/OS-Atlas @bad0840 eval/data/*.jsonl and eval/eval_scripts (section headers in lower case although
the prompt writes capitals; GUI-Odyssey's targets have no thoughts). A scroll word is AndroidControl's raw word, the
direction of the content; on GUI-Odyssey it is the finger's.

Departures: a text runs to its last bracket (upstream's scorer reads one word of it); `ENTER` is read although no phone
prompt offers it; a bare box, as the grounding models answer, is read as a click on its centre, flagged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import ClassVar

from solar_eval.actions import OPPOSITE, Action, Click, Finish, LongPress, OpenApp, Point, Press, Swipe, Type, Wait
from solar_eval.dialects.base import Flag, Reading, Sampling
from solar_eval.dialects.call_reading import MAX_CALLS, Arg, Call, Slots, Verb, VerbTable, assemble, last_match, nothing
from solar_eval.dialects.call_rendering import CallDialect
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule, ScrollSense
from solar_eval.dialects.wording import finger

VERBS: VerbTable = {
    "CLICK": Verb("click", lambda s: Click(s.point("value"))),
    "LONG_PRESS": Verb("long_press", lambda s: LongPress(s.point("value"))),
    "TYPE": Verb("type", lambda s: Type(s.text("value"))),
    "SCROLL": Verb("swipe", lambda s: s.word("value")),
    "OPEN_APP": Verb("open_app", lambda s: OpenApp(s.text("value"))),
    "PRESS_BACK": Verb("press", lambda s: Press("back")),
    "PRESS_HOME": Verb("press", lambda s: Press("home")),
    "PRESS_RECENT": Verb("press", lambda s: Press("recents")),
    "WAIT": Verb("wait", lambda s: Wait()),
    "COMPLETE": Verb("finish", lambda s: Finish("success")),
    "IMPOSSIBLE": Verb("finish", lambda s: Finish("infeasible")),
    "ENTER": Verb("press", lambda s: Press("enter"), offered=False),
    "PRESS_ENTER": Verb("press", lambda s: Press("enter"), offered=False),
}
_HEADER = re.compile(r"^[ \t*#]*actions?\**[ \t]*[:：]\**", re.IGNORECASE | re.MULTILINE)
_ALONE = r"(?:PRESS_(?:BACK|HOME|RECENT|ENTER)|WAIT|COMPLETE|IMPOSSIBLE|ENTER)(?=[\s.;]*(?:$|</))"
_TAKES = r"(?:CLICK|LONG_PRESS|TYPE|SCROLL|OPEN_APP)\b"
_COMMAND = re.compile(rf"^[ \t`*'\"-]*({_ALONE}|{_TAKES})[ \t]*[:：]?[ \t]?", re.MULTILINE | re.IGNORECASE)
_SURE = re.compile(
    rf"^[ \t]*(?=(?:CLICK|LONG_PRESS)[ \t]*(?:<|\[|\()|(?:TYPE|OPEN_APP|SCROLL)[ \t]*\[|{_ALONE})", re.MULTILINE
)
_WORD = re.compile(r"\s*([A-Z][A-Z_]+)\b")
_OBJECT = re.compile(r"<\|object_ref_start\|>.*?<\|object_ref_end\|>|</?point>", re.DOTALL)
_BARE_BOX = re.compile(r"[\d\s.,\[\]()]+")

_POINT = r"<point>\[\[\d+, ?\d+\]\]</point>"
_STRICT = re.compile(
    rf"(?:CLICK|LONG_PRESS) {_POINT}|(?:TYPE|OPEN_APP) \[.*\]|SCROLL \[(?:UP|DOWN|LEFT|RIGHT)\]"
    r"|PRESS_(?:BACK|HOME|RECENT)|WAIT|COMPLETE|IMPOSSIBLE|ENTER",
    re.DOTALL,
)
_STRICT_HEAD = re.compile(r"\s*(?:thoughts:\n.*\n)?", re.DOTALL)


class OsAtlas(CallDialect):
    """OS-Atlas-Pro."""

    name = "os_atlas"
    family = "OS-Atlas-Pro-7B, OS-Atlas-Pro-4B and the AndroidControl and GUI-Odyssey models"
    aliases = ("os-atlas-pro", "os-atlas-pro-7b", "osatlas", "os-atlas-7b")
    source = "OS-Copilot/OS-Atlas@bad0840"
    space = "rel1000"
    resize = ResizeRule("smart", 28)
    sampling = Sampling(
        temperature=0.0, max_tokens=128, skip_special_tokens=False, source="OS-Copilot/OS-Atlas@bad0840 README"
    )
    scroll_sense = "content"
    scroll_sense_by_benchmark: ClassVar[Mapping[str, ScrollSense]] = {"gui_odyssey": "finger"}
    expresses = frozenset({"click", "long_press", "swipe", "type", "open_app", "wait", "finish", "press"})

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See the module's docstring."""
        body, flags = prepared.body, list[Flag]()
        header = last_match(_HEADER, body)
        if header is None:
            sure = _SURE.search(body)
            if sure is None:
                return self._grounding(prepared, frame)
            flags.append("no_wrapper")
        begin = header.end() if header else sure.start() if sure else 0
        region, thought = body[begin:], _thought(body[: header.start() if header else begin])
        calls = list(islice(_commands(region), MAX_CALLS))
        if not calls:
            return self._unread(region, thought)
        strict = (
            header is not None
            and header.group() == "actions:"
            and region.startswith("\n")
            and _STRICT_HEAD.fullmatch(body, 0, header.start()) is not None
            and _STRICT.fullmatch(region.strip()) is not None
        )
        return self._reading(calls, frame, strict, flags, thought)

    def _reading(self, calls: list[Call], frame: Frame, strict: bool, flags: list[Flag], thought: str) -> Reading:
        sense = self.sense(frame)
        pending = ((c.name, Slots(c, lambda x, y: self.point(x, y, frame), sense, False)) for c in calls)
        return assemble(pending, VERBS, strict, flags, thought)

    def _grounding(self, prepared: Prepared, frame: Frame) -> Reading:
        """A box alone, as the grounding models answer, in box tokens or a point tag."""
        value = _OBJECT.sub("", prepared.body).strip()
        marked = "<|box_start|>" in prepared.raw or "<point>" in prepared.raw
        if not marked or _BARE_BOX.fullmatch(value) is None:
            return nothing(prepared.body, False)
        return self._reading([Call("CLICK", {"value": Arg(value, "")})], frame, False, ["no_wrapper"], "")

    def _unread(self, region: str, thought: str) -> Reading:
        word = _WORD.match(region)
        if word is not None:
            slots = Slots(Call(word.group(1)), Point, "content")
            return assemble([(word.group(1), slots)], VERBS, False, (), thought)
        return nothing(region, True, thought)

    # ---- action out
    def words(self, action: Action, frame: Frame) -> str:
        """The command line."""
        if isinstance(action, Click | LongPress):
            x, y = self.numbers(action.point, frame)
            return f"{'CLICK' if isinstance(action, Click) else 'LONG_PRESS'} <point>[[{x},{y}]]</point>"
        if isinstance(action, Swipe):
            direction = finger(action)
            word = direction if self.sense(frame) == "finger" else OPPOSITE[direction]
            return f"SCROLL [{word.upper()}]"
        if isinstance(action, Type):
            return f"TYPE [{action.text}]"
        if isinstance(action, OpenApp):
            return f"OPEN_APP [{action.name}]"
        if isinstance(action, Press) and action.key != "enter":
            return {"back": "PRESS_BACK", "home": "PRESS_HOME", "recents": "PRESS_RECENT"}[action.key]
        if isinstance(action, Wait):
            return "WAIT"
        if isinstance(action, Finish) and action.status != "failure":
            return "COMPLETE" if action.status == "success" else "IMPOSSIBLE"
        raise self.cannot(action)

    def wrap(self, words: str, thought: str) -> str:
        """`thoughts:` where there are any, and `actions:`."""
        return f"thoughts:\n{thought}\nactions:\n{words}" if thought else f"actions:\n{words}"


def _commands(region: str) -> Iterator[Call]:
    """Commands in order; a bracketed text may run over lines that look like commands."""
    found = list(_COMMAND.finditer(region))
    whole = region.rstrip()
    for index, match in enumerate(found):
        stop = found[index + 1].start() if index + 1 < len(found) else len(whole)
        value = whole[match.end() : stop].strip()
        if value.startswith("[") and "]" not in value and whole.endswith("]") and "<" not in whole[-9:]:
            yield _command(match.group(1).upper(), whole[match.end() :].strip())
            return
        yield _command(match.group(1).upper(), value)


def _command(name: str, value: str) -> Call:
    """One command. Texts lose their brackets; what follows a point or a word on further lines is not part of it."""
    if name in ("TYPE", "OPEN_APP") and value.startswith("["):
        end = value.rfind("]")
        return Call(name, {"value": Arg(value[1:end] if end > 0 else value[1:], "[")}, closed=end > 0)
    value = value.partition("\n")[0]
    if "</point>" in value:
        value = value[: value.index("</point>")]
    if name == "SCROLL":
        value = value.strip(" []().'\"")
    return Call(name, {"value": Arg(value, "")} if value else {})


def _thought(before: str) -> str:
    return re.sub(r"^\s*thoughts?\s*[:：]\s*", "", before, flags=re.IGNORECASE).strip()
