"""Repairs of verl 0.9.1 that undo themselves when upstream is mended.

B1 (facts: training_stack.md section 5): for a micro-batch without pictures, which verl's own padding rows are,
`verl/models/transformers/qwen2_vl.py` takes the mean of what the vision tower returns; under transformers 5 that is an
output object and not a tensor. The repair hands the tensor on inside that one function.

B5 (found here): rows of one length. TransferQueue's storage joins position ids of (4, length) to a nested tensor whose
ragged dimension is the first that differs; where all rows are equally long it is the 4, and
`maybe_fix_3d_position_ids` only overwrites the index. The repair joins such rows anew along the length.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

TARGET = "verl.models.transformers.qwen2_vl"
FUNCTION = "_get_input_embeds"
ROPE_ROWS = 4
"""Rows of position ids of a token: text, then time, height, width."""


class _Tensors:
    """Stands in for the vision tower during one call: hands on the tensor inside its output object."""

    def __init__(self, tower: Any) -> None:
        self._tower = tower

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self._tower(*args, **kwargs)
        return getattr(found, "pooler_output", found) if not hasattr(found, "mean") else found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tower, name)


class _Model:
    """The model with its vision tower replaced; everything else is the model's."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.visual = _Tensors(model.visual)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def repaired(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with the vision tower's output as a tensor where no picture is given; else untouched."""

    def wrapped(model: Any, input_ids: Any, attention_mask: Any = None, pixel_values: Any = None,
                pixel_values_videos: Any = None, *args: Any, **kwargs: Any) -> Any:  # fmt: skip
        textual = pixel_values is None and pixel_values_videos is None
        given = _Model(model) if textual else model
        return function(given, input_ids, attention_mask, pixel_values, pixel_values_videos, *args, **kwargs)

    wrapped.repaired = function  # type: ignore[attr-defined]
    return wrapped


def needed(module: Any) -> bool:
    """Whether this verl still has the defect: the text-only branch keeps the tower's raw output."""
    import inspect

    function = getattr(module, FUNCTION, None)
    if function is None or hasattr(function, "repaired"):
        return False
    source = inspect.getsource(function)
    return "image_embeds = model.visual(pixel_values, grid_thw=image_grid_thw)" in source


def along_the_length(data: Any) -> None:
    """What `maybe_fix_3d_position_ids` is for, also where all rows have one length. Changes `data` (a TensorDict)."""
    if "position_ids" not in data.keys():  # noqa: SIM118  (a TensorDict is no dict)
        return
    ids = data["position_ids"]
    if not (ids.is_nested and ids.dim() == 3):
        return
    values, offsets = ids.values(), ids.offsets()
    if values.dim() == 2 and not (values.shape[0] == ROPE_ROWS and values.shape[1] == int(offsets[-1])):
        from verl.utils.tensordict_utils import nested_tensor_from_tensor_list

        data["position_ids"] = nested_tensor_from_tensor_list(list(values.split(ROPE_ROWS)), ragged_idx=2)
    else:
        ids._ragged_idx = 2


def apply_lengths() -> None:
    """Puts `along_the_length` where verl has its own, in modules already imported too."""
    name = "maybe_fix_3d_position_ids"
    importlib.import_module("verl.utils.tensordict_utils")
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("verl.") and hasattr(module, name):
            setattr(module, name, along_the_length)


def apply() -> bool:
    """Repairs verl in this process where needed; whether it did so for B1."""
    apply_lengths()
    module = importlib.import_module(TARGET)
    if not needed(module):
        return False
    setattr(module, FUNCTION, repaired(getattr(module, FUNCTION)))
    return True
