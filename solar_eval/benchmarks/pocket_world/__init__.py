"""pocket_world: live tasks of our own on the built-in phone, in AndroidWorld's form.

`PocketWorld` (suite.py) is the benchmark, `tasks/` holds the templates, `trajectories.py` the expert's episodes for
training. Scores carry the phone's name; they are never AndroidWorld scores.
"""

from __future__ import annotations

from solar_eval.benchmarks.pocket_world.suite import PocketWorld

__all__ = ["PocketWorld"]
