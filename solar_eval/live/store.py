"""A live run on disk: one appended line an attempt, a folder of evidence for it, results written last.

    manifest.json, config.json     as in every run directory (run_folder.py)
    episodes.jsonl                 one line an attempt at an episode, scored or failed; the key is a hash of its content
    episodes/<task>/<repeat>/<n>/  attempt n: steps.jsonl (one line a step), NNN.png and NNN.xml seen before step NNN
    episodes.parquet, summary.json what the episodes of this run came to: the same bytes for the same episodes,
                                   whenever, wherever and in whatever order they were played
    effort.json                    what differs from run to run: seconds, tokens, retries, faults, devices

The first scored line of a key counts. An attempt that was cut off leaves a folder without a line: it is owed and
numbered past. Screenshots can be left out (`pictures`), steps can't.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from solar_eval.line_file import LineFile
from solar_eval.live.episode import Played, StepRecord
from solar_eval.live.seeing import Observation
from solar_eval.live.task import LiveTask
from solar_eval.records import Outcome, Unreadable
from solar_eval.result_files import write_json, write_parquet
from solar_eval.run_folder import SCHEMA, RunFolder

RESULTS = ("episodes.parquet", "summary.json", "effort.json")
FaultKind = Literal["", "device", "server", "refused", "benchmark"]


@dataclass(frozen=True)
class Item:
    """One episode that is wanted. key: hash of everything that makes it this episode; order: its place in tables."""

    template: str
    seed: int
    repeat: int
    key: str
    order: int

    @property
    def task(self) -> str:
        """Name of the task."""
        return f"{self.template}/{self.seed}"

    @property
    def name(self) -> str:
        """Name with the repeat, for people."""
        return f"{self.task}#{self.repeat}"


def item_for(benchmark: str, version: str, task: LiveTask, repeat: int, order: int) -> Item:
    """The episode of a task. What the agent and the rules are stands in the run's identity."""
    content = {
        "benchmark": benchmark, "version": version, "template": asdict(task.template), "seed": task.seed,
        "goal": task.goal, "params": dict(task.params), "repeat": repeat,
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()
    return Item(task.template.name, task.seed, repeat, digest, order)


@dataclass(frozen=True)
class Attempt:
    """One line of episodes.jsonl. score and state_score are None where the outcome is an infrastructure fault."""

    key: str
    template: str
    seed: int
    repeat: int
    number: int
    outcome: Outcome
    score: float | None = None
    state_score: float | None = None
    ending: str = ""
    answer: str = ""
    finish: str = ""
    steps: int = 0
    budget: int = 0
    unreadable: int = 0
    noted: int = 0
    mistakes: int = 0
    unsettled: int = 0
    repeated: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    goal: str = ""
    fault: FaultKind = ""
    error: str = ""
    device: str = ""
    leftovers: tuple[str, ...] = ()
    tear_down_error: str = ""
    folder: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, item: Item, number: int, goal: str, device: str, played: Played) -> Attempt:
        """An episode that was played and judged."""
        return cls(
            item.key, item.template, item.seed, item.repeat, number,
            "model_fault" if played.model_fault else "scored", played.score, played.state_score, played.ending,
            played.said.answer, played.said.finish or "", played.steps, played.budget, played.unreadable, played.noted,
            played.mistakes, played.unsettled, played.repeated, played.prompt_tokens, played.completion_tokens, goal,
            device=device, tear_down_error=played.tear_down_error, seconds=played.seconds,
        )  # fmt: skip

    @property
    def counts(self) -> bool:
        """It has a score."""
        return self.outcome != "infrastructure_fault"

    def to_json(self) -> dict[str, object]:
        """The line; what is empty is left out, scores never are."""
        kept = ("score", "state_score", "seed", "repeat", "number", "steps", "budget")
        out = {key: value for key, value in asdict(self).items() if key in kept or value not in ("", 0, (), {}, False)}
        if self.seconds:
            out["seconds"] = {key: round(value, 5) for key, value in self.seconds.items()}
        return out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Attempt:
        """The inverse. Raises ValueError for what is no attempt."""
        try:
            out = cls(**{**data, "leftovers": tuple(data.get("leftovers", ()))})
        except TypeError as error:
            raise ValueError(f"not an attempt: {error}") from None
        scores = [out.score, out.state_score]
        if out.counts and not all(isinstance(s, int | float) and 0 <= s <= 1 for s in scores):
            raise ValueError(f"not an attempt: outcome {out.outcome!r} with score {out.score!r}")
        return out


