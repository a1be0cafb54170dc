"""Names of benchmarks as tables use them, and the conditions under which a protocol's own numbers were made.

Where element boxes come from changes a number as much as a rule does, so it is a condition: the source's own is the
accessibility forest for rules that look for boxes in it, the label's candidates where the rule takes those, SAM2 boxes
on GUI-Odyssey, none for distance rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from solar_eval.protocols import Family, family_of, presets
from solar_eval.report.entries import MISSING

BENCHMARK_TITLES: dict[str, str] = {
    "android_control_low": "AndroidControl-Low",
    "android_control_high": "AndroidControl-High",
    "android_control": "AndroidControl (level not stated)",
    "gui_odyssey": "GUI-Odyssey",
    "aitz": "AiTZ",
    "cagui": "CAGUI",
    "android_world": "AndroidWorld",
    "pocket_world": "pocket_world (built-in phone)",
}
"""Known benchmarks in the order of the tables; others follow by name."""


def benchmark_name(name: str, level: str = "") -> str:
    """The name that tables use: AndroidControl with its level, GUI-Odyssey without its split (that is the subset)."""
    if name == "android_control" and level in ("high", "low"):
        return f"android_control_{level}"
    return "gui_odyssey" if name.startswith("gui_odyssey") else name


def benchmark_title(name: str) -> str:
    """For people."""
    return BENCHMARK_TITLES.get(name, name)


def known_family(benchmark: str) -> Family | None:
    """android_control or gui_odyssey; None for a benchmark that no preset is about (AiTZ, AndroidWorld)."""
    return family_of(benchmark) if benchmark.startswith(("android_control", "gui_odyssey")) else None


def native_boxes(protocol: str, benchmark: str) -> str:
    """Where the protocol's own numbers on a benchmark have their boxes from; "-" where that is not known."""
    preset, family = presets().get(protocol), known_family(benchmark)
    if preset is None or family is None:
        return MISSING
    rule = preset.click_rule(family)
    if rule.boxes == "none":
        return "none"
    if family == "gui_odyssey":
        return "sam2" if rule.boxes == "candidates" else "none"
    return "candidates" if rule.boxes == "candidates" else "forest"


def native_subset(protocol: str, benchmark: str) -> str:
    """The subset that the protocol's source scores; "-" where there is none."""
    preset, family = presets().get(protocol), known_family(benchmark)
    return MISSING if preset is None or family is None else preset.subset.get(family, MISSING)


def used_boxes(protocol: str, benchmark: str, sources: Mapping[str, object]) -> str:
    """What a run's boxes came from, as far as the protocol looks at boxes. `sources`: steps by source."""
    preset, family = presets().get(protocol), family_of(benchmark)
    if preset is not None and preset.click_rule(family).boxes == "none":
        return "none"
    return "+".join(sorted(name for name in sources if name != "none")) or "none"
