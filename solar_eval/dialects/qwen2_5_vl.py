"""Qwen2.5-VL: a `mobile_use` call between `<tool_call>` tags, pixels of the resized picture.

Grammar: QwenLM/Qwen2.5-VL @f0af299 cookbooks/mobile_agent.ipynb; its reader wants a line feed after the opening and
before the closing tag, free text may stand around the block. The cookbook's tool has `key` and `open`; `answer` is in
the AndroidWorld version of the same tool, so replies with it are strict, and our prompt offers it on live benchmarks.
Low keeps the goal and adds the current step's query (AgentCPM-GUI, GUIEvalKit 2025-09, section 3.12). History is the
calls as JSON, all steps, one picture.
"""

from __future__ import annotations

from typing import ClassVar

from solar_eval.actions import Action
from solar_eval.dialects.base import CannotExpress, Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame, ResizeRule
from solar_eval.dialects.json_reading import Located
from solar_eval.dialects.mobile_use import TOOL_NAME, Tool
from solar_eval.dialects.prompting import Turn
from solar_eval.dialects.tool_dialect import ToolDialect
from solar_eval.dialects.wording import dump, sentence

VERBS = frozenset(
    {"click", "long_press", "swipe", "type", "key", "system_button", "open", "wait", "answer", "terminate"}
)
TOOL = Tool(VERBS, aliases={"leftclick": "click"})


class Qwen25VL(ToolDialect):
    """Qwen2.5-VL-Instruct as a phone agent."""

    name = "qwen2_5_vl"
    family = "Qwen2.5-VL-3B/7B/72B-Instruct"
    aliases: ClassVar[tuple[str, ...]] = (
        "qwen2.5-vl",
        "qwen2.5-vl-instruct",
        "qwen2.5-vl-3b",
        "qwen2.5-vl-7b",
        "qwen2.5-vl-72b",
        "mobile_use",
    )
    source = "QwenLM/Qwen2.5-VL@f0af299 cookbooks/mobile_agent.ipynb"
    space = "image_pixels"
    resize = ResizeRule("smart", 28, 3136, 12_845_056)
    sampling = Sampling(
        temperature=0.01, top_p=0.01, top_k=1, repetition_penalty=1.0, max_tokens=2048,
        source="xiaomi-research/guievalkit@56ed9d8 and OpenBMB/AgentCPM-GUI@acbaf50",
    )  # fmt: skip
    tool = TOOL
    expresses = TOOL.kinds()
    history_texts = None

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """The official reader: both line feeds."""
        return located.lines

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """The thought as free text before the block."""
        block = f"<tool_call>\n{call}\n</tool_call>"
        return f"{thought}\n{block}" if thought else block

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: {"name": "mobile_use", ...};`."""
        try:
            told = dump({"name": TOOL_NAME, "arguments": self.arguments_for(turn.action, frame)})
        except CannotExpress:
            told = sentence(turn.action)
        return f"Step {index + 1}: {told};"
