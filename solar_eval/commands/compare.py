"""`solar-eval compare A B`: two run directories, paired, clustered by episode, with the flips."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from solar_eval.report.comparison import Form
from solar_eval.result_files import write_atomically


def run(
    a: Path,
    b: Path,
    *,
    protocol: str = "",
    across: bool = False,
    form: Form = "text",
    to: Path | None = None,
    flips: int = 20,
    out: TextIO | None = None,
) -> int:
    """Prints the comparison, or writes it to `to`; returns 0. Raises UsageError where the runs don't fit together.

    protocol: one name, "OF_A,OF_B", or "" for the default or first common one. across: compare what differs all the
    same. flips: how many fixed and how many broken steps are listed.
    """
    from solar_eval.compare import compare
    from solar_eval.compare_runs import open_side
    from solar_eval.report.comparison import render

    text = render(compare(open_side(a), open_side(b), protocol, across), form, flips)
    if to is None:
        print(text, end="", file=out or sys.stdout)
    else:
        write_atomically(to, text.encode("utf-8"))
    return 0
