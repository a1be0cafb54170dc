"""Messages of the families that keep the episode as a conversation: earlier replies stand as assistant turns.

Which of them keep their picture is the family's `history_images`; a user turn without picture and text is left out.
"""

from __future__ import annotations

from solar_eval.dialects.base import CannotExpress, Dialect
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.prompting import Image, Message, Text, Turn
from solar_eval.dialects.wording import sentence


def said(dialect: Dialect, turn: Turn, frame: Frame) -> str:
    """The assistant's turn: its own reply, else the label's action with the step's instruction as thought."""
    if turn.reply:
        return turn.reply.strip()
    return rendered(dialect, turn, frame)


def rendered(dialect: Dialect, turn: Turn, frame: Frame) -> str:
    """The turn's action in the family's words; a sentence where it has none."""
    try:
        return dialect.render(turn.action, frame, turn.low)
    except CannotExpress:
        return turn.low or sentence(turn.action)


def user(text: str, image: int | None) -> Message | None:
    """A user turn of text, then picture; None where there is neither."""
    parts: tuple[Text | Image, ...] = (Text(text),) if text else ()
    if image is not None:
        parts = (*parts, Image(image))
    return Message("user", parts) if parts else None


def shown(turns: tuple[Turn, ...], images: int) -> list[int | None]:
    """The picture of each earlier turn, None for those too old: `images` counts the current one too."""
    first = len(turns) - (images - 1)
    return [turn.image if index >= first else None for index, turn in enumerate(turns)]


def opening(system: str) -> list[Message]:
    """The system turn, if there is one."""
    return [Message("system", (Text(system),))] if system else []
