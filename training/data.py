"""Recorded episodes for training, through solar_eval's loaders: which files, which split, with a finish step or not.

The benchmark tables of solar_eval name what is evaluated, so their subsets are test sets; training takes other parts of
the same files: AndroidControl's train list in splits.json, GUI-Odyssey's train part. `pocket` is an export of the
built-in phone (`solar-emulator pocket --export androidcontrol`), whose files have AndroidControl's schema and all of
whose episodes stand in its list `test`; `demo` is `training.demo`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from solar_eval.benchmarks.subsets import append_finish, read_id_lists
from solar_eval.errors import DataError, unknown_name
from solar_eval.protocols import Family, family_of
from solar_eval.records import Benchmark
from training.demo import demo_world

SourceKind = Literal["android_control", "gui_odyssey", "pocket", "demo"]
KINDS: tuple[SourceKind, ...] = get_args(SourceKind)
LABEL_ENDINGS = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True)
class SourceSpec:
    """One source of episodes.

    kind: whose files. path: file or folder (none for demo). split: a list of splits.json, GUI-Odyssey's train or test,
    or all. finish: append a finish step where the last screenshot is recorded. share: part of the draws, None: by size.
    limit: only the first episodes. seed, episodes, signs: of the demo world.
    """

    kind: SourceKind
    path: Path | None = None
    split: str = "train"
    finish: bool = True
    share: float | None = None
    limit: int | None = None
    episodes: int = 200
    signs: int = 8
    seed: int = 0

    @property
    def family(self) -> Family:
        """Whose rules judge its steps."""
        return family_of(self.kind)

    @property
    def name(self) -> str:
        """For tables: kind and path."""
        return self.kind if self.path is None else f"{self.kind}:{self.path}"


def load_source(spec: SourceSpec) -> Benchmark:
    """All episodes of a source. Raises UsageError, or DataError where files are missing or hold nothing readable."""
    if spec.kind not in KINDS:
        raise unknown_name("source", spec.kind, KINDS)
    if spec.kind == "demo":
        made = demo_world(spec.episodes, spec.seed, signs=spec.signs)
    elif spec.path is None or not spec.path.exists():
        raise DataError("no such file or folder", str(spec.path), f"a source of kind {spec.kind} needs its files")
    elif spec.kind == "gui_odyssey":
        made = _odyssey(spec, spec.path)
    else:
        made = _android_control(spec, spec.path)
    if spec.limit is None:
        return made
    return Benchmark(made.name, made.subset, made.episodes[: spec.limit], made.unreadable, made.notes)


def _odyssey(spec: SourceSpec, path: Path) -> Benchmark:
    from solar_eval.benchmarks.gui_odyssey import load_odyssey

    if spec.split == "all":
        return load_odyssey(path, "all")
    if spec.split not in ("train", "test"):
        raise unknown_name("split of gui_odyssey", spec.split, ("train", "test", "all"))
    return load_odyssey(path, "random", spec.split)


def _android_control(spec: SourceSpec, path: Path) -> Benchmark:
    if path.name.endswith(LABEL_ENDINGS):
        return _label_lines(spec, path)
    from solar_eval.benchmarks.android_control import Options, load_tfrecords

    folder = path if path.is_dir() else path.parent
    wanted = None if spec.split == "all" or spec.kind == "pocket" else _listed(folder, spec.split).__contains__
    return load_tfrecords(path, Options(wanted, spec.finish, boxes=False), spec.kind)


def _label_lines(spec: SourceSpec, path: Path) -> Benchmark:
    from solar_eval.benchmarks.android_control_jsonl import Options, load_jsonl

    pictures = next((path.parent / n for n in ("screenshots", "images") if (path.parent / n).is_dir()), None)
    made = load_jsonl(path, Options(images=pictures, finish=spec.finish), spec.kind)
    made = append_finish(made) if spec.finish and pictures is None else made
    if spec.split == "all":
        return made
    ids = _listed(path.parent, spec.split)
    kept = tuple(episode for episode in made.episodes if episode.id in ids)
    if not kept:
        raise DataError(f"none of its episodes is in the list {spec.split!r}", str(path), 'split = "all" takes all')
    return Benchmark(made.name, spec.split, kept, made.unreadable, made.notes)


def _listed(folder: Path, split: str) -> frozenset[str]:
    """Episode ids of a list of splits.json. Raises DataError where it is not there."""
    path = folder / "splits.json"
    if not path.is_file():
        raise DataError("splits.json is missing", str(folder), 'it says what to train on; split = "all" needs none')
    lists = read_id_lists(path)
    if split not in lists:
        raise DataError(f"no list named {split!r}; it has {', '.join(sorted(lists))}", str(path))
    return lists[split]
