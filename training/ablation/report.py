"""Writes what an ablation found: README.md, table.csv, differences, curves.csv, claims.json, runs.json, pictures.

Everything is computed from the runs; nothing is typed in. Small enough to be kept with the sources (under 2 MB).
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from solar_eval.scoring.statistics import Estimate
from training.ablation import curves
from training.ablation.arms import ARMS, BY_NAME
from training.ablation.claims import Claim, Judged, judge
from training.ablation.plan import FULL, QUICK, Plan
from training.ablation.table import MEASURES, Results, Run, band

PAIRS: tuple[tuple[str, str], ...] = (
    ("solar_two_stage", "grpo_two_stage"), ("solar_direct", "grpo_direct"), ("solar_two_stage", "offline_rl"),
    ("solar_two_stage", "solar_direct"), ("solar_two_stage", "sft"), ("solar_direct", "ui_s1"),
    ("solar_direct", "gigpo"), ("solar_direct", "bi_level_gae"),
)  # fmt: skip
"""Differences that the report shows: first minus second."""
VERDICTS = {"holds": "holds", "fails": "does not hold", "undecided": "undecided", "not run": "not run"}
ORIGINS = (
    ("published", "What the paper states"),
    ("premise", "What the method rests on"),
    ("ours", "What we expected of our own variants"),
)


def write(plan: Plan, runs: Sequence[Run], out: Path, work: Path) -> list[Path]:
    """All files; returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    results = Results(runs)
    episodes = json.loads((work / f"episodes-{plan.data_key()}.json").read_text(encoding="utf-8"))
    judged = judge(results)
    note = f"{len(plan.seeds)} seeds, {plan.updates} updates; bands: 95 % over seeds"
    pictures = curves.draw(results, out, note)
    summary = {
        "runs": plan.key(),
        "settings": plan.settings(),
        "episodes": episodes,
        "versions": _versions(),
        "finals": _finals(runs),
    }
    return [
        _csv(out / "table.csv", ("arm", "measure", "value", "low", "high", "n", "seeds"), _table_rows(results)),
        _csv(out / "curves.csv", ("arm", "part", "measure", "update", "mean", "low", "high"), _curve_rows(results)),
        _json(out / "claims.json", [_claim(claim, found) for claim, found in judged]),
        _json(out / "runs.json", summary),
        _text(out / "README.md", _page(plan, results, judged, episodes, [p.name for p in pictures])),
        *pictures,
    ]


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("torch", "numpy")}


