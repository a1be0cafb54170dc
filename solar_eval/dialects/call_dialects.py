"""The visible table of the dialects whose replies are calls, commands or tagged lines."""

from __future__ import annotations

from solar_eval.dialects.aguvis import Aguvis
from solar_eval.dialects.autoglm import AutoGlm
from solar_eval.dialects.base import Dialect
from solar_eval.dialects.gui_odyssey_agent import GuiOdysseyAgent
from solar_eval.dialects.gui_r1 import GuiR1
from solar_eval.dialects.magicgui import MagicGui
from solar_eval.dialects.os_atlas import OsAtlas
from solar_eval.dialects.step_gui import StepGui
from solar_eval.dialects.ui_tars import UiTars, UiTars15
from solar_eval.dialects.ui_venus import UiVenus, UiVenus15

CALL_DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        UiTars(), UiTars15(), UiVenus(), UiVenus15(), OsAtlas(), GuiR1(), Aguvis(), AutoGlm(), GuiOdysseyAgent(),
        MagicGui(), StepGui(),
    )
}  # fmt: skip
