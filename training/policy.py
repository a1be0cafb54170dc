"""What the embedded trainer asks of a policy, and the steps it is trained on.

The loop (`training.loop`) knows no model: it draws tasks, lets a policy sample, has the candidates scored and
credited, and asks for log-probabilities again to descend on the loss. A VLM (`training.vlm`) and the pointer policy
stand behind the same protocol. Torch is needed by whoever implements it and not to import this module.

A row is one reply (or one pointed choice): row `s * C + c` is candidate c of step s. T is the longest row's number of
tokens (decisions, for a policy without text).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from solar_eval.actions import Action
from solar_eval.dialects.frames import Size
from solar_eval.dialects.prompting import Turn
from solar_eval.protocols import Family
from solar_eval.records import Step
from solar_eval.scoring.columns import Prediction
from training.ragged import Ints

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class TrainStep:
    """One step to train on. `step` holds the label that rewards compare with.

    demonstration: what supervised training imitates; the label unless the demonstrations are noisy. history: earlier
    steps as the prompt tells them. image: width, height of the picture as the model sees it, to which a pixel family's
    coordinates refer; (0, 0) for a policy that sees none. screens: keys of the pictures the prompt may show, by step
    index of the episode. payload: what only one policy needs (an element list). family: the benchmark's, which decides
    what a scroll word means.
    """

    step: Step
    demonstration: Action | None = None
    history: tuple[Turn, ...] = ()
    image: Size = (0, 0)
    screens: Mapping[int, str] = field(default_factory=dict)
    payload: Any = None
    family: Family = "android_control"

    @property
    def target(self) -> Action:
        """What supervised training imitates. Curation leaves no step without one."""
        action = self.demonstration if self.demonstration is not None else self.step.label
        assert action is not None, f"step {self.step.id} has neither demonstration nor label"
        return action


@dataclass(frozen=True)
class Task:
    """A trajectory to train on; in the atomic stage one of a single step. `family`: whose rules judge its steps."""

    id: str
    steps: tuple[TrainStep, ...]
    family: Family = "android_control"

    def atoms(self) -> Iterator[Task]:
        """Each step as a task of its own, for the atomic stage."""
        for step in self.steps:
            yield Task(step.step.id, (step,), self.family)


@dataclass
class Sampled:
    """C candidates of each of S steps.

    predictions: S lists of C. logp: (S * C, T) under the policy that sampled, without gradient. mask: (S * C, T), the
    tokens that were sampled. texts: S lists of C raw replies, to look at. cut: replies that ended at the length limit.
    tokens: what the policy needs to score its rows again; nobody else reads it.
    """

    predictions: list[list[Prediction]]
    logp: torch.Tensor
    mask: torch.Tensor
    texts: list[list[str]]
    tokens: Any
    cut: int = 0


@dataclass
class Scored:
    """Rows under the policy as it is now: logp, entropy in nats, and mask, all (R, T), in the order asked."""

    logp: torch.Tensor
    entropy: torch.Tensor
    mask: torch.Tensor


class Policy(Protocol):
    """Something that acts on a step and can be trained. Implementations keep no state between calls but weights."""

    @property
    def name(self) -> str:
        """Stands in every table its results appear in."""

    def identity(self) -> dict[str, object]:
        """What makes its weights what they are (sizes, tokenizer, dialect), for the configuration check of a resume."""

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """The trainable weights, always in the same order."""

    def sample(self, steps: Sequence[TrainStep], count: int, temperature: float, seed: int) -> Sampled:
        """`count` candidates a step, the same for the same weights and seed. Temperature 0 is greedy."""

    def demonstrate(self, steps: Sequence[TrainStep]) -> Sampled:
        """The steps' targets as rows (C = 1; logp is zeros), for supervised training."""

    def log_probs(self, sampled: Sampled, rows: Ints, temperature: float = 1.0) -> Scored:
        """Log-probabilities of these rows under the distribution that `sample` draws from; their gradient flows."""

    def freeze_reference(self) -> None:
        """Keeps a copy of the weights as they are: the reference of the KL term from now on."""

    def reference(self) -> AbstractContextManager[None]:
        """Inside, `log_probs` speaks for the reference, without gradient."""

    def state(self) -> dict[str, Any]:
        """Weights and reference as tensors in nested dictionaries, to be stored by `training.checkpoint`."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """The inverse of `state`."""

    def export(self, folder: Path) -> None:
        """Writes the weights in the form that others load (transformers, for a VLM) into an empty folder."""
