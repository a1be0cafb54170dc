"""AndroidControl's evaluation subsets: which steps "the test set" means, by whom, with the published count.

Sources: ../facts/offline_protocols.md section 2 (counts recomputed there from the repositories' own files). Steps that
a subset leaves out stay in their episode as history only: a model is shown what was done before. AndroidControl has
no end-of-episode action; where a subset has one it was appended on the last screenshot. The four official sub-splits
(IDD, category, app and task unseen) are tags of episodes, not subsets: they overlap.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from solar_eval.actions import Finish, Kind
from solar_eval.dialects.frames import Size
from solar_eval.errors import DataError, unknown_name
from solar_eval.records import Benchmark, Episode, Step

FINISH_LOW = "The task is done; say so."
"""Step instruction of an appended finish step (our wording)."""
_STEP_ID = re.compile(r"episode_(\d+)[_-]screenshot_(\d+)")


@dataclass(frozen=True, slots=True)
class Subset:
    """steps, episodes: as published (0: no such number). split: official test; everything that is not in train
    (validation + test); or whatever the files hold.

    drop: label kinds that are history only. without: episodes left out. without_steps: steps that are history only.
    ids: needs the list of step ids.
    """

    name: str
    steps: int
    episodes: int
    used_by: str
    split: Literal["test", "not_train", "all"] = "test"
    finish: bool = False
    drop: tuple[Kind, ...] = ()
    without: tuple[str, ...] = ()
    without_steps: tuple[str, ...] = ()
    ids: bool = False


SUBSETS: dict[str, Subset] = {
    subset.name: subset
    for subset in (
        Subset("test_8444", 8444, 1543, "UI-S1, InfiGUI-R1, GUI-Owl, Qwen2.5-VL: the official test split as recorded"),
        Subset("test_7708", 7708, 1412, "OS-Atlas, UI-TARS (paper), GUI-R1, UI-AGILE, ClawGUI", ids=True),
        Subset("test_7868", 7868, 1543, "UI-R1: without wait and long press", drop=("wait", "long_press")),
        Subset("test_9987", 9987, 1543, "the official test split with a finish step appended", finish=True),
        Subset("test_9979", 9979, 1542, "UI-Genie: the same without episode 1959 and step 4943/0 (neither is in its "
               "details.json @bb7df6b1)", finish=True, without=("1959",), without_steps=("4943/0",)),
        Subset("val_test_10161", 10161, 1680, "AgentCPM-GUI, GUIEvalKit (scored), MagicGUI, UI-Venus: not in train, "
               "finish appended, open_app history only", "not_train", finish=True, drop=("open_app",)),
        Subset("val_test_10814", 10814, 1680, "GUIEvalKit (data): the same with open_app", "not_train", finish=True),
        Subset("all", 0, 0, "nobody: every episode of the files, for data of your own", "all"),
    )
}  # fmt: skip


def subset_named(name: str) -> Subset:
    """The subset of that name. Raises UsageError with a suggestion."""
    if name not in SUBSETS:
        raise unknown_name("subset", name, SUBSETS)
    return SUBSETS[name]


def apply_subset(benchmark: Benchmark, name: str, ids: Sequence[str] | None = None) -> Benchmark:
    """The steps of one subset. `benchmark`: its split, with the finish steps that it has.

    `ids`: step ids in the list's order ("<episode>/<index>"), needed by test_7708; episodes come out in that order.
    A count that is not the published one stands in the notes. Raises DataError where `ids` is missing.
    """
    subset = subset_named(name)
    episodes = [episode for episode in benchmark.episodes if episode.id not in subset.without]
    if subset.ids:
        if ids is None:
            raise DataError(f"{name} needs the list of its step ids", benchmark.name,
                            "put subset_7708.txt (OS-Copilot/OS-Atlas ac_idx.txt) beside the data")  # fmt: skip
        episodes = _in_order(episodes, ids)
    episodes = [_marked(episode, lambda step: _left_out(step, subset)) for episode in episodes]
    made = replace(benchmark, subset=name, episodes=tuple(episodes))
    return replace(made, notes=made.notes + _count_note(made, subset, ids))


def _left_out(step: Step, subset: Subset) -> bool:
    return step.id in subset.without_steps or (step.label is not None and step.label.kind in subset.drop)


def _count_note(made: Benchmark, subset: Subset, ids: Sequence[str] | None) -> tuple[str, ...]:
    notes = []
    steps = made.scored_steps
    if subset.steps and (len(steps) != subset.steps or len(made.episodes) != subset.episodes):
        notes.append(
            f"{subset.name}: {len(steps)} steps of {len(made.episodes)} episodes here, published are {subset.steps} of "
            f"{subset.episodes}"
        )
    if subset.ids and ids is not None:
        absent = len(set(ids) - {step.id for step in steps})
        if absent:
            notes.append(f"{subset.name}: {absent} steps of the id list are not in the data")
    return tuple(notes)


def _in_order(episodes: Sequence[Episode], ids: Sequence[str]) -> list[Episode]:
    wanted = set(ids)
    by_id = {episode.id: episode for episode in episodes}
    order = dict.fromkeys(step.rpartition("/")[0] for step in ids)
    return [_marked(by_id[episode], lambda step: step.id not in wanted) for episode in order if episode in by_id]


def _marked(episode: Episode, leave_out: Callable[[Step], bool]) -> Episode:
    if not any(leave_out(step) for step in episode.steps):
        return episode
    mark = ("history_only", True)
    steps = (replace(s, extra=(*s.extra, mark)) if leave_out(s) and not s.history_only else s for s in episode.steps)
    return replace(episode, steps=tuple(steps))


def finish_step(
    episode: str, index: int, goal: str, screen: Size, screenshot: Callable[[], bytes] | None = None
) -> Step:
    """The step that some subsets append: on the screenshot after the last action, the right answer is to finish."""
    return Step(
        id=f"{episode}/{index}", episode=episode, index=index, goal=goal, low=FINISH_LOW, label=Finish("success"),
        screen=screen, appended=True, screenshot=screenshot,
    )  # fmt: skip


def append_finish(benchmark: Benchmark) -> Benchmark:
    """A finish step (without a picture) at the end of each episode that has none.

    For scoring alone: loaders append their own, with the last screenshot.
    """
    episodes = []
    for episode in benchmark.episodes:
        last = episode.steps[-1]
        if not isinstance(last.label, Finish):
            added = finish_step(episode.id, last.index + 1, episode.goal, last.screen)
            episode = replace(episode, steps=(*episode.steps, added))  # noqa: PLW2901  # the longer one takes its place
        episodes.append(episode)
    return replace(benchmark, episodes=tuple(episodes))


def read_step_ids(path: Path) -> list[str]:
    """Step ids "<episode>/<index>" from a list with lines like `episode_140_screenshot_0`, in its order.

    Raises DataError for a line of another form, naming it.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the list of step ids can't be read ({error})", str(path)) from error
    ids: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        match = _STEP_ID.search(line)
        if match is None and line.strip():
            raise DataError(f"not a step id: {line[:60]!r}", f"{path}:{number}", "lines: episode_140_screenshot_0")
        if match is not None:
            ids[f"{match.group(1)}/{match.group(2)}"] = None
    return list(ids)


def read_id_lists(path: Path) -> dict[str, frozenset[str]]:
    """Episode ids by list name, from splits.json or test_subsplits.json. Raises DataError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"the lists of episode ids can't be read ({error})", str(path)) from error
    if not isinstance(data, dict) or not all(isinstance(ids, list) for ids in data.values()):
        raise DataError("an object of lists of episode ids is needed", str(path))
    return {name: frozenset(str(episode) for episode in ids) for name, ids in data.items()}


def tagged(benchmark: Benchmark, tags: dict[str, Collection[str]]) -> Benchmark:
    """Episodes with the names of the lists they stand in as tags, in the lists' order."""
    episodes = tuple(
        replace(episode, tags=episode.tags + tuple(name for name, ids in tags.items() if episode.id in ids))
        for episode in benchmark.episodes
    )
    return replace(benchmark, episodes=episodes)
