"""Official AndroidWorld over our devices: what is missing is said, seeds mean suites, state is never assumed.

Needs a checkout of google-research/android_world with its protos compiled (ANDROID_WORLD_PATH, several paths joined by
the system's separator); what needs it is skipped, saying so, without it.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_fakes import pocket

from emulator.pocket.phone import Phone
from emulator.pocket_device import PocketDevice
from solar_eval.errors import DataError
from solar_eval.live import speed
from solar_eval.live.agents import Agent
from solar_eval.live.episode import Rules, run_episode
from solar_eval.live.forest import forest_of, tells_hints
from solar_eval.live.official import AppDataMissing, OfficialTask, load_official, plain
from solar_eval.live.scripted import ScriptedAgent
from solar_eval.live.task import Said

pytestmark = pytest.mark.filterwarnings("ignore")


class Quiet:
    def observed(self, index: int, observation: Any) -> None:
        pass

    def stepped(self, record: Any) -> None:
        pass


@pytest.fixture(scope="module")
def world() -> Iterator[Any]:
    found = os.environ.get("ANDROID_WORLD_PATH", "")
    if not found:
        pytest.skip("ANDROID_WORLD_PATH does not name a checkout of google-research/android_world")
    pytest.importorskip("android_env")
    before = list(sys.path)
    try:
        yield load_official(Path(found))
    except DataError as error:
        pytest.skip(str(error))
    sys.path[:] = before


def play(world: Any, name: str, agent: Agent, seed: int = 30, device: Any = None) -> Any:
    task = world.instantiate(name, seed)
    return run_episode(task, device or PocketDevice(Phone(seed=1)), agent, Rules(budget=60), Quiet())


# ---- what is missing
def folder_with(tmp_path: Path, source: str) -> Path:
    package = tmp_path / "android_world"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "registry.py").write_text(source, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (
            "from android_world.task_evals import task_pb2",
            "can't be imported|protos are not compiled|needs android_world",
        ),
        ("raise ImportError(\"cannot import name 'task_pb2' from 'proto'\")", "protos are not compiled"),
        ("raise RuntimeError('gencode 6.33.5 runtime 5.29.6')", "protobuf mismatch"),
        ("import pydub_that_is_not_there", "needs pydub_that_is_not_there"),
        ("raise OSError('no fonts')", "can't be imported"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, source: str, wanted: str) -> None:
    pytest.importorskip("android_env")
    code = (
        "import sys; from pathlib import Path; from solar_eval.live.official import load_official\n"
        "from solar_eval.errors import DataError\n"
        "try: load_official(Path(sys.argv[1]))\nexcept DataError as error: print(error)\n"
    )
    words = [sys.executable, "-c", code, str(folder_with(tmp_path, source))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert any(part in done.stdout for part in wanted.split("|")), done.stdout


def test_a_folder_without_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="registry"):
        load_official(tmp_path)


# ---- the start state
class FakeOfficial:
    """The part of AndroidWorld's task object that set-up touches."""

    app_names = ("markor",)
    start_on_home_screen = True
    initialized = False
    params: dict[str, Any] = {}  # noqa: RUF012


def test_a_missing_app_snapshot_is_an_error_not_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """V11: upstream logs it and starts the task on whatever state there is."""
    snapshots = types.SimpleNamespace(_snapshot_path=lambda app: f"/data/data/android_world/snapshots/{app}")
    monkeypatch.setitem(sys.modules, "android_world.utils.app_snapshot", snapshots)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "android_world", types.ModuleType("android_world"))
    monkeypatch.setitem(sys.modules, "android_world.utils", types.ModuleType("android_world.utils"))

    class NoPocket(PocketDevice):
        def shell(self, command: Any, timeout: float | None = None) -> Any:
            if isinstance(command, str) and command.startswith("type pocket"):
                command = "false"
            return super().shell(command, timeout)

    from solar_eval.live.task import Template

    task = OfficialTask(Template("MarkorDeleteNote", 1.0, 5, "easy"), 30, FakeOfficial())
    with pytest.raises(AppDataMissing, match="no snapshot of markor"):
        task.initialize(NoPocket(Phone(seed=1, size=(540, 1200)), "x"))


