"""The loop: train, export, evaluate offline and live, a leaderboard row, the comparison with the parent checkpoint.

Everything is in one folder (`LoopConfig.out`): sets/ (expert episodes of pocket_world), train/ (the training run),
models/NAME (what is asked), data/ (links), results/BENCHMARK/NAME/RUN (run directories of solar_eval, and the
leaderboard files), compare/. Evaluations are processes of their own, in this folder, with relative paths: the manifests
name no path of the machine. See docs/loop.md.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from solar_eval.config import Resolved
from solar_eval.errors import DataError, SolarEvalError
from solar_eval.result_files import write_atomically
from training.commands.run import resolved_of, tell
from training.config import TrainConfig
from training.evaluation.config import LoopConfig, OfflineConfig
from training.evaluation.stages import Command, Stages, content_key, key_of

if TYPE_CHECKING:
    from solar_eval.report.entries import Entry

EVAL, TRAIN = "solar_eval.cli", "training.cli"
LIVE, POCKET = "pocket_world", "pocket"
KEPT = ("manifest.json", "summary.json")
SCRIPTS = {
    "random": ("scripted:random", "scripted:random"),
    "expert": ("scripted:gold", "scripted:expert"),
}
"""Baselines: whom to ask offline, and live."""
SETS = {"train-high": (False, 0), "train-low": (True, 1_000_000)}
"""Sets that are trained on: whether their steps have instructions, and the number of the first episode."""


@dataclass(frozen=True)
class Row:
    """One row of the table. folder: its checkpoint, None for a script. key: hash of what it is."""

    name: str
    folder: Path | None = None
    key: str = "script"


@dataclass(frozen=True)
class Run:
    """One run directory: results/BENCHMARK/NAME/RUN, relative to the loop's folder, and the command that makes it."""

    benchmark: str
    row: Row
    path: Path
    command: Command

    @property
    def place(self) -> Path:
        """BENCHMARK/RUN: what the runs of two rows have in common."""
        return Path(self.benchmark) / self.path.name

    @property
    def stage(self) -> str:
        """Its name in stages.json."""
        return f"{self.benchmark} {self.row.name} {self.path.name}"


