"""The base of the families that reply with a `mobile_use` call: reading it out of its tags, and writing one.

A family says which tool, which tag, what stands round the call (`exact`, `wrap`), and what its prompt looks like.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from solar_eval.actions import (
    Action,
    Answer,
    CallUser,
    Click,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Press,
    Swipe,
    Type,
    Wait,
)
from solar_eval.dialects.assembly import assembled, nothing
from solar_eval.dialects.base import CannotExpress, Dialect, Flag, Reading
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_reading import Located, Notes, Tag, bare, tagged
from solar_eval.dialects.json_repair import Json
from solar_eval.dialects.mobile_use import TOOL_NAME, Tool, action_from, arguments_of, is_call
from solar_eval.dialects.wording import dump, plain_thought, refuse_details, seconds, whole_path, whole_point

TOOL_CALL = Tag("tool_call")
DEFAULT_HOLD_SECONDS, DEFAULT_WAIT_SECONDS = 1, 2
"""Written for a long press and a wait of unknown length: the tool's schema wants a time."""


class ToolDialect(Dialect):
    """A family whose reply holds a call of `mobile_use`."""

    tool: ClassVar[Tool]
    tag: ClassVar[Tag] = TOOL_CALL
    flat: ClassVar[bool] = False
    """The arguments stand alone, without name and `arguments` (UI-S1)."""
    allowed: ClassVar[frozenset[Flag]] = frozenset()
    """Flags that the family's own reader permits."""

    # ---- reply in
    def read(self, prepared: Prepared, frame: Frame) -> Reading:
        """See `Dialect.read`: tags first, then an object in prose that looks like a call."""
        located = tagged(prepared.body, self.tag)
        if not located.tagged and not prepared.open_thought:
            located = bare(prepared.body, is_call)
            for notes in located.notes:
                notes.add("no_wrapper")
        if not located.values or (prepared.open_thought and not located.closed):
            return nothing(prepared, located)
        if prepared.open_thought:  # the call stands inside a thought that was never closed
            located.notes[0].add("repaired")
        thought = prepared.thought or self.thought_before(located.prefix)

        def convert(value: Json, notes: Notes) -> Action:
            return action_from(self.arguments_in(value, notes), self.tool, self, frame, notes)

        return assembled(self, located, convert, self.exact(prepared, located), thought, self.allowed)

    def arguments_in(self, value: Json, notes: Notes) -> dict[str, Json]:
        """A decoded call's arguments; families with another nesting override this."""
        if self.flat and isinstance(value, dict) and isinstance(value.get("action"), str):
            return value
        if self.flat:
            notes.add("repaired")
        return arguments_of(value, self.tool, notes)

    @abstractmethod
    def exact(self, prepared: Prepared, located: Located) -> bool:
        """Whether the text round the call is as the family's documented grammar has it."""

    def thought_before(self, prefix: str) -> str:
        """The thought in the text before the call."""
        return prefix.strip()

    # ---- action out
    def render(self, action: Action, frame: Frame, thought: str = "") -> str:
        """See `Dialect.render`."""
        call = self.arguments_for(action, frame)
        text = dump(call if self.flat else {"name": TOOL_NAME, "arguments": call})
        return self.wrap(text, action, plain_thought(thought))

    @abstractmethod
    def wrap(self, call: str, action: Action, thought: str) -> str:
        """The whole reply round a written call. `thought` holds no angle brackets and may be empty."""

    def arguments_for(self, action: Action, frame: Frame) -> dict[str, Json]:
        """The call's arguments. Raises CannotExpress for what the family has no words for."""
        if action.kind not in self.expresses:
            raise CannotExpress(f"{self.name} has no words for it", action.kind)
        refuse_details(action, self.name)
        match action:
            case Click():
                return {"action": "click", "coordinate": whole_point(self, action.point, frame)}
            case LongPress():
                return self._long_press(action, frame)
            case DoubleTap():
                return {"action": "double_click", "coordinate": whole_point(self, action.point, frame)}
            case Swipe():
                return self._swipe(action, frame)
            case Type():
                return {"action": "type", "text": action.text}
            case OpenApp():
                return {"action": "open", "text": action.name}
            case Press():
                return self._press(action)
            case Wait():
                return self._wait(action)
            case Answer():
                return {"action": "answer", "text": action.text}
            case CallUser():
                return {"action": "interact", "text": action.text}
            case Finish():
                return self._terminate(action)

    def _long_press(self, action: LongPress, frame: Frame) -> dict[str, Json]:
        call: dict[str, Json] = {"action": "long_press", "coordinate": whole_point(self, action.point, frame)}
        held = DEFAULT_HOLD_SECONDS if action.duration_ms is None else action.duration_ms / 1000
        return {**call, "time": seconds(held)} if self.tool.timed else call

    def _wait(self, action: Wait) -> dict[str, Json]:
        length = DEFAULT_WAIT_SECONDS if action.seconds is None else action.seconds
        return {"action": "wait", "time": seconds(length)} if self.tool.timed else {"action": "wait"}

    def _swipe(self, action: Swipe, frame: Frame) -> dict[str, Json]:
        start, end = whole_path(self, action, frame)
        return {"action": "swipe", "coordinate": start, "coordinate2": end}

    def _press(self, action: Press) -> dict[str, Json]:
        button = next((word for word, key in self.tool.buttons.items() if key == action.key), None)
        if button is None:
            raise CannotExpress(f"{self.name} has no {action.key} button", action.kind)
        return {"action": "system_button", "button": button}

    def _terminate(self, action: Finish) -> dict[str, Json]:
        status = next((word for word, meaning in self.tool.statuses.items() if meaning == action.status), None)
        if status is None:
            raise CannotExpress(f"{self.name} can't say {action.status}", action.kind)
        return {"action": "terminate", "status": status}
