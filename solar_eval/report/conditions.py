"""Names of benchmarks as tables use them, and the conditions under which a protocol's own numbers were made.

Where element boxes come from changes a number as much as a rule does, so it is a condition: the source's own is the
accessibility forest for rules that look for boxes in it, the label's candidates where the rule takes those, SAM2 boxes
on GUI-Odyssey, none for distance rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from solar_eval.protocols import presets
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


def family_of(benchmark: str) -> str:
    """android_control, gui_odyssey, or the benchmark itself."""
    for family in ("android_control", "gui_odyssey"):
        if benchmark.startswith(family):
            return family
    return benchmark


def native_boxes(protocol: str, benchmark: str) -> str:
    """Where the protocol's own numbers on a benchmark have their boxes from; "-" where that is not known."""
    preset, family = presets().get(protocol), family_of(benchmark)
    if preset is None or family not in ("android_control", "gui_odyssey"):
        return MISSING
    rule = preset.click_rule(family)
    if rule.boxes == "none":
        return "none"
    if family == "gui_odyssey":
        return "sam2" if rule.boxes == "candidates" else "none"
    return "candidates" if rule.boxes == "candidates" else "forest"


def native_subset(protocol: str, benchmark: str) -> str:
    """The subset that the protocol's source scores; "-" where there is none."""
    preset = presets().get(protocol)
    return dict(preset.subset).get(family_of(benchmark), MISSING) if preset else MISSING  # type: ignore[call-overload]


def used_boxes(protocol: str, benchmark: str, sources: Mapping[str, object]) -> str:
    """What a run's boxes came from, as far as the protocol looks at boxes. `sources`: steps by source."""
    preset, family = presets().get(protocol), family_of(benchmark)
    if preset is not None and preset.click_rule(family).boxes == "none":
        return "none"
    return "+".join(sorted(name for name in sources if name != "none")) or "none"
