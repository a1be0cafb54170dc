"""The visible table of benchmarks, and the one way to load them: `load(name, data, subset)`.

A name with a level (android_control_high) is the same data as the name without; the level is what the prompt shows.
`data` is the folder that holds the files named in the table, or, for AndroidControl, the label file itself; side files
(id lists, splits) are looked for beside it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from solar_eval.benchmarks.gui_odyssey import SUBSETS as ODYSSEY_SUBSETS
from solar_eval.benchmarks.subsets import (
    SUBSETS,
    Subset,
    apply_subset,
    read_id_lists,
    read_step_ids,
    subset_named,
    tagged,
)  # fmt: skip
from solar_eval.errors import DataError, unknown_name
from solar_eval.records import Benchmark

Family = Literal["android_control", "gui_odyssey"]
ID_LISTS = ("subset_7708.txt", "ac_idx.txt")
LABEL_FILES = ("test_steps.qwen_space.jsonl", "android_control_evaluation_std.jsonl")
"""Names under which UI-S1's label file is known; any other single .jsonl of a folder is taken as well."""
PICTURES = ("screenshots", "images")


@dataclass(frozen=True, slots=True)
class BenchmarkSpec:
    """level: what the prompt shows; None leaves it to the run. files: what `data` needs. where: where to get it."""

    name: str
    family: Family
    what: str
    level: Literal["high", "low"] | None
    subsets: tuple[str, ...]
    default: str
    files: str
    where: str


_AC_FILES = (
    "android_control-*-of-* (TFRecords) with splits.json, or UI-S1's label .jsonl; beside them, if at hand: "
    "test_subsplits.json, subset_7708.txt, screenshots/"
)
_AC_WHERE = "gs://gresearch/android_control (TFRecords, CC BY 4.0); X-PLUG/MobileAgent UI-S1/datasets (labels, MIT)"
_ODYSSEY_FILES = "annotations/*.json, splits/*_split.json; screenshots/ for runs"
_ODYSSEY_WHERE = "Hugging Face data set OpenGVLab/GUI-Odyssey (CC BY 4.0)"


def _android_control(name: str, level: Literal["high", "low"] | None, what: str) -> BenchmarkSpec:
    return BenchmarkSpec(name, "android_control", what, level, tuple(SUBSETS), "test_8444", _AC_FILES, _AC_WHERE)


def _odyssey(split: str, what: str) -> BenchmarkSpec:
    names = tuple(subset for subset in ODYSSEY_SUBSETS if not split or subset.startswith(split))
    name = f"gui_odyssey_{split}" if split else "gui_odyssey"
    return BenchmarkSpec(name, "gui_odyssey", what, None, names, split or "random", _ODYSSEY_FILES, _ODYSSEY_WHERE)


BENCHMARKS: dict[str, BenchmarkSpec] = {
    spec.name: spec
    for spec in (
        _android_control("android_control", None, "AndroidControl, single apps, recorded steps"),
        _android_control("android_control_high", "high", "the same; the prompt shows the goal alone"),
        _android_control("android_control_low", "low", "the same; the prompt shows the step's instruction"),
        _odyssey("", "GUI-Odyssey, tasks across apps, recorded steps; the random split unless told otherwise"),
        _odyssey("random", "the random split, whose test part the published agent numbers use"),
        _odyssey("task", "unseen meta-tasks"),
        _odyssey("device", "an unseen device (Pixel Tablet)"),
        _odyssey("app", "unseen apps"),
    )
}


def spec_of(name: str) -> BenchmarkSpec:
    """The table's row. Raises UsageError with a suggestion."""
    if name not in BENCHMARKS:
        raise unknown_name("benchmark", name, BENCHMARKS)
    return BENCHMARKS[name]


def listing() -> list[dict[str, object]]:
    """The table as plain rows, for `solar-eval ls benchmarks`."""
    return [
        {"name": spec.name, "what": spec.what, "subsets": ", ".join(spec.subsets), "default": spec.default,
         "files": spec.files, "where": spec.where}
        for spec in BENCHMARKS.values()
    ]  # fmt: skip


def subset_listing() -> list[dict[str, object]]:
    """AndroidControl's subsets as plain rows: published steps and episodes, and who uses them."""
    return [
        {"name": subset.name, "steps": subset.steps, "episodes": subset.episodes, "used by": subset.used_by}
        for subset in SUBSETS.values()
    ]


def default_data(name: str) -> Path:
    """Where the data of a benchmark is looked for without --data: $SOLAR_EVAL_DATA/<family>, else data/<family>."""
    family = spec_of(name).family
    return Path(os.environ.get("SOLAR_EVAL_DATA", "data")) / family


