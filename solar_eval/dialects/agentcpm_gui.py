"""AgentCPM-GUI-8B: one compact JSON object, whole numbers 0-1000, Chinese prompt, no history.

Grammar: OpenBMB/AgentCPM-GUI @acbaf50 eval/utils/schema/schema.json and the README's action space; APPSELECT and
`start` only stand in schema_for_extraction.json and are flagged. Strict is that schema: no unknown key, whole numbers
from 0 to 1000, one action (`STATUS: continue` may accompany it), nothing round the object. `thought` may be missing
(its authors switch it off that way). `duration` is milliseconds: up to 200 a tap, more a long press, alone a wait.
There is no word for opening an app. Low puts the step's instruction in the goal's place.
"""

from __future__ import annotations

from dataclasses import replace

from solar_eval.actions import (
    DIRECTIONS,
    Action,
    CallUser,
    Click,
    Finish,
    FinishStatus,
    Key,
    LongPress,
    Point,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.arguments import Args, plain_word
from solar_eval.dialects.assembly import assembled, nothing
from solar_eval.dialects.base import CannotExpress, Dialect, Reading, Sampling, swipe_from_word
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.json_reading import Located, Notes, ReplyFault, bare, whole
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.wording import dump, finger, plain_thought, refuse_details, whole_path, whole_point

KEYS = ("thought", "POINT", "to", "duration", "PRESS", "TYPE", "STATUS")
PLAIN_KEYS = {plain_word(key): key for key in ("thought", "POINT", "duration", "PRESS", "STATUS")}
"""Keys that are understood in another case too; a "type" or a "to" is too common a word in other objects."""
PRESSES: dict[str, Key] = {"HOME": "home", "BACK": "back", "ENTER": "enter"}
STATUSES: dict[str, FinishStatus] = {
    "finish": "success", "satisfied": "success", "impossible": "infeasible", "interrupt": "failure",
}  # fmt: skip
FEEDBACK = "need_feedback"
NO_ACTION = ("continue", "start")
TAP_MS = 200
"""Longest duration that is still a tap (the schema's default)."""
HOLD_MS, WAIT_MS = 1000, 1000
"""Written where the length is unknown; the README's long press is 1000."""


class AgentCPM(Dialect):
    """AgentCPM-GUI."""

    name = "agentcpm_gui"
    family = "AgentCPM-GUI-8B"
    aliases = ("agentcpm-gui", "agentcpm", "agentcpm-gui-8b", "minicpm-gui")
    source = "OpenBMB/AgentCPM-GUI@acbaf50 eval/utils/schema/schema.json"
    space = "rel1000"
    resize = ResizeRule("longest", longest=1120)
    sampling = Sampling(temperature=0.1, top_p=0.3, max_tokens=2048, source="OpenBMB/AgentCPM-GUI@acbaf50")
    expresses = frozenset({"click", "long_press", "swipe", "type", "press", "wait", "finish", "call_user"})
    history_texts = 0

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See `Dialect.read`."""
        value = whole(prepared.body)
        exact = isinstance(value, dict) and not prepared.thought
        if isinstance(value, dict):
            found = Located([value], [Notes()])
        elif prepared.open_thought:
            found = Located()
        else:
            found = bare(prepared.body, _is_action)
        if not found.values:
            return nothing(prepared, found)
        thought = prepared.thought or _thought(found.values[0])
        split = Located()
        for item, notes in zip(found.values, found.notes, strict=True):
            for part in _actions_in(item, notes):
                split.add(part, notes, 0, 0)
        return assembled(self, split, lambda item, notes: self._action(item, frame, notes), exact, thought)

    def _action(self, value: Json, frame: Frame, notes: Notes) -> Action:
        if not isinstance(value, dict):
            raise ReplyFault("malformed", "no JSON object")
        if "POINT" in value or "to" in value:
            return self._touch(value, frame, notes)
        if "PRESS" in value:
            return _press(Args(value, notes, self, frame, "press"))
        if "TYPE" in value:
            return Type(Args(value, notes, self, frame, "type").text("TYPE"))
        if "STATUS" in value:
            return _status(Args(value, notes, self, frame, "finish"))
        if "duration" in value:
            length = _whole_ms(Args(value, notes, self, frame, "wait"))
            return Wait(None if length is None else length / 1000)
        raise ReplyFault("no_action", f"only {', '.join(value) or 'an empty object'}"[:80])

    def _touch(self, value: dict[str, Json], frame: Frame, notes: Notes) -> Action:
        args = Args(value, notes, self, frame, "swipe" if "to" in value else "click")
        start = self._schema_point(args, "POINT") if "POINT" in value else None
        length = _whole_ms(args) if "duration" in value else None
        if "to" in value:
            return self._swipe(args, start, None if length in (None, TAP_MS) else length)
        if start is None:
            raise args.fault("bad_coordinate", "POINT: null")
        return LongPress(start, length) if length is not None and length > TAP_MS else Click(start)

    def _swipe(self, args: Args, start: Point | None, length: int | None) -> Action:
        to = args.values["to"]
        swipe = swipe_from_word(to, self.sense(args.frame), start) if isinstance(to, str) else None
        if swipe is not None:
            if to not in DIRECTIONS or start is None:
                args.notes.add("repaired")
            return replace(swipe, duration_ms=length)
        if start is None:
            raise args.fault("missing_argument", "no POINT")
        return Swipe(start=start, end=self._schema_point(args, "to"), duration_ms=length)

    def _schema_point(self, args: Args, name: str) -> Point:
        value = args.values[name]
        if isinstance(value, list) and not all(type(number) is int for number in value):
            args.notes.add("repaired")
        return args.as_point(name, value)

    # ---- action out
    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """See `Dialect.render`: compact JSON, the thought first where there is one."""
        body = self._body(action, frame)
        return dump({"thought": plain_thought(thought), **body} if thought else body, compact=True)

    def _body(self, action: Action, frame: Frame) -> dict[str, Json]:
        refuse_details(action, self.name)
        match action:
            case Click():
                return {"POINT": whole_point(self, action.point, frame)}
            case LongPress():
                held = action.duration_ms if action.duration_ms and action.duration_ms > TAP_MS else HOLD_MS
                return {"POINT": whole_point(self, action.point, frame), "duration": held}
            case Swipe():
                return self._swipe_body(action, frame)
            case Type():
                return {"TYPE": action.text}
            case Press():
                return {"PRESS": _word(PRESSES, action.key, self.name)}
            case Wait():
                return {"duration": WAIT_MS if action.seconds is None else round(action.seconds * 1000)}
            case Finish():
                return {"STATUS": _word(STATUSES, action.status, self.name)}
            case CallUser():
                return {"STATUS": FEEDBACK}
        raise CannotExpress(f"{self.name} has no words for it", action.kind)

    def _swipe_body(self, action: Swipe, frame: Frame) -> dict[str, Json]:
        timed: dict[str, Json] = {"duration": action.duration_ms} if action.duration_ms else {}
        if action.start is not None and action.end is not None:
            start, end = whole_path(self, action, frame)
            return {"POINT": start, "to": end, **timed}
        start = whole_point(self, action.start, frame) if action.start is not None else [500, 500]
        return {"POINT": start, "to": finger(action), **timed}


def _word(table: dict[str, Key] | dict[str, FinishStatus], meaning: str, family: str) -> str:
    for word, meant in table.items():
        if meant == meaning:
            return word
    raise CannotExpress(f"{family} has no word for {meaning}")


def _is_action(value: dict[str, Json]) -> bool:
    return any(key in KEYS or plain_word(key) in PLAIN_KEYS for key in value)


def _thought(value: Json) -> str:
    thought = value.get("thought") if isinstance(value, dict) else None
    return thought if isinstance(thought, str) else ""


def _actions_in(value: Json, notes: Notes) -> list[Json]:
    """The actions of one object, in the order of their keys; a status that is no action only stands alone."""
    if not isinstance(value, dict):
        return [value]
    values = _schema_keys(value, notes)
    shared: dict[str, Json] = {key: item for key, item in values.items() if key in ("to", "duration")}
    if values.get("STATUS") in NO_ACTION and len(values) > 1:
        if values["STATUS"] == "start":
            notes.add("outside_prompt")
        del values["STATUS"]
    heads = [key for key in values if key in ("POINT", "PRESS", "TYPE", "STATUS")]
    if len(heads) < 2:
        return [values]
    return [{head: values[head], **(shared if head == "POINT" else {})} for head in heads]


def _schema_keys(value: dict[str, Json], notes: Notes) -> dict[str, Json]:
    """Without the thought; keys of another case are respelled, unknown ones left out, both noted."""
    out: dict[str, Json] = {}
    for key, item in value.items():
        known = key if key in KEYS else PLAIN_KEYS.get(plain_word(key), "")
        if known != key:
            notes.add("repaired")
        if known == "thought" and not isinstance(item, str):
            notes.add("repaired")
        if known and known != "thought":
            out[known] = item
    return out


def _press(args: Args) -> Action:
    written = args.text("PRESS")
    if written in PRESSES:
        return Press(PRESSES[written])
    if plain_word(written) in {"appselect", "recent", "recents", "menu"}:
        args.notes.add("outside_prompt")
        return Press("recents")
    if plain_word(written) in {"volumeup", "volumedown", "power", "camera"}:
        raise args.fault("unsupported_action", f"PRESS {written[:40]}")
    return Press(args.word(PRESSES, "PRESS"))


def _status(args: Args) -> Action:
    written = args.text("STATUS")
    if plain_word(written) in NO_ACTION:
        raise ReplyFault("no_action", f"STATUS {written[:20]} and nothing else")
    if written == FEEDBACK:
        return CallUser()
    return Finish(args.word(STATUSES, "STATUS"))


def _whole_ms(args: Args) -> int | None:
    """`duration` in milliseconds; the schema wants a whole number from 0 on."""
    if type(args.values["duration"]) is not int:
        args.notes.add("repaired")
    length = args.number("duration")
    return None if length is None else round(length)
