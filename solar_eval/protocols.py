"""Protocols: named, versioned sets of scoring rules, as data.

A protocol says which steps count, what a type match is, when a click, a text, a scroll is right, and what becomes of
replies that can't be read or are not there. The scorer (`scoring/match.py`) is driven by this object alone, so a rule
that differs is a field that differs. The presets stand in `presets.py`, each with its upstream repository and commit.
A file with the same fields (TOML or JSON, `base = "<preset>"` allowed) is a protocol of your own.

Two rules hold for every protocol: an empty predicted text never matches a label that has text (three official
evaluators give full credit for it), and denominators come from the labels.
"""

from __future__ import annotations

import json
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from solar_eval.actions import Kind
from solar_eval.errors import DataError, unknown_name

Family = Literal["android_control", "gui_odyssey"]
ScrollRule = Literal["finger", "ignored", "raw_word", "raw_word_vertical_flipped", "raw_word_or_prompt"]


def family_of(benchmark: str) -> Family:
    """The rule family of a benchmark name: GUI-Odyssey's begin with it, all others follow AndroidControl's rules."""
    return "gui_odyssey" if benchmark.startswith("gui_odyssey") else "android_control"


class Rule(BaseModel):
    """Base of all rule objects: frozen, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ClickRule(Rule):
    """When a predicted point is right. Boxes are tried first, then the distance; either suffices."""

    boxes: Literal["none", "candidates", "nearest5", "containing", "ellipse"] = Field(
        "none",
        description="Which element boxes count: none; all recorded candidates (of a forest: those holding the label); "
        "the five whose centres are nearest to the label; those that hold the label after enlargement; ellipse: the "
        "one through the corners of the smallest box that holds the label, which then replaces the distance (GUI-G2).",
    )
    enlarge: float = Field(1.0, description="Factor on width and height of each box.")
    clip: bool = Field(
        False,
        description="Clip an enlarged box's left/top at 0 and its size at 1, keeping its size (AgentCPM-GUI).",
    )
    max_area: float = Field(1.0, description="Boxes over this share of the screen are ignored.")
    distance: float | None = Field(None, description="Largest distance that is right, in the unit of `norm`.")
    norm: Literal["axis", "diagonal", "pixels", "pixels_1080x2400"] = Field(
        "axis",
        description="axis: Euclid of the per-axis fractions; diagonal: pixels over the screen's diagonal; pixels: of "
        "the screen; pixels_1080x2400: fractions times 1080 and 2400 whatever the screen.",
    )
    inclusive: bool = Field(True, description="Whether a distance equal to the limit is right.")


class TextTest(Rule):
    """One way in which two texts can be the same."""

    kind: Literal["exact", "substring", "f1", "anls", "first_token", "bag_f1", "app_name"] = Field(
        description="exact equality; one contains the other; token-set F1; 1 - Levenshtein / longer length; equality "
        "of the first blank-separated token of '[text]' (what OS-Atlas's evaluator compares on AndroidControl); "
        "token-multiset F1 and app-name similarity of scoring/similarity.py."
    )
    threshold: float = Field(0.5, description="Limit for f1, anls, bag_f1 and app_name.")
    inclusive: bool = Field(True, description="Whether a value equal to the threshold is right.")
    one_token_substring: bool = Field(False, description="f1: two single tokens match if one contains the other.")
    keyword: str = Field("", description="f1: both texts are put as 'KEYWORD [text]' first, as OS-Atlas writes them.")
    strip_brackets: bool = Field(False, description="f1: remove [ and ] first.")


class TextRule(Rule):
    """Texts are the same if any of `any_of` holds after normalising."""

    any_of: tuple[TextTest, ...] = Field(description="Tests, any of which suffices.")
    normalise: Literal["none", "strip", "lower_strip", "strict"] = Field(
        "lower_strip",
        description="none; strip blanks; lower case and strip; strict: NFKC, invisible characters out, blanks folded, "
        "one layer of quotes off, case folded.",
    )


class Protocol(Rule):
    """A complete set of scoring rules."""

    name: str = Field(description="Name on the command line and in every table.")
    version: str = Field("1", description="Changes whenever a rule of this preset changes.")
    title: str = Field("", description="One line for people.")
    source: str = Field("", description="Upstream repository and commit that the rules were read from.")
    notes: tuple[str, ...] = Field((), description="Where our reading departs from upstream, or upstream is silent.")
    defined_for: tuple[Family, ...] = Field(
        ("android_control", "gui_odyssey"),
        description="Benchmarks the source defines it for; others are our extension.",
    )
    subset: dict[Family, str] = Field(default_factory=dict, description="Subset the source scores, by benchmark.")
    drop: tuple[Kind, ...] = Field((), description="Label kinds that leave the denominator.")
    append_finish: bool = Field(False, description="Whether the source appends a finish step to each episode.")
    types: Literal["kind", "word"] = Field(
        "kind",
        description="kind: all key presses are one type, all finishes another; word: each command word is a type.",
    )
    type_required: bool = Field(True, description="Whether a right step needs the right type.")
    step_over: Literal["all", "pointing_and_text"] = Field(
        "all",
        description="Steps in the denominator of step SR: all, or only click-like and text-like labels (GUI-R1).",
    )
    click: ClickRule = Field(description="Rule for click, long press and double tap.")
    click_gui_odyssey: ClickRule | None = Field(None, description="The same on GUI-Odyssey where it differs.")
    text: TextRule = Field(description="Rule for typed text and answers.")
    text_gui_odyssey: TextRule | None = Field(None, description="The same on GUI-Odyssey where it differs.")
    app: TextRule | None = Field(None, description="Rule for app names; None: as text.")
    icon_click: bool = Field(False, description="A click on the app's icon answers an open_app label.")
    scroll: ScrollRule = Field(
        "finger",
        description="finger: finger directions are equal; ignored: any swipe; raw_word: the word written equals the "
        "raw label word (AndroidControl: content sense); raw_word_vertical_flipped: that with up and down swapped in "
        "the label; raw_word_or_prompt: raw_word, or the word after 'Scroll' in the instruction (OS-Genesis).",
    )
    wait_is_finish: bool = Field(False, description="wait and finish are one class (AgentCPM-GUI).")
    call_user_is_finish: bool = Field(False, description="call_user counts as a stop status.")
    finish: Literal["any", "status", "wrong"] = Field(
        "any",
        description="any: every finish equals every finish; status: success / otherwise must agree; wrong: never.",
    )
    long_press_label_is_click: bool = Field(
        False, description="Labels only: long presses become clicks (AgentCPM-GUI)."
    )
    recents_is_home: bool = Field(False, description="Labels and replies: the recents key becomes home.")
    confusions: tuple[Literal["click_for_type", "type_for_click", "corner_click_for_press"], ...] = Field(
        (), description="Wrong types that the source credits all the same (MagicGUI)."
    )
    grounding: Literal["labels", "type_matched"] = Field(
        "labels", description="Denominator of grounding: all click-like labels, or those whose type matched."
    )
    unparseable: Literal["wrong", "drop"] = Field("wrong", description="What a reply that can't be read counts as.")
    out_of_range: Literal["reject", "keep"] = Field(
        "reject",
        description="reject: coordinates outside the picture make the reply unparseable; keep: measured as is.",
    )
    space: Literal["screen", "gui_r1_mixed"] = Field(
        "screen",
        description="gui_r1_mixed: original pixels divided by the resized size (GUI-R1's own normaliser).",
    )
    history: Literal["labels", "own"] = Field(
        "labels",
        description="labels: earlier steps shown are the labels'; own: the model's, stopping at its first error.",
    )

    def click_rule(self, family: Family) -> ClickRule:
        """The click rule on a benchmark family."""
        return self.click_gui_odyssey if family == "gui_odyssey" and self.click_gui_odyssey else self.click

    def text_rule(self, family: Family) -> TextRule:
        """The text rule on a benchmark family."""
        return self.text_gui_odyssey if family == "gui_odyssey" and self.text_gui_odyssey else self.text

    def app_rule(self, family: Family) -> TextRule:
        """The rule for app names on a benchmark family."""
        return self.app or self.text_rule(family)


@lru_cache(maxsize=1)
def presets() -> dict[str, Protocol]:
    """All presets by name (built on first use; the models are pydantic)."""
    from solar_eval.presets import PRESETS

    return {protocol.name: protocol for protocol in PRESETS}


DEFAULT = "guievalkit_2025_09"


def get(name: str) -> Protocol:
    """A preset by name, or a protocol file by path. Raises UsageError or DataError."""
    known = presets()
    plain = name.strip().lower().replace("-", "_")
    if plain in known:
        return known[plain]
    if name.endswith((".toml", ".json")):
        return from_file(Path(name))
    raise unknown_name("protocol", name, known)


def select(names: str) -> list[Protocol]:
    """Protocols of a comma-separated list; "all" is every preset, in the table's order."""
    if names.strip().lower() == "all":
        return list(presets().values())
    chosen: dict[str, Protocol] = {}
    for name in names.split(","):
        if name.strip():
            protocol = get(name.strip())
            chosen[protocol.name] = protocol
    return list(chosen.values())


def from_file(path: Path) -> Protocol:
    """A user's protocol; `base` names a preset whose fields it starts from. Raises DataError naming the field."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise DataError(str(error), str(path), "give a TOML or JSON file with protocol fields") from None
    if not isinstance(data, dict):
        raise DataError("not a table of protocol fields", str(path))
    base = data.pop("base", None)
    fields = get(str(base)).model_dump() if base else {}
    fields.update({"name": path.stem, "source": str(path)} | data)
    try:
        return Protocol.model_validate(fields)
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
        raise DataError("; ".join(lines), str(path), "see `solar-eval ls protocols --fields`") from None