@dataclass
class Loop:
    """All stages of one configuration. failed: what could not be evaluated, in words."""

    config: LoopConfig
    stages: Stages
    failed: list[str]

    # ---- what is asked
    def rows(self, checkpoint: Path, name: str) -> list[Row]:
        """The checkpoint, its parent, the scripts. DataError for a folder without a checkpoint."""
        made = [Row(name, checkpoint, content_key(checkpoint))]
        if self.config.parent is not None:
            made.append(Row(self.config.parent_name, self.config.parent, content_key(self.config.parent)))
        return made + [Row(script) for script in self.config.baselines]

    def stand(self, row: Row) -> None:
        """models/NAME: a link to the checkpoint; models/prompt.jinja: the wording."""
        models = self.config.out / "models"
        models.mkdir(parents=True, exist_ok=True)
        if row.folder is not None:
            link_to(models / row.name, row.folder)
        if self.config.prompt is not None:
            write_atomically(models / "prompt.jinja", self.config.prompt.read_bytes())

    def asked(self, row: Row, live: bool) -> list[str]:
        """The flags that say whom to ask, and how."""
        config = self.config
        if row.folder is None:
            script = SCRIPTS[row.name][int(live)]
            return ["--model", script, *([] if live else ["--dialect", config.dialect or "generic_json"])]
        made = ["--model", f"local:models/{row.name}", "--dialect", config.dialect or "generic_json"]
        if config.prompt is not None:
            made += ["--prompt", "models/prompt.jinja"]
        for name in ("min_pixels", "max_pixels", "max_tokens"):
            if (value := getattr(config, name)) is not None:
                made += [f"--{name.replace('_', '-')}", str(value)]
        return [*made, "--temperature", "0"]

    # ---- the runs
    def pocket_set(self) -> Path:
        """sets/HASH, relative: expert episodes of the tasks."""
        config = self.config
        key = key_of({"tasks": config.tasks, "seeds": config.offline_seeds, "size": config.size})
        self.stages.run(f"pocket set {key}", key, config.out / "sets" / key,
                        lambda: make_set(config, config.out / "sets" / key, config.offline_seeds))  # fmt: skip
        return Path("sets") / key

    def offline(self, row: Row, one: OfflineConfig) -> Run:
        """One recorded benchmark."""
        data = self.pocket_set() if one.data is None else Path("data") / key_of({"path": one.data.resolve()})
        if one.data is not None:
            link_to(self.config.out / data, one.data)
        told = ["run", one.benchmark, "--data", str(data), "--subset", one.subset, "--protocol", ",".join(one.protocol)]
        told += ["--limit", str(one.limit)] if one.limit is not None else []
        which = POCKET if one.data is None else one.subset
        path = Path("results") / one.benchmark / row.name / which
        return Run(one.benchmark, row, path, [EVAL, *told, *self.asked(row, False), "--out", str(path)])

    def live(self, row: Row) -> Run:
        """pocket_world over adb."""
        config, path = self.config, Path("results") / LIVE / row.name / "live"
        told = ["run", LIVE, "--devices", f"pocket:{config.phones}?size={config.size}", "--tasks",
                ",".join(config.tasks), "--seeds", ",".join(map(str, config.live_seeds))]  # fmt: skip
        told += ["--budget", str(config.budget)] if config.budget is not None else []
        return Run(LIVE, row, path, [EVAL, *told, *self.asked(row, True), "--out", str(path)])

    def runs(self, row: Row) -> Iterator[Run]:
        """All run directories of a row."""
        for one in self.config.offline:
            yield self.offline(row, one)
        if self.config.tasks and self.config.phones:
            yield self.live(row)

    def evaluate(self, run: Run) -> bool:
        """Makes one run directory; False where it could not be made whole, which is told and kept in `failed`."""
        made = self.config.out / run.path
        prompt = self.config.prompt.read_text(encoding="utf-8") if self.config.prompt is not None else ""
        key = key_of({"row": run.row.key, "command": list(run.command), "prompt": prompt})
        begun = f"{run.stage}: begun"
        try:
            if self.stages.known(begun) != key:
                self.stages.run(begun, key, self.config.out, lambda: shutil.rmtree(made, ignore_errors=True))
            self.stages.run(run.stage, key, made / "summary.json", lambda: self.stages.call(run.stage, run.command))
        except (SolarEvalError, OSError) as error:
            self.failed.append(f"{run.stage}: {error}")
            tell(f"not evaluated: {run.stage}: {error}")
            return False
        return True

    # ---- what comes of them
    def compare(self, mine: Run, parents: Run) -> None:
        """Prints and keeps the paired comparison, parent first."""
        from training.evaluation.comparing import compared

        try:
            text = compared(self.config.out / parents.path, self.config.out / mine.path, mine.benchmark == LIVE)
        except SolarEvalError as error:
            self.failed.append(f"comparison of {mine.stage}: {error}")
            return
        title = f"== {mine.benchmark}: {parents.row.name} -> {mine.row.name}"
        print(f"{title}\n{text}")
        (self.config.out / "compare").mkdir(exist_ok=True)
        write_atomically(self.config.out / "compare" / f"{mine.benchmark}-{mine.path.name}.txt", text.encode())

    def publish(self, runs: Sequence[Run]) -> None:
        """Copies the two files of each run into the results folder, unless they name a path of this machine."""
        if self.config.publish is None:
            return
        for run in runs:
            if run.path.name == POCKET:
                tell(f"not published: {run.stage}: its numbers would stand under the name of the data set it imitates")
                continue
            target = self.config.publish / run.path.relative_to("results")
            for name in KEPT:
                content = (self.config.out / run.path / name).read_bytes()
                for path in (Path.home(), self.config.out.resolve(), Path.cwd()):
                    if len(path.parts) > 2 and str(path).encode() in content:
                        raise DataError("names a path of this machine", str(run.path / name), "not published")
                target.mkdir(parents=True, exist_ok=True)
                write_atomically(target / name, content)

    def table(self) -> Path:
        """Writes the leaderboard files of this folder's results and prints them in short."""
        from solar_eval.report import leaderboard

        results = self.config.out / "results"
        board = leaderboard.gather(results)
        leaderboard.write(leaderboard.outputs_of(board, results, None))
        print("\n".join(short(board.entries)))
        return results / "LEADERBOARD.md"


