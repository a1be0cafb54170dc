"""`solar-eval report`: writes the leaderboard files and the README's section, or says that they are stale."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO

from solar_eval.report import leaderboard

STALE = 1


def run(results: Path, readme: Path | None, check: bool, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Exit code 0, or 1 with --check where a file is not what results/ gives. Raises DataError or UsageError.

    results: folder with published.csv and the run directories. readme: file with the two markers, None to leave it.
    """
    out, err = out or sys.stdout, err or sys.stderr
    made = leaderboard.gather(results)
    for sentence in made.left_out:
        print(f"left out: {sentence}", file=err)
    files = leaderboard.outputs_of(made, results, readme)
    if check:
        found = leaderboard.stale(files)
        for sentence in found:
            print(f"stale: {sentence}", file=err)
        if found:
            print("run scripts/regenerate_leaderboard and commit what it writes", file=err)
        return STALE if found else 0
    changed = leaderboard.write(files)
    ours = sum(entry.ours for entry in made.entries)
    print(f"{len(made.entries)} rows ({ours} ours) in {len(files)} files, {len(changed)} changed", file=out)
    for path in changed:
        print(path, file=out)
    return 0
