"""`solar-eval run` on recorded steps: a resolved configuration and a loaded benchmark in, a run directory out.

Scoring comes after asking, from the stored replies alone, so it can be repeated without asking. Exit codes: 0 every
step has its answer; 3 steps are still owed (server or screenshot); 130 interrupted; errors that are raised carry their
own (2 wrong configuration or request, 4 the run directory refuses).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

import anyio

from solar_eval import protocols as protocol_table
from solar_eval import run_setup
from solar_eval.ask_all import run_offline
from solar_eval.asking import NOT_ASKED, is_asked, label_history
from solar_eval.config import Resolved, RunConfig
from solar_eval.dialects.base import Dialect, Parsed
from solar_eval.dialects.table import get as get_dialect
from solar_eval.protocols import Family, Protocol, family_of
from solar_eval.provenance import shown
from solar_eval.records import Benchmark, Reply, Step
from solar_eval.run_dir import RunDir
from solar_eval.run_setup import Prepared
from solar_eval.semi_online import Judge, semi_online_summary
from solar_eval.standing import OfflineResult, standing

INTERRUPTED, OWED = 130, 3
FAULTS_SHOWN = 5
Rows = list[dict[str, Any]]
Scoring = Callable[[Benchmark, Mapping[str, Reply], Dialect], tuple[dict[str, Any], Rows]]
"""Selected benchmark, replies by step id, dialect -> what goes into summary.json, and one row a step."""


def run(
    resolved: Resolved[RunConfig],
    benchmark: Benchmark,
    *,
    command: Sequence[str] = (),
    show: Callable[[dict[str, Any]], None] | None = None,
    scoring: Scoring | None = None,
    judge: Judge | None = None,
    dialect: Dialect | None = None,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Asks what is owed, scores, writes the results; returns the exit code.

    `show` gets the summary for printing. `scoring` and `judge` default to the configuration's protocols (the first
    one's history decides, unless the configuration does, and it is the one that ends semi-online episodes).
    """
    config, err = resolved.config, err or sys.stderr
    chosen = protocol_table.select(",".join(config.protocol))
    dialect = dialect or get_dialect(config.dialect)
    history = config.history or chosen[0].history
    family = family_of(benchmark.name)
    judge = (judge or judge_by(chosen[0], family)) if history == "own" else None
    prepared = run_setup.prepare(config, benchmark, dialect, history, family)
    if config.dry_run:
        print(dry_run(resolved, prepared), file=out or sys.stdout)
        return 0
    for protocol in chosen:
        if protocol.history != history:
            print(f"note: {protocol.name} is defined over {protocol.history} history, this run has {history}", file=err)
    path = config.out or run_setup.default_out(prepared.identity)
    about, session = run_setup.about(config, prepared), run_setup.session(config, command)
    with RunDir.create_or_resume(path, prepared.identity, about, session) as run_dir:
        _tell_resumed(run_dir, err)
        run_dir.write_config(resolved.to_json())
        try:
            result = anyio.run(_asked, prepared, run_dir, judge, err)
        except KeyboardInterrupt:
            _tell_interrupted(prepared, run_dir, judge, err)
            return INTERRUPTED
        summary, rows = (scoring or scored_by(chosen))(prepared.selected, result.replies, dialect)
        summary = {"run": run_summary(prepared, result)} | summary
        run_dir.write_results(summary, rows)
    if show is not None:
        show(summary)
    return _told(result, path, err)


def dry_run(resolved: Resolved[RunConfig], prepared: Prepared) -> str:
    """The resolved configuration as TOML, where it would go, and the first prompt."""
    plan, selected = prepared.asker.plan, prepared.selected
    steps = ((episode, step) for episode in selected.episodes for step in episode.steps if is_asked(step))
    count = sum(is_asked(step) for step in selected.steps)
    where = resolved.config.out or run_setup.default_out(prepared.identity)
    lines = [resolved.to_toml(), f"# {count} steps would be asked, replies would go to {where}"]
    first = next(steps, None)
    if first is not None:
        episode, step = first
        frame = plan.frame(step.screen)
        messages = plan.messages(step, frame, label_history(episode, step))
        lines += [f"# prompt of step {step.id}:", shown(messages, frame.image)]
    return "\n".join(lines)


