"""The dialects whose replies are JSON, by name."""

from __future__ import annotations

from solar_eval.dialects.agentcpm_gui import AgentCPM
from solar_eval.dialects.base import Dialect
from solar_eval.dialects.generic_json import GenericJson, GenericJsonPixels
from solar_eval.dialects.glm_v import GLMV
from solar_eval.dialects.gui_owl import GUIOwl, GUIOwl15
from solar_eval.dialects.mai_ui import MAIUI
from solar_eval.dialects.mimo_vl import MiMoVL
from solar_eval.dialects.qwen2_5_vl import Qwen25VL
from solar_eval.dialects.qwen3_vl import Qwen3VL
from solar_eval.dialects.solar import Solar
from solar_eval.dialects.ui_s1 import UIS1

JSON_DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Qwen25VL(), Qwen3VL(), Solar(), AgentCPM(), UIS1(), GUIOwl(), GUIOwl15(), MAIUI(), MiMoVL(), GLMV(),
        GenericJson(), GenericJsonPixels(),
    )
}  # fmt: skip
