"""`solar-eval run` on phones: a resolved configuration in, a run directory out.

Exit codes: 0 every episode has its score; 3 some are owed (phone, server or benchmark failed too often); 130
interrupted; errors that are raised carry their own (2 wrong configuration or request, 4 the run directory refuses).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from solar_eval.config import LiveConfig, Resolved
from solar_eval.errors import InfrastructureError, RunDirError, UsageError
from solar_eval.live import numbers
from solar_eval.live.board import Board
from solar_eval.live.display import LiveDisplay
from solar_eval.live.episode import Rules
from solar_eval.live.setup import Prepared, default_out, identity_of, label_of, phone_facts, prepare, rules_of
from solar_eval.live.store import LiveStore
from solar_eval.live.suite import Suite, SuiteOptions, Verdict
from solar_eval.live.watch import serve

if TYPE_CHECKING:
    from emulator.fleet import Fleet

INTERRUPTED, OWED = 130, 3
FAULTS_SHOWN = 5
FIRST_PHONE_S = 900.0
Show = Callable[[dict[str, Any]], None]


def run(
    resolved: Resolved[LiveConfig], *, command: Sequence[str] = (), show: Show | None = None,
    out: TextIO | None = None, err: TextIO | None = None,
) -> int:  # fmt: skip
    """Plays what is owed, counts, writes the results; returns the exit code. `show` gets the summary for printing."""
    config, err = resolved.config, err or sys.stderr
    prepared = prepare(config)
    if config.dry_run:
        print(dry_run(resolved, prepared), file=out or sys.stdout)
        return 0
    with phones(prepared.devices, config) as fleet:
        facts = first_look(fleet)
        rules = rules_of(config, str(facts["kind"]))
        identity = identity_of(prepared, rules, facts)
        path = config.out or default_out(identity)
        if config.resume and not (path / "manifest.json").exists():
            raise RunDirError("holds no run to resume", str(path), "leave --resume out to start one")
        about = {"label": label_of(prepared.benchmark.name, facts), "seeds": list(config.seeds),
                 "repeats": config.repeats, "tasks": list(config.tasks), "episodes": len(prepared.items),
                 "notes": list(notes_of(prepared))}  # fmt: skip
        session = {"command": list(command), "devices": prepared.devices, "phone": facts, "base_url": config.base_url}
        with LiveStore.create_or_resume(path, identity, about, session, config.pictures) as store:
            store.folder.write_config(resolved.to_json())
            return _in(store, prepared, rules, fleet, config, show, err)


def _in(
    store: LiveStore, prepared: Prepared, rules: Rules, fleet: Fleet, config: LiveConfig, show: Show | None, err: TextIO
) -> int:
    for note in notes_of(prepared):
        print(f"note: {note}", file=err)
    _tell_resumed(store, err)
    done = {item.key for item in prepared.items} & store.scored().keys()
    board = Board(len(prepared.items), len(done))
    options = SuiteOptions(config.tries, config.max_faults)
    suite = Suite(prepared.benchmark, prepared.agent, rules, store, fleet, board, options, prepared.stop)
    page = serve(board, config.watch_port) if config.watch else nullcontext()
    with prepared.asking.open(prepared.models), page as address, LiveDisplay(board, err):
        if address:
            print(f"watch: {address}", file=err, flush=True)
        if prepared.models:
            store.folder.note({"server": prepared.asking.facts(prepared.models[0])})
        verdict = suite.run(prepared.items)
    store.folder.note({"fleet": fleet.report().table().splitlines()})
    summary = write_results(store, prepared, rules)
    if show is not None and not verdict.interrupted:
        show(summary)
    return _told(verdict, store, summary, err)


def notes_of(prepared: Prepared) -> tuple[str, ...]:
    """What a reader of the numbers must know of the benchmark as it is installed."""
    return tuple(getattr(prepared.benchmark, "notes", ()))


@contextmanager
def phones(spec: str, config: LiveConfig) -> Iterator[Fleet]:
    """The fleet that `--devices` names, opened. UsageError for a specification that names nothing."""
    from emulator.fleet import open_devices
    from emulator.slots import Care

    try:
        fleet = open_devices(spec, spares=config.spares, care=Care(lease_s=config.episode_timeout_s))
    except ValueError as error:
        raise UsageError(str(error), "--devices") from None
    with fleet:
        yield fleet


def first_look(fleet: Fleet) -> Mapping[str, object]:
    """What kind of phones these are. InfrastructureError where none comes up."""
    from emulator.device_errors import DeviceError

    try:
        with fleet.lease(FIRST_PHONE_S) as device:
            return phone_facts(device)
    except DeviceError as error:
        raise InfrastructureError(f"no phone can be had: {error}", "--devices", "solar-eval doctor says more") from None


def write_results(store: LiveStore, prepared: Prepared, rules: Rules) -> dict[str, Any]:
    """Counts what there is and writes it; returns the summary."""
    rows = numbers.rows_of(prepared.items, prepared.templates, store.scored(), store.attempts)
    identity = store.folder.manifest["identity"]
    head = {"benchmark": identity["benchmark"], "label": store.folder.manifest["about"]["label"],
            "version": identity["version"], "agent": identity["agent"], "rules": identity["rules"],
            "phone": identity["phone"], "seeds": sorted({item.seed for item in prepared.items}),
            "repeats": 1 + max((item.repeat for item in prepared.items), default=0)}  # fmt: skip
    counted = numbers.summary(rows)
    summary = {"run": head} | _for_leaderboard(head, counted) | counted
    store.write_results(summary, numbers.sample_rows(rows), numbers.effort(rows))
    return summary


def _for_leaderboard(run: Mapping[str, Any], counted: Mapping[str, Any]) -> dict[str, Any]:
    """What `solar-eval report` reads of any run: the success rate under the name of the rules it was counted by."""
    rules, episodes = run["rules"], counted["episodes"]
    name = "live_strict_done_required" if rules["require_done"] else "live_strict_state_only"
    budget = "10 x complexity" if rules["budget"] is None else f"{rules['budget']} steps"
    subset = f"{len(counted['by_template'])} tasks, seeds {', '.join(map(str, run['seeds']))}, budget {budget}"
    counts = {"scored": episodes["scored"], "owed": episodes["owed"], "labels": episodes["wanted"]}
    view = {"counts": counts, "episode_sr": counted["strict_sr"]}
    source = "score 1.0 of the task's own judgement; AndroidWorld @d9c569f suite_utils.py for budget and stop rule"
    protocol = {"version": "1", "source": source, "views": {"subset": view}}
    return {"benchmark": run["label"], "subset": subset, "protocols": {name: protocol}}


def dry_run(resolved: Resolved[LiveConfig], prepared: Prepared) -> str:
    """The resolved configuration as TOML, and every episode with its goal."""
    lines = [resolved.to_toml(), f"# {len(prepared.items)} episodes on {prepared.devices}:"]
    for item in prepared.items:
        lines.append(f"# {item.name}: {prepared.benchmark.instantiate(item.template, item.seed).goal}")
    return "\n".join(lines)


# ---- what the user is told
def _tell_resumed(store: LiveStore, err: TextIO) -> None:
    if store.torn is not None:
        print(f"a torn last line was moved to {store.torn}; its episode is played again", file=err)
    for item in store.lines.damaged:
        print(f"warning: {item.where}: {item.why}; its episode is played again", file=err)
    if store.folder.resumed:
        print(f"resuming {store.path}: {len(store.scored())} episodes are there", file=err)


def _told(verdict: Verdict, store: LiveStore, summary: Mapping[str, Any], err: TextIO) -> int:
    owed, path = summary["episodes"]["owed"], _shown(store.path)
    if verdict.error is not None:
        print(f"stopped: {verdict.error}", file=err)
    faults = [attempt for attempt in store.attempts if not attempt.counts and attempt.key not in store.scored()]
    for attempt in faults[-FAULTS_SHOWN:]:
        what = attempt.error.splitlines()[0] if attempt.error else ""
        print(f"owed: {attempt.template}/{attempt.seed}: {attempt.fault}: {what[:300]}", file=err)
    if verdict.interrupted:
        print(
            f"interrupted: {owed} episodes are owed; run the same command again to play them. So far: {path}", file=err
        )
        return INTERRUPTED
    if verdict.error is not None and verdict.error.exit_code != OWED:
        raise verdict.error
    if owed:
        print(f"{owed} episodes are still owed; run the same command again. Results so far: {path}", file=err)
        return OWED
    print(f"results: {path}", file=err)
    return 0


def _shown(path: Path) -> str:
    return str(path)
