"""Hosted models without a grammar of their own: one flat JSON object that we ask for, and what they write instead.

Strict is our own grammar: the reply is one JSON object, `action` is a kind of the vocabulary, its fields bear the
vocabulary's names (`point`, `start`, `end`, `direction`, `text`, `name`, `key`, `seconds`, `duration_ms`, `status`,
`submit`, `clear`), `thought` may come first. Lenient reads what public bug reports show (generic_shapes.py): name and
arguments, nested calls, words of other agents, x and y, both numbers in one text, boxes under any key (their centre), a
box and no verb at all (a located element: a click on its centre).
Numbers are 0-1000 per axis; the sibling `generic_json_pixels` reads pixels of the picture that was sent. Which of the
two a reply means can't be seen from its numbers, so nothing guesses. Boxes are x first (Gemini's box_2d is y first: the
prompt asks for points). A `swipe` word is the finger's, a `scroll` word the content's. Low adds the step's instruction.
"""

from __future__ import annotations

from typing import ClassVar, get_args

from solar_eval.actions import (
    BY_KIND,
    DIRECTIONS,
    KEYS,
    KINDS,
    Action,
    Answer,
    CallUser,
    Click,
    Direction,
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
    to_json,
)
from solar_eval.dialects.arguments import Args, plain_word
from solar_eval.dialects.assembly import assembled, nothing
from solar_eval.dialects.base import Dialect, Reading, Sampling, swipe_from_word
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, Space
from solar_eval.dialects.generic_shapes import (
    CONTENT_VERBS,
    DIRECTION_IN_VERB,
    DIRECTION_KEYS,
    KEY_WORDS,
    STATUS_WORDS,
    UNSUPPORTED,
    VERB_WORDS,
    first,
    is_candidate,
    path_values,
    peeled,
    place_value,
)
from solar_eval.dialects.json_reading import Located, Notes, ReplyFault, bare, unfenced, whole
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.prompting import Turn
from solar_eval.dialects.wording import dump, plain_thought, whole_path, whole_point

OWN_KEYS: dict[str, Key] = {key: key for key in KEYS}
OWN_STATUSES: dict[str, FinishStatus] = {status: status for status in get_args(FinishStatus)}
OWN_DIRECTIONS: dict[str, Direction] = {direction: direction for direction in DIRECTIONS}
TEXTS = ("text", "content", "value", "inputtext", "string", "input", "message", "answer", "response")
APPS = ("name", "appname", "app", "application", "text", "packagename", "package", "value")


