"""The shapes hosted models write instead of what they were asked for: words, keys and nesting, as tables.

Sources: MobileAgent#147 (name Tap, arguments x and y), midscene#2831, #2049, PR#2758 (locate, bbox in any container),
askui PR#262 (both numbers in x), lmms-eval (bbox_2d), Qwen3-VL#1860 (result), minitap mobile-use#20 (start_percent_x),
OpenAI and LangChain call layouts. Words and keys are compared without case and separators (`plain_word`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from solar_eval.actions import Direction, FinishStatus, Key, Kind
from solar_eval.dialects.arguments import plain_word
from solar_eval.dialects.json_reading import ReplyFault
from solar_eval.dialects.json_repair import Json

Fields = dict[str, Json]
"""An object with its keys in plain form."""


def _words(kind: Kind, names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


VERB_WORDS: dict[str, Kind] = {
    **_words("click", "click tap leftclick touch clickat tapat clickelement tapelement locate singleclick singletap"),
    **_words("long_press", "longpress longclick longtap pressandhold longpressat"),
    **_words("double_tap", "doubletap doubleclick leftdouble"),
    **_words("swipe", "swipe drag scroll fling slide swipescreen draganddrop scrollup scrolldown scrollleft "
             "scrollright swipeup swipedown swipeleft swiperight"),
    **_words("type", "type input inputtext typetext entertext write settext fill"),
    **_words("open_app", "openapp open launch launchapp startapp openapplication"),
    **_words("press", "press presskey pressbutton systembutton key keyevent navigateback back pressback navigatehome "
             "home presshome enter pressenter keyboardenter recents pressrecent appswitch"),
    **_words("wait", "wait sleep"),
    **_words("answer", "answer respond reply"),
    **_words("finish", "finish finished done complete terminate stop status finishtask taskcomplete"),
    **_words("call_user", "calluser askuser interact handoff"),
}  # fmt: skip
CONTENT_VERBS = frozenset({"scroll", "scrollup", "scrolldown", "scrollleft", "scrollright"})
DIRECTION_IN_VERB: dict[str, Direction] = {
    "scrollup": "up", "scrolldown": "down", "scrollleft": "left", "scrollright": "right",
    "swipeup": "up", "swipedown": "down", "swipeleft": "left", "swiperight": "right",
}  # fmt: skip
UNSUPPORTED = frozenset({
    "hotkey", "volumeup", "volumedown", "power", "camera", "screenshot", "mousemove", "move", "hover", "rightclick",
    "pinch", "zoom", "rotate", "shake", "lock", "unlock", "notification", "copy", "paste",
})  # fmt: skip
KEY_WORDS: dict[str, Key] = {
    "back": "back", "navigateback": "back", "pressback": "back", "home": "home", "navigatehome": "home",
    "presshome": "home", "enter": "enter", "return": "enter", "pressenter": "enter", "keyboardenter": "enter",
    "recents": "recents", "recent": "recents", "pressrecent": "recents", "appswitch": "recents",
    "appselect": "recents", "overview": "recents", "menu": "recents",
}  # fmt: skip
STATUS_WORDS: dict[str, FinishStatus] = {
    "success": "success", "successful": "success", "complete": "success", "completed": "success", "done": "success",
    "finished": "success", "finish": "success", "true": "success", "failure": "failure", "failed": "failure",
    "fail": "failure", "error": "failure", "false": "failure", "infeasible": "infeasible", "impossible": "infeasible",
}  # fmt: skip
VERB_KEYS = ("action", "actiontype", "type", "name", "tool", "toolname", "function", "operation", "verb", "command")
CALL_KEYS = ("action", "actiontype", "tool", "toolname", "function")
"""Keys whose word is a verb even if it is one nobody knows."""
ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "actioninput", "toolinput", "input")
WRAPPERS = ("function", "toolcall", "toolcalls", "call", "action", "command")
PLACES = (
    "point", "coordinate", "coordinates", "position", "location", "center", "clickpoint", "element", "target",
    "startbox", "box", "bbox", "bbox2d", "box2d", "boundingbox", "bounds", "result", "xy", "startpoint", "start",
)  # fmt: skip
PATHS = (
    ("start", "end"), ("startpoint", "endpoint"), ("startcoordinate", "endcoordinate"), ("startbox", "endbox"),
    ("coordinate", "coordinate2"), ("point", "point2"), ("point1", "point2"), ("from", "to"),
)  # fmt: skip
SCALAR_PATHS = (
    ("startx", "starty", "endx", "endy"), ("x1", "y1", "x2", "y2"), ("fromx", "fromy", "tox", "toy"),
    ("startpercentx", "startpercenty", "endpercentx", "endpercenty"),
)  # fmt: skip
PERCENT_PATH = SCALAR_PATHS[-1]
DIRECTION_KEYS = ("direction", "dir", "swipedirection", "scrolldirection", "to")
MAX_NESTING = 4


def plain_keys(value: dict[str, Json]) -> Fields:
    """The object under plain keys; the first of two keys that become equal wins, null counts as not there."""
    out: Fields = {}
    for key, item in value.items():
        plain = plain_word(key)
        if item is not None and plain not in out:
            out[plain] = item
    return out


def is_candidate(value: dict[str, Json]) -> bool:
    """Whether an object in prose may be an action: it names a verb or a place."""
    fields = plain_keys(value)
    keys = set(fields)
    return bool(
        keys & {*VERB_KEYS, *ARGUMENT_KEYS, *PLACES, "x", "toolcall", "toolcalls"}
        or any(set(path) & keys for path in SCALAR_PATHS)
        or any(key in VERB_WORDS and isinstance(item, dict | list) for key, item in fields.items())
    )


def peeled(value: Json) -> tuple[str, Fields]:
    """The plain verb ('' where none is named) and the fields of a call, whichever way it is nested.

    Raises ReplyFault for a verb that nobody knows and for what is no object.
    """
    verb = ""
    for _ in range(MAX_NESTING):
        if isinstance(value, list):
            value = next((item for item in value if isinstance(item, dict)), None)
        if not isinstance(value, dict):
            raise ReplyFault("malformed", "no JSON object")
        fields = plain_keys(value)
        arguments = _arguments(fields)
        verb = _verb(fields, called=arguments is not None) or verb
        inner = arguments if arguments is not None else _inner(fields)
        if inner is None:
            return verb, {key: item for key, item in fields.items() if not (key in VERB_KEYS and _is_verb(item, verb))}
        keyed = next((key for key, item in fields.items() if item is inner and key in VERB_WORDS), "")
        verb = verb or keyed
        value = inner if isinstance(inner, dict) or not keyed else {"point": inner}
    raise ReplyFault("malformed", "calls nested in calls")


def _arguments(fields: Fields) -> Json:
    for key in ARGUMENT_KEYS:
        value = fields.get(key)
        if isinstance(value, str) and value.lstrip()[:1] == "{":
            try:
                value = json.loads(value, strict=False)
            except ValueError:
                raise ReplyFault("malformed", f"{key} is a text that is no JSON") from None
        if isinstance(value, dict):
            return value
    return None


def _inner(fields: Fields) -> Json:
    """A wrapped call: under a wrapper key, or under the verb itself."""
    for key in WRAPPERS:
        if isinstance(fields.get(key), dict) or (key == "toolcalls" and isinstance(fields.get(key), list)):
            return fields[key]
    for key, item in fields.items():
        if key in VERB_WORDS and (isinstance(item, dict) or (isinstance(item, list) and item)):
            return item
    return None


def _is_verb(item: Json, verb: str) -> bool:
    return isinstance(item, str) and plain_word(item) == verb


def _verb(fields: Fields, called: bool) -> str:
    for key in VERB_KEYS:
        word = fields.get(key)
        if isinstance(word, str) and plain_word(word) in VERB_WORDS:
            return plain_word(word)
    for key in CALL_KEYS if not called else ():
        word = fields.get(key)
        if isinstance(word, str):
            code = "unsupported_action" if plain_word(word) in UNSUPPORTED else "unknown_action"
            raise ReplyFault(code, word[:80])  # type: ignore[arg-type]  # both are fault codes
    return ""


def first(fields: Fields, names: Iterable[str]) -> tuple[str, Json]:
    """The first of `names` that is there."""
    for name in names:
        if name in fields:
            return name, fields[name]
    return "", None


def place_value(fields: Fields, depth: int = 0) -> tuple[str, Json]:
    """The key and value that hold the action's place; ('', None) where there is none."""
    if "x" in fields or "y" in fields:
        both = "x" in fields and "y" in fields
        return "x, y", [fields["x"], fields["y"]] if both else fields.get("x", [fields.get("y")])
    corners = ("x1", "y1", "x2", "y2")
    if all(name in fields for name in corners):
        return "x1, y1, x2, y2", [fields[name] for name in corners]
    for name in PLACES:
        value = fields.get(name)
        if isinstance(value, dict) and depth < MAX_NESTING:
            found = place_value(plain_keys(value), depth + 1)
            if found[0]:
                return found
        elif isinstance(value, list) or (isinstance(value, str) and _maybe_place(value)):
            return name, value
    return "", None


def _maybe_place(text: str) -> bool:
    """A text that holds numbers or a placeholder, and not a description of an element."""
    letters, digits = sum(map(str.isalpha, text[:40])), sum(map(str.isdigit, text[:40]))
    return (digits > 0 and letters < 8) or text.strip("[(<{ ")[:1] == "x"


def path_values(fields: Fields) -> tuple[Json, Json, bool] | None:
    """Start and end of a swipe and whether they are fractions already; an end's missing axis is the start's."""
    for start, end in PATHS:
        if isinstance(fields.get(start), list | dict | str) and isinstance(fields.get(end), list | dict):
            return fields[start], fields[end], False
        if isinstance(fields.get(start), str) and isinstance(fields.get(end), str) and _maybe_place(str(fields[end])):
            return fields[start], fields[end], False
    for names in SCALAR_PATHS:
        x1, y1, x2, y2 = (fields.get(name) for name in names)
        if x1 is not None and y1 is not None and (x2 is not None or y2 is not None):
            last: Json = [x1 if x2 is None else x2, y1 if y2 is None else y2]
            return [x1, y1], last, names == PERCENT_PATH
    return None
