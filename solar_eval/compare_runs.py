"""Two run directories made ready for comparison: read, protocols chosen, what differs between them said.

What makes two numbers incomparable (benchmark and level, subset, history, protocol, its version and rules) is a
`Mismatch` and refused unless the user insists; what may differ between two checkpoints or set-ups (model, dialect,
prompt, sampling) is only told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solar_eval import protocols as protocol_table
from solar_eval.errors import DataError, RunDirError, UsageError, boundary, unknown_name
from solar_eval.report.conditions import benchmark_name
from solar_eval.run_dir import differences

if TYPE_CHECKING:
    import pandas as pd

BASE_COLUMNS = ("id", "episode", "index", "goal", "low", "app", "label", "action", "fault", "in_file")
VERDICTS = ("counted", "stepped", "pointed", "type_match", "step_sr", "grounding", "reason")
IDENTITY_SHOWN = frozenset({"benchmark", "subset", "level", "history", "labels_sha256", "replies_sha256",
                            "prompt_probe_sha256"})  # fmt: skip
"""Keys of the identity that are told elsewhere or say nothing to a reader."""


@dataclass(frozen=True, slots=True)
class Side:
    """One run directory: its files, read."""

    path: str
    manifest: dict[str, Any]
    summary: dict[str, Any]
    samples: pd.DataFrame

    @property
    def protocols(self) -> list[str]:
        """Names of the protocols that it was scored under."""
        return list(self.summary["protocols"])

    @property
    def history(self) -> str:
        """labels, own, or "" where the run does not say."""
        return str(self.summary.get("run", {}).get("history", ""))

    @property
    def model(self) -> str:
        """Whom it asked."""
        name = self.manifest["identity"].get("model") or self.manifest.get("about", {}).get("model")
        return str(name or self.path)


def open_side(path: Path) -> Side:
    """Reads a finished run directory. Raises RunDirError or DataError."""
    import pandas as pd

    for name in ("manifest.json", "summary.json", "samples.parquet"):
        if not (path / name).is_file():
            raise RunDirError(
                f"has no {name}", str(path), "give a run directory that `solar-eval run` or `score --out` has finished"
            )
    manifest, summary = _object(path / "manifest.json"), _object(path / "summary.json")
    with boundary(DataError, str(path / "samples.parquet"), "score the run again"):
        samples = pd.read_parquet(path / "samples.parquet")
    if not isinstance(summary.get("protocols"), dict) or not isinstance(manifest.get("identity"), dict):
        raise DataError("no protocols in summary.json or no identity in manifest.json", str(path), "score it again")
    missing = [name for name in BASE_COLUMNS if name not in samples.columns]
    if missing:
        raise DataError(f"no column {', '.join(missing)}", str(path / "samples.parquet"), "score the run again")
    if samples["id"].duplicated().any():
        raise DataError("a step stands there twice", str(path / "samples.parquet"), "score the run again")
    return Side(str(path), manifest, summary, samples)


def _object(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunDirError(f"unreadable: {error}", str(file)) from None
    if not isinstance(data, dict):
        raise RunDirError("not an object", str(file))
    return data


def choose(a: Side, b: Side, asked: str) -> tuple[str, str]:
    """The protocol of each side. asked: "NAME", "NAME_OF_A,NAME_OF_B", or "" for the default or first common one."""
    names = [name.strip() for name in asked.split(",") if name.strip()]
    if len(names) > 2:
        raise UsageError(f"{len(names)} protocols", "--protocol", "give one, or one for A and one for B")
    if names:
        chosen = (names[0], names[-1])
    else:
        common = [name for name in a.protocols if name in b.protocols]
        if not common:
            raise UsageError(
                f"no common protocol: A was scored under {', '.join(a.protocols)}, B under {', '.join(b.protocols)}",
                fix="score both under one (`solar-eval score RUN --protocol NAME`), or --across --protocol OF_A,OF_B",
            )
        first = protocol_table.DEFAULT if protocol_table.DEFAULT in common else common[0]
        chosen = (first, first)
    for side, name in zip((a, b), chosen, strict=True):
        if name not in side.protocols:
            raise unknown_name(f"protocol of {side.path}", name, side.protocols)
        absent = [column for column in VERDICTS if f"{name}/{column}" not in side.samples.columns]
        if absent:
            raise DataError(f"no column {name}/{absent[0]}", f"{side.path}/samples.parquet", "score the run again")
    return chosen


# ---- what differs
def mismatches(a: Side, b: Side, chosen: tuple[str, str]) -> list[str]:
    """What makes the two incomparable, each as "what: A / B"."""
    pairs = zip(_conditions(a, chosen[0]), _conditions(b, chosen[1]), strict=True)
    return [f"{name}: {one} / {other}" for (name, one), (_, other) in pairs if one != other]


def _conditions(side: Side, protocol: str) -> Iterator[tuple[str, str]]:
    summary = side.summary
    level = str(summary.get("run", {}).get("level", ""))
    yield "benchmark", benchmark_name(str(summary.get("benchmark", "")), level)
    yield "subset", str(summary.get("subset", ""))
    preset = protocol_table.presets().get(protocol)
    yield "history", side.history or (preset.history if preset else "labels")
    yield "protocol", protocol
    scored = summary["protocols"][protocol]
    yield "protocol version", str(scored.get("version", ""))
    yield "protocol source", str(scored.get("source", ""))
    boxes = "+".join(sorted(name for name in summary.get("box_sources", {}) if name != "none")) or "none"
    yield "element boxes", "not looked at" if preset and _boxless(preset, summary) else boxes
    used = side.manifest.get("about", {}).get("protocols")
    edited = isinstance(used, dict) and preset is not None and used.get(protocol) != preset.model_dump(mode="json")
    yield "rules", "edited or of another version" if edited else "as named"


def _boxless(preset: protocol_table.Protocol, summary: dict[str, Any]) -> bool:
    return preset.click_rule(protocol_table.family_of(str(summary.get("benchmark", "")))).boxes == "none"


def other_differences(a: Side, b: Side) -> list[str]:
    """What else the two runs' identities differ in: model, dialect, prompt, sampling."""
    kept = [
        {key: value for key, value in side.manifest["identity"].items() if key not in IDENTITY_SHOWN} for side in (a, b)
    ]
    return differences(*kept)


def refuse(found: list[str], across: bool) -> None:
    """Raises UsageError that says what differs, unless `across`."""
    if found and not across:
        listed = "".join(f"\n    {line}" for line in found)
        raise UsageError(
            f"these runs can't be compared as they are (A / B):{listed}",
            fix="choose runs of one benchmark, subset and protocol, or insist with --across",
        )
