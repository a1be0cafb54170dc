"""An offline run directory, read for viewing: verdicts from its own files, pictures and boxes from the benchmark.

What the run says is never scored again: verdicts and reasons are those of samples.parquet, numbers those of
summary.json. The benchmark's data, where it is at hand, adds screenshots, screen sizes, boxes and tags; where it is
not, the view says so and shows points on an empty screen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solar_eval import protocols as protocol_table
from solar_eval.actions import Action, from_json
from solar_eval.compare_runs import VERDICTS, Side, open_side
from solar_eval.errors import DataError, SolarEvalError
from solar_eval.protocols import Family, Protocol, family_of
from solar_eval.records import Benchmark, RecordedParse, Reply, Step
from solar_eval.run_dir import RunDir
from solar_eval.scoring.columns import INFRASTRUCTURE, MISSING, Columns, Prediction, build

if TYPE_CHECKING:
    import pandas as pd

SCREEN = (1080, 2400)
"""Taken where nothing says how large the screen is; the proportions of most phones in the benchmarks."""


@dataclass(frozen=True)
class OfflineRun:
    """Everything a view shows of an offline run. `frame`: samples.parquet; steps, columns: in its order.

    protocols: name -> rules, None where the run names a protocol whose rules are not at hand. notes: what is missing.
    """

    side: Side
    frame: pd.DataFrame
    steps: tuple[Step, ...]
    columns: Columns
    replies: Mapping[str, Reply]
    tags: Mapping[str, tuple[str, ...]]
    protocols: Mapping[str, Protocol | None]
    family: Family
    notes: tuple[str, ...]
    details: Mapping[str, str]


def load_offline(path: Path, data: Path | None = None) -> OfflineRun:
    """Reads a finished run directory. data: the benchmark's files, None: where the run found them.

    Raises RunDirError or DataError; benchmark data that is not there is a note unless `data` was given.
    """
    side, stored = open_side(path), RunDir.open(path)
    names = list(side.protocols)
    for name in names:
        _checked(side, name)
    replies = stored.owed() | stored.done()
    benchmark, notes = _benchmark(path, side, data)
    known = {step.id: step for step in benchmark.steps} if benchmark else {}
    tags = {episode.id: episode.tags for episode in benchmark.episodes} if benchmark else {}
    steps = tuple(_step(row, known.get(row["id"]), replies.get(row["id"])) for row in _rows(side.samples))
    predictions = [_prediction(row) for row in _rows(side.samples)]
    images = [reply.image if (reply := replies.get(step.id)) else None for step in steps]
    family = family_of(str(side.summary.get("benchmark", "")))
    notes += [f"{item.where}: {item.why}" for item in stored.damaged]
    if benchmark and (absent := sum(step.id not in known for step in steps)):
        notes.append(f"{absent} of {len(steps)} steps are not in the benchmark's data that is at hand")
    return OfflineRun(
        side, side.samples, steps, build(steps, predictions, images), replies, tags,
        {name: _rules(side, name) for name in names}, family, tuple(notes),
        _details(side, steps, predictions, replies, family),
    )  # fmt: skip


def _checked(side: Side, name: str) -> None:
    absent = [column for column in VERDICTS if f"{name}/{column}" not in side.samples.columns]
    if absent:
        raise DataError(f"no column {name}/{absent[0]}", f"{side.path}/samples.parquet", "score the run again")


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    names = ["id", "episode", "index", "goal", "low", "app", "label", "action", "fault"]
    return [{str(key): value for key, value in row.items()} for row in frame[names].to_dict("records")]


def action_of(text: object) -> Action | None:
    """The action of a cell of samples.parquet, None for an empty one. Raises DataError."""
    if not isinstance(text, str) or not text:
        return None
    try:
        return from_json(json.loads(text))
    except ValueError as error:
        raise DataError(f"not an action: {error}: {text[:80]!r}", "samples.parquet", "score the run again") from None


def _step(row: Mapping[str, Any], known: Step | None, reply: Reply | None) -> Step:
    """The row's step with the benchmark's screenshot, screen and, where both labels are of one kind, its boxes.

    Labels may differ in digits: a reply file that carries its own labels rounds them otherwise.
    """
    label = action_of(row["label"])
    made = Step(str(row["id"]), str(row["episode"]), int(row["index"]), str(row["goal"]), str(row["low"]), label,
                reply.image if reply and reply.image else SCREEN, app=str(row["app"] or ""))  # fmt: skip
    if known is None:
        return made
    made = replace(made, screen=known.screen, screenshot=known.screenshot)
    if (label and label.kind) != (known.label and known.label.kind):
        return made
    return replace(made, boxes=known.boxes, box_source=known.box_source, extra=known.extra)


def _prediction(row: Mapping[str, Any]) -> Prediction:
    if row["fault"] in ("missing", "owed"):
        return MISSING if row["fault"] == "missing" else INFRASTRUCTURE
    return RecordedParse(action_of(row["action"]), str(row["fault"] or ""))


# ---- rules
def _rules(side: Side, name: str) -> Protocol | None:
    """The rules as the run keeps them, or as the table has them in the same version."""
    kept = side.manifest.get("about", {}).get("protocols")
    if isinstance(kept, dict) and isinstance(kept.get(name), dict):
        return Protocol.model_validate(kept[name])
    preset = protocol_table.presets().get(name)
    same = preset is not None and preset.version == str(side.summary["protocols"][name].get("version", ""))
    return preset if same else None


# ---- the benchmark
def _benchmark(path: Path, side: Side, data: Path | None) -> tuple[Benchmark | None, list[str]]:
    try:
        return _loaded(path, side, data), []
    except SolarEvalError as error:
        if data is not None:
            raise
        return None, [f"no screenshots and boxes, the benchmark's data is not at hand ({error.what}); give --data"]


def _loaded(path: Path, side: Side, data: Path | None) -> Benchmark:
    from solar_eval.benchmarks import table as benchmarks

    name, subset = str(side.summary.get("benchmark", "")), str(side.summary.get("subset", ""))
    config = path / "config.json"
    if data is None and config.is_file():
        kept = json.loads(config.read_text(encoding="utf-8")).get("config", {}).get("data")
        data = Path(kept) if kept else None
    spec = benchmarks.spec_of(name)
    wanted = subset if subset in spec.subsets else "all" if "all" in spec.subsets else ""
    return benchmarks.load(name, data or benchmarks.default_data(name), wanted)


# ---- why a reply could not be read
def _details(
    side: Side, steps: Sequence[Step], predictions: Sequence[Prediction], replies: Mapping[str, Reply], family: Family
) -> dict[str, str]:
    """What the dialect says about each reply that it could not read, by step id; {} for a dialect we don't know."""
    from solar_eval.dialects import table as dialects
    from solar_eval.scoring.pipeline import Reader

    name = side.manifest["identity"].get("dialect")
    if name not in dialects.DIALECTS or side.manifest["identity"].get("parse") == "recorded":
        return {}
    reader, out = Reader(dialects.get(str(name)), family), {}
    for step, prediction in zip(steps, predictions, strict=True):
        if isinstance(prediction, RecordedParse) and prediction.action is None and step.id in replies:
            read = reader.read(step, replies[step.id])
            fault = None if isinstance(read, int | RecordedParse) else read.fault
            if fault is not None and fault.detail:
                out[step.id] = fault.detail
    return out


def gaps(run: OfflineRun) -> list[float | None]:
    """Distance of each predicted point from the label's, in fractions of each axis; None where a point is missing."""
    from solar_eval.scoring.geometry import distances

    values = distances(run.columns, "axis")
    return [round(float(value), 5) if np.isfinite(value) else None for value in values]