def short(entries: Sequence[Entry]) -> list[str]:
    """A line an entry: benchmark, protocol, row, numbers in per cent with 95 % intervals."""
    from solar_eval.report.entries import METRICS

    heads = ("type_match", "step_sr", "episode_sr")
    lines = [["benchmark", "protocol", "row", *(METRICS[name] for name in heads)]]
    for entry in entries:
        shown = [entry.values[name].shown if name in entry.values else "-" for name in heads]
        own = " form, pocket set" if entry.run == POCKET else ""
        lines.append([entry.benchmark + own, entry.protocol, entry.model, *shown])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def link_to(link: Path, target: Path) -> None:
    """A link in the loop's folder, so that commands and manifests name no path outside of it."""
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.is_symlink():
        link.unlink()
    link.symlink_to(target.resolve(), target_is_directory=target.is_dir())


def make_set(config: LoopConfig, folder: Path, seeds: Sequence[int]) -> None:
    """A pocket set of the configuration's tasks."""
    from training.evaluation.pocket_set import write_pocket_set

    width, _, height = config.size.partition("x")
    count = write_pocket_set(folder, config.tasks, seeds, (int(width), int(height)))
    tell(f"{count} expert episodes in {folder}")


def make_training_sets(config: LoopConfig, name: str) -> None:
    """sets/NAME: a set of each of the configuration's tasks."""
    from training.evaluation.pocket_set import write_training_sets

    told, first = SETS[name]
    width, _, height = config.size.partition("x")
    folder = config.out / "sets" / name
    count = write_training_sets(folder, config.tasks, config.train_sets, (int(width), int(height)), told, first)
    tell(f"{count} expert episodes in {folder}")


def evaluate(config: LoopConfig, checkpoint: Path, name: str = "") -> Loop:
    """All evaluations of a checkpoint, the table, the comparisons. Failures are in the loop's `failed`, not raised.

    name: another row's name, for instance a checkpoint in the middle of training. Raises DataError where `checkpoint`
    or the parent is none, or the pocket set can't be made.
    """
    config.out.mkdir(parents=True, exist_ok=True)
    loop = Loop(config, Stages(config.out, config.timeout_s), [])
    rows = loop.rows(checkpoint, name or config.name)
    whole: dict[tuple[str, Path], Run] = {}
    for row in rows:
        loop.stand(row)
        for run in loop.runs(row):
            if loop.evaluate(run):
                whole[row.name, run.place] = run
    mine = [run for (owner, _), run in whole.items() if owner == rows[0].name]
    if whole:
        print(f"leaderboard: {loop.table()}", flush=True)
    for run in mine:
        if config.parent is not None and (parents := whole.get((config.parent_name, run.place))) is not None:
            loop.compare(run, parents)
    loop.publish(mine)
    return loop


def train(config: LoopConfig, resolved: Resolved[TrainConfig]) -> Path:
    """Trains, or goes on training, in a process of its own; returns the exported checkpoint.

    Raises InfrastructureError where training ended with an error; what it has saved is kept.
    """
    config.out.mkdir(parents=True, exist_ok=True)
    stages = Stages(config.out, config.timeout_s)
    if config.train_sets:
        for name, told in SETS.items():
            key = key_of({"tasks": config.tasks, "seeds": config.train_sets, "size": config.size, "set": told})
            stages.run(name, key, config.out / "sets" / name, partial(make_training_sets, config, name))
    text = resolved.to_toml()
    write_atomically(config.out / "train.toml", text.encode())
    parent = content_key(config.parent) if config.from_parent and config.parent is not None else ""
    made = resolved.config.out / "model"
    key = key_of({"config": resolved.config.identity(), "sets": config.train_sets, "parent": parent})
    stages.run("train", key, made, lambda: stages.call("train", [TRAIN, "run", "train.toml"]))
    return made


def training_of(config: LoopConfig) -> Resolved[TrainConfig] | None:
    """The training configuration with what the loop says in its place; None where a checkpoint is given."""
    if config.train is None:
        return None
    fields: dict[str, object] = dict(one.partition("=")[::2] for one in config.set)
    fields["out"] = str((config.out / "train").resolve())
    if config.from_parent and config.parent is not None:
        fields["model"] = str(config.parent.resolve())
    if config.train_sets:
        from training.evaluation.pocket_set import names_of

        folders = [config.out.resolve() / "sets" / name / task for name in SETS for task in names_of(config.tasks)]
        fields["sources"] = [{"kind": "pocket", "path": str(folder), "share": 1.0} for folder in folders]
    return resolved_of(config.train, fields)
