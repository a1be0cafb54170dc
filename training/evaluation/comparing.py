"""The paired comparison of two run directories as text: offline by solar_eval's `compare`, live by task and seed."""

from __future__ import annotations

import io
from pathlib import Path

from solar_eval.errors import DataError, boundary


def compared(a: Path, b: Path, live: bool) -> str:
    """B against A. Raises RunDirError, DataError or UsageError where the two do not fit together."""
    return compared_live(a, b) if live else compared_offline(a, b)


def compared_offline(a: Path, b: Path) -> str:
    """What `solar-eval compare A B` prints, with the first five of each kind of flip."""
    from solar_eval.commands.compare import run

    out = io.StringIO()
    run(a, b, flips=5, out=out)
    return out.getvalue()


def compared_live(a: Path, b: Path) -> str:
    """Episode SR of the tasks that both scored: difference clustered by template, McNemar's exact test, the flips."""
    import numpy as np

    from solar_eval.paired import clustered_difference, mcnemar_exact

    one, other = solved(a), solved(b)
    common = sorted(one.keys() & other.keys())
    if not common:
        raise DataError("the two live runs have no scored episode in common", f"{a} and {b}")
    before, after = np.array([one[k] for k in common]), np.array([other[k] for k in common])
    found = clustered_difference(after.astype(float) - before.astype(float), np.array([k[0] for k in common]))
    lines = [
        f"{len(common)} episodes of {found.clusters} templates; episode SR {before.mean():.3f} -> {after.mean():.3f}"
    ]
    if found.low is not None and found.high is not None:
        lines.append(
            f"difference {found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}], 95 %, clustered by template"
        )
    fixed, broken = int((after & ~before).sum()), int((before & ~after).sum())
    lines.append(f"fixed {fixed}, broken {broken}, McNemar exact p = {mcnemar_exact(broken, fixed):.3f}")
    for word, chosen in (("fixed", after & ~before), ("broken", before & ~after)):
        lines += [f"  {word}: {common[i][0]} seed {common[i][1]}" for i in np.flatnonzero(chosen)]
    return "\n".join(lines) + "\n"


def solved(run: Path) -> dict[tuple[str, int, int], bool]:
    """Whether an episode was solved (score exactly 1), by template, seed and repeat; scored ones alone."""
    import pandas as pd

    file = run / "episodes.parquet"
    with boundary(DataError, str(file), "run it again"):
        table = pd.read_parquet(file)
        table = table[table["score"].notna()]
        keys = zip(table["template"].astype(str), table["seed"].astype(int), table["repeat"].astype(int), strict=True)
        return dict(zip(keys, (table["score"] == 1.0).tolist(), strict=True))
