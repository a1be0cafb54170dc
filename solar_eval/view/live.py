"""A live run for viewing: every attempt at an episode as a filmstrip, with what was seen, said and done.

Reads what `live/store.py` writes (episodes.jsonl, episodes/<task>/<repeat>/<n>/steps.jsonl and NNN.png) and judges
nothing: the score of an episode is that of its line, the rates are those of summary.json. Attempts that failed for
reasons of phone or server are shown too; they have no score, and where no other attempt counts their episode is owed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from solar_eval.actions import KINDS
from solar_eval.benchmarks.pictures import read_picture
from solar_eval.errors import RunDirError
from solar_eval.live.store import Attempt, LiveStore
from solar_eval.report.comparison import brief
from solar_eval.scoring.statistics import clustered_mean
from solar_eval.view.pictures import Load, Shown

EPISODES = "episodes.jsonl"
RIGHT, WRONG, OUT, OWED = "R", "W", "N", "O"
SHOWN_FIELDS = ("outcome", "score", "state_score", "ending", "answer", "finish", "steps", "budget", "fault", "error",
                "device", "leftovers", "tear_down_error", "unreadable", "noted", "mistakes", "unsettled",
                "repeated")  # fmt: skip
LONGEST_FACT, LONGEST_TEXT = 200, 5000
GROUPS = ("by_length", "by_difficulty", "by_template", "by_app", "by_tag", "by_seed")
RATES = (("strict_sr", "strict episode SR"), ("strict_sr_worst", "the same, owed as 0"),
         ("strict_sr_state_only", "by the phone's state alone"), ("mean_reward", "mean score"))  # fmt: skip


@dataclass(frozen=True)
class LiveAttempt:
    """One attempt with its steps. `letter`: R, W, N (another attempt counts), O (owed)."""

    attempt: Attempt
    name: str
    letter: str
    steps: tuple[Mapping[str, Any], ...]
    folder: Path | None

    @property
    def pictures(self) -> list[Load | None]:
        """A loader for each step and for what was seen at the end, None where there is no file."""
        numbers = [*range(len(self.steps)), len(self.steps)]
        files = [self.folder / f"{number:03d}.png" for number in numbers] if self.folder else []
        loads: list[Load | None] = [partial(read_picture, file) if file.is_file() else None for file in files]
        return loads or [None] * len(numbers)


@dataclass(frozen=True)
class LiveRun:
    """All attempts of a live run directory, in the order of task, repeat, number."""

    path: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    attempts: tuple[LiveAttempt, ...]
    notes: tuple[str, ...]


def is_live(path: Path) -> bool:
    """Whether `path` is a live run directory."""
    return (path / EPISODES).is_file() and (path / "manifest.json").is_file()


def load_live(path: Path) -> LiveRun:
    """Reads a live run directory, finished or not. Raises RunDirError."""
    store = LiveStore.open(path)
    notes = [f"{item.where}: {item.why}" for item in store.lines.damaged]
    counting, summary = store.scored(), _summary(path, notes)
    attempts = sorted(store.attempts, key=lambda one: (one.template, one.seed, one.repeat, one.number))
    made = []
    for attempt in attempts:
        folder = _inside(path, attempt.folder)
        counts = counting.get(attempt.key)
        letter = (RIGHT if attempt.score == 1 else WRONG) if counts is attempt else OUT if counts else OWED
        name = f"{attempt.template}/{attempt.seed}#{attempt.repeat}" + (f"@{attempt.number}" if attempt.number else "")
        steps = _steps(folder, notes) if folder else ()
        made.append(LiveAttempt(attempt, name, letter, steps, folder))
    return LiveRun(path, store.folder.manifest, summary, tuple(made), tuple(notes))


def _inside(path: Path, folder: str) -> Path | None:
    """The attempt's folder, if it lies in the run directory: what a line says never leads out of it."""
    place = (path / folder).resolve()
    return place if folder and place.is_dir() and place.is_relative_to(path.resolve()) else None


def _steps(folder: Path, notes: list[str]) -> tuple[Mapping[str, Any], ...]:
    file, out = folder / "steps.jsonl", []
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    for number, line in enumerate(lines, start=1):
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            notes.append(f"{file} line {number}: {error}")
            continue
        if isinstance(data, dict):
            out.append(data)
    return tuple(out)


def _summary(path: Path, notes: list[str]) -> dict[str, Any]:
    """summary.json, {} where the run has none yet."""
    file = path / "summary.json"
    if not file.is_file():
        notes.append("the run has no summary.json yet: numbers are of the attempts that are there")
        return {}
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunDirError(f"unreadable: {error}", str(file)) from None
    return dict(data) if isinstance(data, dict) else {}


