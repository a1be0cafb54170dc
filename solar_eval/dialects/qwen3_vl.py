"""Qwen3-VL: a Thought line, an Action line, then a `mobile_use` call; coordinates 0-1000.

Grammar: QwenLM/Qwen3-VL @9658872 cookbooks/mobile_agent.ipynb. Coordinates are relative whatever the picture's size:
x / 1000 * width (Qwen3-VL#1860, #1862, VLMEvalKit#1332, GUIEvalKit). The cookbook's prompt states a 999x999 screen and
divides by 999; the difference is at most 0.1 % of the screen, and our prompt states 0 to 1000. The prompt has no `open`
and no `key`: they are read and flagged. Reasoning before a lone `</think>` is cut away first. Low replaces the goal
(GUIEvalKit @d5e954e; there is no official form). History is the model's own Action sentences, all steps, one picture.
"""

from __future__ import annotations

import re

from solar_eval.actions import Action
from solar_eval.dialects.base import Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.json_reading import Located
from solar_eval.dialects.mobile_use import Tool
from solar_eval.dialects.prompting import Turn
from solar_eval.dialects.tool_dialect import ToolDialect
from solar_eval.dialects.wording import one_line, sentence

TOOL = Tool(
    frozenset({"click", "long_press", "swipe", "type", "answer", "system_button", "wait", "terminate"}),
    known=frozenset({"open", "key", "ask_user"}),
    aliases={"leftclick": "click"},
)
_LINES = re.compile(r"\s*Thought:[^\n]*\S[^\n]*\nAction:[^\n]*\S[^\n]*\n")
_THOUGHT = re.compile(r"Thought:(.*?)(?:\nAction:|\Z)", re.DOTALL)
_ACTION = re.compile(r"^Action:[ \t]*(.+)$", re.MULTILINE)


def action_sentence(reply: str) -> str:
    """The sentence of a reply's last Action line, without double quotes; '' where it has none."""
    lines = _ACTION.findall(reply)
    return lines[-1].replace('"', "").strip() if lines else ""


class Qwen3VL(ToolDialect):
    """Qwen3-VL Instruct and Thinking as a phone agent."""

    name = "qwen3_vl"
    family = "Qwen3-VL-2B/4B/8B/32B/235B Instruct and Thinking"
    aliases = ("qwen3-vl", "qwen3vl", "qwen3-vl-instruct", "qwen3-vl-thinking", "qwen3-vl-8b-instruct")
    source = "QwenLM/Qwen3-VL@9658872 cookbooks/mobile_agent.ipynb"
    space = "rel1000"
    resize = ResizeRule("smart", 32, 256 * 32 * 32, 1280 * 32 * 32)
    sampling = Sampling(
        temperature=0.7, top_p=0.8, top_k=20, repetition_penalty=1.0, presence_penalty=1.5, max_tokens=32768,
        source="QwenLM/Qwen3-VL@9658872 README (Instruct)",
    )  # fmt: skip
    tool = TOOL
    expresses = TOOL.kinds()
    history_texts = None

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """Thought line, Action line, block with both line feeds."""
        return located.lines and not located.suffix.strip() and _LINES.fullmatch(located.prefix) is not None

    def thought_before(self, prefix: str) -> str:
        """The Thought line; without one the whole text before the call."""
        match = _THOUGHT.search(prefix)
        return match.group(1).strip() if match else prefix.strip()

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """All three parts; without a thought the Action sentence stands in both lines."""
        told = sentence(action)
        return f"Thought: {one_line(thought) or told}\nAction: {told}\n<tool_call>\n{call}\n</tool_call>"

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: <Action sentence>;`."""
        told = action_sentence(turn.reply) or turn.low or sentence(turn.action)
        return f"Step {index + 1}: {one_line(told)};"
