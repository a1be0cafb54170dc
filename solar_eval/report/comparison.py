"""A comparison of two runs as tables: in text, in Markdown, or as one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from solar_eval.compare import DIMENSIONS, Comparison, Flip, MetricRow, Overlap
from solar_eval.report import escape
from solar_eval.report.entries import METRICS, MISSING
from solar_eval.report.sheet import Block, Sheet, to_html, to_markdown, to_text

Form = Literal["text", "markdown", "html"]
LEAD = (
    "Differences are B minus A over what both runs answered, in points of per cent, with 95 % intervals clustered by "
    "episode. p: from the same clustered fit; episode SR: McNemar's exact test. Holm: adjusted over the rows."
)
TESTS = {"episode_sr": "McNemar, exact"}
GROUP_TITLES = {"action": "by the label's action", "app": "by app", "length": "by length of the episode in steps"}
APPS_SHOWN = 30


def render(made: Comparison, form: Form, flips: int) -> str:
    """The whole comparison. flips: how many fixed and how many broken steps are listed."""
    title = f"{made.a.model} (A) against {made.b.model} (B)"
    sheets = sheets_of(made, flips)
    if form == "html":
        return to_html(title, LEAD, sheets)
    if form == "markdown":
        head = f"# {escape.markdown(title)}\n\n{escape.markdown(LEAD, 1000)}\n"
        return "\n".join([head, *(to_markdown(sheet) for sheet in sheets)])
    return "\n".join([f"{escape.plain(title)}\n{LEAD}\n", *(to_text(sheet) for sheet in sheets)])


def sheets_of(made: Comparison, flips: int) -> list[Sheet]:
    """The tables in their order."""
    return [_what(made), _metrics(made), _overlap(made), _episodes(made), _groups(made), *_flips(made, flips)]


def _what(made: Comparison) -> Sheet:
    a, b = made.a, made.b
    rows = (
        ("run", a.path, b.path), ("model", a.model, b.model),
        ("benchmark", str(a.summary.get("benchmark")), str(b.summary.get("benchmark"))),
        ("subset", str(a.summary.get("subset")), str(b.summary.get("subset"))),
        ("protocol", *made.protocols),
    )  # fmt: skip
    notes = [f"COMPARED ACROSS: {line}" for line in made.mismatches]
    notes += [f"differs: {line}" for line in made.differences]
    return Sheet("What is compared", ("setting", "A", "B"), (Block("", rows),), tuple(notes))


def _metrics(made: Comparison) -> Sheet:
    rows = tuple(_metric(row) for row in made.metrics)
    headings = ("metric", "A", "B", "B - A", "95 % interval", "n", "episodes", "p", "p (Holm)", "test")
    return Sheet("Metrics over what both answered", headings, (Block("", rows),), made.remarks, frozenset(range(1, 9)))


def _metric(row: MetricRow) -> tuple[str, ...]:
    d = row.difference
    value = MISSING if d.value is None else f"{100 * d.value:+.2f}"
    between = MISSING if d.low is None or d.high is None else f"[{100 * d.low:+.2f}, {100 * d.high:+.2f}]"
    return (
        METRICS[row.metric], f"{100 * row.a:.2f}", f"{100 * row.b:.2f}", value, between, str(d.n), str(d.clusters),
        _p(d.p), _p(row.p_holm), TESTS.get(row.metric, "clustered t"),
    )  # fmt: skip


def _p(value: float | None) -> str:
    if value is None:
        return MISSING
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _overlap(made: Comparison) -> Sheet:
    def row(name: str, overlap: Overlap) -> tuple[str, ...]:
        counts = (overlap.common, overlap.only_a, overlap.only_b, overlap.other_label)
        return (name, *map(str, counts))

    rows = (row("steps", made.steps), row("episodes", made.episodes))
    headings = ("unit", "compared", "only in A", "only in B", "another label")
    notes = ("only in A or B: counted there, and not counted or not answered in the other run",)
    return Sheet("Overlap", headings, (Block("", rows),), notes, frozenset({1, 2, 3, 4}))


def _episodes(made: Comparison) -> Sheet:
    d = made.discordance
    rows = (("A right", str(d.both), str(d.only_a)), ("A wrong", str(d.only_b), str(d.neither)))
    return Sheet("Episodes", ("episodes", "B right", "B wrong"), (Block("", rows),), (), frozenset({1, 2}))


def _groups(made: Comparison) -> Sheet:
    blocks, notes = [], []
    for dimension in DIMENSIONS:
        members = [row for row in made.groups if row.dimension == dimension]
        if len(members) > APPS_SHOWN:
            notes.append(f"{dimension}: the {APPS_SHOWN} of {len(members)} with most flips")
        cells = tuple(
            (
                row.name, str(row.n), f"{100 * row.a / row.n:.2f}", f"{100 * row.b / row.n:.2f}", str(row.fixed),
                str(row.broken), f"{row.fixed - row.broken:+d}",
            )
            for row in members[:APPS_SHOWN]
        )  # fmt: skip
        blocks.append(Block(GROUP_TITLES[dimension], cells))
    headings = ("group", "steps", "A step SR", "B step SR", "fixed", "broken", "net")
    lead = "fixed: wrong in A, right in B; broken: the other way round."
    return Sheet("Flips by group", headings, tuple(blocks), tuple(notes), frozenset(range(1, 7)), lead)


def _flips(made: Comparison, shown: int) -> list[Sheet]:
    return [
        _listed("Fixed steps (A wrong, B right)", made.flips, shown, lambda flip: flip.fixed),
        _listed("Broken steps (A right, B wrong)", made.flips, shown, lambda flip: not flip.fixed),
    ]


def _listed(title: str, flips: tuple[Flip, ...], shown: int, wanted: Callable[[Flip], bool]) -> Sheet:
    chosen = [flip for flip in flips if wanted(flip)]
    rows = tuple(
        (
            flip.step, flip.action, flip.app, flip.length, flip.why, flip.goal,
            *map(brief, (flip.label, flip.said_a, flip.said_b)),
        )
        for flip in chosen[:shown]
    )  # fmt: skip
    headings = ("step", "action", "app", "length", "why wrong", "goal", "label", "A said", "B said")
    notes = (f"{min(shown, len(chosen))} of {len(chosen)} (--flips N lists more)",)
    return Sheet(title, headings, (Block("", rows),), notes)


def brief(action: str) -> str:
    """An action's JSON as a few words: 'click 0.559,0.321', 'type "Leonardo"'; other text as it is."""
    try:
        data = json.loads(action)
    except ValueError:
        return action
    if not isinstance(data, dict):
        return action
    words = [str(data.get("kind", ""))]
    for name, value in data.items():
        if name in ("point", "start", "end") and isinstance(value, list):
            words.append(",".join(f"{number:.3f}" for number in value))
        elif name in ("text", "name") and value != "":
            words.append(json.dumps(value, ensure_ascii=False))
        elif name != "kind" and value != "":
            words.append(f"{name}={value}" if name != "direction" else str(value))
    return " ".join(words)