async def _asked(prepared: Prepared, run_dir: RunDir, judge: Judge | None, err: TextIO) -> OfflineResult:
    model, selected, plan = prepared.asker.model, prepared.selected, prepared.asker.plan
    try:
        if not standing(selected, plan, run_dir, judge).owed:
            return standing(selected, plan, run_dir, judge)
        if facts := await model.facts():
            run_dir.note({"server": facts})
        return await run_offline(selected, prepared.asker, run_dir, prepared.options, judge, err)
    finally:
        with anyio.CancelScope(shield=True):
            await model.aclose()


def run_summary(prepared: Prepared, result: OfflineResult) -> dict[str, Any]:
    """The run's own part of summary.json: what was asked of whom, and what is owed."""
    keys = ("benchmark", "subset", "level", "history", "dialect", "model", "prompt_sha256")
    out: dict[str, Any] = {key: prepared.identity[key] for key in keys}
    plan = prepared.asker.plan
    out["prompt_origin"] = (plan.template or plan.dialect.template()).origin
    out |= {"asked": sum(is_asked(step) for step in prepared.selected.steps)} | result.counts()
    return out | ({"semi_online": semi_online_summary(list(result.walks))} if result.walks else {})


# ---- the protocols' part
def judge_by(protocol: Protocol, family: Family) -> Judge:
    """A step lets its episode go on if it is right under `protocol`, or not counted by it."""
    from solar_eval.scoring.match import judge_one

    def goes_on(step: Step, parsed: Parsed) -> bool:
        verdict = judge_one(protocol, step.label, parsed, family=family, step=step)
        return verdict.exact_match or not verdict.counted

    return goes_on


def scored_by(chosen: Sequence[Protocol]) -> Scoring:
    """The pipeline's summary and rows under these protocols."""
    from solar_eval.scoring import pipeline

    def score(benchmark: Benchmark, replies: Mapping[str, Reply], dialect: Dialect) -> tuple[dict[str, Any], Rows]:
        scored = pipeline.score(benchmark, replies, dialect, chosen)
        return pipeline.summary(scored), pipeline.sample_rows(scored)

    return score


# ---- what the user is told
def _tell_resumed(run_dir: RunDir, err: TextIO) -> None:
    if run_dir.torn is not None:
        print(f"a torn last line was moved to {run_dir.torn}; its step is asked again", file=err)
    for item in run_dir.damaged:
        print(f"warning: {item.where}: {item.why}; its step is asked again", file=err)
    if run_dir.resumed:
        print(f"resuming {run_dir.path}: {len(run_dir.done())} replies are there", file=err)


def _tell_interrupted(prepared: Prepared, run_dir: RunDir, judge: Judge | None, err: TextIO) -> None:
    left = standing(prepared.selected, prepared.asker.plan, run_dir, judge)
    print(
        f"interrupted: {len(run_dir.done())} replies are kept in {run_dir.path}, "
        f"{len(left.owed)} steps are owed; run the same command again to ask them",
        file=err,
    )


def _told(result: OfflineResult, path: object, err: TextIO) -> int:
    if result.stopped is not None:
        print(f"stopped: {result.stopped}", file=err)
    for reply in [reply for reply in result.owed if reply.error != NOT_ASKED][:FAULTS_SHOWN]:
        print(f"owed: step {reply.step}: {reply.error}", file=err)
    if not result.owed:
        print(f"results: {path}", file=err)
        return 0
    kinds = result.counts()["owed_by_kind"]
    parts = ", ".join(f"{kind} {count}" for kind, count in kinds.items()) if isinstance(kinds, dict) else ""
    print(
        f"{len(result.owed)} steps are still owed ({parts}); run the same command again to ask the "
        f"{len(result.owed)} owed steps. Results so far: {path}",
        file=err,
    )
    return OWED
