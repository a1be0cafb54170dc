"""`solar-eval ls`: the visible tables of the project."""

from __future__ import annotations

import json
from typing import Any

WIDTH = 150
"""Columns of text a table takes at least; narrower terminals scroll or wrap."""


def run(what: str, fields: bool, as_json: bool) -> int:
    """Prints one table, as text or as JSON."""
    rows = {"benchmarks": benchmarks, "dialects": dialects, "models": models}.get(what, protocols)()
    if what == "protocols" and fields:
        rows = protocol_fields()
    if as_json:
        print(json.dumps(rows, indent=1))
        return 0
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, heading in enumerate(rows[0] if rows else ()):
        table.add_column(heading, overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    console = Console()
    console.width = max(console.width, WIDTH)
    console.print(table)
    return 0


def dialects() -> list[dict[str, Any]]:
    """Name, checkpoints, coordinates, picture rule, scroll sense, source."""
    from solar_eval.dialects.table import DIALECTS

    return [
        {
            "name": d.name, "family": d.family, "coordinates": d.space, "scroll word": d.scroll_sense,
            "images": d.history_images, "prompt sha256": d.template().sha256[:12], "source": d.source,
        }
        for d in DIALECTS.values()
    ]  # fmt: skip


def protocols() -> list[dict[str, Any]]:
    """Name, what it is, where it is defined, its subset, its source."""
    from solar_eval.protocols import presets

    return [
        {
            "name": p.name, "what": p.title, "for": ", ".join(p.defined_for),
            "subsets": ", ".join(f"{k}: {v}" for k, v in p.subset.items()), "source": p.source,
        }
        for p in presets().values()
    ]  # fmt: skip


def protocol_fields() -> list[dict[str, Any]]:
    """Every field of a protocol and of its rules with its meaning, for those who write a protocol file."""
    from solar_eval.protocols import ClickRule, Protocol, TextRule, TextTest

    return [
        {"field": f"{prefix}{name}", "default": repr(info.get_default(call_default_factory=True)) if not
         info.is_required() else "required", "meaning": info.description or ""}
        for prefix, model in (("", Protocol), ("click.", ClickRule), ("text.", TextRule), ("text.any_of.", TextTest))
        for name, info in model.model_fields.items()
    ]  # fmt: skip


def benchmarks() -> list[dict[str, Any]]:
    """Name, what it is, which files it needs."""
    from solar_eval.benchmarks.table import listing
    from solar_eval.live import benchmarks as live

    return [*listing(), *live.listing()]


def models() -> list[dict[str, Any]]:
    """Model specifications."""
    from solar_eval.models.table import MODELS

    return [{"spec": entry.usage, "what": entry.about} for entry in MODELS.values()]
