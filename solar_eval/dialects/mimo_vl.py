"""MiMo-VL-7B: a JSON list with one object, with or without a think block; pixels of the picture.

Grammar: XiaomiMiMo/lmms-eval gui_utils (mimo_agent2mimo), XiaomiMiMo/MiMo-VL @ca17cb3; GUIEvalKit adds longpress. The
official reader takes the first object and accepts a bare one or a fence. `open`, `appswitch` and the older `scroll` are
not in the prompt in use and are flagged; `scroll` words are content words (its labels keep AndroidControl's). Numbers
are pixels of the picture that was sent; the official code divides by the file's own size, which is the same where
nothing resizes. Low keeps the goal and adds a next-step section. History is the earlier objects, all steps.
"""

from __future__ import annotations

from collections.abc import Callable

from solar_eval.actions import (
    DIRECTIONS,
    Action,
    Click,
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
from solar_eval.dialects.assembly import assembled, nothing
from solar_eval.dialects.base import CannotExpress, Dialect, Reading, Sampling, swipe_from_word
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.json_reading import Located, Notes, ReplyFault, bare, unfenced, whole
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.prompting import Turn
from solar_eval.dialects.wording import dump, plain_thought, refuse_details, sentence, whole_path, whole_point

KEYS: dict[str, Key] = {"back": "back", "home": "home", "enter": "enter"}
STATUSES: dict[str, FinishStatus] = {"success": "success", "failed": "failure"}
OTHER_STATUSES: dict[str, FinishStatus] = {
    "complete": "success", "completed": "success", "finish": "success", "finished": "success", "done": "success",
    "fail": "failure", "failure": "failure", "infeasible": "infeasible", "impossible": "infeasible",
}  # fmt: skip
START = ("start_point", "point", "coordinate", "position")
END = ("end_point", "coordinate2")
OUTSIDE = frozenset({"open", "appswitch", "scroll"})


class MiMoVL(Dialect):
    """MiMo-VL-7B SFT and RL, with the 2508 versions."""

    name = "mimo_vl"
    family = "MiMo-VL-7B-SFT/RL and -2508"
    aliases = ("mimo-vl", "mimo", "mimo-vl-7b", "mimo-vl-7b-rl", "mimo-vl-7b-sft")
    source = "XiaomiMiMo/lmms-eval gui_utils; XiaomiMiMo/MiMo-VL@ca17cb3"
    space = "image_pixels"
    resize = ResizeRule("smart", 28, 3136, 12_845_056)
    sampling = Sampling(temperature=0.1, top_p=0.95, max_tokens=16384, source="XiaomiMiMo/MiMo-VL@ca17cb3 notebook")
    scroll_sense = "content"
    expresses = frozenset({"click", "long_press", "swipe", "type", "press", "wait", "finish"})
    history_texts = None
    image_first = True

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See `Dialect.read`."""
        value = whole(prepared.body) or whole(unfenced(prepared.body))
        if isinstance(value, list):
            items: list[Json] = [item for item in value if isinstance(item, dict)]
            found = Located(items, [Notes() for _ in items])
        elif isinstance(value, dict):
            found = Located([value], [Notes()])
        else:
            found = Located() if prepared.open_thought else bare(prepared.body, lambda item: "action" in item)
        if not found.values:
            return nothing(prepared, found)
        return assembled(
            self, found, lambda item, notes: self._action(item, frame, notes), value is not None, prepared.thought
        )

    def _action(self, value: Json, frame: Frame, notes: Notes) -> Action:
        written = value.get("action") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(written, str):
            raise ReplyFault("malformed", "no action word")
        verb = written if written in VERBS else plain_word(written)
        if verb not in VERBS:
            raise ReplyFault("unsupported_action" if verb in MOUSE_VERBS else "unknown_action", written[:80])
        if verb != written:
            notes.add("repaired")
        if verb in OUTSIDE:
            notes.add("outside_prompt")
        kind, handler = VERBS[verb]
        return handler(Args(value, notes, self, frame, kind))

    # ---- action out
    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """See `Dialect.render`."""
        written = dump([self.said(action, frame)])
        return f"<think>{plain_thought(thought)}</think>{written}" if thought else written

    def said(self, action: Action, frame: Frame) -> dict[str, Json]:
        """The object that says an action. Raises CannotExpress."""
        refuse_details(action, self.name)
        match action:
            case Click():
                return {"action": "click", "start_point": whole_point(self, action.point, frame)}
            case LongPress():
                return {"action": "longpress", "start_point": whole_point(self, action.point, frame)}
            case Swipe():
                start, end = whole_path(self, action, frame)
                return {"action": "drag", "start_point": start, "end_point": end}
            case Type():
                return {"action": "input", "text": action.text}
            case Press() if action.key in KEYS:
                return {"action": "press", "keys": [action.key]}
            case Wait():
                return {"action": "wait"}
            case Finish() if action.status != "infeasible":
                return {"action": "finished", "status": "success" if action.status == "success" else "failed"}
        raise CannotExpress(f"{self.name} has no words for it", action.kind)

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 0: {json}.`, counted from 0."""
        try:
            told = dump(self.said(turn.action, frame))
        except CannotExpress:
            told = sentence(turn.action).rstrip(".")
        return f"Step {index}: {told}."


def _drag(args: Args) -> Action:
    return Swipe(start=args.point(*START), end=args.point(*END))


def _scroll(args: Args) -> Action:
    word = args.text("direction")
    start = args.point(*START) if args.has(*START) else None
    swipe = swipe_from_word(word, args.dialect.sense(args.frame), start)
    if swipe is None:
        raise args.fault("malformed", f"direction: {word[:40]!r}")
    if word not in DIRECTIONS:
        args.notes.add("repaired")
    return swipe


def _press(args: Args) -> Action:
    _, keys = args.find(("keys", "key", "button"))
    if isinstance(keys, list) and keys:
        if len(keys) > 1:
            args.notes.add("repaired")
        keys = keys[0]
    elif keys is not None:
        args.notes.add("repaired")
    if isinstance(keys, str) and plain_word(keys) in {"volumeup", "volumedown", "power", "camera"}:
        raise args.fault("unsupported_action", f"key {keys[:40]}")
    if isinstance(keys, str) and plain_word(keys) in {"recents", "recent", "appswitch", "menu"}:
        args.notes.add("outside_prompt")
        return Press("recents")
    return Press(Args({"keys": keys}, args.notes, args.dialect, args.frame, "press").word(KEYS, "keys"))


def _finished(args: Args) -> Action:
    if not args.has("status"):
        return Finish("success")
    status = args.text("status")
    if status in STATUSES:
        return Finish(STATUSES[status])
    args.notes.add("repaired")
    return Finish(args.word({**STATUSES, **OTHER_STATUSES}, "status"))


VERBS: dict[str, tuple[Kind, Callable[[Args], Action]]] = {
    "click": ("click", lambda args: Click(args.point(*START))),
    "longpress": ("long_press", lambda args: LongPress(args.point(*START))),
    "drag": ("swipe", _drag),
    "scroll": ("swipe", _scroll),
    "input": ("type", lambda args: Type(args.text("text", "content"))),
    "press": ("press", _press),
    "wait": ("wait", lambda args: Wait(args.number("time", "seconds", "duration"))),
    "finished": ("finish", _finished),
    "open": ("open_app", lambda args: OpenApp(args.text("app", "app_name"))),
    "appswitch": ("press", lambda args: Press("recents")),
}
MOUSE_VERBS = frozenset({"hover", "select"})
"""Verbs of the official class comment that no touch screen has."""
