"""GUI-Owl-7B/32B and GUI-Owl-1.5: `mobile_use` calls with a thought and a conclusion, or with an Action line.

Grammar: X-PLUG/MobileAgent @11cea57. 7B/32B (Mobile-Agent-v3): optional thinking block, call block, optional conclusion
block; its AndroidWorld reader looks for `{"name": "mobile_use"`, for `}}` before a line feed, and renames tap to click;
pixels of the resized picture. The cookbook's tool has `open` and `key`, the AndroidWorld one `answer`: all are strict.
1.5: an Action line, then the call; 0-1000 (README and device script; the AndroidWorld code divides by 999, a
difference of at most 0.1 %). Its AndroidWorld code takes the last call of a reply, so `multi_rule` is last.
History: 7B on AndroidControl High is a conversation with the last two pictures, elsewhere one turn with the earlier
conclusions; 1.5 is a conversation with the last five pictures, older steps are lines. Low is one turn with the step's
instruction in the goal's place (GUIEvalKit for 7B; for 1.5 no form is published, ours is the same).
"""

from __future__ import annotations

import re
from typing import ClassVar

from solar_eval.actions import Action
from solar_eval.dialects.base import Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.conversation import opening, said, shown, user
from solar_eval.dialects.frames import Frame, ResizeRule, Space
from solar_eval.dialects.json_reading import Located
from solar_eval.dialects.mobile_use import Tool
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Text, Turn, recent, template_values
from solar_eval.dialects.qwen3_vl import action_sentence
from solar_eval.dialects.tool_dialect import ToolDialect
from solar_eval.dialects.wording import one_line, sentence

TOOL = Tool(
    frozenset({"key", "click", "long_press", "swipe", "type", "answer", "system_button", "open", "wait", "terminate"}),
    aliases={"tap": "click", "openapp": "open"},
)
TOOL_1_5 = Tool(
    TOOL.verbs | {"interact"},
    known=frozenset({"scroll"}),
    aliases={"calluser": "interact"},
)
_CONCLUSION = re.compile(r"\s*(?:<conclusion>\n(.*)\n</conclusion>\s*)?", re.DOTALL)
_CONCLUDED = re.compile(r"<conclusion>(.*?)</conclusion>", re.DOTALL)
_ACTION_LINE = re.compile(r"\s*Action:[^\n]*\S[^\n]*\n")
BEGINNING, ENDING = '{"name": "mobile_use"', "}}"


class GUIOwl(ToolDialect):
    """GUI-Owl-7B and 32B."""

    name = "gui_owl"
    family = "GUI-Owl-7B/32B"
    aliases: ClassVar[tuple[str, ...]] = ("gui-owl", "guiowl", "gui-owl-7b", "gui-owl-32b", "mobile-agent-v3")
    source = "X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3"
    space: ClassVar[Space] = "image_pixels"
    resize = ResizeRule("smart", 28, 3136, 10_035_200)
    sampling = Sampling(
        temperature=0.1, top_p=0.001, top_k=1, repetition_penalty=1.05, max_tokens=2048,
        source="xiaomi-research/guievalkit@d5e954e (the official client sends nothing)",
    )  # fmt: skip
    tool = TOOL
    expresses = TOOL.kinds()
    history_images = 2
    history_texts = None

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """Thinking (cut before), call block as the reader finds it, conclusion on lines of its own or none."""
        return (
            located.lines
            and prepared.body.startswith(BEGINNING, located.begin)
            and prepared.body.endswith(ENDING, 0, located.end)
            and not located.prefix.strip()
            and _CONCLUSION.fullmatch(located.suffix) is not None
        )

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """With a thought all three blocks, else the call alone."""
        block = f"<tool_call>\n{call}\n</tool_call>"
        if not thought:
            return block
        return f"<thinking>\n{thought}\n</thinking>\n{block}\n<conclusion>\n{sentence(action)}\n</conclusion>"

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: <conclusion>;`, without double quotes."""
        concluded = _CONCLUDED.findall(turn.reply)
        told = (concluded[-1].strip() if concluded else "") or turn.low or sentence(turn.action)
        return f"Step {index + 1}: {one_line(told).replace(chr(34), '')};"

    def is_conversation(self, request: PromptRequest) -> bool:
        """AndroidControl High keeps the earlier turns; Low, GUI-Odyssey and live benchmarks tell them as text."""
        return request.level == "high" and request.benchmark.startswith("android_control")

    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """One turn, or a conversation (see `is_conversation`); the user block gets `first` besides the usual names."""
        wording, turns = template or self.template(), recent(request.history, self.history_texts)
        kept = turns if self.is_conversation(request) else ()
        kept = self.as_turns(kept)
        told = self.history_lines(turns, request)[: len(turns) - len(kept)]
        values = template_values(request, told)
        out = opening(wording.block("system", **values).strip())
        images = [*shown(kept, self.history_images), request.image]
        for index, image in enumerate(images):
            message = user(wording.block("user", **values, first=index == 0).strip(), image)
            out += [message] if message else []
            if index < len(kept):
                out.append(Message("assistant", (Text(said(self, kept[index], request.frame)),)))
        return out

    def as_turns(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """Which steps of a conversation stay as turns; the older ones are told as lines."""
        return turns


class GUIOwl15(GUIOwl):
    """GUI-Owl-1.5, Instruct and Think."""

    name = "gui_owl_1_5"
    family = "GUI-Owl-1.5-2B/4B/8B/32B Instruct and Think"
    aliases = ("gui-owl-1.5", "gui-owl-1.5-8b", "mobile-agent-v3.5")
    source = "X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3.5"
    space = "rel1000"
    sampling = Sampling(temperature=0.0, source="X-PLUG/MobileAgent@11cea57 Mobile-Agent-v3.5 cookbook")
    tool = TOOL_1_5
    expresses = TOOL_1_5.kinds()
    history_images = 5
    multi_rule = "last"

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """Action line, call block with both line feeds and `}}` at its end."""
        return (
            located.lines
            and prepared.body.endswith(ENDING, 0, located.end)
            and _ACTION_LINE.fullmatch(located.prefix) is not None
            and not located.suffix.strip()
        )

    def thought_before(self, prefix: str) -> str:
        """The Action sentence is all the text there is."""
        return action_sentence(prefix) or prefix.strip()

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """The thought, else a sentence, as the Action line."""
        return f"Action: {one_line(thought) or sentence(action)}\n<tool_call>\n{call}\n</tool_call>"

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: <Action sentence>`."""
        return f"Step {index + 1}: {one_line(action_sentence(turn.reply) or turn.low or sentence(turn.action))}"

    def is_conversation(self, request: PromptRequest) -> bool:
        """High keeps the earlier turns everywhere."""
        return request.level == "high"

    def as_turns(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """As many as have a picture."""
        return recent(turns, self.history_images - 1)
