"""What is measured of a policy on held-out episodes, step by step, on the expert's screens and history.

Rates are of the most probable option (greedy) unless the name says `expected`: the mean atomic score of an action
drawn from the policy, exact because the whole menu is known. Action SR means step success; episode SR means that all
steps of an episode are right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from training.mix import BUCKETS
from training.pointer.batch import gather, rows_of
from training.pointer.dataset import Pack
from training.pointer.network import PointerNet
from training.ragged import Bools, Floats, Ints

PORTION = 512
"""Steps that go through the network at once."""


@dataclass(frozen=True)
class Measured:
    """S held-out steps. right: the greedy action is valid. expected: expected atomic score. episode: (S,) number of the
    step's episode in the pack. bucket: (S,) index into mix.BUCKETS. back: the label is "press back"; slip: after a
    mistake that the recorder made.
    """

    right: Bools
    expected: Floats
    episode: Ints
    bucket: Ints
    back: Bools
    slip: Bools

    def rates(self) -> dict[str, float | None]:
        """Means by name; None where nothing is in the denominator."""
        first = np.flatnonzero(np.diff(self.episode, prepend=-1))
        whole = np.minimum.reduceat(self.right, first) if len(first) else np.zeros(0)
        found: dict[str, float | None] = {"expected_reward": _mean(self.expected), "action_sr": _mean(self.right),
                 "episode_sr": _mean(whole), "press_back": _mean(self.right[self.back]),
                 "press_back_after_slip": _mean(self.right[self.slip])}  # fmt: skip
        for at, (name, _) in enumerate(BUCKETS):
            found[f"action_sr_{name}"] = _mean(self.right[self.bucket == at])
        return found


def _mean(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> float | None:
    return float(values.mean()) if len(values) else None


def measure(net: PointerNet, pack: Pack, episodes: Ints) -> Measured:
    """Everything about the policy on these episodes."""
    rows = rows_of(pack, episodes)
    right, expected = np.zeros(len(rows), dtype=bool), np.zeros(len(rows))
    for at in range(0, len(rows), PORTION):
        here = slice(at, at + PORTION)
        batch, options = gather(pack, rows[here])
        with torch.no_grad():
            logp = net(batch).numpy().astype(np.float64)
        first = np.flatnonzero(batch.column == 0)
        right[here] = pack.valid[options[first + logp.argmax(axis=1)]]
        weight = np.exp(logp)[batch.row, batch.column]
        expected[here] = np.bincount(batch.row, weight * pack.score[options], minlength=len(first))
    lengths = pack.lengths[episodes]
    bucket = np.searchsorted([first for _, first in BUCKETS], lengths, side="right") - 1
    return Measured(right, expected, np.repeat(episodes, lengths), np.repeat(bucket, lengths), pack.back[rows],
                    pack.slip[rows])  # fmt: skip
