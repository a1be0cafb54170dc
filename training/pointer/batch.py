"""Some steps of a pack, gathered for one forward pass: ragged menus padded to the widest, as numpy arrays.

S steps, K options in the widest menu, O options in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.pointer.dataset import Pack
from training.pointer.features import DENSE, Encoded
from training.ragged import Bools, Ints, offsets_of


@dataclass(frozen=True)
class Batch:
    """context, option: hashed features, with the starts of S and O bags. dense: (O, DENSE). row, column: (O,) the
    place of each option in the padded (S, K) array. present: (S, K) there is such an option.
    """

    context: NDArray[np.int64]
    context_start: Ints
    option: NDArray[np.int64]
    option_start: Ints
    dense: NDArray[np.float32]
    row: Ints
    column: Ints
    present: Bools


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """The numbers starts[0] .. starts[0] + sizes[0] - 1, starts[1] .. and so on, end to end."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - sizes, sizes) + np.repeat(starts, sizes)


def rows_of(pack: Pack, episodes: Ints) -> Ints:
    """The steps of some episodes, end to end."""
    return ranges(pack.start[episodes], pack.lengths[episodes])


def gather(pack: Pack, rows: Ints) -> tuple[Batch, Ints]:
    """A batch of these steps, and which options of the pack it holds: (O,)."""
    sizes = pack.option_start[rows + 1] - pack.option_start[rows]
    options = ranges(pack.option_start[rows], sizes)
    lengths = pack.option_feature_start[options + 1] - pack.option_feature_start[options]
    counts = pack.context_start[rows + 1] - pack.context_start[rows]
    context = pack.context[ranges(pack.context_start[rows], counts)]
    features = pack.option[ranges(pack.option_feature_start[options], lengths)]
    return _batch(context, counts, features, lengths, pack.dense[options], sizes), options


def from_encoded(moments: Sequence[Encoded]) -> Batch:
    """A batch of moments that stand in no pack."""
    bags = [bag for one in moments for bag in one.options]
    context = np.array([f for one in moments for f in one.context], dtype=np.int32)
    features = np.array([f for bag in bags for f in bag], dtype=np.int32)
    dense = np.array([d for one in moments for d in one.dense], dtype=np.float32).reshape(-1, DENSE)
    counts = np.array([len(one.context) for one in moments], dtype=np.int64)
    lengths = np.array([len(bag) for bag in bags], dtype=np.int64)
    return _batch(context, counts, features, lengths, dense, np.array([len(one.options) for one in moments]))


def _batch(
    context: NDArray[np.int32], counts: Ints, features: NDArray[np.int32], lengths: Ints, dense: NDArray[np.float32],
    sizes: Ints,
) -> Batch:  # fmt: skip
    column = ranges(np.zeros(len(sizes), dtype=np.int64), sizes)
    present = np.arange(int(sizes.max(initial=1)))[None, :] < sizes[:, None]
    return Batch(context.astype(np.int64), offsets_of(counts)[:-1], features.astype(np.int64),
                 offsets_of(lengths)[:-1], dense, np.repeat(np.arange(len(sizes)), sizes), column, present)  # fmt: skip
