"""Score tables for the terminal: one row a protocol, no number without its n and interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

VIEW_NOTE = {
    "rows": "rows: the steps the reply file holds",
    "subset": "subset: every step of the benchmark's subset, missing replies are wrong",
}
METRICS = (("type_match", "TM"), ("step_sr", "step SR"), ("grounding", "grounding"), ("episode_sr", "episode SR"),
           ("goal_progress", "progress"))  # fmt: skip


def cell(estimate: dict[str, Any]) -> str:
    """'66.89±1.5' in per cent (the wider half of the interval), '-' where there is no value."""
    if estimate["value"] is None:
        return "-"
    value = f"{100 * estimate['value']:.2f}"
    if estimate["low"] is None:
        return value
    half = max(estimate["high"] - estimate["value"], estimate["value"] - estimate["low"])
    return f"{value}±{100 * half:.1f}"


def score_rows(summary: dict[str, Any], view: str) -> list[list[str]]:
    """Table rows of one view: protocol, steps, episodes, metrics, unparseable, missing."""
    rows = []
    for name, protocol in summary["protocols"].items():
        data = protocol["views"][view]
        counts = data["counts"]
        mark = "" if protocol["defined_here"] else " *"
        row = [name + mark, str(counts["scored"]), str(counts["episodes"])]
        row += [cell(data[metric]) for metric, _ in METRICS]
        rows.append([*row, str(counts["unparseable"]), str(counts["missing"]), str(counts["owed"])])
    return rows


def columns() -> list[str]:
    """Headings of `score_rows`."""
    return ["protocol", "steps", "episodes", *(title for _, title in METRICS), "unread", "missing", "owed"]


def score_table(summary: dict[str, Any], view: str, title: str) -> Table:
    """The same as a rich table."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), caption=Text(caption(summary, view)), title_justify="left",
                  caption_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)  # fmt: skip
    for i, name in enumerate(columns()):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=True)
    for row in score_rows(summary, view):
        table.add_row(*row)
    return table


def label_counts(labels: dict[str, Any]) -> str:
    """The labels in one line: episodes, steps by kind, what could not be read. `labels`: `benchmarks.counts.counts`."""
    kinds = ", ".join(f"{kind} {count}" for kind, count in labels["kinds"].items())
    unread = f"unreadable: {labels['unreadable']['n']} items, {labels['label_faults']['n']} labels"
    return f"labels: {labels['episodes']} episodes, {labels['steps']} steps ({kinds}); {unread}"


def caption(summary: dict[str, Any], view: str) -> str:
    """What a reader must know: the view, the boxes' source, the parse, where a protocol is outside its benchmark."""
    boxes = ", ".join(f"{name} ({count} steps)" for name, count in summary["box_sources"].items())
    parts = [
        f"per cent, ± the half width of the 95 % interval (clustered by episode); {VIEW_NOTE[view]}",
        f"subset {summary['subset']}; element boxes from: {boxes}",
        label_counts(summary["labels"]),
    ]
    if any(not protocol["defined_here"] for protocol in summary["protocols"].values()):
        parts.append("* not defined for this benchmark by its source: our extension")
    return "\n".join([*parts, *summary["notes"]])
