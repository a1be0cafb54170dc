"""What a benchmark is made of (Episode, Step), and what a run leaves on disk (Reply, StepScore).

A `Step` is one scored decision: what the model is shown and the label. Labels are in the project's one frame
(fractions of the screen, finger direction). Nothing here reads files; `benchmarks/` makes these, `run_dir.py` is the
only writer of results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from solar_eval.actions import Action, Box, Point
from solar_eval.dialects.frames import Size

BoxSource = Literal["forest", "candidates", "sam2", "none"]
"""Where element boxes come from: the accessibility forest, boxes recorded with the label, GUI-Odyssey v2, nowhere."""
Outcome = Literal["scored", "model_fault", "infrastructure_fault"]


@dataclass(frozen=True, slots=True)
class Step:
    """One labelled step of an episode.

    id: "<episode>/<index>", unique in its benchmark. `label` is None where the recorded label can't be read; then
    `label_fault` says why, and the step stays in the counts. `boxes`: element boxes in fractions, None where the
    data has none. `extra`: what only some protocols ask for (raw words, an icon box, GUI-R1's image size).
    `screenshot` loads the PNG or JPEG bytes, None where no picture is at hand.
    """

    id: str
    episode: str
    index: int
    goal: str
    low: str
    label: Action | None
    screen: Size
    boxes: tuple[Box, ...] | None = None
    box_source: BoxSource = "none"
    app: str = ""
    label_fault: str = ""
    appended: bool = False
    """A finish step that the loader appended; no such action was recorded."""
    screenshot: Callable[[], bytes] | None = field(default=None, compare=False, repr=False)
    extra: tuple[tuple[str, object], ...] = ()

    @property
    def history_only(self) -> bool:
        """Shown to the model as history but not asked and not scored: the subset leaves steps of its kind out."""
        return ("history_only", True) in self.extra


@dataclass(frozen=True, slots=True)
class Episode:
    """One recorded task. `tags`: the splits and categories it belongs to ("split:test", "IDD", "category:Shopping")."""

    id: str
    goal: str
    steps: tuple[Step, ...]
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedParse:
    """A reading of the reply that came with the file (`--parse recorded`), already in the project's frame.

    `action` is None where the recorded verb is none of the vocabulary (`fault` says so). `verb`, `point` and `text`
    are the recorded fields of any verb: GUI-R1's own rule compares them whatever the verb was.
    """

    action: Action | None
    fault: str = ""
    verb: str = ""
    point: Point | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """One raw answer. `text` is None where the model never answered (`error` says why: an infrastructure fault).

    `prefill`: what the prompt had already begun; it is put before `text` when parsing. `image`: size the model saw.
    """

    step: str
    text: str | None
    image: Size | None = None
    prefill: str = ""
    error: str = ""
    finish_reason: str = ""
    latency_s: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    recorded: RecordedParse | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An item that could not be read: where it stands and why. Counted, shown, never dropped silently."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Labelled episodes with what is needed to trust their counts.

    `subset`: the named subset these are. `notes`: what a reader of a table must know (box source, file, version).
    """

    name: str
    subset: str
    episodes: tuple[Episode, ...]
    unreadable: tuple[Unreadable, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps in episode order."""
        return tuple(step for episode in self.episodes for step in episode.steps)

    @property
    def scored_steps(self) -> tuple[Step, ...]:
        """The steps that are asked and scored: all but those that are history only."""
        return tuple(step for step in self.steps if not step.history_only)