class LivePages:
    """The data of one live run; `pictures`: of every attempt's steps and end, in order."""

    def __init__(self, run: LiveRun, pictures: Sequence[Shown]) -> None:
        self.run, self.pictures = run, pictures
        self.rows: list[tuple[LiveAttempt, int]] = [
            (one, number) for one in run.attempts for number in range(len(one.steps) + 1)
        ]

    @property
    def count(self) -> int:
        """Number of screens: steps, and one end an attempt."""
        return len(self.rows)

    def about(self) -> dict[str, Any]:
        """Facts and the tables of the suite."""
        identity = _flat(self.run.manifest.get("identity", {}))
        facts = [[key, text] for key, value in identity.items() if (text := _text(value)) and len(text) < LONGEST_FACT]
        label = self.run.manifest.get("about", {}).get("label") or identity.get("benchmark", "live")
        model = _text(identity.get("agent.model", self.run.path.name))
        return {
            "kind": "live", "title": f"{label}: {model[:80]}", "facts": facts,
            "path": str(self.run.path), "notes": list(self.run.notes), "tables": self._tables(),
        }  # fmt: skip

    def _tables(self) -> dict[str, Any]:
        """The summary's rates, altogether and by group; without a summary what the attempts say by template."""
        summary = self.run.summary
        owed = len({one.attempt.key for one in self.run.attempts if one.letter == OWED})
        if "strict_sr" not in summary:
            counted = [one for one in self.run.attempts if one.letter in (RIGHT, WRONG)]
            names = sorted({one.attempt.template for one in counted})
            rates = {name: _estimate([one for one in counted if one.attempt.template == name]) for name in names}
            return {"rates": [["strict episode SR so far", _estimate(counted)]], "owed": owed, "by_template": rates}
        groups = {name: {key: part["strict_sr"] for key, part in summary[name].items()}
                  for name in GROUPS if isinstance(summary.get(name), dict)}  # fmt: skip
        rates_shown = [[text, summary[name]] for name, text in RATES if isinstance(summary.get(name), dict)]
        counts = summary.get("episodes", {})
        return {"rates": rates_shown, "owed": counts.get("owed", owed), "wanted": counts.get("wanted"),
                "failures": summary.get("failures", {})} | groups  # fmt: skip

    def index(self) -> dict[str, Any]:
        """Episodes, and a few columns over all screens."""
        episodes, first = [], 0
        for one in self.run.attempts:
            fields = {
                name: value for name in SHOWN_FIELDS if (value := getattr(one.attempt, name)) not in ("", (), None)
            }
            episodes.append({
                "id": one.name, "template": one.attempt.template, "goal": _cut(one.attempt.goal), "letter": one.letter,
                "first": first, "count": len(one.steps) + 1, "fields": fields,
                "seconds": sum(one.attempt.seconds.values()) if one.attempt.seconds else None,
            })  # fmt: skip
            first += len(one.steps) + 1
        steps = [one.steps[number] if number < len(one.steps) else {} for one, number in self.rows]
        return {
            "episodes": episodes, "thumb": [shown.thumb for shown in self.pictures],
            "said": [_said(step) for step in steps], "fault": [str(step.get("fault", "")) for step in steps],
            "trouble": [bool(step.get("fault") or step.get("note") or step.get("mistake")) for step in steps],
        }  # fmt: skip

    def entry(self, row: int) -> dict[str, Any]:
        """What was seen, said and done in one step."""
        (one, number), shown = self.rows[row], self.pictures[row]
        step: dict[str, Any] = dict(one.steps[number]) if number < len(one.steps) else {"end": True}
        screen = [shown.width, shown.height] if shown.width else [1080, 2400]
        action = step.get("action")
        step["action"] = action if isinstance(action, dict) and action.get("kind") in KINDS else None
        return step | {"pic": shown.file, "pic_fault": shown.fault, "screen": screen}


def _estimate(counted: Sequence[LiveAttempt]) -> dict[str, float | int | None]:
    """Strict episode SR, clustered by template as in live/numbers.py."""
    names = sorted({one.attempt.template for one in counted})
    values = np.array([float(one.letter == RIGHT) for one in counted])
    clusters = np.array([names.index(one.attempt.template) for one in counted], dtype=np.int64)
    return clustered_mean(values, clusters).to_json()


def _cut(value: Any) -> Any:
    """Texts of reasonable length whole, the head of others; anything else as it is."""
    if not isinstance(value, str) or len(value) <= LONGEST_TEXT:
        return value
    return f"{value[:LONGEST_TEXT]}... ({len(value):,} characters)"


def _said(step: Mapping[str, Any]) -> str:
    action = step.get("action")
    return brief(json.dumps(action))[:160] if isinstance(action, dict) else ""


def _flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in data.items():
        out |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return out


def _text(value: object) -> str:
    if value in (None, "", [], {}):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
