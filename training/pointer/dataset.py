"""Episodes packed into flat arrays: features of every option of every step, and what each option would score.

Every option is scored once, by `training.validity` against the step's label, so that a candidate drawn later is looked
up and never scored again: same matcher, same rewards as for any other policy. Episodes in which some step's label is
not on the menu are left out and counted by reason.

    S steps in E episodes; O options in all. option_start (S + 1) cuts O into menus, start (E + 1) cuts S into episodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solar_eval.actions import Press
from solar_eval.dialects.base import Parsed
from solar_eval.records import Step
from training.errors import EmptyGroup
from training.pointer.episodes import Episode
from training.pointer.features import encode
from training.pointer.menu import Option, menu
from training.ragged import Bools, Floats, Ints, offsets_of
from training.validity import score_candidates

CHUNK = 200
"""Episodes that are scored at once."""


@dataclass(frozen=True)
class Pack:
    """See the module. context, option: feature buckets, with starts (S + 1) and (O + 1). dense: (O, DENSE).

    score, valid, type_ok: (O,) of each option against its step's label. label: (S,) the option that is the label,
    counted within the menu. back: (S,) the label is "press back"; slip: (S,) after a mistake of the recorder.
    template: (E,) index into templates. ids: (E,).
    """

    context: NDArray[np.int32]
    context_start: Ints
    option: NDArray[np.int32]
    option_feature_start: Ints
    dense: NDArray[np.float32]
    option_start: Ints
    score: Floats
    valid: Bools
    type_ok: Bools
    label: Ints
    back: Bools
    slip: Bools
    start: Ints
    template: Ints
    templates: NDArray[np.str_]
    ids: NDArray[np.str_]

    @property
    def lengths(self) -> Ints:
        """Steps of each episode: (E,)."""
        return np.diff(self.start)

    def save(self, path: Path) -> None:
        """One .npz file, written beside and moved into place."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part.npz")
        np.savez(beside, **{f.name: getattr(self, f.name) for f in fields(self)})
        beside.replace(path)

    @staticmethod
    def load(path: Path) -> Pack:
        """What `save` wrote."""
        with np.load(path, allow_pickle=False) as file:
            return Pack(**{f.name: file[f.name] for f in fields(Pack)})


@dataclass(frozen=True, slots=True)
class Curation:
    """What became of the episodes that were offered. left_out: reason -> number of episodes."""

    offered: int
    kept: int
    left_out: dict[str, int]


def build(episodes: Iterable[Episode]) -> tuple[Pack, Curation]:
    """Packs episodes. Raises EmptyGroup if none is left."""
    parts, left_out, offered, kept = _Parts(), Counter[str](), 0, 0
    waiting: list[tuple[Episode, list[list[Option]]]] = []
    for episode in episodes:
        offered += 1
        waiting.append((episode, [menu(step.moment) for step in episode.steps]))
        if len(waiting) == CHUNK:
            kept += parts.add(waiting, left_out)
            waiting = []
    kept += parts.add(waiting, left_out)
    if not kept:
        raise EmptyGroup(f"none of {offered} episodes can be trained on ({dict(left_out)})")
    return parts.pack(), Curation(offered, kept, dict(left_out))


def labelled(episode: Episode) -> list[Step]:
    """The steps of an episode as `solar_eval` scores them."""
    return [
        Step(f"{episode.id}/{index}", episode.id, index, episode.goal, "", step.label, step.moment.screen.size)
        for index, step in enumerate(episode.steps)
    ]


