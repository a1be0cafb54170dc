"""Replies from a file as a model: a run over answers that were collected elsewhere, or before.

The file is read as any reply file of ours is (`benchmarks/reply_files.py`: JSON lines {"step" or "id", "text"}, a
folder of such files, or a run directory). A step without a readable line was never answered: it stays owed, as with
any silent server. The picture size and the prefill that a line carries count, not those of the new prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from solar_eval.dialects.base import Sampling
from solar_eval.errors import InfrastructureError
from solar_eval.models.base import ModelReply, ModelRequest
from solar_eval.records import Reply, Unreadable


@dataclass(frozen=True)
class RecordedModel:
    """`recorded:FILE`. `replies` maps step ids to answers; `unreadable`: lines of the file that could not be used."""

    source: str
    replies: Mapping[str, Reply]
    unreadable: tuple[Unreadable, ...] = ()
    needs_pictures: bool = field(default=False, init=False)

    @classmethod
    def from_file(cls, path: Path) -> RecordedModel:
        """Reads the whole file. Raises DataError where there is none."""
        from solar_eval.benchmarks.reply_files import read_own

        found = read_own(path)
        return cls(str(path), {reply.step: reply for reply in found.replies}, found.unreadable)

    @property
    def spec(self) -> str:
        """recorded:FILE."""
        return f"recorded:{self.source}"

    def request_fields(self, sampling: Sampling) -> dict[str, object]:
        """Nothing is sent."""
        return {}

    async def facts(self) -> dict[str, object]:
        """How many replies the file holds, and which of its lines can't be used."""
        bad = [f"{item.where}: {item.why}" for item in self.unreadable[:20]]
        return {"replies": len(self.replies), "unreadable": len(self.unreadable), "first_unreadable": bad}

    async def aclose(self) -> None:
        """Nothing to release."""

    async def ask(self, request: ModelRequest) -> ModelReply:
        """The recorded reply. Raises InfrastructureError where the file has none."""
        found = self.replies.get(request.step.id)
        if found is None or found.text is None:
            raise InfrastructureError(self._missing(found), f"{self.source} step {request.step.id}")
        return ModelReply(
            found.text, found.finish_reason, found.latency_s, found.prompt_tokens, found.completion_tokens,
            image=found.image, prefill=found.prefill,
        )  # fmt: skip

    def _missing(self, found: Reply | None) -> str:
        if found is not None:
            return f"recorded as a fault: {found.error}"
        bad = self.unreadable
        return "no reply recorded" + (f" ({len(bad)} unreadable lines, {bad[0].where}: {bad[0].why})" if bad else "")
