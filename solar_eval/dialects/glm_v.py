"""GLM-4.1V-9B-Thinking and GLM-4.5V: Memory, Reason, Action lines; a JSON object between box tokens; boxes 0-999.

Grammar: zai-org/GLM-V @8fc9756 examples/gui-agent/glm-41v and glm-45v. The official expression wants the three headings
in this order, and the object at the first character after the opening token where the token is there. A place is a
list with one box, `[[x1, y1, x2, y2]]`; we take and write its centre. `input_text` focuses, types, presses enter, and
clears first with override; GUIEvalKit (@d5e954e) writes the whole screen as the box of a text entry without a place, we
read and write it so too. `swipe` takes the finger's direction. The thought is cut first: the official expression would
start at a "Memory:" inside it. One user turn, picture then text. Low puts the step's instruction in the goal's place
(GUIEvalKit; there is no official form).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from solar_eval.actions import (
    DIRECTIONS,
    Action,
    Answer,
    Click,
    Finish,
    FinishStatus,
    Key,
    Kind,
    LongPress,
    OpenApp,
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
from solar_eval.dialects.conversation import said
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_reading import Located, Notes, ReplyFault, bare
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.prompting import Turn
from solar_eval.dialects.wording import (
    dump,
    finger,
    plain_thought,
    refuse_details,
    sentence,
    whole_path,
    whole_point,
)

BOX = ("box_2d", "bbox", "bbox_2d", "coordinate", "point")
WHOLE_SCREEN: Json = [[0, 0, 999, 999]]
STATUSES: dict[str, FinishStatus] = {"complete": "success", "infeasible": "infeasible"}
OTHER_STATUSES: dict[str, FinishStatus] = {
    "completed": "success", "success": "success", "finished": "success", "impossible": "infeasible",
    "failure": "failure", "failed": "failure", "fail": "failure",
}  # fmt: skip
KEY_VERBS: dict[Key, str] = {"enter": "keyboard_enter", "home": "navigate_home", "back": "navigate_back"}
OPEN_TOKEN, CLOSE_TOKEN = "<|begin_of_box|>", "<|end_of_box|>"
_REASON = re.compile(r"Reason:(.*?)(?:\n\s*Action:|\Z)", re.DOTALL)


class GLMV(Dialect):
    """GLM-4.1V-Thinking and GLM-4.5V as AndroidWorld agents."""

    name = "glm_4_1v"
    family = "GLM-4.1V-9B-Thinking, GLM-4.5V"
    aliases = ("glm-4.1v", "glm-4.5v", "glm-4.1v-9b-thinking", "glm-4.6v", "glm-v", "glm_4_5v", "glm")
    source = "zai-org/GLM-V@8fc9756 examples/gui-agent"
    space = "rel999"
    sampling = Sampling(
        temperature=0.001, max_tokens=8192, skip_special_tokens=False, source="zai-org/GLM-V@8fc9756 gui-agent scripts"
    )
    expresses = frozenset({"click", "long_press", "swipe", "type", "open_app", "press", "wait", "answer", "finish"})
    history_texts = None
    image_first = True

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See `Dialect.read`: the object after the last Action heading, else one in prose."""
        body = prepared.body
        start = body.rfind("Action:")
        found = Located()
        if not prepared.open_thought:
            found = bare(body[start:] if start >= 0 else body, _is_action)
            if not found.values and start >= 0:
                found, start = bare(body, _is_action), -1
        if not found.values:
            return nothing(prepared, found)
        heading = body[: start + found.begin] if start >= 0 else found.prefix
        reason = _REASON.search(heading)
        thought = prepared.thought or (reason.group(1).strip() if reason else "")
        exact = not found.suffix.strip() and _headed(heading) and _boxed(prepared.raw)
        return assembled(self, found, lambda item, notes: self._action(item, frame, notes), exact, thought)

    def _action(self, value: Json, frame: Frame, notes: Notes) -> Action:
        if not isinstance(value, dict):
            raise ReplyFault("malformed", "no JSON object")
        written = value.get("action_type")
        if written is None and isinstance(value.get("action"), str):
            written = value["action"]
            notes.add("repaired")
        if not isinstance(written, str):
            raise ReplyFault("malformed", "no action_type")
        verb = written if written in VERBS else PLAIN_VERBS.get(plain_word(written), "")
        if not verb:
            raise ReplyFault("unknown_action", written[:80])
        if verb != written:
            notes.add("repaired")
        kind, handler = VERBS[verb]
        return handler(Args(value, notes, self, frame, kind))

    # ---- action out
    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """See `Dialect.render`. The thought is the Reason; Memory is always None."""
        call = dump(self._call(action, frame))
        reason = plain_thought(thought) or sentence(action)
        return f"Memory: None\nReason: {reason}\nAction: {OPEN_TOKEN}{call}{CLOSE_TOKEN}"

    def _call(self, action: Action, frame: Frame) -> dict[str, Json]:
        refuse_details(action, self.name, frozenset({"submit", "clear", "point"}))
        match action:
            case Click():
                return {"action_type": "click", "box_2d": self._box(action.point, frame)}
            case LongPress():
                return {"action_type": "long_press", "box_2d": self._box(action.point, frame)}
            case Type():
                box = self._box(action.point, frame) if action.point is not None else WHOLE_SCREEN
                return {"action_type": "input_text", "text": action.text, "box_2d": box, "override": action.clear}
            case Swipe():
                return self._swipe(action, frame)
            case OpenApp():
                return {"action_type": "open_app", "app_name": action.name}
            case Press() if action.key in KEY_VERBS:
                return {"action_type": KEY_VERBS[action.key]}
            case Wait():
                return {"action_type": "wait"}
            case Answer():
                return {"action_type": "answer", "text": action.text}
            case Finish() if action.status in STATUSES.values():
                word = next(word for word, meaning in STATUSES.items() if meaning == action.status)
                return {"action_type": "status", "goal_status": word}
        raise CannotExpress(f"{self.name} has no words for it", action.kind)

    def _box(self, point: Point, frame: Frame) -> Json:
        x, y = whole_point(self, point, frame)
        return [[x, y, x, y]]

    def _swipe(self, action: Swipe, frame: Frame) -> dict[str, Json]:
        call: dict[str, Json] = {"action_type": "swipe", "direction": finger(action)}
        if action.start is not None and action.end is not None:
            whole_path(self, action, frame)
        return call if action.start is None else {**call, "box_2d": self._box(action.start, frame)}

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 0:` and the whole earlier reply, without its thought, below it."""
        told = said(self, turn, frame).rpartition("</think>")[2].strip()
        return f"Step {index}:\n{told}"


def _is_action(value: dict[str, Json]) -> bool:
    return "action_type" in value or "action" in value


def _headed(heading: str) -> bool:
    """Whether the text before the object is the three headings in order, the last one directly before it."""
    text = heading.lstrip()
    reason = text.find("Reason:")
    return text.startswith("Memory:") and reason > 0 and text.rstrip(" ").endswith("Action:")


def _boxed(raw: str) -> bool:
    """Whether the box tokens, where they are, touch the object."""
    return OPEN_TOKEN not in raw or OPEN_TOKEN + "{" in raw


def _place(args: Args) -> Point:
    """The centre of the box; the grammar wants a list that holds one box of whole numbers."""
    point = args.point(*BOX, box=True)
    written = args.values.get(BOX[0])
    shaped = isinstance(written, list) and len(written) == 1 and isinstance(written[0], list)
    if not shaped or not all(type(number) is int for number in written[0]):  # type: ignore[index,union-attr]
        args.notes.add("repaired")
    return point


def _swipe(args: Args) -> Action:
    word = args.text("direction")
    swipe = swipe_from_word(word, args.dialect.sense(args.frame), _place(args) if args.has(*BOX) else None)
    if swipe is None:
        raise args.fault("malformed", f"direction: {word[:40]!r}")
    if word not in DIRECTIONS:
        args.notes.add("repaired")
    return swipe


def _input(args: Args) -> Action:
    text = args.text("text", "content")
    override = args.values.get("override")
    clear = override is True
    if isinstance(override, str):
        clear = override.strip().lower() == "true"
        args.notes.add("repaired")
    if not args.has(*BOX):
        args.notes.add("repaired")  # the grammar asks for a box; a text without one goes where the focus is
        return Type(text, None, True, clear)
    point = None if args.values.get(BOX[0]) == WHOLE_SCREEN else _place(args)
    return Type(text, point, True, clear)


def _status(args: Args) -> Action:
    if not args.has("goal_status", "status"):
        args.notes.add("repaired")
        return Finish("success")
    status = args.text("goal_status", "status")
    if status in STATUSES:
        return Finish(STATUSES[status])
    args.notes.add("repaired")
    return Finish(args.word({**STATUSES, **OTHER_STATUSES}, "goal_status", "status"))


VERBS: dict[str, tuple[Kind, Callable[[Args], Action]]] = {
    "click": ("click", lambda args: Click(_place(args))),
    "long_press": ("long_press", lambda args: LongPress(_place(args))),
    "input_text": ("type", _input),
    "keyboard_enter": ("press", lambda args: Press("enter")),
    "navigate_home": ("press", lambda args: Press("home")),
    "navigate_back": ("press", lambda args: Press("back")),
    "swipe": ("swipe", _swipe),
    "open_app": ("open_app", lambda args: OpenApp(args.text("app_name", "text", "name"))),
    "wait": ("wait", lambda args: Wait()),
    "answer": ("answer", lambda args: Answer(args.text("text", "content"))),
    "status": ("finish", _status),
}
PLAIN_VERBS = {plain_word(verb): verb for verb in VERBS}
