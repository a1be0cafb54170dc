"""`solar-eval export RUN --inspect FILE`: the run as an inspect_ai log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TextIO


def run(path: Path, inspect: Path, data: Path | None = None, images: bool = False, out: TextIO | None = None) -> int:
    """Writes the log and says so; returns 0. Raises UsageError, RunDirError, DataError.

    data: the benchmark's files; without them there are no screenshots. images: put the screenshots into the log.
    """
    from solar_eval.report.inspect_log import write_inspect_log
    from solar_eval.view.offline import load_offline

    loaded = load_offline(path, data)
    for note in loaded.notes if images else ():
        print(f"note: {note}", file=sys.stderr)
    count = write_inspect_log(loaded, inspect, images)
    print(f"{inspect}: {count} samples; open it with `inspect view start --log-dir {inspect.parent}`",
          file=out or sys.stdout)  # fmt: skip
    return 0
