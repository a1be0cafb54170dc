"""On the path of the CPU test processes: lets the torchvision of the package index be imported beside CPU torch.

Its compiled operators don't load there, and it refuses to be imported without their names. Transformers needs no more
of it than its Python part (facts: training_stack.md section 2), so only the names are declared, when it is imported.
"""

import importlib.abc
import sys

SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


class _BeforeTorchvision(importlib.abc.MetaPathFinder):
    """Declares the operators at the first import of torchvision, then steps aside."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            import torch

            self.library = torch.library.Library("torchvision", "FRAGMENT")
            for schema in SCHEMAS:
                self.library.define(schema)
            sys.modules[__name__].__dict__["_kept"] = self.library


sys.meta_path.insert(0, _BeforeTorchvision())
