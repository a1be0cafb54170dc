"""A table, task by task, of what AndroidWorld's own task classes make of the pocket phone.

Run `python -m emulator.pocket.experts.conformance CHECKOUT [FILE]` with a checkout of google-research/android_world
whose protos are compiled (its requirements importable). For each registered task and seed: does it initialise, what
does it score a no-op, what the scripted solution. The scores are the pocket phone's, never AndroidWorld scores.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from emulator.pocket.experts.bench import Bench, Verdict
from emulator.pocket.experts.solutions import SOLUTIONS
from emulator.pocket.phone import Phone

SEEDS = (30, 31, 32)
HEADINGS = ("task", "initialises", "no-op", "script", "what is lacking")


def row(bench: Bench, name: str, seeds: Sequence[int]) -> tuple[str, ...]:
    """One task over some seeds: counts of set-ups, scores of a no-op and of its script, and the first complaint."""
    idle = [bench.run(name, seed) for seed in seeds]
    ready = [verdict for verdict in idle if not verdict.failed_in]
    script = SOLUTIONS.get(name)
    done = [bench.run(name, seed, script) for seed in seeds] if script else []
    lacking = next((_why(verdict) for verdict in [*idle, *done] if verdict.failed_in), "")
    if not lacking and script is None:
        lacking = "no script yet"
    return name, f"{len(ready)}/{len(seeds)}", _scores(idle), _scores(done) if done else "-", lacking


def _scores(verdicts: Sequence[Verdict]) -> str:
    return " ".join("-" if verdict.failed_in else f"{verdict.score:g}" for verdict in verdicts)


def _why(verdict: Verdict) -> str:
    lines = verdict.error.strip().splitlines()
    return f"{verdict.failed_in}: {lines[-1] if lines else ''}"[:110].replace("|", "/")


def table(checkout: Path, seeds: Sequence[int] = SEEDS) -> str:
    """The Markdown page."""
    bench = Bench(Phone(seed=5), checkout)
    rows = [row(bench, name, seeds) for name in sorted(bench.registry)]
    ready = sum(r[1] == f"{len(seeds)}/{len(seeds)}" for r in rows)
    solved = sum(set(r[3].split()) == {"1"} for r in rows)
    lines = [
        "# AndroidWorld's task classes on the pocket phone",
        "",
        "Made by `python -m emulator.pocket.experts.conformance`. Scores of the pocket phone, not AndroidWorld scores.",
        f"Seeds {', '.join(map(str, seeds))}, in that order. {len(rows)} tasks; {ready} initialise and judge a no-op "
        f"on every seed; {solved} are solved 1.0 by their script on every seed.",
        "",
    ]
    lines += ["| " + " | ".join(cells) + " |" for cells in (HEADINGS, ("---",) * len(HEADINGS), *rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Prints the page, or writes it to the second argument."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m emulator.pocket.experts.conformance CHECKOUT [FILE]")
    page = table(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(page, encoding="utf-8")
    else:
        print(page, end="")


if __name__ == "__main__":
    main()
