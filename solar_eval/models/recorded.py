"""Replies from a file as a model: a run over answers that were collected elsewhere, or before.

The file is JSON lines {"step" or "id": STEP, "text": REPLY, "image"?: [w, h], "finish_reason"?: ...}, or a
run directory of ours (its samples.jsonl). A step without a line was never answered: it stays owed, as with
any silent server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solar_eval.dialects.base import Sampling
from solar_eval.errors import DataError, InfrastructureError
from solar_eval.models.base import ModelReply, ModelRequest


@dataclass(frozen=True)
class RecordedModel:
    """`recorded:FILE`. `replies` maps step ids to answers."""

    source: str
    replies: Mapping[str, ModelReply]
    needs_pictures: bool = field(default=False, init=False)

    @classmethod
    def from_file(cls, path: Path) -> RecordedModel:
        """Reads the whole file. Raises DataError naming the line that does not fit, or a doubled step."""
        file = path / "samples.jsonl" if path.is_dir() else path
        replies: dict[str, ModelReply] = {}
        try:
            lines = file.read_bytes().split(b"\n")
        except OSError as error:
            raise DataError(str(error), str(file), "give a JSON-lines file or a run directory") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                _take(line, f"{file} line {number}", replies)
        return cls(str(path), replies)

    @property
    def spec(self) -> str:
        """recorded:FILE."""
        return f"recorded:{self.source}"

    def request_fields(self, sampling: Sampling) -> dict[str, object]:
        """Nothing is sent."""
        return {}

    async def facts(self) -> dict[str, object]:
        """How many replies the file holds."""
        return {"replies": len(self.replies)}

    async def aclose(self) -> None:
        """Nothing to release."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The recorded reply. Raises InfrastructureError where the file has none."""
        found = self.replies.get(request.step.id)
        if found is None:
            raise InfrastructureError("no reply recorded", f"{self.source} step {request.step.id}")
        return found


def _take(line: bytes, where: str, replies: dict[str, ModelReply]) -> None:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", where, "mend or remove the line") from None
    if not isinstance(data, dict):
        raise DataError(f"a JSON object was expected, not {type(data).__name__}", where)
    step, text = data.get("step", data.get("id")), data.get("text")
    if not isinstance(step, str) or not step:
        raise DataError("no step id", where, 'each line needs "step" (or "id") and "text"')
    if text is None and data.get("error"):
        return
    if not isinstance(text, str):
        raise DataError(f"step {step}: text is {type(text).__name__}, not a string", where)
    if step in replies:
        raise DataError(f"step {step} has a second reply", where, "keep one line a step")
    replies[step] = ModelReply(text, str(data.get("finish_reason") or ""))
