"""Sampled rollouts as verl writes them: rollouts/N.jsonl, one object a row, for a table by step.

A row has input, output, gts, score, step and whatever the reward function returned beside (verl 0.9.1's rollout dump).
Everything becomes text; nothing in it is read as markup or as a name. At most STEPS steps, evenly chosen with the first
and the last among them, ROWS rows a step, and texts cut to INPUT and OUTPUT characters; what was left out is counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = "rollouts"
STEPS = 40
ROWS = 16
INPUT, OUTPUT, OTHER = 2_000, 4_000, 400
KNOWN = ("input", "output", "gts", "score", "step")


def rollout_folders(path: Path) -> list[Path]:
    """path/rollouts, or those one or two folders below."""
    if (path / FOLDER).is_dir():
        return [path / FOLDER]
    return sorted(folder for folder in {*path.glob(f"*/{FOLDER}"), *path.glob(f"*/*/{FOLDER}")} if folder.is_dir())


def rollout_files(folder: Path) -> list[tuple[int, Path]]:
    """(N, N.jsonl) in the order of N; files with other names are no rollouts."""
    return sorted((int(file.stem), file) for file in folder.glob("*.jsonl") if file.stem.isdecimal())


def read_rollouts(folder: Path, run: str, notes: list[str]) -> list[dict[str, Any]]:
    """[{run, step, total, rows: [{input, output, gts, score, other, cut}]}]; what can't be read becomes a note."""
    files = rollout_files(folder)
    chosen = _spread(files)
    if len(chosen) < len(files):
        notes.append(f"rollouts of {run}: {len(chosen)} of {len(files)} steps are shown")
    return [made for step, file in chosen if (made := _step(step, file, run, notes)) is not None]


def _spread(files: list[tuple[int, Path]]) -> list[tuple[int, Path]]:
    if len(files) <= STEPS:
        return files
    return [files[round(i * (len(files) - 1) / (STEPS - 1))] for i in range(STEPS)]


def _step(step: int, file: Path, run: str, notes: list[str]) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = []
    total = 0
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                total += 1
                if len(rows) < ROWS and (row := _row(line, f"{FOLDER}/{file.name} of {run}, line {number}", notes)):
                    rows.append(row)
    except OSError as error:
        notes.append(f"{FOLDER}/{file.name} of {run}: unreadable: {error.strerror or error}")
        return None
    return {"run": run, "step": step, "total": total, "rows": rows}


def _row(line: str, where: str, notes: list[str]) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        notes.append(f"{where}: {error}")
        return None
    if not isinstance(data, Mapping):
        notes.append(f"{where}: no object")
        return None
    parts = {"input": INPUT, "output": OUTPUT, "gts": OTHER, "score": OTHER}
    texts = {name: _text(data.get(name)) for name in parts}
    other = {str(name)[:80]: _text(value)[:OTHER] for name, value in data.items() if name not in KNOWN}
    cut = [name for name, most in parts.items() if len(texts[name]) > most]
    return {**{name: texts[name][:most] for name, most in parts.items()}, "other": other, "cut": cut}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
