"""The tables a live run prints: no rate without its episodes and its interval, every rule by its name."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from solar_eval.commands.score import console
from solar_eval.report.tables import cell

COLUMNS = ("episodes", "scored", "owed", "strict SR", "worst", "mean reward", "steps", "x optimal", "unread")
GROUPS = (("by_length", "length"), ("by_difficulty", "difficulty"), ("by_app", "app"), ("by_tag", "tag"))
NOTE = (
    "strict SR: score 1.0, over scored episodes, 95 % interval clustered by template; worst: owed as 0; x optimal: "
    "actions of solved episodes over the shortest known solution; unread: steps whose reply could not be read"
)


def show(summary: dict[str, Any]) -> None:
    """Prints the whole, the groups, pass@k and why episodes failed."""
    out = console()
    out.print(main_table(summary))
    lines = [_failures(summary), *_passes(summary)]
    for line in filter(None, lines):
        out.print(Text(line))


def main_table(summary: dict[str, Any]) -> Table:
    """All episodes in the first row, then each group."""
    run = summary["run"]
    agent = run["agent"]
    who = " in ".join(str(word) for word in (agent["model"], agent.get("dialect")) if word)
    rules = run["rules"]
    budget = "10 x complexity" if rules["budget"] is None else f"{rules['budget']} steps"
    done = "done required" if rules["require_done"] else "state alone counts"
    title = f"{run['label']} (version {run['version']}), {who}; budget {budget}, {done}"
    table = Table(title=Text(title), caption=Text(NOTE), title_justify="left", caption_justify="left",
                  box=box.SIMPLE_HEAD, pad_edge=False)  # fmt: skip
    table.add_column("", no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("all", *row(summary), end_section=True)
    for key, word in GROUPS:
        parts = list(summary[key].items())
        for number, (name, part) in enumerate(parts):
            table.add_row(Text(f"{word} {name}"), *row(part), end_section=number == len(parts) - 1)
    return table


def row(part: dict[str, Any]) -> list[str]:
    """The cells of one group, as COLUMNS."""
    counts, steps = part["episodes"], part["steps"]
    mean, ratio = steps["mean"], steps["solved_over_optimal_mean"]
    return [
        str(counts["wanted"]), str(counts["scored"]), str(counts["owed"]), cell(part["strict_sr"]),
        cell(part["strict_sr_worst"]), cell(part["mean_reward"]), "-" if mean is None else f"{mean:.1f}",
        "-" if ratio is None else f"{ratio:.2f}", f"{steps['unreadable']}/{steps['total']}",
    ]  # fmt: skip


def _failures(summary: dict[str, Any]) -> str:
    parts = [f"{name} {count}" for name, count in summary["failures"].items()]
    parts += [f"owed ({kind}) {count}" for kind, count in summary["episodes"]["owed_by_kind"].items()]
    return "not solved: " + ", ".join(parts) if parts else ""


def _passes(summary: dict[str, Any]) -> list[str]:
    out = []
    for name, table in summary["pass_at_k"].items():
        if len(table) > 1:
            cells = [f"k={k}: {100 * v['pass']:.1f} / {100 * v['all']:.1f} ({v['units']})" for k, v in table.items()]
            out.append(f"pass@k / all-of-k {name.replace('_', ' ')} (units): " + ", ".join(cells))
    return out
