"""The only writer of results: a directory with a manifest, append-only samples, and results written last.

    manifest.json     identity (what makes the numbers what they are), about, and, apart, environment (may differ)
    config.json       the resolved configuration with the origin of each value
    samples.jsonl     one line a reply, raw, before anything is parsed; a fault of server or data is a line too
    samples.parquet   one row a step, in benchmark order       } written last, each by one rename;
    summary.json      every metric as a fraction               } removed when new replies make them stale

A second run over the same identity resumes: answered steps are never asked again, faults are owed. Another
identity is refused, key by key (run_folder.py). Nothing that stands in these files is ever evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from solar_eval.errors import RunDirError
from solar_eval.line_file import LineFile
from solar_eval.records import Reply, Unreadable
from solar_eval.reply_json import reply_from_json, reply_to_json
from solar_eval.result_files import write_json, write_parquet
from solar_eval.run_folder import SCHEMA, RunFolder, differences, solar_eval_version

__all__ = ["RESULTS", "SCHEMA", "RunDir", "differences", "solar_eval_version"]
RESULTS = ("samples.parquet", "summary.json")


@dataclass
class RunDir:
    """An open run directory. Make one with `create_or_resume` (locked, for writing) or `open` (read only).

    `folder`: manifest and lock. `torn`: file that a torn last line was moved to.
    """

    folder: RunFolder
    lines: LineFile
    torn: Path | None = None
    _done: dict[str, Reply] = field(default_factory=dict)
    _owed: dict[str, Reply] = field(default_factory=dict)

    # ---- opening
    @classmethod
    def create_or_resume(
        cls,
        path: Path,
        identity: Mapping[str, object],
        about: Mapping[str, object] | None = None,
        session: Mapping[str, object] | None = None,
    ) -> Self:
        """Locks `path`, makes it or checks it against `identity`, and reads the replies that stand in it.

        identity: refused if it differs. about: deterministic too, but replaced (counts, notes, protocols).
        session: what may differ from start to start (command, address, concurrency). Raises RunDirError.
        """
        folder = RunFolder.create_or_resume(path, identity, about, session)
        try:
            run = cls(folder, LineFile(path / "samples.jsonl"))
            run.torn = run.lines.mend_tail()
            run._read()
        except BaseException:
            folder.close()
            raise
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """An existing run directory, read only and without a lock: for scoring, viewing and comparing."""
        run = cls(RunFolder.open(path), LineFile(path / "samples.jsonl"))
        run._read()
        return run

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.folder.path

    @property
    def manifest(self) -> dict[str, Any]:
        """The content of manifest.json."""
        return self.folder.manifest

    @property
    def resumed(self) -> bool:
        """It was there before."""
        return self.folder.resumed

    def _read(self) -> None:
        for number, data in self.lines.read():
            try:
                reply = reply_from_json(data)
            except ValueError as error:
                self.lines.damaged.append(Unreadable(f"{self.lines.path} line {number}", str(error)))
                continue
            self._take(reply)

    def _take(self, reply: Reply) -> None:
        """The first answer to a step counts; a fault counts until there is one."""
        if reply.step in self._done:
            return
        if reply.text is None:
            self._owed[reply.step] = reply
        else:
            self._done[reply.step] = reply
            self._owed.pop(reply.step, None)

    # ---- replies
    @property
    def damaged(self) -> tuple[Unreadable, ...]:
        """Lines of samples.jsonl that can't be used; their steps are owed."""
        return tuple(self.lines.damaged)

    def done(self) -> dict[str, Reply]:
        """Every answered step with its reply."""
        return dict(self._done)

    def owed(self) -> dict[str, Reply]:
        """Every step whose only lines are faults, with the last of them."""
        return dict(self._owed)

    def append(self, reply: Reply, key: str = "", extra: Mapping[str, object] | None = None) -> None:
        """Stores one raw reply or fault at once. `key`: content hash of what was asked. Refuses a second answer."""
        self.folder.writable()
        if reply.step in self._done:
            raise RunDirError(f"step {reply.step} has an answer already", str(self.path), "nothing was written")
        self._drop_results()
        self.lines.append(reply_to_json(reply, key, extra or {}))
        self._take(reply)

    def append_many(self, replies: Iterable[Reply]) -> int:
        """Stores replies that came from elsewhere; steps that have an answer are left alone. Returns how many."""
        count = 0
        for reply in replies:
            if reply.step not in self._done:
                self.append(reply)
                count += 1
        return count

    # ---- results
    def _drop_results(self) -> None:
        for name in RESULTS:
            (self.path / name).unlink(missing_ok=True)

    def write_results(self, summary: Mapping[str, object], rows: Sequence[Mapping[str, object]]) -> None:
        """Writes samples.parquet, then summary.json, each atomically. Call it last, rows in benchmark order."""
        self.folder.writable()
        write_parquet(self.path / "samples.parquet", rows)
        write_json(self.path / "summary.json", {"schema": SCHEMA, **summary})

    def write_config(self, config: Mapping[str, object]) -> None:
        """Keeps the resolved configuration as config.json."""
        self.folder.write_config(config)

    def note(self, facts: Mapping[str, object]) -> None:
        """Adds to this session's entry in the environment section (server facts, end of the run)."""
        self.folder.note(facts)

    def close(self) -> None:
        """Notes the time, flushes and unlocks; may be called twice."""
        self.lines.close()
        self.folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
