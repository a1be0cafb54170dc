"""Repairs of verl 0.9.1 that undo themselves when upstream is mended.

B1 (facts: training_stack.md section 5): for a micro-batch without pictures, which verl's own padding rows are,
`verl/models/transformers/qwen2_vl.py` takes the mean of what the vision tower returns; under transformers 5 that is an
output object and not a tensor. The repair gives such objects a `mean` only inside that one function.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

TARGET = "verl.models.transformers.qwen2_vl"
FUNCTION = "_get_input_embeds"


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


def apply() -> bool:
    """Repairs verl in this process where needed; whether it did."""
    module = importlib.import_module(TARGET)
    if not needed(module):
        return False
    setattr(module, FUNCTION, repaired(getattr(module, FUNCTION)))
    return True
