"""What a benchmark consists of, as plain numbers that stand beside every score, and a hash of its labels."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable

from solar_eval.actions import out_of_range, to_json
from solar_eval.records import Benchmark, Step

POINTING = ("click", "long_press", "double_tap")
SHOWN = 20
"""How many faults are quoted; all are counted."""


def counts(benchmark: Benchmark) -> dict[str, object]:
    """The counts of a benchmark, JSON-able and the same for the same content whatever the order of its files.

    "kinds", "faults" and the like count scored steps; "history_only" steps are apart. "boxes" are pointing labels by
    where their boxes come from, and how many have none at hand ("without").
    """
    steps = benchmark.scored_steps
    pointing = [step for step in steps if step.label is not None and step.label.kind in POINTING]
    faults = [step for step in steps if step.label is None]
    return {
        "name": benchmark.name,
        "subset": benchmark.subset,
        "episodes": sum(any(not step.history_only for step in episode.steps) for episode in benchmark.episodes),
        "steps": len(steps),
        "history_only": len(benchmark.steps) - len(steps),
        "appended": sum(step.appended for step in steps),
        "kinds": _sorted(step.label.kind for step in steps if step.label is not None),
        "tags": _tags(benchmark),
        "screens": _sorted(f"{step.screen[0]}x{step.screen[1]}" for step in steps),
        "boxes": _sorted(step.box_source for step in pointing) | {"without": sum(not step.boxes for step in pointing)},
        "label_faults": {"n": len(faults), "first": [f"{s.id}: {s.label_fault}" for s in faults[:SHOWN]]},
        "labels_out_of_range": [s.id for s in steps if s.label is not None and out_of_range(s.label) > 0][:SHOWN],
        "unreadable": {
            "n": len(benchmark.unreadable),
            "first": [f"{item.where}: {item.why}" for item in benchmark.unreadable[:SHOWN]],
        },
        "labels_sha256": labels_sha256(steps),
        "notes": list(benchmark.notes),
    }


def labels_sha256(steps: Iterable[Step]) -> str:
    """Hash of everything a score depends on, in the order of step ids: label, screen, boxes, goal, instruction."""
    digest = hashlib.sha256()
    for step in sorted(steps, key=lambda step: step.id):
        label = to_json(step.label) if step.label is not None else step.label_fault
        content = [step.id, step.goal, step.low, label, step.screen, step.boxes, step.appended]
        digest.update(json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n")
    return digest.hexdigest()


def _tags(benchmark: Benchmark) -> dict[str, dict[str, int]]:
    out: dict[str, dict[str, int]] = {}
    for episode in benchmark.episodes:
        scored = sum(not step.history_only for step in episode.steps)
        for tag in episode.tags:
            row = out.setdefault(tag, {"episodes": 0, "steps": 0})
            row["episodes"] += 1
            row["steps"] += scored
    return dict(sorted(out.items()))


def _sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
