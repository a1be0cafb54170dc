"""The pointer policy behind `training.policy.Policy`, so that the embedded trainer trains it as it trains a VLM.

A reply is one choice from a menu: one "token", whose log-probability is the choice's. `tasks` turns recorded episodes
into the trainer's tasks; each step's payload is its menu with features. For experiments at scale
`training.pointer.train` does the same updates without scoring each candidate again.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from solar_eval.actions import Action
from solar_eval.dialects.base import Parsed
from solar_eval.scoring.columns import Prediction
from training.errors import BadShape
from training.pointer.batch import from_encoded
from training.pointer.dataset import labelled
from training.pointer.episodes import Episode
from training.pointer.features import BUCKETS, DENSE, Encoded, encode
from training.pointer.menu import menu
from training.pointer.network import Critic, PointerNet, Sizes
from training.pointer.train import pick
from training.policy import Sampled, Scored, Task, TrainStep
from training.ragged import Ints
from training.validity import score_candidates


@dataclass(frozen=True)
class Menu:
    """The payload of a step: its choices, in order, and their features."""

    actions: tuple[Action, ...]
    words: tuple[str, ...]
    encoded: Encoded


@dataclass(frozen=True)
class _Chosen:
    """Row s * count + c chose `option[s * count + c]` from the menu of step s."""

    menus: list[Menu]
    option: Ints
    count: int


def tasks(episodes: Iterable[Episode]) -> list[Task]:
    """Recorded episodes as tasks; `dataset.build` says which of them have a label that is not on the menu."""
    made = []
    for episode in episodes:
        steps = []
        for step, one in zip(labelled(episode), episode.steps, strict=True):
            options = menu(one.moment)
            payload = Menu(tuple(o.action for o in options), tuple(o.words for o in options),
                           encode(one.moment, options))  # fmt: skip
            steps.append(TrainStep(step, payload=payload))
        made.append(Task(episode.id, tuple(steps)))
    return made


class PointerPolicy:
    """Implements `training.policy.Policy`. T is 1: a reply is one decision.

    critic: with a value of each step before its action, for rules that need one (`training.critic`).
    """

    name = "pointer"

    def __init__(self, sizes: Sizes | None = None, seed: int = 0, critic: bool = False) -> None:
        self.sizes = sizes or Sizes()
        self.net = PointerNet(self.sizes, seed)
        self.critic = Critic(self.sizes, seed + 1) if critic else None
        self._reference: PointerNet | None = None
        self._speaks: PointerNet | None = None

    def identity(self) -> dict[str, object]:
        """Sizes of the network and of its features."""
        critic = {} if self.critic is None else {"critic": True}
        return {"policy": self.name, **asdict(self.sizes), "buckets": BUCKETS, "dense": DENSE, **critic}

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """All weights."""
        return self.net.parameters()

    def sample(self, steps: Sequence[TrainStep], count: int, temperature: float, seed: int) -> Sampled:
        """See the protocol; temperature 0 takes the most probable choice."""
        menus = [_menu(step) for step in steps]
        with torch.no_grad():
            logp = self._log_softmax(self.net, menus, temperature or 1.0)
        plain = logp.numpy().astype(np.float64)
        if temperature == 0:
            option = np.repeat(plain.argmax(axis=1)[:, None], count, axis=1)
        else:
            option = pick(plain, count, np.random.default_rng(seed))
        return _sampled(menus, option, logp.gather(1, torch.from_numpy(option)))

    def demonstrate(self, steps: Sequence[TrainStep]) -> Sampled:
        """The choices nearest to the targets. Raises BadShape for a target that is not on its menu."""
        menus = [_menu(step) for step in steps]
        option = np.array([[_nearest(step, one)] for step, one in zip(steps, menus, strict=True)], dtype=np.int64)
        return _sampled(menus, option, torch.zeros(option.shape))

    def log_probs(self, sampled: Sampled, rows: Ints, temperature: float = 1.0) -> Scored:
        """See the protocol; a step's menu goes through the network once for all of its rows."""
        chosen: _Chosen = sampled.tokens
        steps, inverse = np.unique(rows // chosen.count, return_inverse=True)
        table = self._log_softmax(self._speaks or self.net, [chosen.menus[int(s)] for s in steps], temperature)
        here = table[torch.from_numpy(inverse)]
        logp = here.gather(1, torch.from_numpy(chosen.option[rows])[:, None])
        entropy = -(here.exp() * here).sum(dim=1, keepdim=True)
        return Scored(logp, entropy, torch.ones(logp.shape, dtype=torch.bool))

    def values(self, sampled: Sampled, rows: Ints) -> torch.Tensor:
        """See `training.critic.Valued`: the value of a row is its step's."""
        assert self.critic is not None, "made without a critic"
        chosen: _Chosen = sampled.tokens
        steps, inverse = np.unique(rows // chosen.count, return_inverse=True)
        found: torch.Tensor = self.critic(from_encoded([chosen.menus[int(s)].encoded for s in steps]))
        return found[torch.from_numpy(inverse)]

    def _log_softmax(self, net: PointerNet, menus: Sequence[Menu], temperature: float) -> torch.Tensor:
        logp: torch.Tensor = net(from_encoded([one.encoded for one in menus]))
        return logp if temperature == 1.0 else torch.log_softmax(logp / temperature, dim=1)

    def freeze_reference(self) -> None:
        """See the protocol."""
        self._reference = copy.deepcopy(self.net)

    @contextmanager
    def reference(self) -> Iterator[None]:
        """See the protocol; the policy itself where nothing was frozen."""
        self._speaks = self._reference
        try:
            with torch.no_grad():
                yield
        finally:
            self._speaks = None

    def state(self) -> dict[str, Any]:
        """See the protocol."""
        kept = {} if self._reference is None else {"reference": self._reference.state_dict()}
        critic = {} if self.critic is None else {"critic": self.critic.state_dict()}
        return {"net": self.net.state_dict(), **kept, **critic}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """See the protocol."""
        self.net.load_state_dict(state["net"])
        if self.critic is not None:
            self.critic.load_state_dict(state["critic"])
        self._reference = None
        if "reference" in state:
            self._reference = copy.deepcopy(self.net)
            self._reference.load_state_dict(state["reference"])

    def export(self, folder: Path) -> None:
        """Writes pointer.pt: sizes and weights; `load` reads it."""
        torch.save({"sizes": asdict(self.sizes), "net": self.net.state_dict()}, folder / "pointer.pt")

    @classmethod
    def load(cls, folder: Path) -> PointerPolicy:
        """What `export` wrote."""
        found = torch.load(folder / "pointer.pt", weights_only=True)
        policy = cls(Sizes(**found["sizes"]))
        policy.net.load_state_dict(found["net"])
        return policy


def _menu(step: TrainStep) -> Menu:
    if not isinstance(step.payload, Menu):
        raise BadShape("no menu in the payload", step.step.id, "make the tasks with training.pointer.policy.tasks")
    return step.payload


def _nearest(step: TrainStep, one: Menu) -> int:
    """The choice that is nearest to the step's target among those that are right for it."""
    wanted = replace(step.step, label=step.target)
    found = score_candidates([wanted] * len(one.actions), [Parsed(a, strict_ok=True) for a in one.actions])
    if not found.valid.any():
        raise BadShape(f"a {step.target.kind} that is not on the menu", step.step.id, "leave the episode out")
    return int(np.argmax(np.where(found.valid, found.score, -1.0)))


def _sampled(menus: list[Menu], option: Ints, logp: torch.Tensor) -> Sampled:
    said: list[list[Prediction]] = []
    texts: list[list[str]] = []
    for one, row in zip(menus, option, strict=True):
        said.append([Parsed(one.actions[int(at)], strict_ok=True) for at in row])
        texts.append([f"{one.actions[int(at)].kind} {one.words[int(at)]}".strip() for at in row])
    flat = logp.reshape(-1, 1)
    return Sampled(said, flat, torch.ones(flat.shape, dtype=torch.bool), texts,
                   _Chosen(menus, option.reshape(-1), option.shape[1]))  # fmt: skip
