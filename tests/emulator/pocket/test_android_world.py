"""AndroidWorld's own task classes on the phone: set-up, a no-op judged 0, the scripted solution judged 1, tear-down.

The `System...Verify` tasks start in the state they ask for: doing nothing scores 1 by AndroidWorld's own definition.

Needs a checkout of google-research/android_world with its protos compiled (ANDROID_WORLD_PATH, several paths joined by
the system's separator where its requirements lie elsewhere); skipped, saying so, without it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from emulator.pocket.experts.driver import Script
from emulator.pocket.experts.phone_calls import UNREGISTERED
from emulator.pocket.experts.solutions import SOLUTIONS
from emulator.pocket.phone import Phone

SEEDS = (30, 31)
CAMERA = "com.android.camera2"
DONE_AT_START = {("RecipeDeleteMultipleRecipesWithConstraint", 31)}
"""The seed draws no recipe that is to be deleted, so AndroidWorld itself scores a no-op 1."""


@pytest.fixture(scope="module")
def bench() -> Iterator[object]:
    """AndroidWorld over one strict phone."""
    found = os.environ.get("ANDROID_WORLD_PATH", "")
    if not found:
        pytest.skip("ANDROID_WORLD_PATH does not name a checkout of google-research/android_world")
    pytest.importorskip("android_env")
    paths = found.split(os.pathsep)
    sys.path[:0] = paths
    from absl import logging

    from emulator.pocket.experts.bench import Bench

    logging.set_verbosity(logging.ERROR)
    try:
        made = Bench(Phone(strict=True, seed=5), Path(paths[0]))
    except ImportError as error:
        pytest.skip(f"AndroidWorld at {paths[0]} can't be imported: {error}")
    module = importlib.import_module("android_world.task_evals.single.phone")
    made.registry.update({name: getattr(module, name) for name in UNREGISTERED})
    yield made
    for path in paths:
        sys.path.remove(path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SOLUTIONS, *UNREGISTERED])
@pytest.mark.filterwarnings("ignore")
def test_task(bench: object, name: str) -> None:
    from emulator.pocket.experts.bench import Bench

    assert isinstance(bench, Bench)
    script: Script = (SOLUTIONS | UNREGISTERED)[name]
    for seed in SEEDS:
        if bench.task(name, seed).params.get("app_name") == "camera" and CAMERA not in bench.phone.apps:
            continue  # the camera app is not there yet
        idle = bench.run(name, seed)
        verify = name.endswith("Verify") and name.startswith("System")
        wanted = 1.0 if verify or (name, seed) in DONE_AT_START else 0.0
        assert (idle.failed_in, idle.score, idle.unknown_commands) == ("", wanted, 0), idle
        done = bench.run(name, seed, script)
        assert (done.failed_in, done.score, done.unknown_commands) == ("", 1.0, 0), done.error or done
