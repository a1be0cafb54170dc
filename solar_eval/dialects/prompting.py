"""Prompt out: the parts every family's messages are made of, and the wording as a replaceable template.

Wording is ours, built from each family's public facts (action names, fields, order, tags). A template is a jinja
file with the blocks `system` and `user` (either may be empty); `--prompt FILE` puts in another one, for instance a
family's official wording. Its hash stands in the manifest, so a table can say whose prompt it was.
Templates are rendered in jinja's sandbox with undefined names as errors.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from solar_eval.actions import Action
from solar_eval.dialects.frames import Frame
from solar_eval.errors import DataError, UsageError

PROMPTS = Path(__file__).parent / "prompts"
Level = Literal["high", "low"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier step. `low`: its step instruction, `reply`: the model's raw reply ('' where the label is shown)."""

    action: Action
    low: str = ""
    reply: str = ""
    image: int = 0
    """Index of its screenshot in the episode."""


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """Everything a family may show for one step. `image`: index of the current screenshot in the episode."""

    goal: str
    frame: Frame
    level: Level = "high"
    low: str = ""
    history: tuple[Turn, ...] = ()
    benchmark: str = ""
    image: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A text part of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class Image:
    """A picture part: the screenshot of step `index` of the episode, resized by the dialect's rule."""

    index: int


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. A last message of role "assistant" is a prefill: the server continues it."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Text | Image, ...]


def recent(history: tuple[Turn, ...], count: int | None) -> tuple[Turn, ...]:
    """The last `count` turns; 0 is none (a slice [-0:] would be all: UI-Venus @c3a1442), None is all."""
    if count is None:
        return history
    return history[len(history) - count :] if 0 < count < len(history) else (history if count else ())


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A jinja source with blocks `system` and `user`."""

    source: str
    origin: str = "ours"

    @classmethod
    def bundled(cls, name: str) -> PromptTemplate:
        """Our own wording for the dialect `name`."""
        return _bundled(name)

    @classmethod
    def from_file(cls, path: Path) -> PromptTemplate:
        """A user's wording. Raises DataError if the file or its blocks are not there."""
        try:
            source = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(str(error), str(path), "give a UTF-8 jinja file with blocks system and user") from None
        template = cls(source, str(path))
        if "user" not in _compiled(source, str(path)).blocks:
            raise DataError("no block named user", str(path), "write {% block user %}...{% endblock %}")
        return template

    @property
    def sha256(self) -> str:
        """Hash of the wording, for the manifest."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def block(self, name: str, **values: Any) -> str:
        """The rendered text of one block, '' where the template has none. Raises UsageError for unknown names."""
        template = _compiled(self.source, self.origin)
        if name not in template.blocks:
            return ""
        import jinja2

        try:
            return "".join(template.blocks[name](template.new_context(values)))
        except (jinja2.TemplateError, TypeError, ValueError) as error:
            raise UsageError(f"block {name}: {error}", self.origin, "see dialects/prompting.py for the names") from None


@lru_cache(maxsize=64)
def _bundled(name: str) -> PromptTemplate:
    return PromptTemplate((PROMPTS / f"{name}.jinja").read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def _compiled(source: str, origin: str) -> Any:
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    env = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(PROMPTS), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=False, autoescape=False,
    )  # fmt: skip
    try:
        return env.from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise DataError(f"line {error.lineno}: {error.message}", origin, "mend the jinja template") from None


def template_values(request: PromptRequest, history: list[str]) -> dict[str, Any]:
    """The names every template may use."""
    return {
        "goal": request.goal, "low": request.low, "level": request.level, "history": history,
        "benchmark": request.benchmark, "width": request.frame.image[0], "height": request.frame.image[1],
        "screen_width": request.frame.screen[0], "screen_height": request.frame.screen[1],
        "step": len(request.history),
    }  # fmt: skip


def single_turn(
    template: PromptTemplate, request: PromptRequest, history: list[str], image_first: bool
) -> list[Message]:
    """One optional system turn and one user turn of text and the current picture."""
    values = template_values(request, history)
    system, text = template.block("system", **values).strip(), template.block("user", **values).strip()
    parts: tuple[Text | Image, ...] = (Text(text), Image(request.image))
    user = Message("user", parts[::-1] if image_first else parts)
    return [Message("system", (Text(system),)), user] if system else [user]
