"""solar, our own dialect: a thought between `<think>` tags, then the Qwen2.5-VL `mobile_use` call.

Strict means exactly these two parts, in this order, each once, nothing else but white space: it is what training's
format reward asks for. The tool is Qwen2.5-VL's with `open` and `answer` and without `key` (no key event has a
counterpart in the vocabulary). The SOLAR-RL paper publishes no prompt (solar_rl.md section 1); wording and grammar are
ours. Low adds the current step's query, the goal stays.
"""

from __future__ import annotations

from solar_eval.actions import Action
from solar_eval.dialects.base import Sampling
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.json_reading import Located
from solar_eval.dialects.mobile_use import Tool
from solar_eval.dialects.qwen2_5_vl import Qwen25VL

TOOL = Tool(
    frozenset({"click", "long_press", "swipe", "type", "system_button", "open", "wait", "answer", "terminate"}),
    known=frozenset({"key"}),
    aliases={"leftclick": "click"},
)


class Solar(Qwen25VL):
    """SOLAR-RL checkpoints of this project."""

    name = "solar"
    family = "SOLAR-RL on Qwen2.5-VL"
    aliases = ("solar-rl", "solar-rl-7b", "solar-rl-3b")
    source = "ours; tool call as QwenLM/Qwen2.5-VL@f0af299"
    sampling = Sampling(temperature=0.0, max_tokens=1024, source="ours: greedy, one thought and one call")
    tool = TOOL
    expresses = TOOL.kinds()

    def exact(self, prepared: Prepared, located: Located) -> bool:
        """One think block first, one call, nothing else."""
        raw = prepared.raw.lstrip()
        return (
            located.lines
            and raw.startswith("<think>")
            and raw.count("<think>") == raw.count("</think>") == 1
            and not located.prefix.strip()
            and not located.suffix.strip()
        )

    def wrap(self, call: str, action: Action, thought: str) -> str:
        """Thought, then call."""
        return f"<think>{thought}</think>\n<tool_call>\n{call}\n</tool_call>"