class GenericJson(Dialect):
    """Any hosted model; coordinates 0-1000."""

    name = "generic_json"
    family = "hosted models without a grammar of their own (GPT, Claude, Gemini, Doubao, Qwen-Plus)"
    aliases: ClassVar[tuple[str, ...]] = ("generic", "json", "hosted")
    source = "ours; lenient shapes from public bug reports, docs/parse_policies.md"
    space: ClassVar[Space] = "rel1000"
    sampling = Sampling(temperature=0.0, max_tokens=2048, source="ours")
    expresses = frozenset(KINDS)
    history_texts = None

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See `Dialect.read`."""
        value = whole(prepared.body)
        exact = isinstance(value, dict) and not prepared.thought
        if isinstance(value, dict):
            found = Located([value], [Notes()])
        else:
            found = Located() if prepared.open_thought else self._located(prepared.body)
        if not found.values:
            return nothing(prepared, found)
        thought = prepared.thought or _thought(found.values[0])
        return assembled(self, found, lambda item, notes: self._action(item, frame, notes), exact, thought)

    def _located(self, body: str) -> Located:
        """Objects in a fence or in prose; a list of calls is its calls."""
        found = bare(unfenced(body), is_candidate)
        if not found.values and "```" in body:
            found = bare(body, is_candidate)
        return found

    def _action(self, value: Json, frame: Frame, notes: Notes) -> Action:
        own = self._own(value, frame)
        if own is not None:
            return own
        notes.add("repaired")
        verb, fields = peeled(value)
        args = Args(fields, notes, self, frame, VERB_WORDS.get(verb, ""))
        if verb:
            return self._read_kind(verb, args)
        if path_values(fields) is not None or (first(fields, DIRECTION_KEYS)[0] and not place_value(fields)[0]):
            args.seen = "swipe"
            return self._swipe(verb, args)
        if not place_value(fields)[0]:
            raise ReplyFault("no_action", f"only {', '.join(fields) or 'an empty object'}"[:80])
        args.seen = "click"
        return Click(self._place(args))

    def _own(self, value: Json, frame: Frame) -> Action | None:
        """The action where the object is exactly what we ask for, else None."""
        kind = value.get("action") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(kind, str) or kind not in BY_KIND:
            return None
        fields = {key: item for key, item in value.items() if key not in ("action", "thought")}
        if not set(fields) <= set(BY_KIND[kind].__slots__) - {"kind", "word"}:
            return None
        notes = Notes()
        try:
            action = _own_action(kind, Args(fields, notes, self, frame, kind))
        except ReplyFault:
            return None
        return None if notes.flags else action

    # ---- lenient
    def _place(self, args: Args) -> Point:
        name, value = place_value(args.values)
        if not name:
            raise args.fault("missing_argument", "no coordinates")
        return args.as_point(name, value)

    def _read_kind(self, verb: str, args: Args) -> Action:
        match VERB_WORDS[verb]:
            case "click":
                return Click(self._place(args))
            case "long_press":
                held = args.number("durationms")
                return LongPress(self._place(args), None if held is None else round(held))
            case "double_tap":
                return DoubleTap(self._place(args))
            case "swipe":
                return self._swipe(verb, args)
            case "type":
                return self._type(args)
            case "open_app":
                return OpenApp(args.text(*APPS))
            case "press":
                return self._press(verb, args)
            case "wait":
                return Wait(args.number("seconds", "time", "duration", "timeout"))
            case "answer":
                return Answer(args.text(*TEXTS))
            case "call_user":
                return CallUser(args.optional_text(*TEXTS, "question"))
            case "finish":
                return self._finish(args)

    def _type(self, args: Args) -> Action:
        point = self._place(args) if place_value(args.values)[0] else None
        submit = any(args.values.get(name) is True for name in ("submit", "pressenter", "enter"))
        clear = any(args.values.get(name) is True for name in ("clear", "cleartext", "override", "overwrite"))
        return Type(args.text(*TEXTS), point, submit, clear)

    def _press(self, verb: str, args: Args) -> Action:
        _, value = first(args.values, ("key", "button", "keys", "keycode", "text", "value"))
        if isinstance(value, list) and value:
            value = value[0]
        word = plain_word(value).removeprefix("keycode") if isinstance(value, str) else verb
        if word in KEY_WORDS:
            return Press(KEY_WORDS[word])
        if value is None and place_value(args.values)[0]:
            return Click(self._place(args))
        if value is None:
            raise args.fault("missing_argument", "no key")
        code = "unsupported_action" if word in UNSUPPORTED or len(word) == 1 else "malformed"
        raise args.fault(code, f"key: {str(value)[:40]}")

    def _swipe(self, verb: str, args: Args) -> Action:
        sense = args.frame.scroll_sense or ("content" if verb in CONTENT_VERBS else "finger")
        word = DIRECTION_IN_VERB.get(verb) or _direction_word(args)
        ends = path_values(args.values)
        if ends is None:
            start = self._place(args) if place_value(args.values)[0] else None
            swipe = swipe_from_word(word or "", sense, start)
            if swipe is None:
                raise args.fault("missing_argument", "neither two points nor a direction")
            return swipe
        start, end = (self._end(args, value, ends[2]) for value in ends[:2])
        swipe = Swipe(start=start, end=end)
        if word in DIRECTIONS and sense == "finger" and swipe.finger not in (None, word):
            raise args.fault("bad_coordinate", f"direction {word} contradicts the end points ({swipe.finger})")
        return swipe

    def _end(self, args: Args, value: Json, fraction: bool) -> Point:
        x, y = args.pair("end points", value)
        return Point(x, y) if fraction else self.point(x, y, args.frame)

    def _finish(self, args: Args) -> Action:
        text = args.optional_text("text", "message", "summary", "answer")
        name, value = first(args.values, ("status", "goalstatus", "success", "result"))
        if not name:
            return Finish("success", text)
        word = plain_word(str(value))
        if word not in STATUS_WORDS:
            raise args.fault("malformed", f"{name}: {str(value)[:40]}")
        return Finish(STATUS_WORDS[word], text)

    # ---- action out
    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """See `Dialect.render`: one object, the thought first where there is one."""
        head: dict[str, Json] = {"thought": plain_thought(thought)} if thought else {}
        return dump({**head, **self._said(action, frame)})

    def _said(self, action: Action, frame: Frame) -> dict[str, Json]:
        fields: dict[str, Json] = {"action": action.kind}
        if isinstance(action, Swipe):
            return {**fields, **self._said_swipe(action, frame)}
        for name in to_json(action):
            value = getattr(action, name)
            if name != "kind":
                fields[name] = whole_point(self, value, frame) if isinstance(value, Point) else value
        return fields

    def _said_swipe(self, action: Swipe, frame: Frame) -> dict[str, Json]:
        timed: dict[str, Json] = {} if action.duration_ms is None else {"duration_ms": action.duration_ms}
        if action.start is not None and action.end is not None:
            start, end = whole_path(self, action, frame)
            return {"start": start, "end": end, **timed}
        if action.direction is None:
            start, end = whole_path(self, action, frame)  # raises CannotExpress
        begun: dict[str, Json] = {} if action.start is None else {"start": whole_point(self, action.start, frame)}
        return {"direction": action.direction, **begun, **timed}

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: {json}`."""
        return f"Step {index + 1}: {self.render(turn.action, frame)}"


