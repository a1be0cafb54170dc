"""The `mobile_use` tool of the Qwen line: its verbs, read and written. Families differ in what they offer.

Verbs and arguments: Qwen2.5-VL cookbooks/mobile_agent.ipynb @f0af299; Qwen3-VL @9658872 drops key and open and adds
answer; MobileAgent @11cea57 (UI-S1, GUI-Owl) and MAI-UI @4dd07b9 have their own lists. A verb outside a family's list
is read and flagged `outside_prompt`. `Menu` opens the recent apps (the tool's own description), so it is recents.
Times are seconds. Bare direction words of `swipe` are the finger's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from solar_eval.actions import (
    DIRECTIONS,
    Action,
    Answer,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    FinishStatus,
    Key,
    Kind,
    LongPress,
    OpenApp,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.arguments import Args, plain_word
from solar_eval.dialects.base import Dialect, swipe_from_word
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_reading import Notes, ReplyFault
from solar_eval.dialects.json_repair import Json

POINT_NAMES = ("coordinate", "coordinates", "point", "position", "start_coordinate")
END_NAMES = ("coordinate2", "end_coordinate", "coordinate_2", "end_point")
BUTTONS: dict[str, Key] = {"Back": "back", "Home": "home", "Enter": "enter", "Menu": "recents"}
OTHER_BUTTONS: dict[str, Key] = {
    "recent": "recents", "recents": "recents", "appswitch": "recents", "overview": "recents",
}  # fmt: skip
KEY_EVENTS: dict[str, Key] = {"back": "back", "home": "home", "enter": "enter", "appswitch": "recents"}
DEVICE_KEYS = frozenset({"volumeup", "volumedown", "power", "camera", "clear", "mute", "search"})
STATUSES: dict[str, FinishStatus] = {"success": "success", "failure": "failure"}
OTHER_STATUSES: dict[str, FinishStatus] = {
    "success": "success", "successful": "success", "complete": "success", "completed": "success",
    "done": "success", "finished": "success", "failure": "failure", "fail": "failure", "failed": "failure",
    "infeasible": "infeasible", "impossible": "infeasible",
}  # fmt: skip
WRAPPERS = ("function", "tool_call", "action")
TOOL_NAME = "mobile_use"
TOOL_NAMES = ("mobile", "action", "phone", "computeruse")
"""Beginnings of other names for the tool (GUIEvalKit calls GUI-Owl's mobile_for_gui_owl)."""


@dataclass(frozen=True)
class Tool:
    """One family's version of the tool.

    `verbs`: what its prompt offers. `known`: further verbs its readers take. `aliases`: words they take for another
    verb, written without case and separators.
    """

    verbs: frozenset[str]
    known: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=dict)
    buttons: Mapping[str, Key] = field(default_factory=lambda: BUTTONS)
    statuses: Mapping[str, FinishStatus] = field(default_factory=lambda: STATUSES)
    swipe_by_word: bool = False
    """swipe takes a direction, two points are a `drag` (MAI-UI)."""
    timed: bool = True
    """long_press and wait take a time in seconds."""

    def kinds(self) -> frozenset[Kind]:
        """Kinds of action the offered verbs can say."""
        return frozenset(kind for verb, (kind, _) in VERBS.items() if kind is not None and verb in self.verbs)

    def verb(self, word: str) -> str:
        """The verb that `word` spells, '' where this family has none."""
        plain = plain_word(word)
        found = self.aliases.get(plain, PLAIN_VERBS.get(plain, ""))
        return found if found in self.verbs or found in self.known else ""


# ---- reply in
def is_call(value: dict[str, Json]) -> bool:
    """Whether an object in prose looks like a call of the tool."""
    return "action" in value or "arguments" in value or ("name" in value and "parameters" in value)


def arguments_of(value: Json, tool: Tool, notes: Notes) -> dict[str, Json]:
    """The arguments of a call, whichever way it is nested. Raises ReplyFault for another tool or no call."""
    call = value
    for _ in range(2):
        inner = next((call[k] for k in WRAPPERS if isinstance(call.get(k), dict)), None) if type(call) is dict else None
        if inner is None:
            break
        notes.add("repaired")
        call = inner
    if not isinstance(call, dict):
        raise ReplyFault("malformed", "no JSON object")
    arguments = call.get("arguments")
    if arguments is None and isinstance(call.get("parameters"), dict):
        arguments = call["parameters"]
        notes.add("repaired")
    if isinstance(arguments, str):
        arguments = _as_object(arguments)
        notes.add("repaired")
    if arguments is None and "action" in call:
        notes.add("repaired")  # the arguments stand where the call should
        return call
    if not isinstance(arguments, dict):
        raise ReplyFault("malformed", "a call without arguments")
    return arguments if call.get("name") == TOOL_NAME else _named(call.get("name"), arguments, tool, notes)


def _as_object(text: str) -> Json:
    try:
        value: Json = json.loads(text, strict=False)
    except ValueError:
        raise ReplyFault("malformed", "arguments are a text that is no JSON") from None
    return value


def _named(name: Json, arguments: dict[str, Json], tool: Tool, notes: Notes) -> dict[str, Json]:
    """A call under another name: none, another spelling of the tool's, the verb itself, or another tool."""
    notes.add("repaired")
    written = name if isinstance(name, str) else ""
    if tool.verb(written):
        return {"action": written, **{key: value for key, value in arguments.items() if key != "action"}}
    if "action" in arguments and (not written or plain_word(written).startswith(TOOL_NAMES)):
        return arguments
    if written:
        raise ReplyFault("unsupported_action", f"another tool: {written[:60]}")
    raise ReplyFault("malformed", "a call without name and action")