def _finals(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The final rates of each run, without the single steps."""
    made = []
    for run in runs:
        rates = {name: None if value is None else round(value, 4) for name, value in run["final"].items()}
        live = [sum(one["success"] for one in run["live"]), len(run["live"])]
        made.append({"arm": run["arm"], "seed": run["seed"], **rates, "live": live})
    return made


def _ran(results: Results) -> list[str]:
    return [arm.name for arm in ARMS if results.of(arm.name)]


def _table_rows(results: Results) -> Iterator[tuple[object, ...]]:
    for arm in _ran(results):
        for measure, _ in MEASURES:
            found = results.estimate(arm, measure)
            yield arm, measure, *(_short(v) for v in (found.value, found.low, found.high)), found.n, found.clusters


def _curve_rows(results: Results) -> Iterator[tuple[object, ...]]:
    for arm in _ran(results):
        run = results.of(arm)[0]
        for part, curve in (("evaluations", results.curve), ("updates", results.training_curve)):
            for measure in [name for name in (run[part][0] if run[part] else {}) if name != "update"]:
                updates, rows = curve(arm, measure)
                for at, (mean, low, high) in enumerate(zip(*band(rows), strict=True)):
                    yield arm, part, measure, int(updates[at]), _short(mean), _short(low), _short(high)


def _short(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.4f}"


def _claim(claim: Claim, found: Judged) -> dict[str, object]:
    return {"name": claim.name, "origin": claim.origin, "claim": claim.text, "verdict": found.verdict,
            "numbers": found.numbers}  # fmt: skip


def _csv(path: Path, head: Sequence[str], rows: Iterator[tuple[object, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    return path


def _json(path: Path, value: object) -> Path:
    return _text(path, json.dumps(value, indent=1, default=str) + "\n")


def _text(path: Path, words: str) -> Path:
    path.write_text(words, encoding="utf-8")
    return path


def _page(
    plan: Plan, results: Results, judged: Sequence[tuple[Claim, Judged]], episodes: dict[str, Any], pictures: list[str]
) -> str:
    """README.md."""
    parts = [
        "# SOLAR-RL and its relatives in miniature: pointer policy, pocket",
        f"Made by `{command(plan)}`; what is compared and how: [docs/ablation.md](../../docs/ablation.md). The "
        "policy is a small network that points at interface elements of the built-in phone. None of these numbers is "
        "comparable with those of a vision-language model on AndroidControl, GUI-Odyssey or AndroidWorld.",
        _settings(plan, episodes),
        "## Claims\nA claim holds where the 95 % interval lies on its side, does not hold where it lies on the other, "
        "and is undecided where the interval spans both.",
        *(_claims_of(origin, title, judged) for origin, title in ORIGINS),
        "## Final values\nMeans over held-out steps, 95 % intervals over seeds. Bold: the best value of the column.",
        _table(results),
        "## Paired differences\nFirst minus second; both start from the same weights and meet the same steps.",
        _differences(results),
        "## Curves\n" + "\n\n".join(f"![{name}]({name})" for name in pictures),
    ]
    return "\n\n".join(parts) + "\n"


def command(plan: Plan) -> str:
    """The command that makes this plan."""
    quick = plan.data.episodes == QUICK.data.episodes and plan.updates == QUICK.updates
    base, words = (QUICK, ["--quick"]) if quick else (FULL, [])
    seeds = None if len(plan.seeds) == len(base.seeds) else len(plan.seeds)
    for option, value in (
        ("updates", _other(plan.updates, base.updates)), ("every", _other(plan.every, base.every)),
        ("live", _other(plan.live, base.live)), ("episodes", _other(plan.data.episodes, base.data.episodes)),
        ("seeds", seeds),
    ):  # fmt: skip
        words += [] if value is None else [f"--{option}", str(value)]
    words += ["--arms", *plan.arms] if plan.arms != base.arms else []
    return " ".join(["scripts/reproduce_ablation", *words])


def _other(value: int, usual: int) -> int | None:
    return None if value == usual else value


def _settings(plan: Plan, episodes: dict[str, Any]) -> str:
    train, data = plan.train, plan.data
    reasons = "; ".join(f"{count} {reason}" for reason, count in sorted(episodes["left_out"].items())) or "none"
    lengths = ", ".join(f"{count} {name}" for name, count in episodes["episodes_by_length"].items())
    return (
        f"Episodes: {episodes['kept']} of {episodes['offered']} expert episodes of {data.source} "
        f"({episodes['templates']} templates, {episodes['steps']} steps, {episodes['options']} choices; {lengths}; "
        f"{episodes['press_back']} steps are labelled press back, {episodes['press_back_after_slip']} of them after a "
        f"mistake that the recorder makes with probability {data.slips:g} before a step). Left out: {reasons}.\n\n"
        f"Seeds: {len(plan.seeds)}, each tested on its own fold of {plan.folds}. Start: SFT on {plan.warm_episodes} "
        f"episodes, {plan.warm_noise:.0%} of the labels random, {plan.warm_updates} updates. Then {plan.updates} "
        f"updates for every arm, batches of at least {train.steps} steps in whole episodes, {train.candidates} "
        f"candidates a step, {train.minibatches} optimiser steps a batch, Adam, lr {train.lr:g}, clip "
        f"{train.loss.clip_low:g} and {train.loss.clip_high:g}, KL {train.loss.kl:g}; two-stage arms spend "
        f"{plan.first_stage:.0%} of the updates on the per-step score. Live: {plan.live} tasks a run with unseen "
        "parameters, greedy."
    )


def _claims_of(origin: str, title: str, judged: Sequence[tuple[Claim, Judged]]) -> str:
    rows = [f"| {claim.text} | {VERDICTS[found.verdict]} | {found.numbers} |"
            for claim, found in judged if claim.origin == origin]  # fmt: skip
    return f"### {title}\n| claim | verdict | numbers |\n| --- | --- | --- |\n" + "\n".join(rows)


def _table(results: Results) -> str:
    arms = _ran(results)
    found = {(arm, measure): results.estimate(arm, measure) for arm in arms for measure, _ in MEASURES}
    best = {measure: max((e.value for arm in arms if (e := found[arm, measure]).value is not None), default=None)
            for measure, _ in MEASURES}  # fmt: skip
    head = "| arm | " + " | ".join(title for _, title in MEASURES) + " |\n|" + " --- |" * (len(MEASURES) + 1)
    rows = [f"| {BY_NAME[arm].title} | " + " | ".join(_cell(found[arm, m], best[m]) for m, _ in MEASURES) + " |"
            for arm in arms]  # fmt: skip
    counts = " | ".join(str(found[arms[0], measure].n) for measure, _ in MEASURES)
    return head + "\n" + "\n".join(rows) + f"\n| n | {counts} |"


def _cell(found: Estimate, best: float | None) -> str:
    if found.value is None:
        return "-"
    shown = f"**{found.value:.3f}**" if found.value == best else f"{found.value:.3f}"
    return shown if found.low is None or found.high is None else f"{shown} [{found.low:.3f}, {found.high:.3f}]"


def _differences(results: Results) -> str:
    head = "| pair | " + " | ".join(title for _, title in MEASURES) + " |\n|" + " --- |" * (len(MEASURES) + 1)
    rows = []
    for better, worse in PAIRS:
        if not (results.of(better) and results.of(worse)):
            continue
        cells = []
        for measure, _ in MEASURES:
            found = results.difference(better, worse, measure)
            cells.append("-" if found.value is None or found.low is None
                         else f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]")  # fmt: skip
        rows.append(f"| {BY_NAME[better].title} - {BY_NAME[worse].title} | " + " | ".join(cells) + " |")
    return head + "\n" + "\n".join(rows)
