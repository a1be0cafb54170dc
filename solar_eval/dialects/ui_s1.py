"""UI-S1-7B: think tags, then a flat JSON object between `<action>` tags; pixels of the resized picture.

Grammar: X-PLUG/MobileAgent @11cea57 UI-S1/x/data/text.py and x/data/agent (also stevenqing/UI-S1 @be799e0). Its reader
takes the first `<action>`; we cut the thought first and take the last one (P61). White space inside the tags is free.
The episode is a conversation: own replies as assistant turns, the last two pictures, the size of the picture is not
stated. There is no Low form upstream; ours adds the step's instruction to the current turn, the goal stays.
"""

from __future__ import annotations

from solar_eval.actions import Action
from solar_eval.dialects.base import Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.conversation import opening, said, shown, user
from solar_eval.dialects.frames import ResizeRule
from solar_eval.dialects.json_reading import Located, Tag
from solar_eval.dialects.mobile_use import Tool
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Text, recent, template_values
from solar_eval.dialects.tool_dialect import ToolDialect

TOOL = Tool(
    frozenset({"key", "click", "long_press", "swipe", "type", "answer", "system_button", "open", "wait", "terminate"})
)


class UIS1(ToolDialect):
    """UI-S1-7B, trained semi-online on AndroidControl."""

    name = "ui_s1"
    family = "UI-S1-7B"
    aliases = ("ui-s1", "uis1", "ui-s1-7b")
    source = "X-PLUG/MobileAgent@11cea57 UI-S1/x/data"
    space = "image_pixels"
    resize = ResizeRule("smart", 28, 784, 10_035_200)
    sampling = Sampling(temperature=None, top_k=1, max_tokens=512, source="X-PLUG/MobileAgent@11cea57 UI-S1")
    tool = TOOL
    tag = Tag("action")
    flat = True
    expresses = TOOL.kinds()
    history_images = 2
    history_texts = None
    multi_rule = "last"

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """One action block, its JSON alone in it, no second mention of its tag."""
        return located.closed and prepared.raw.count(self.tag.open) == 1

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """Think block (left out without a thought), action block."""
        block = f"<action>\n{call}\n</action>"
        return f"<think>\n{thought}\n</think>\n{block}" if thought else block

    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """One user turn per step, replies between; blocks get `first` and `current` besides the usual names."""
        wording, turns = template or self.template(), recent(request.history, self.history_texts)
        values = template_values(request, self.history_lines(turns, request))
        images = [*shown(turns, self.history_images), request.image]
        out = opening(wording.block("system", **values).strip())
        for index, image in enumerate(images):
            current = index == len(turns)
            seen = values if current else {**values, "level": "high", "low": ""}
            message = user(wording.block("user", **seen, first=index == 0, current=current).strip(), image)
            out += [message] if message else []
            if not current:
                out.append(Message("assistant", (Text(said(self, turns[index], request.frame)),)))
        return out