class GenericJsonPixels(GenericJson):
    """Any hosted model; coordinates in pixels of the picture that was sent."""

    name = "generic_json_pixels"
    family = "hosted models that answer in pixels of the picture"
    aliases = ("generic-pixels", "json-pixels")
    space = "image_pixels"


def _thought(value: Json) -> str:
    thought = value.get("thought") if isinstance(value, dict) else None
    return thought if isinstance(thought, str) else ""


def _direction_word(args: Args) -> str | None:
    _, word = first(args.values, DIRECTION_KEYS)
    return word.strip().lower() if isinstance(word, str) else None


def _own_action(kind: str, args: Args) -> Action:
    """Our own grammar. Any note or fault means that it is not."""
    match kind:
        case "click":
            return Click(args.point("point"))
        case "long_press":
            return LongPress(args.point("point"), _own_ms(args))
        case "double_tap":
            return DoubleTap(args.point("point"))
        case "swipe":
            return _own_swipe(args)
        case "type":
            point = args.point("point") if args.has("point") else None
            return Type(args.text("text"), point, _own_flag(args, "submit"), _own_flag(args, "clear"))
        case "open_app":
            return OpenApp(args.text("name"))
        case "press":
            return Press(args.word(OWN_KEYS, "key"))
        case "wait":
            return Wait(args.number("seconds"))
        case "answer":
            return Answer(args.text("text"))
        case "finish":
            status = args.word(OWN_STATUSES, "status") if args.has("status") else "success"
            return Finish(status, args.optional_text("text"))
    return CallUser(args.optional_text("text"))


def _own_swipe(args: Args) -> Action:
    if args.has("end"):
        if args.has("direction"):
            raise args.fault("malformed", "direction beside end points")
        return Swipe(start=args.point("start"), end=args.point("end"), duration_ms=_own_ms(args))
    direction = args.word(OWN_DIRECTIONS, "direction")
    start = args.point("start") if args.has("start") else None
    return Swipe(direction, start, None, direction, _own_ms(args))


def _own_ms(args: Args) -> int | None:
    value = args.values.get("duration_ms")
    if value is not None and (type(value) is not int or value < 0):
        raise args.fault("malformed", "duration_ms is not a whole number")
    return value


def _own_flag(args: Args, name: str) -> bool:
    value = args.values.get(name, False)
    if not isinstance(value, bool):
        raise args.fault("malformed", f"{name} is neither true nor false")
    return value
