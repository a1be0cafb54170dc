"""Checkpoints that are whole or not there: written beside, flushed, renamed; the newest whole one is resumed.

    checkpoints/update-000120/state.pt    weights, reference, optimiser, warnings' memory
    checkpoints/update-000120/about.json  updates done, identity, bytes of state.pt; its presence says "whole"

A resume with another configuration is refused, key by key. Where the disk is full while saving, the half-written
folder is removed and the last good checkpoint stays as it was. Files are read with torch's weights-only loader: a
checkpoint can't run code.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.errors import CheckpointError

STATE, ABOUT = "state.pt", "about.json"


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of one run. `identity`: what has to be equal for a resume. `keep`: how many are kept."""

    folder: Path
    identity: Mapping[str, Any]
    keep: int = 2

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in self.folder.glob(".saving-*"):
            shutil.rmtree(left, ignore_errors=True)

    def paths(self) -> list[Path]:
        """The whole checkpoints, oldest first."""
        return sorted(path for path in self.folder.glob("update-*") if (path / ABOUT).is_file())

    def save(self, updates: int, state: Mapping[str, Any]) -> Path:
        """Writes one; older ones beyond `keep` go. Raises CheckpointError, then nothing has changed."""
        target = self.folder / f"update-{updates:06d}"
        if target in self.paths():
            return target
        beside = self.folder / f".saving-{updates:06d}-{os.getpid()}"
        try:
            shutil.rmtree(target, ignore_errors=True)
            beside.mkdir()
            size = _write_state(beside / STATE, state)
            about = {"updates": updates, "bytes": size, "identity": self.identity}
            _write(beside / ABOUT, (json.dumps(about, indent=2, sort_keys=True) + "\n").encode())
            beside.rename(target)
            _flush_folder(self.folder)
        except (OSError, RuntimeError) as error:
            shutil.rmtree(beside, ignore_errors=True)
            last = self.paths()
            kept = f"the last good one is {last[-1]}" if last else "there is no earlier one"
            raise CheckpointError(f"the checkpoint can't be written: {error}", str(target),
                                  f"{kept}; make room, then run the same command again") from error  # fmt: skip
        for old in self.paths()[: -self.keep]:
            shutil.rmtree(old, ignore_errors=True)
        return target

    def latest(self) -> tuple[int, dict[str, Any]] | None:
        """Updates done and state of the newest one, None where there is none. Raises CheckpointError."""
        paths = self.paths()
        return None if not paths else self.load(paths[-1])

    def load(self, path: Path) -> tuple[int, dict[str, Any]]:
        """One checkpoint. Raises CheckpointError where it is damaged or belongs to another configuration."""
        import torch

        try:
            about = json.loads((path / ABOUT).read_text(encoding="utf-8"))
            updates, size, identity = int(about["updates"]), int(about["bytes"]), dict(about["identity"])
            found = (path / STATE).stat().st_size
            if found != size:
                raise ValueError(f"{STATE} has {found} bytes, {size} were written")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(f"is damaged: {error}", str(path), "delete it; the one before is used then") from None
        self._compare(identity, path)
        try:
            state = torch.load(path / STATE, map_location="cpu", weights_only=True)
        except Exception as error:  # torch raises whatever a damaged zip, pickle or tensor raises
            raise CheckpointError(
                f"is damaged: {error}", str(path), "delete it; the one before is used then"
            ) from error
        return updates, state

    def _compare(self, found: Mapping[str, Any], path: Path) -> None:
        wanted = json.loads(json.dumps(self.identity))
        names = sorted(n for n in {*found, *wanted} if found.get(n) != wanted.get(n))
        if names:
            told = "; ".join(f"{name}: {found.get(name)!r} there, {wanted.get(name)!r} now" for name in names)
            raise CheckpointError(f"belongs to another configuration ({told})", str(path),
                                  "give another --out, or the configuration of that run")  # fmt: skip


def _write_state(path: Path, state: Mapping[str, Any]) -> int:
    import torch

    with path.open("wb") as handle:
        torch.save(dict(state), handle)
        handle.flush()
        os.fsync(handle.fileno())
        return handle.tell()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def _flush_folder(folder: Path) -> None:
    """Makes the rename last where the system can flush folders (not on Windows)."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