def test_parameters_as_json_are_the_same_in_every_process() -> None:
    from PIL import Image

    picture = Image.new("RGB", (2, 2), (1, 2, 3))
    found = plain({"a": picture, "b": {3, 1, 2}, "c": (1, None), "d": b"\x01", "e": object()})
    assert found == plain(
        {"a": Image.new("RGB", (2, 2), (1, 2, 3)), "b": {1, 2, 3}, "c": [1, None], "d": b"\x01", "e": object()}
    )
    assert json.dumps(found)


def test_a_hierarchy_becomes_a_forest() -> None:
    pytest.importorskip("android_env")
    tree = pocket().ui_tree()
    nodes = forest_of(tree).windows[0].tree.nodes
    assert [n.text for n in nodes] == [e.text for e in tree.elements] and not tells_hints(tree)
    assert sum(len(n.child_ids) for n in nodes) == sum(e.parent >= 0 for e in tree.elements)


# ---- with the checkout
@pytest.mark.slow
def test_the_same_seed_is_the_same_suite(world: Any) -> None:
    """V8: upstream's MarkorCreateFolder has another goal every second."""
    random.seed(1)
    before = random.getstate()
    for template in world.templates:
        first, second = (world.instantiate(template.name, 30) for _ in range(2))
        assert (first.goal, first.params) == (second.goal, second.params)
    assert random.getstate() == before and len(world.templates) == 116
    names = {world.instantiate("MarkorCreateFolder", seed).params["folder_name"] for seed in range(5)}
    assert len(names) == 5 and all(
        name.startswith("folder_20231015") or name.startswith("folder_20231016") for name in names
    )


@pytest.mark.slow
def test_parameters_are_those_of_upstreams_own_generator(world: Any) -> None:
    for name in ("ContactsAddContact", "SimpleSmsSend", "SystemCopyToClipboard"):
        task = world.instantiate(name, 30)
        ours = dict(task.params)
        rng = random.Random(ours["seed"])
        from solar_eval.live.standins import Context, inside

        with inside(Context(rng, "/nowhere")):
            assert plain(world.classes[name].generate_random_params() | {"seed": ours["seed"]}) == ours


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SystemWifiTurnOff", "ContactsAddContact", "MarkorCreateFolder", "SimpleSmsSend"])
def test_experts_solve_and_doing_nothing_does_not(world: Any, name: str) -> None:
    assert play(world, name, ScriptedAgent("expert")).score == 1.0
    assert play(world, name, ScriptedAgent("noop")).score == 0.0


@pytest.mark.slow
def test_tasks_in_parallel_do_not_disturb_each_other(world: Any) -> None:
    """V12: two workers of one process write to their own temporary folders and draw from their own generators."""
    names, scores = (
        ["RecipeDeleteDuplicateRecipes", "ContactsAddContact", "MarkorDeleteNote", "ExpenseDeleteSingle"],
        {},
    )

    def work(name: str) -> None:
        scores[name] = play(world, name, ScriptedAgent("expert")).score

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == dict.fromkeys(names, 1.0)


@pytest.mark.slow
def test_judging_before_initializing_is_an_error(world: Any) -> None:
    with pytest.raises(RuntimeError, match="before it was initialized"):
        world.instantiate("SystemWifiTurnOff", 30).score(pocket(), Said())


@pytest.mark.slow
def test_an_episode_takes_a_fifth_of_upstreams_time_at_most(world: Any) -> None:
    told = speed.against_upstream(Path(os.environ["ANDROID_WORLD_PATH"]))
    assert told["ours_score"] == told["upstream_score"] == 1.0 and told["times"] >= 5


def test_the_harness_costs_less_than_five_milliseconds_a_step() -> None:
    assert speed.overhead(70) < 0.005
