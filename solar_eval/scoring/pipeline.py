"""From replies to numbers: pair each labelled step with its reply, read it once, judge it under every protocol.

Two views of one score. "rows": the steps that the reply file holds, its own denominator. "subset": every step of the
benchmark's subset; a step without a reply is missing and wrong. Where the file holds all steps they are equal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from solar_eval.actions import Action, to_json
from solar_eval.benchmarks.counts import counts
from solar_eval.dialects.base import Dialect, Parsed
from solar_eval.dialects.frames import Frame, Size
from solar_eval.protocols import Family, Protocol, family_of
from solar_eval.records import Benchmark, Outcome, RecordedParse, Reply, Step
from solar_eval.scoring.columns import INFRASTRUCTURE, MISSING, Bools, Columns, Prediction, build
from solar_eval.scoring.match import REASONS, Verdicts, judge
from solar_eval.scoring.metrics import Grouping, summarise

ParseMode = Literal["own", "recorded"]


class Reader:
    """Reads replies in one dialect for one benchmark family, keeping the frames it has made."""

    def __init__(self, dialect: Dialect, family: Family) -> None:
        self.dialect, self.family = dialect, family
        self._frames: dict[tuple[Size, Size | None], Frame] = {}

    def frame(self, screen: Size, image: Size | None) -> Frame:
        """The frame of one reply; without a recorded picture size, what the dialect's own rule gives."""
        key = (screen, image)
        found = self._frames.get(key)
        if found is None:
            made = self.dialect.frame_for(screen, self.family)
            found = made if image is None else Frame(screen, image, made.scroll_sense)
            self._frames[key] = found
        return found

    def read(self, step: Step, reply: Reply | None, mode: ParseMode = "own") -> Prediction:
        """What is known of one reply: its parse, or that it is missing or owed."""
        if reply is None:
            return MISSING
        if reply.text is None:
            return INFRASTRUCTURE
        if mode == "recorded" and reply.recorded is not None:
            return reply.recorded
        return self.dialect.parse(reply.prefill + reply.text, self.frame(step.screen, reply.image))


@dataclass(frozen=True, slots=True)
class Scored:
    """One reply set under several protocols. `rows`: N booleans, the steps that the reply file holds."""

    benchmark: Benchmark
    columns: Columns
    predictions: tuple[Prediction, ...]
    rows: Bools
    protocols: tuple[Protocol, ...]
    verdicts: tuple[Verdicts, ...]
    groups: Grouping

    @property
    def owed(self) -> int:
        """Steps whose reply is an infrastructure fault."""
        return int((self.columns.state == INFRASTRUCTURE).sum())


def score(
    benchmark: Benchmark,
    replies: Mapping[str, Reply],
    dialect: Dialect,
    protocols: Sequence[Protocol],
    mode: ParseMode = "own",
) -> Scored:
    """Scores replies (by step id) on a benchmark's steps. Reads each reply once, whatever the number of protocols."""
    family = family_of(benchmark.name)
    reader = Reader(dialect, family)
    steps = list(benchmark.scored_steps)
    found = [replies.get(step.id) for step in steps]
    predictions = [reader.read(step, reply, mode) for step, reply in zip(steps, found, strict=True)]
    images = [reply.image if reply is not None else None for reply in found]
    columns = build(steps, predictions, images)
    return Scored(
        benchmark=benchmark, columns=columns, predictions=tuple(predictions),
        rows=np.array([reply is not None for reply in found], dtype=bool), protocols=tuple(protocols),
        verdicts=tuple(judge(columns, protocol, family) for protocol in protocols),
        groups=Grouping.of(columns, {episode.id: episode.tags for episode in benchmark.episodes}),
    )  # fmt: skip