def action_from(arguments: dict[str, Json], tool: Tool, dialect: Dialect, frame: Frame, notes: Notes) -> Action:
    """One call's arguments as an action. Raises ReplyFault."""
    written = arguments.get("action")
    if not isinstance(written, str):
        raise ReplyFault("malformed", "action is not a word" if written is not None else "no action")
    verb = written
    if verb not in tool.verbs:
        verb = tool.verb(written)
        if not verb:
            raise ReplyFault("unknown_action", written[:80])
        if verb != written:
            notes.add("repaired")
        if verb not in tool.verbs:
            notes.add("outside_prompt")
    kind, handler = VERBS[verb]
    return handler(Args(arguments, notes, dialect, frame, kind or ""), tool)


def _click(args: Args, tool: Tool) -> Action:
    return Click(args.point(*POINT_NAMES))


def _double(args: Args, tool: Tool) -> Action:
    return DoubleTap(args.point(*POINT_NAMES))


def _long_press(args: Args, tool: Tool) -> Action:
    point = args.point(*POINT_NAMES)
    held = args.number("time", "duration")
    return LongPress(point, None if held is None else round(held * 1000))


def _swipe(args: Args, tool: Tool) -> Action:
    if tool.swipe_by_word and not args.has(*END_NAMES):
        return _swipe_word(args)
    if args.has(*END_NAMES):
        return Swipe(start=args.point(*POINT_NAMES), end=args.point(*END_NAMES))
    name, value = args.find(POINT_NAMES)
    numbers = args.numbers(name, value) if name else []
    if len(numbers) == 4:  # both ends in one list
        args.notes.add("repaired")
        x1, y1, x2, y2 = numbers
        point = args.dialect.point
        return Swipe(start=point(x1, y1, args.frame), end=point(x2, y2, args.frame))
    if args.has("direction"):
        args.notes.add("repaired")
        return _swipe_word(args)
    raise args.fault("missing_argument", f"no {'coordinate2' if name else 'coordinate'}")


def _swipe_word(args: Args) -> Action:
    word = args.text("direction")
    start = args.point(*POINT_NAMES) if args.has(*POINT_NAMES) else None
    swipe = swipe_from_word(word, args.dialect.sense(args.frame), start)
    if swipe is None:
        raise args.fault("malformed", f"direction: {word[:40]!r}")
    if word not in DIRECTIONS:
        args.notes.add("repaired")
    return swipe


def _drag(args: Args, tool: Tool) -> Action:
    start = args.point("start_coordinate", "coordinate", "start_point")
    return Swipe(start=start, end=args.point("end_coordinate", "coordinate2", "end_point"))


def _type(args: Args, tool: Tool) -> Action:
    return Type(args.text("text", "content", "value"))


def _open(args: Args, tool: Tool) -> Action:
    return OpenApp(args.text("text", "app_name", "app", "package"))


def _answer(args: Args, tool: Tool) -> Action:
    return Answer(args.text("text", "content"))


def _call_user(args: Args, tool: Tool) -> Action:
    return CallUser(args.optional_text("text", "content"))


def _wait(args: Args, tool: Tool) -> Action:
    return Wait(args.number("time", "seconds", "duration"))


def _button(args: Args, tool: Tool) -> Action:
    written = args.text("button", "text", "key")
    key = tool.buttons.get(written)
    if key is not None:
        return Press(key)
    if plain_word(written) in DEVICE_KEYS:
        raise args.fault("unsupported_action", f"button {written[:40]}")
    args.notes.add("repaired")
    return Press(args.word({**tool.buttons, **OTHER_BUTTONS}, "button", "text", "key"))


def _key(args: Args, tool: Tool) -> Action:
    """A key event; only those that are one of the system keys have a counterpart."""
    written = args.text("text", "key", "button")
    key = KEY_EVENTS.get(plain_word(written).removeprefix("keycode"))
    if key is None:
        raise ReplyFault("unsupported_action", f"key {written[:40]}")
    args.notes.add("repaired")
    return Press(key)


def _terminate(args: Args, tool: Tool) -> Action:
    if not args.has("status"):
        args.notes.add("repaired")
        return Finish("success")
    status = args.text("status")
    if status in tool.statuses:
        return Finish(tool.statuses[status])
    args.notes.add("repaired")
    return Finish(args.word(OTHER_STATUSES, "status"))


Handler = Callable[[Args, Tool], Action]
VERBS: dict[str, tuple[Kind | None, Handler]] = {
    "click": ("click", _click), "long_press": ("long_press", _long_press), "double_click": ("double_tap", _double),
    "swipe": ("swipe", _swipe), "scroll": ("swipe", _swipe), "drag": ("swipe", _drag), "type": ("type", _type),
    "key": (None, _key), "system_button": ("press", _button), "open": ("open_app", _open), "wait": ("wait", _wait),
    "answer": ("answer", _answer), "terminate": ("finish", _terminate), "interact": ("call_user", _call_user),
    "ask_user": ("call_user", _call_user),
}  # fmt: skip
PLAIN_VERBS = {plain_word(verb): verb for verb in VERBS}