class LiveStore:
    """An open live run directory. Methods may be called from several threads."""

    def __init__(self, folder: RunFolder, pictures: bool = True) -> None:
        self.folder, self.pictures = folder, pictures
        self.lines = LineFile(folder.path / "episodes.jsonl")
        self.torn = self.lines.mend_tail() if folder.lock is not None else None
        self.attempts: list[Attempt] = []
        self._scored: dict[str, Attempt] = {}
        self._lock = threading.Lock()
        for number, data in self.lines.read():
            try:
                self._take(Attempt.from_json(data))
            except ValueError as error:
                self.lines.damaged.append(Unreadable(f"{self.lines.path} line {number}", str(error)))

    @classmethod
    def create_or_resume(
        cls, path: Path, identity: Mapping[str, object], about: Mapping[str, object], session: Mapping[str, object],
        pictures: bool = True,
    ) -> Self:  # fmt: skip
        """See RunFolder.create_or_resume. Raises RunDirError."""
        folder = RunFolder.create_or_resume(path, identity, about, session)
        try:
            return cls(folder, pictures)
        except BaseException:
            folder.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read only. Raises RunDirError."""
        return cls(RunFolder.open(path))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path

    def _take(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        if attempt.counts:
            self._scored.setdefault(attempt.key, attempt)

    def scored(self) -> dict[str, Attempt]:
        """By key: the attempt that counts."""
        with self._lock:
            return dict(self._scored)

    def tries(self, key: str) -> list[Attempt]:
        """All attempts at one episode, in order."""
        with self._lock:
            return [attempt for attempt in self.attempts if attempt.key == key]

    def begin(self, item: Item) -> Evidence:
        """A new folder for an attempt."""
        above = self.path / "episodes" / slug(item.task) / str(item.repeat)
        above.mkdir(parents=True, exist_ok=True)
        number = 1 + max((int(p.name) for p in above.iterdir() if p.name.isdigit()), default=-1)
        place = above / str(number)
        place.mkdir()
        return Evidence(place, number, self.pictures)

    def append(self, attempt: Attempt) -> None:
        """Stores one attempt at once; results that no longer hold are removed."""
        self.folder.writable()
        with self._lock:
            for name in RESULTS:
                (self.path / name).unlink(missing_ok=True)
            self.lines.append(attempt.to_json())
            self._take(attempt)

    def write_results(
        self, summary: Mapping[str, object], rows: Sequence[Mapping[str, object]], effort: Mapping[str, object]
    ) -> None:
        """episodes.parquet, effort.json, then summary.json, each atomically."""
        self.folder.writable()
        write_parquet(self.path / "episodes.parquet", rows)
        write_json(self.path / "effort.json", {"schema": SCHEMA, **effort})
        write_json(self.path / "summary.json", {"schema": SCHEMA, **summary})

    def close(self) -> None:
        """Flushes and unlocks; may be called twice."""
        self.lines.close()
        self.folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Evidence:
    """What one attempt leaves: a watcher of the episode that writes as it goes."""

    def __init__(self, place: Path, number: int, pictures: bool) -> None:
        self.place, self.number, self.pictures = place, number, pictures
        self._steps = LineFile(place / "steps.jsonl")

    def observed(self, index: int, observation: Observation) -> None:
        """Keeps picture and hierarchy."""
        if self.pictures:
            (self.place / f"{index:03d}.png").write_bytes(observation.screenshot.png)
        if observation.tree is not None:
            (self.place / f"{index:03d}.xml").write_text(observation.tree.xml, encoding="utf-8", errors="replace")

    def stepped(self, record: StepRecord) -> None:
        """Keeps the step."""
        self._steps.append(record.to_json())

    def close(self) -> None:
        """Closes the file of steps."""
        self._steps.close()


def slug(name: str) -> str:
    """A name as part of a path: letters, digits, `.`, `-` and `_`."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._") or "_"
