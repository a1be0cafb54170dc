"""`solar-eval score`: recorded replies under named protocols, side by side, into run directories.

A reply file that carries its own labels (GUI-R1's form) is scored over its own rows; where the benchmark's labels are
at hand too (`--data`), its rows are joined to them for episodes and element boxes, and what the file lacks counts as
missing in the "subset" view. A file in our own form, or a run directory, is scored on the benchmark it names.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solar_eval.benchmarks import table as benchmarks
from solar_eval.benchmarks.counts import counts, labels_sha256
from solar_eval.benchmarks.gui_r1 import SUBSET, ReplyFile, RowsOf
from solar_eval.benchmarks.join import join_android_control
from solar_eval.benchmarks.reply_files import OwnReplies, read_replies
from solar_eval.dialects import table as dialects
from solar_eval.dialects.base import Dialect
from solar_eval.errors import RunDirError, UsageError
from solar_eval.protocols import Protocol
from solar_eval.records import Benchmark, Episode, Reply, Step, Unreadable
from solar_eval.run_dir import RunDir
from solar_eval.scoring import pipeline

if TYPE_CHECKING:
    from rich.console import Console

TABLE_WIDTH = 130
SHOWN = 10
"""Problems printed a file; all of them stand in the manifest."""


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """What the flags say; None and '' leave it to the file. See `cli.score`."""

    protocols: tuple[Protocol, ...]
    parse: pipeline.ParseMode = "own"
    benchmark: str = ""
    subset: str = ""
    data: Path | None = None
    dialect: str = ""
    out: Path | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class ReplySet:
    """One file, ready to be scored: the steps, the replies by step id, the dialect, and what could not be read."""

    name: str
    benchmark: Benchmark
    replies: Mapping[str, Reply]
    dialect: Dialect
    unreadable: tuple[Unreadable, ...]


# ---- reading
def load(path: Path, options: ScoreOptions) -> ReplySet:
    """Reads a reply file or run directory and the labels it is about. Raises DataError or UsageError."""
    rows_of: RowsOf | None = None
    for known in SUBSET:
        rows_of = known if options.benchmark == known else rows_of
    found = read_replies(path, rows_of)
    return _with_labels(path, found, options) if isinstance(found, ReplyFile) else _named(path, found, options)


def _with_labels(path: Path, found: ReplyFile, options: ScoreOptions) -> ReplySet:
    dialect = dialects.get(options.dialect or "gui_r1")
    benchmark, replies = found.benchmark, found.replies
    data = options.data
    if data is not None and benchmark.name.startswith("android_control"):
        labels = benchmarks.load(benchmark.name, data, options.subset or benchmark.subset)
        joined = join_android_control(found, labels)
        benchmark, replies = completed(joined.benchmark, labels), joined.replies
    by_step = {reply.step: reply for reply in replies}
    return ReplySet(_stem(path), benchmark, by_step, dialect, benchmark.unreadable)


def completed(rows: Benchmark, labels: Benchmark) -> Benchmark:
    """The labels' subset with the file's own rows in their places; rows that fit no label stand behind."""
    own: dict[str, Step] = {step.id: step for step in rows.steps}
    wanted = {step.id for step in labels.steps}
    episodes = [
        replace(episode, steps=tuple(own.get(step.id, step) for step in episode.steps)) for episode in labels.episodes
    ]
    strangers = [step for step in rows.steps if step.id not in wanted]
    behind = [Episode(step.episode, step.goal, (step,)) for step in strangers]
    return replace(rows, subset=labels.subset, episodes=tuple(episodes + behind))


def _named(path: Path, found: OwnReplies, options: ScoreOptions) -> ReplySet:
    recorded = _run_config(path)
    name = options.benchmark or recorded.get("benchmark", "")
    dialect = options.dialect or recorded.get("dialect", "")
    for flag, value in (("--benchmark", name), ("--dialect", dialect)):
        if not value:
            raise UsageError(f"{path} does not say {flag[2:]}", flag, "see `solar-eval ls benchmarks|dialects`")
    subset = options.subset or recorded.get("subset") or ""
    data = options.data or (Path(recorded["data"]) if recorded.get("data") else benchmarks.default_data(name))
    benchmark = benchmarks.load(name, data, subset)
    by_step = {reply.step: reply for reply in found.replies}
    known = {step.id for step in benchmark.steps}
    strangers = tuple(
        Unreadable(f"{path} step {step}", f"no such step in {name}, subset {benchmark.subset}")
        for step in by_step
        if step not in known
    )
    problems = found.unreadable + benchmark.unreadable + strangers
    return ReplySet(_stem(path), benchmark, by_step, dialects.get(dialect), problems)


def _run_config(path: Path) -> dict[str, Any]:
    """benchmark, dialect, subset and data as a run directory keeps them, {} for a plain file."""
    file = path / "config.json"
    if not file.is_file():
        return {}
    try:
        config = json.loads(file.read_text(encoding="utf-8"))["config"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RunDirError(f"unreadable: {error}", str(file), "name --benchmark, --dialect and --data") from None
    return dict(config)


def _stem(path: Path) -> str:
    name = path.name
    for suffix in (".gz", ".jsonl", ".json"):
        name = name.removesuffix(suffix)
    return name or "replies"


# ---- scoring and writing
def run(paths: Sequence[Path], options: ScoreOptions) -> int:
    """Scores each file; prints its tables; returns the worst exit code (0, 2 unreadable items, 3 owed steps)."""
    code = 0
    for path in paths:
        found = load(path, options)
        scored = pipeline.score(found.benchmark, found.replies, found.dialect, options.protocols, options.parse)
        summary = describe(found, scored, options)
        if options.out is not None:
            target = options.out / found.name if len(paths) > 1 else options.out
            write(target, path, found, scored, summary, options)
        show(found, summary, options)
        code = max(code, _complain(found, scored))
    return code


def describe(found: ReplySet, scored: pipeline.Scored, options: ScoreOptions) -> dict[str, Any]:
    """summary.json: what was scored how, then the numbers."""
    head = {
        "replies": found.name,
        "dialect": found.dialect.name,
        "parse_mode": options.parse,
        "unreadable": len(found.unreadable),
    }
    return head | pipeline.summary(scored)


def write(
    target: Path, path: Path, found: ReplySet, scored: pipeline.Scored, summary: dict[str, Any], options: ScoreOptions
) -> None:
    """The run directory: raw replies, verdicts, summary. A directory of other replies is refused."""
    replies = [reply for step in found.benchmark.steps if (reply := found.replies.get(step.id)) is not None]
    identity = {
        "kind": "score", "benchmark": found.benchmark.name, "subset": found.benchmark.subset,
        "labels_sha256": labels_sha256(found.benchmark.steps), "replies_sha256": _replies_sha256(replies),
        "dialect": found.dialect.name, "parse": options.parse,
    }  # fmt: skip
    about = {
        "model": found.name, "replies": str(path), "counts": counts(found.benchmark),
        "protocols": {p.name: p.model_dump(mode="json") for p in scored.protocols},
        "notes": list(found.benchmark.notes),
        "unreadable": [{"where": item.where, "why": item.why} for item in found.unreadable],
    }  # fmt: skip
    with RunDir.create_or_resume(target, identity, about, {"command": sys.argv}) as run_dir:
        run_dir.append_many(replies)
        run_dir.write_results(summary, pipeline.sample_rows(scored))


def _replies_sha256(replies: Sequence[Reply]) -> str:
    digest = hashlib.sha256()
    for reply in replies:
        line = json.dumps([reply.step, reply.prefill, reply.text, reply.image], ensure_ascii=True)
        digest.update(line.encode("ascii") + b"\n")
    return digest.hexdigest()


# ---- telling
def console() -> Console:
    """The terminal, at least as wide as a score table."""
    from rich.console import Console

    made = Console()
    made.width = max(made.width, TABLE_WIDTH)
    return made


def show(found: ReplySet, summary: dict[str, Any], options: ScoreOptions) -> None:
    """Prints the table of each view (or the summary as JSON)."""
    if options.as_json:
        print(json.dumps(summary, indent=1, ensure_ascii=True))
        return
    from solar_eval.report.tables import score_table

    out = console()
    views = ["rows", "subset"] if _views_differ(summary) else ["subset"]
    for view in views:
        title = f"{found.name}: {summary['benchmark']}, dialect {summary['dialect']}, parse {options.parse}, {view}"
        out.print(score_table(summary, view, title))
    faults = ", ".join(f"{name} {count}" for name, count in summary["parse"]["faults"].items()) or "none"
    out.print(f"parse faults: {faults}; flags: {summary['parse']['flags'] or 'none'}", markup=False)


def _views_differ(summary: dict[str, Any]) -> bool:
    views = [protocol["views"] for protocol in summary["protocols"].values()]
    return any(view["rows"]["counts"] != view["subset"]["counts"] for view in views)


def _complain(found: ReplySet, scored: pipeline.Scored) -> int:
    for item in found.unreadable[:SHOWN]:
        print(f"unreadable: {item.where}: {item.why}", file=sys.stderr)
    if len(found.unreadable) > SHOWN:
        print(f"... {len(found.unreadable)} unreadable items in all; the rest was scored", file=sys.stderr)
    faulty = [step for step in scored.columns.steps if step.label is None]
    for step in faulty[:SHOWN]:
        print(f"label unreadable: step {step.id}: {step.label_fault}; it has no score", file=sys.stderr)
    if scored.owed:
        print(f"{scored.owed} steps have no reply because server or data failed; they are owed", file=sys.stderr)
        return 3
    return 2 if found.unreadable or faulty else 0
