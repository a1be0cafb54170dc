"""Stages of the loop: each has a key of what it depends on, is run once, and not again while its key and result stand.

stages.json in the loop's folder holds, by stage, the key and the result; it is written after a stage is whole. A stage
that fails leaves no entry: the same command runs it again (a run directory of solar_eval goes on where it stopped).
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from solar_eval.errors import DataError, InfrastructureError
from solar_eval.result_files import write_json
from training.commands.run import tell

FILE = "stages.json"
Command = Sequence[str]
GRACE_S = 20.0
"""How long a stage may take to end after it was asked to."""


@dataclass
class Stages:
    """The stages of one folder. ran: names of those that were run by this process."""

    folder: Path
    timeout_s: float = 86_400.0
    ran: list[str] = field(default_factory=list)

    def done(self, name: str, key: str, made: Path) -> bool:
        """Whether this stage is whole: the same key, and its result is still there."""
        return self._read().get(name, {}).get("key") == key and made.exists()

    def run(self, name: str, key: str, made: Path, work: Callable[[], None]) -> bool:
        """Runs a stage that is not whole; returns whether it was run. What `work` raises goes through."""
        if self.done(name, key, made):
            tell(f"[{name}] is there")
            return False
        tell(f"[{name}]")
        work()
        if not made.exists():
            raise DataError("the stage ended without its result", str(made), "see the lines above")
        self._note(name, key)
        self.ran.append(name)
        return True

    def known(self, name: str) -> str:
        """The key under which a stage was whole; "" if it never was."""
        return str(self._read().get(name, {}).get("key", ""))

    def _read(self) -> dict[str, Any]:
        file = self.folder / FILE
        if not file.is_file():
            return {}
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"can't be read: {error}", str(file), "delete it; finished runs are kept") from None
        return found if isinstance(found, dict) else {}

    def _note(self, name: str, key: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(self.folder / FILE, {**self._read(), name: {"key": key}})

    def call(self, name: str, command: Command) -> None:
        """A stage in a process of its own, in the loop's folder: what kills it kills nothing else.

        Raises InfrastructureError where it does not end with 0, or takes longer than `timeout_s`.
        """
        started = subprocess.Popen(
            [sys.executable, "-c", f"from {command[0]} import main; main()", *command[1:]], cwd=self.folder,
            start_new_session=True,
        )  # fmt: skip
        try:
            code = started.wait(self.timeout_s)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        finally:
            _end(started)
        if code:
            raise InfrastructureError(f"ended with {code}", f"stage {name}", "the same command goes on from there")


def _end(started: subprocess.Popen[bytes]) -> None:
    """Ends a stage with its children: asked first, killed after GRACE_S."""
    if started.poll() is not None:
        return
    os.killpg(started.pid, signal.SIGINT)
    try:
        started.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def key_of(parts: Mapping[str, object]) -> str:
    """A short hash of what a stage depends on."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def content_key(folder: Path) -> str:
    """A hash of a checkpoint's files, by name and content. DataError where there is none."""
    files = sorted(path for path in folder.glob("*") if path.is_file())
    if not (folder / "config.json").is_file():
        raise DataError("no checkpoint: config.json is missing", str(folder), "give a folder that transformers loads")
    made = hashlib.sha256()
    for file in files:
        if file.suffix != ".md":
            made.update(file.name.encode() + b"\0")
            with file.open("rb") as handle:
                made.update(hashlib.file_digest(handle, "sha256").digest())
    return made.hexdigest()[:16]