def load(name: str, data: Path, subset: str = "") -> Benchmark:
    """One subset of a benchmark (its default where `subset` is empty), named as asked.

    Raises UsageError for an unknown name or subset, DataError where files are missing (it says where they are to be
    had) or nothing can be read.
    """
    spec = spec_of(name)
    wanted = subset or spec.default
    if wanted not in spec.subsets:
        raise unknown_name(f"subset of {name}", wanted, spec.subsets)
    if not data.exists():
        raise DataError("no such file or folder", str(data), f"{name} needs {spec.files}; from {spec.where}")
    if spec.family == "gui_odyssey":
        from solar_eval.benchmarks.gui_odyssey import load_odyssey

        return load_odyssey(data, wanted, name=name)
    return _load_android_control(spec, data, subset_named(wanted))


def _load_android_control(spec: BenchmarkSpec, data: Path, subset: Subset) -> Benchmark:
    folder = data if data.is_dir() else data.parent
    lists = _id_lists(folder)
    base = _labels(spec, data, folder, subset, lists)
    tags = {name: ids for name, ids in lists.items() if name != "train"}
    base = tagged(base, {f"split:{n}" if n in ("validation", "test") else n: ids for n, ids in tags.items()})
    ids = next((read_step_ids(folder / name) for name in ID_LISTS if (folder / name).is_file()), None)
    return apply_subset(base, subset.name, ids if subset.ids else None)


def _id_lists(folder: Path) -> dict[str, frozenset[str]]:
    """Episode ids by split (train, validation, test) and sub-split, of the files that are there."""
    lists: dict[str, frozenset[str]] = {}
    for name in ("splits.json", "test_subsplits.json"):
        if (folder / name).is_file():
            lists |= read_id_lists(folder / name)
    if "test" not in lists and lists:
        lists["test"] = frozenset().union(*(ids for name, ids in lists.items() if name not in ("train", "validation")))
    return lists


def _labels(
    spec: BenchmarkSpec, data: Path, folder: Path, subset: Subset, lists: Mapping[str, frozenset[str]]
) -> Benchmark:
    pictures = next((folder / name for name in PICTURES if (folder / name).is_dir()), None)
    label_file = _label_file(data)
    if label_file is not None:
        if subset.split == "not_train":
            raise DataError(f"{subset.name} needs the validation split, which {label_file.name} does not have",
                            str(label_file), f"it takes the TFRecords: {_AC_WHERE}")  # fmt: skip
        from solar_eval.benchmarks.android_control_jsonl import Options, load_jsonl

        base = load_jsonl(label_file, Options(images=pictures, finish=subset.finish), spec.name)
        return _only(base, lists["test"], label_file) if subset.split == "test" and "test" in lists else base
    return _records(spec, data, folder, subset, lists)


def _only(benchmark: Benchmark, wanted: frozenset[str], where: Path) -> Benchmark:
    episodes = tuple(episode for episode in benchmark.episodes if episode.id in wanted)
    if not episodes:
        raise DataError("none of its episodes is in the test split", str(where), "subset `all` takes it as it is")
    return replace(benchmark, episodes=episodes)


def _records(
    spec: BenchmarkSpec, data: Path, folder: Path, subset: Subset, lists: Mapping[str, frozenset[str]]
) -> Benchmark:
    from solar_eval.benchmarks.android_control import Options, load_tfrecords, shards_of

    try:
        shards_of(data)
    except DataError as error:
        raise DataError(error.what, error.where, f"{spec.name} needs {spec.files}; from {spec.where}") from error
    if subset.split == "all":
        return load_tfrecords(data, Options(None, subset.finish), spec.name)
    known = lists.get("train" if subset.split == "not_train" else "test")
    if known is None:
        name = "train" if subset.split == "not_train" else "test"
        raise DataError(f"splits.json with its list {name!r} is missing", str(folder),
                        f"it says which episodes {subset.name} has; from {spec.where}")  # fmt: skip
    keep = known.__contains__ if subset.split == "test" else lambda episode: episode not in known
    return load_tfrecords(data, Options(keep, subset.finish), spec.name)


def _label_file(data: Path) -> Path | None:
    """The JSON lines file that `data` means; None where it means TFRecords. Raises DataError if several fit.

    A folder with both means the TFRecords, the official form; naming the label file chooses that.
    """
    from solar_eval.benchmarks.android_control import shards_in

    if data.is_file():
        return data if data.name.endswith((".jsonl", ".jsonl.gz")) else None
    if shards_in(data):
        return None
    for name in LABEL_FILES:
        if (data / name).is_file():
            return data / name
    found = sorted(file for file in data.glob("*.jsonl*") if file.name.endswith((".jsonl", ".jsonl.gz")))
    if len(found) > 1:
        names = ", ".join(file.name for file in found)
        raise DataError(f"several label files: {names}", str(data), "name the one you mean")
    return found[0] if found else None