def summary(scored: Scored) -> dict[str, Any]:
    """The content of summary.json: parse faults once, then each protocol with its views."""
    family = family_of(scored.benchmark.name)
    everything = np.ones(len(scored.columns), dtype=bool)
    protocols: dict[str, Any] = {}
    for protocol, verdicts in zip(scored.protocols, scored.verdicts, strict=True):
        views = {"subset": summarise(scored.columns, verdicts, scored.groups, everything)}
        complete = bool(scored.rows.all())
        views["rows"] = views["subset"] if complete else summarise(
            scored.columns, verdicts, scored.groups, scored.rows
        )  # fmt: skip
        protocols[protocol.name] = {
            "version": protocol.version,
            "source": protocol.source,
            "defined_here": family in protocol.defined_for,
            "protocol_subset": protocol.subset.get(family, ""),
            "subset_is_protocols": protocol.subset.get(family, "") == scored.benchmark.subset,
            "views": views,
        }
    return {
        "benchmark": scored.benchmark.name,
        "subset": scored.benchmark.subset,
        "box_sources": dict(sorted(Counter(step.box_source for step in scored.columns.steps).items())),
        "notes": list(scored.benchmark.notes),
        "labels": counts(scored.benchmark),
        "parse": parse_report(scored.predictions),
        "protocols": protocols,
    }


def parse_report(predictions: Sequence[Prediction]) -> dict[str, Any]:
    """Counts over answered steps: strict, lenient, faults by code, flags."""
    parsed = [p for p in predictions if isinstance(p, Parsed)]
    recorded = [p for p in predictions if isinstance(p, RecordedParse)]
    return {
        "read": sum(p.action is not None for p in parsed) + sum(p.action is not None for p in recorded),
        "strict_ok": sum(p.strict_ok for p in parsed),
        "faults": dict(sorted(Counter(p.fault.code for p in parsed if p.fault).items()))
        | ({"recorded": faulty} if (faulty := sum(p.action is None for p in recorded)) else {}),
        "flags": dict(sorted(Counter(flag for p in parsed for flag in p.flags).items())),
        "recorded": len(recorded),
    }


def outcome_of(prediction: Prediction) -> Outcome:
    """scored | model_fault | infrastructure_fault; a missing reply is the model side's to explain, so a model fault."""
    if isinstance(prediction, int):
        return "infrastructure_fault" if prediction == INFRASTRUCTURE else "model_fault"
    return "scored" if prediction.action is not None else "model_fault"


def sample_rows(scored: Scored) -> list[dict[str, Any]]:
    """One flat row a step for samples.parquet: label, reading, and each protocol's denominators, hits and reason."""
    out: list[dict[str, Any]] = []
    for i, (step, prediction) in enumerate(zip(scored.columns.steps, scored.predictions, strict=True)):
        row: dict[str, Any] = {
            "id": step.id, "episode": step.episode, "index": step.index, "goal": step.goal, "low": step.low,
            "app": step.app, "label": _json(step.label), "outcome": outcome_of(prediction),
            "in_file": bool(scored.rows[i]),
        } | _reading(prediction)  # fmt: skip
        for protocol, verdicts in zip(scored.protocols, scored.verdicts, strict=True):
            row[f"{protocol.name}/counted"] = bool(verdicts.counted[i])
            row[f"{protocol.name}/stepped"] = bool(verdicts.stepped[i])
            row[f"{protocol.name}/pointed"] = bool(verdicts.pointed[i])
            row[f"{protocol.name}/type_match"] = bool(verdicts.type_ok[i])
            row[f"{protocol.name}/step_sr"] = bool(verdicts.step_ok[i])
            row[f"{protocol.name}/grounding"] = bool(verdicts.point_ok[i])
            row[f"{protocol.name}/reason"] = REASONS[verdicts.reason[i]]
        out.append(row)
    return out


def _json(action: Action | None) -> str:
    return "" if action is None else json.dumps(to_json(action), ensure_ascii=True)


def _reading(prediction: Prediction) -> dict[str, Any]:
    if isinstance(prediction, int):
        return {"action": "", "fault": "missing" if prediction == MISSING else "owed", "strict_ok": False, "flags": ""}
    if isinstance(prediction, RecordedParse):
        return {"action": _json(prediction.action), "fault": prediction.fault, "strict_ok": False, "flags": "recorded"}
    fault = prediction.fault.code if prediction.fault else ""
    return {
        "action": _json(prediction.action), "fault": fault, "strict_ok": prediction.strict_ok,
        "flags": ",".join(prediction.flags),
    }  # fmt: skip
