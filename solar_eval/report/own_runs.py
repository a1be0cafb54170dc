"""Our own measurements: every run directory results/<benchmark>/<model>/<run>/ as leaderboard entries.

Read are manifest.json and summary.json alone. Any summary with {"benchmark", "subset", "protocols": {name: {"version",
"source", "views": {"subset": {"counts", metric: estimate}}}}} makes entries, offline or live; a metric that a view does
not have is a missing cell. The model's name is its folder's. A run is not ranked, and says why, while steps are owed,
where only some steps were selected, and where a script answered instead of a model.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solar_eval.errors import DataError
from solar_eval.protocols import presets
from solar_eval.report.conditions import benchmark_name, used_boxes
from solar_eval.report.entries import METRICS, MISSING, Conditions, Entry, Value

LAYOUT = "results/<benchmark>/<model>/<run>/ holds manifest.json and summary.json"


@dataclass(frozen=True, slots=True)
class OwnRun:
    """One run directory's files. `path`: relative to results/, with slashes."""

    path: str
    model: str
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]


def find_runs(results: Path) -> tuple[list[OwnRun], list[str]]:
    """All runs in the order of their paths, and a sentence for each summary.json that is left out."""
    runs, left_out = [], []
    for file in sorted(results.glob("**/summary.json"), key=lambda path: path.relative_to(results).as_posix()):
        path = file.parent.relative_to(results)
        if any(part.startswith(".") for part in path.parts):
            continue
        if not (file.parent / "manifest.json").is_file():
            left_out.append(f"{path.as_posix()}: no manifest.json beside summary.json")
        elif len(path.parts) != 3:
            left_out.append(f"{path.as_posix()}: {LAYOUT}")
        else:
            manifest, summary = _json(file.parent / "manifest.json"), _json(file)
            if "protocols" in summary:
                runs.append(OwnRun(path.as_posix(), path.parts[1], manifest, summary))
            else:
                left_out.append(f"{path.as_posix()}: its summary has no protocols")
    return runs, left_out


def _json(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"can't be read: {error}", str(file), "finish or remove the run") from None
    if not isinstance(data, dict):
        raise DataError("not an object", str(file), "finish or remove the run")
    return data


def entries(run: OwnRun, known: Mapping[str, tuple[str, str]]) -> list[Entry]:
    """One entry a protocol, two where replies are missing: over the whole subset, and over the answered rows.

    known: (paradigm, training data) by model. Raises DataError naming the run for a summary of another form.
    """
    try:
        return [entry for name in run.summary["protocols"] for entry in _under(run, str(name), known)]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        where = f"results/{run.path}/summary.json"
        raise DataError(
            f"not of the form expected: {type(error).__name__}: {error}", where, "score the run again"
        ) from None


def _under(run: OwnRun, protocol: str, known: Mapping[str, tuple[str, str]]) -> Iterator[Entry]:
    views = run.summary["protocols"][protocol]["views"]
    whole = views["subset"]
    yield _entry(run, protocol, whole, known, ())
    rows = views.get("rows")
    if rows is not None and rows["counts"] != whole["counts"]:
        yield _entry(run, protocol, rows, known, (f"answered rows only ({rows['counts']['labels']})",))


def _entry(
    run: OwnRun, protocol: str, view: Mapping[str, Any], known: Mapping[str, tuple[str, str]], part: tuple[str, ...]
) -> Entry:
    summary, about = run.summary, run.manifest.get("about", {})
    level = str(summary.get("run", {}).get("level", ""))
    benchmark = benchmark_name(str(summary["benchmark"]), level)
    paradigm, data = known.get(run.model, (MISSING, MISSING))
    boxes = used_boxes(protocol, benchmark, summary.get("box_sources", {}))
    subset = ", ".join((str(summary.get("subset") or MISSING), *part))
    return Entry(
        model=run.model, paradigm=str(about.get("paradigm", paradigm)),
        training_data=str(about.get("training_data", data)), benchmark=benchmark, protocol=protocol,
        conditions=Conditions(subset, boxes, tuple(_departures(run, protocol))),
        measured_by=f"solar-eval {run.manifest.get('solar_eval', '')}".strip(), ours=True,
        values=_values(view), sources=(f"results/{run.path}",), notes=tuple(_notes(run, view)),
        unranked="; ".join(_not_ranked(run, view)), run=run.path.rpartition("/")[2],
        steps=view["counts"].get("scored"),
    )  # fmt: skip


def _values(view: Mapping[str, Any]) -> dict[str, Value]:
    out = {}
    for metric in METRICS:
        estimate = view.get(metric)
        if estimate is None or estimate["value"] is None:
            continue
        numbers = [estimate[name] for name in ("value", "low", "high") if estimate[name] is not None]
        if not all(math.isfinite(number) and 0 <= number <= 1 for number in numbers):
            raise ValueError(f"{metric} {numbers} is no fraction")
        low, high = (None if estimate[name] is None else 100 * estimate[name] for name in ("low", "high"))
        out[metric] = Value(
            100 * estimate["value"],
            _shown(100 * estimate["value"], low, high),
            low,
            high,
            estimate["n"],
            estimate["clusters"],
        )
    return out


def _shown(value: float, low: float | None, high: float | None) -> str:
    return f"{value:.2f}" if low is None or high is None else f"{value:.2f} [{low:.1f}, {high:.1f}]"


def _departures(run: OwnRun, protocol: str) -> Iterator[str]:
    """Conditions that are not the preset's own: another version, edited rules, another history."""
    preset, scored = presets().get(protocol), run.summary["protocols"][protocol]
    if preset is None:
        return
    if scored.get("defined_here") is False:
        yield "our extension (its source does not define it here)"
    if scored["version"] != preset.version:
        yield f"protocol version {scored['version']} (now {preset.version})"
    used = run.manifest.get("about", {}).get("protocols")
    if isinstance(used, dict) and used.get(protocol, ...) not in (..., preset.model_dump(mode="json")):
        yield "rules edited"
    history = run.summary.get("run", {}).get("history", preset.history)
    if history != preset.history:
        yield f"history: {history}"


def _not_ranked(run: OwnRun, view: Mapping[str, Any]) -> Iterator[str]:
    if owed := view["counts"].get("owed", 0):
        yield f"{owed} steps owed"
    about = run.manifest.get("about", {})
    if about.get("limit") is not None or about.get("sample"):
        yield "a selection of the steps"
    if str(run.manifest["identity"].get("model", "")).startswith("scripted:"):
        yield "a script, not a model"


def _notes(run: OwnRun, view: Mapping[str, Any]) -> Iterator[str]:
    counts = view["counts"]
    for name in ("missing", "unparseable"):
        if counts.get(name):
            yield f"{counts[name]} replies {name}"
    if run.manifest["identity"].get("parse") == "recorded":
        yield "the file's own parse of its replies"
