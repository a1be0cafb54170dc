"""MAI-UI: thinking tags, then a `mobile_use` call of its own making; coordinates 0-999.

Grammar: Tongyi-MAI/MAI-UI @4dd07b9 src/mai_naivigation_agent.py and src/prompt.py. One regular expression wants both
blocks; white space inside is free; a four-number coordinate is read as its centre by the official reader too. `swipe`
takes a direction word (the finger's: MobileWorld @d42de47 turns it into a scroll with up and down reversed; left and
right are inferred), `drag` two points, buttons are lower case, `terminate` says fail. double_click and ask_user belong
to another prompt and are flagged. Other tool names are MCP calls, which have no counterpart.
The goal is a user turn of its own; all earlier replies stay, re-written compactly, with the last two pictures. There is
no Low form; ours puts the step's instruction in the goal's place.
"""

from __future__ import annotations

from solar_eval.actions import Action, Key, Swipe
from solar_eval.dialects.base import CannotExpress, Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.conversation import opening, shown, user
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_reading import Located
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.mobile_use import TOOL_NAME, Tool
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Text, Turn, recent, template_values
from solar_eval.dialects.tool_dialect import ToolDialect
from solar_eval.dialects.wording import dump, finger, plain_thought, sentence, whole_path, whole_point

BUTTONS: dict[str, Key] = {"back": "back", "home": "home", "menu": "recents", "enter": "enter"}
TOOL = Tool(
    frozenset({"click", "long_press", "type", "swipe", "drag", "open", "system_button", "wait", "terminate", "answer"}),
    known=frozenset({"double_click", "ask_user"}),
    buttons=BUTTONS,
    statuses={"success": "success", "fail": "failure"},
    swipe_by_word=True,
    timed=False,
)


class MAIUI(ToolDialect):
    """MAI-UI as a navigation agent."""

    name = "mai_ui"
    family = "MAI-UI-2B/8B/32B/235B-A22B"
    aliases = ("mai-ui", "maiui", "mai-ui-2b", "mai-ui-8b", "mai-ui-32b")
    source = "Tongyi-MAI/MAI-UI@4dd07b9 src/mai_naivigation_agent.py"
    space = "rel999"
    sampling = Sampling(
        temperature=0.0, top_p=1.0, repetition_penalty=1.0, max_tokens=2048, source="Tongyi-MAI/MAI-UI@4dd07b9"
    )
    tool = TOOL
    expresses = TOOL.kinds()
    allowed = frozenset({"box_as_point"})
    history_images = 3
    history_texts = None

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """Both blocks, as the official expression wants them."""
        return located.closed and "<thinking>" in prepared.raw and "</thinking>" in prepared.raw

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """Thinking block, call block."""
        return f"<thinking>\n{thought}\n</thinking>\n<tool_call>\n{call}\n</tool_call>"

    def _swipe(self, action: Swipe, frame: Frame) -> dict[str, Json]:
        if action.start is not None and action.end is not None:
            start, end = whole_path(self, action, frame)
            return {"action": "drag", "start_coordinate": start, "end_coordinate": end}
        call: dict[str, Json] = {"action": "swipe", "direction": finger(action)}
        return call if action.start is None else {**call, "coordinate": whole_point(self, action.start, frame)}

    def _told(self, turn: Turn, frame: Frame) -> str:
        """An earlier reply as the family re-writes it: same layout, compact JSON."""
        thought = self.parse(turn.reply, frame).thought if turn.reply else turn.low
        try:
            call = dump({"name": TOOL_NAME, "arguments": self.arguments_for(turn.action, frame)}, compact=True)
        except CannotExpress:
            return turn.reply.strip() or turn.low or sentence(turn.action)
        return self.wrap(call, turn.action, plain_thought(thought))

    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """System, the goal alone, then pictures and replies in turn, the current picture last."""
        wording, turns = template or self.template(), recent(request.history, self.history_texts)
        values = template_values(request, self.history_lines(turns, request))
        out = opening(wording.block("system", **values).strip())
        goal = user(wording.block("user", **values).strip(), None)
        out += [goal] if goal else []
        for turn, image in zip(turns, shown(turns, self.history_images), strict=True):
            picture = user("", image)
            out += [picture] if picture else []
            out.append(Message("assistant", (Text(self._told(turn, request.frame)),)))
        current = user("", request.image)
        return out + ([current] if current else [])
