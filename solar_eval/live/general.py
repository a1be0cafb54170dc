"""Two agents for general models: one that reads the list of elements, one that sees the screenshot with marks.

Both answer with one JSON object in the grammar of `generic_json` (dialects/generic_json.py), with "element": NUMBER in
place of a point; a point in fractions (0..1) is read too, since nothing on a canvas has a number. The form follows
public agents of the kind (AndroidWorld's T3A and M3A: elements by index, marks on the picture); the wording, the
single call a step and the grammar are ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from solar_eval.actions import Action, Point, points_of
from solar_eval.dialects.base import Sampling
from solar_eval.dialects.frames import Frame, ResizeRule, Space
from solar_eval.dialects.generic_json import GenericJson
from solar_eval.dialects.json_reading import Notes, ReplyFault
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.prompting import Message, PromptRequest, PromptTemplate, Text, Turn, single_turn
from solar_eval.live.seeing import Observation, element_lines, middle

PROMPTS = Path(__file__).parent / "prompts"
NUMBERS = ("element", "index", "mark", "number", "element_id", "id")
"""Keys under which models write an element's number."""
ENDS = {"start": "start_element", "end": "end_element"}


class IndexedJson(GenericJson):
    """Elements by number. `over` gives it the elements of one observation."""

    name = "elements"
    family = "general models without vision: the list of elements as text"
    aliases: ClassVar[tuple[str, ...]] = ()
    source = "ours"
    space: ClassVar[Space] = "unit"
    resize = ResizeRule("longest", longest=1600)
    sampling = Sampling(temperature=0.0, max_tokens=1024, source="ours")
    history_images = 0
    history_texts = None
    seeing: ClassVar[Literal["elements", "marks"]] = "elements"

    def __init__(self, places: tuple[Point, ...] = (), lines: tuple[str, ...] = ()) -> None:
        self.places, self.lines = places, lines

    def over(self, observation: Observation) -> IndexedJson:
        """The same agent, with these elements."""
        found = observation.elements
        places = tuple(middle(element, observation.size) for element in found)
        return type(self)(places, tuple(element_lines(found)))

    def template(self) -> PromptTemplate:
        """prompts/<name>.jinja beside this file."""
        return PromptTemplate((PROMPTS / f"{self.name}.jinja").read_text(encoding="utf-8"))

    # ---- reply in
    def _action(self, value: Json, frame: Frame, notes: Notes) -> Action:
        return super()._action(self._placed(value), frame, notes)

    def _placed(self, value: Json) -> Json:
        """The object with points where it has numbers of elements."""
        if not isinstance(value, dict):
            return value
        out = {key: self._placed(item) if isinstance(item, dict) else item for key, item in value.items()}
        for slot, name in ENDS.items():
            if isinstance(out.get(name), int) and not isinstance(out[name], bool):
                out[slot] = self._at(out.pop(name))
        key = next((k for k in NUMBERS if isinstance(out.get(k), int) and not isinstance(out[k], bool)), None)
        if key is not None and out.get("action") != "swipe":
            out["point"] = self._at(out.pop(key))
        elif key is not None and "start" not in out:
            out["start"] = self._at(out.pop(key))
        return out

    def _at(self, number: object) -> list[Json]:
        if not isinstance(number, int) or not 0 <= number < len(self.places):
            raise ReplyFault("bad_coordinate", f"no element {number!r}; there are {len(self.places)}")
        return list(self.places[number])

    # ---- prompt out
    def messages(self, request: PromptRequest, template: PromptTemplate | None = None) -> list[Message]:
        """The list of elements stands last in the text; with marks the picture follows."""
        wording = template or self.template()
        lines = self.history_lines(request.history, request)
        messages = single_turn(wording, request, lines, False)
        user = messages[-1]
        listed = Text("On the screen now:\n" + ("\n".join(self.lines) or "(nothing that can be touched or read)"))
        parts = (user.parts[0], listed) if self.seeing == "elements" else (user.parts[0], listed, user.parts[1])
        return [*messages[:-1], Message("user", parts)]

    def history_line(self, index: int, turn: Turn, frame: Frame) -> str:
        """`Step 1: {json}, on [3] Button "Save"`."""
        return f"Step {index + 1}: {self.render(turn.action, frame)}" + (f", on {turn.low}" if turn.low else "")

    def target(self, action: Action) -> str:
        """The line of the element that an action's first point is the middle of; "" if there is none."""
        points = points_of(action)
        return next((line for place, line in zip(self.places, self.lines, strict=True) if points[:1] == (place,)), "")


class MarkedJson(IndexedJson):
    """Elements by number, seen as marks on the screenshot."""

    name = "marks"
    family = "general models with vision: the screenshot with numbered marks"
    history_images = 1
    seeing = "marks"


LIVE_DIALECTS: dict[str, type[IndexedJson]] = {"elements": IndexedJson, "marks": MarkedJson}
"""Dialects that only live episodes have: they need the elements of the screen."""
