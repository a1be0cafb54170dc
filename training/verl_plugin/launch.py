"""Launchers as templates: they start Ray where it has to be started and run `solar-train verl`, no more.

Values that differ from site to site (partition, account, modules) are marked EDIT in the text.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from solar_eval.errors import unknown_name

TEMPLATES = Path(__file__).parent / "launchers"
KINDS = ("slurm", "ray", "node")


def render(kind: str, config: str, overrides: Sequence[str] = ()) -> str:
    """The script of a kind; configuration and overrides are quoted for the shell. Raises UsageError."""
    if kind not in KINDS:
        raise unknown_name("launcher", kind, KINDS)
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
        autoescape=False,
    )  # fmt: skip
    words = [shlex.quote(word) for word in (config, *overrides)]
    return environment.get_template(f"{kind}.sh.jinja").render(words=" ".join(words))
