"""The pointer policy on a phone: observe, choose, act, until it finishes or its budget is used up.

The phone is the pocket phone in this process; actions are done by `solar_eval.live.execute`, success is read from the
phone by the task. Rules as in `solar_eval.live.episode` by default: the budget is int(10 x complexity), an answer ends
the episode, and a task counts as solved only if the policy ended the episode. Departure: no picture is taken, for this
policy looks at elements only, so that an episode takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from emulator.pocket.phone import Phone
from emulator.pocket_device import PocketDevice
from solar_eval.actions import Action, Answer, Finish
from solar_eval.benchmarks.pocket_world.suite import PocketWorld
from solar_eval.benchmarks.pocket_world.trajectories import elements_of
from solar_eval.live.execute import execute
from solar_eval.live.task import LiveTask, Said
from training.pointer.batch import from_encoded
from training.pointer.episodes import APP_NAMES, new_phone
from training.pointer.features import encode
from training.pointer.menu import Option, menu
from training.pointer.network import PointerNet
from training.pointer.screen import Done, Moment, read_screen

LIVE_SEEDS = 1_000_000
"""Seeds of live tasks start here: none of them is ever recorded for training."""


@dataclass(frozen=True, slots=True)
class Played:
    """One live episode. success: solved and ended by the policy. ended: it finished or answered."""

    task: str
    success: bool
    ended: bool
    steps: int


def choose(net: PointerNet, moment: Moment) -> Option:
    """The most probable option."""
    options = menu(moment)
    with torch.no_grad():
        logp = net(from_encoded([encode(moment, options)]))[0, : len(options)]
    return options[int(np.argmax(logp.numpy()))]


def play(net: PointerNet, task: LiveTask, device: PocketDevice) -> Played:
    """One episode, from `initialize` to `tear_down`."""
    task.initialize(device)
    try:
        said, steps = _act(net, task, device, int(10 * task.template.complexity))
        ended = said.finish is not None or bool(said.answer)
        return Played(task.name, ended and task.score(device, said) == 1.0, ended, steps)
    finally:
        task.tear_down(device)


def _act(net: PointerNet, task: LiveTask, device: PocketDevice, budget: int) -> tuple[Said, int]:
    history: list[Done] = []
    size = device.screen_size()
    for step in range(budget):
        screen = read_screen(elements_of(device.phone), (size.width, size.height))
        option = choose(net, Moment(task.goal, screen, APP_NAMES, tuple(history)))
        history.append(Done(option.action.kind, option.words))
        said = heard(option.action)
        if said is not None:
            return said, step + 1
        execute(device, option.action, size)
    return Said(), budget


def heard(action: Action) -> Said | None:
    """What an action that ends the episode says; None for all others."""
    if isinstance(action, Finish):
        return Said(action.text, action.status)
    return Said(action.text) if isinstance(action, Answer) else None


def suite(templates: int, seed: int) -> list[LiveTask]:
    """So many pocket_world tasks, every k-th template from a place that depends on the seed, with unseen parameters."""
    benchmark = PocketWorld()
    names = sorted(benchmark.specs)
    count = min(templates, len(names))
    chosen = {(seed + index * len(names) // count) % len(names) for index in range(count)}
    return [benchmark.instantiate(names[at], LIVE_SEEDS + seed) for at in sorted(chosen)]


def play_all(net: PointerNet, tasks: Sequence[LiveTask], phone: Phone | None = None) -> list[Played]:
    """All tasks, one after the other, on one phone."""
    device = PocketDevice(phone or new_phone())
    return [play(net, task, device) for task in tasks]
