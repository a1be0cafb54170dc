"""What can be wrong with the numbers that training is fed: one class per kind, each naming where it stands.

All are also `ValueError`s, so that the JSON-lines verbs report them as bad lines.
"""

from __future__ import annotations

from solar_eval.errors import SolarEvalError


class TrainingError(SolarEvalError, ValueError):
    """Base of the errors of `training`."""


class BadScore(TrainingError):
    """A score, reward or log-probability is missing, not finite, or outside its range."""


class EmptyGroup(TrainingError):
    """A task without steps, or a step without candidates."""


class BadShape(TrainingError):
    """Arrays that should describe the same steps and candidates do not."""


class BadRules(TrainingError):
    """A rule object whose values contradict each other or the method."""


class NoClosedForm(TrainingError):
    """The expectation over all splicings has no closed form under these rules; average over random ones."""


class CheckpointError(TrainingError):
    """A checkpoint that can't be written, can't be read, or belongs to another configuration."""

    exit_code = 4


class Diverged(TrainingError):
    """Training that can't go on: gradients that are not finite, or nothing to train on, many updates in a row."""