class _Parts:
    """The arrays while they grow."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {f.name: [] for f in fields(Pack)}

    def add(self, waiting: Sequence[tuple[Episode, list[list[Option]]]], left_out: Counter[str]) -> int:
        """Scores the menus of some episodes and keeps those whose labels can be expressed; returns how many."""
        if not waiting:
            return 0
        steps = [step for episode, _ in waiting for step in labelled(episode)]
        menus = [options for _, of_episode in waiting for options in of_episode]
        repeated = [step for step, options in zip(steps, menus, strict=True) for _ in options]
        replies = [Parsed(option.action, strict_ok=True) for options in menus for option in options]
        scores = score_candidates(repeated, replies)
        at, kept = 0, 0
        for episode, of_episode in waiting:
            size = sum(len(options) for options in of_episode)
            cut = slice(at, at + size)
            at += size
            reason = self._episode(episode, of_episode, scores.score[cut], scores.valid[cut], scores.type_ok[cut],
                                   bool(scores.usable[cut].all()))  # fmt: skip
            left_out.update([reason] if reason else [])
            kept += not reason
        return kept

    def _episode(
        self, episode: Episode, menus: list[list[Option]], score: Floats, valid: Bools, type_ok: Bools, usable: bool
    ) -> str:
        """Adds one episode, or says why not."""
        if not usable:
            return "a label that the protocol does not score"
        sizes = np.array([len(options) for options in menus], dtype=np.int64)
        starts = offsets_of(sizes)
        chosen = [_label(score[a:b], valid[a:b]) for a, b in pairwise(starts)]
        for step, option in zip(episode.steps, chosen, strict=True):
            if option < 0:
                return f"a {step.label.kind} that is not on the menu"
        columns = self.columns
        for step, options, option in zip(episode.steps, menus, chosen, strict=True):
            encoded = encode(step.moment, options)
            columns["context"].append(np.array(encoded.context, dtype=np.int32))
            columns["context_start"].append(len(encoded.context))
            columns["option"].append(np.array([f for one in encoded.options for f in one], dtype=np.int32))
            columns["option_feature_start"].extend(len(one) for one in encoded.options)
            columns["dense"].append(np.array(encoded.dense, dtype=np.float32))
            columns["label"].append(option)
            columns["back"].append(step.label == Press("back"))
            columns["slip"].append(step.slip)
        columns["option_start"].append(sizes)
        for name, values in (("score", score), ("valid", valid), ("type_ok", type_ok)):
            columns[name].append(values)
        columns["start"].append(len(episode.steps))
        columns["template"].append(episode.template)
        columns["ids"].append(episode.id)
        return ""

    def pack(self) -> Pack:
        """What has been added, as arrays."""
        columns = self.columns
        joined = {n: np.concatenate(columns[n]) for n in ("context", "option", "dense", "score", "valid", "type_ok")}
        starts = {n: offsets_of(np.array(columns[n], dtype=np.int64))
                  for n in ("context_start", "option_feature_start", "start")}  # fmt: skip
        names, template = np.unique(np.array(columns["template"]), return_inverse=True)
        made: dict[str, Any] = {**joined, **starts}
        return Pack(
            **made, option_start=offsets_of(np.concatenate(columns["option_start"])),
            label=np.array(columns["label"], dtype=np.int64), back=np.array(columns["back"], dtype=bool),
            slip=np.array(columns["slip"], dtype=bool), template=template.astype(np.int64), templates=names,
            ids=np.array(columns["ids"]),
        )  # fmt: skip


def _label(score: Floats, valid: Bools) -> int:
    """The option that is nearest to the label among the valid ones, -1 if none is valid."""
    return int(np.argmax(np.where(valid, score, -1.0))) if valid.any() else -1


def joined(packs: Sequence[Pack]) -> Pack:
    """Packs end to end."""
    names = np.unique(np.concatenate([pack.templates for pack in packs]))
    template = [np.searchsorted(names, pack.templates)[pack.template] for pack in packs]
    made: dict[str, Any] = {"templates": names, "template": np.concatenate(template)}
    for name in ("context_start", "option_feature_start", "option_start", "start"):
        made[name] = offsets_of(np.concatenate([np.diff(getattr(pack, name)) for pack in packs]))
    for one in fields(Pack):
        if one.name not in made:
            made[one.name] = np.concatenate([getattr(pack, one.name) for pack in packs])
    return Pack(**made)
