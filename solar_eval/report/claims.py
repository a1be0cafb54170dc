"""What the ablation found of each published claim, as a table of the leaderboard: results/ablation/claims.json.

The file is written by `scripts/reproduce_ablation` (training/ablation/report.py): a list of {origin, claim, verdict,
numbers}. The numbers are the pointer policy's on the pocket phone, so they stand apart from every ranking.
"""

from __future__ import annotations

import json
from pathlib import Path

from solar_eval.errors import DataError
from solar_eval.report.sheet import Block, Sheet

FILE = Path("ablation") / "claims.json"
TITLE = "SOLAR-RL's claims in miniature (pointer policy, pocket)"
LEAD = (
    "A small policy on interface elements, trained on the built-in phone; no number here is comparable with a "
    "vision-language model's. Settings, all arms and curves: results/ablation/README.md."
)
ORIGINS = {
    "published": "What the paper states", "premise": "What the method rests on",
    "ours": "What we expected of our own variants",
}  # fmt: skip
VERDICTS = {"holds": "holds", "fails": "does not hold", "undecided": "undecided"}


def sheet(results: Path) -> Sheet | None:
    """The table, None where no ablation lies in `results`. Raises DataError for a file of another form."""
    file = results / FILE
    if not file.is_file():
        return None
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        rows = [(str(one["origin"]), (str(one["claim"]), VERDICTS[one["verdict"]], str(one["numbers"])))
                for one in found]  # fmt: skip
        blocks = tuple(
            Block(heading, tuple(row for origin, row in rows if origin == name)) for name, heading in ORIGINS.items()
        )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise DataError(f"can't be read: {error}", str(file), "make it again: scripts/reproduce_ablation") from None
    return Sheet(TITLE, ("claim", "verdict", "numbers"), tuple(b for b in blocks if b.rows), lead=LEAD)
