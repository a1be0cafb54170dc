"""The visible table of live benchmarks, and what a run takes of one: templates by pattern, seeds, repeats."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from solar_eval.errors import UsageError, unknown_name
from solar_eval.live.store import Item, item_for
from solar_eval.live.task import LiveBenchmark, Template

PatternChars = "*?["


@dataclass(frozen=True, slots=True)
class LiveSpec:
    """One row. make: the benchmark, given the folder of what it needs. devices: phones it runs on by default."""

    name: str
    what: str
    files: str
    where: str
    make: Callable[[Path | None], LiveBenchmark]
    devices: str | None = None


def _pocket_world(folder: Path | None) -> LiveBenchmark:
    from solar_eval.benchmarks.pocket_world.suite import PocketWorld

    return PocketWorld()


def _android_world(folder: Path | None) -> LiveBenchmark:
    from solar_eval.live.official import load_official

    return load_official(folder)


LIVE: dict[str, LiveSpec] = {
    spec.name: spec
    for spec in (
        LiveSpec("pocket_world", "live tasks on the built-in phone, our own", "nothing", "built in", _pocket_world,
                 "pocket-in-process:2"),
        LiveSpec("android_world", "AndroidWorld's own tasks, live, on any phone",
                 "a checkout with its protos compiled (--android-world)",
                 "github.com/google-research/android_world", _android_world),
    )
}  # fmt: skip


def listing() -> list[dict[str, object]]:
    """The table as rows of `solar-eval ls benchmarks`."""
    return [
        {"name": spec.name, "what": spec.what, "subsets": "--tasks, --seeds", "default": "all tasks, seed 30",
         "files": spec.files, "where": spec.where}
        for spec in LIVE.values()
    ]  # fmt: skip


def chosen(benchmark: LiveBenchmark, patterns: Sequence[str]) -> list[Template]:
    """The templates that any pattern names, in the benchmark's order; all without patterns. UsageError for a miss."""
    templates = list(benchmark.templates)
    names = [template.name for template in templates]
    wanted: set[str] = set()
    for pattern in patterns:
        found = fnmatch.filter(names, pattern)
        if not found and not set(pattern) & set(PatternChars):
            raise unknown_name(f"task of {benchmark.name}", pattern, names)
        if not found:
            raise UsageError(f"no task of {benchmark.name} is called {pattern}", "--tasks", "see --dry-run for all")
        wanted |= set(found)
    return [template for template in templates if not patterns or template.name in wanted]


def items_of(benchmark: LiveBenchmark, templates: Sequence[Template], seeds: Sequence[int], repeats: int) -> list[Item]:
    """Every episode of a run: pass by pass (seed, then repeat), so that a run cut short still covers all tasks."""
    out: list[Item] = []
    for seed in dict.fromkeys(seeds):
        tasks = [benchmark.instantiate(template.name, seed) for template in templates]
        for repeat in range(repeats):
            out += [item_for(benchmark.name, benchmark.version, t, repeat, len(out) + n) for n, t in enumerate(tasks)]
    return out
