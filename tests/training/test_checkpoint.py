"""Checkpoints: whole or not there, refused where they don't fit, the last good one survives a full disk."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="checkpoints are torch files: pip install 'solar-eval[train]'")

from training import checkpoint as module  # noqa: E402
from training.checkpoint import Checkpoints  # noqa: E402
from training.commands.run import export  # noqa: E402
from training.errors import CheckpointError  # noqa: E402

WHO = {"lr": 0.1, "rule": "solar"}


def state(value: float) -> dict[str, Any]:
    return {"policy": {"w": torch.full((100, 100), value)}, "optimiser": {"step": [1, 2]}, "skipped": 0}


def test_saved_loaded_and_pruned(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path, WHO, keep=2)
    assert kept.latest() is None
    for updates in (5, 10, 15):
        kept.save(updates, state(updates))
    assert [path.name for path in kept.paths()] == ["update-000010", "update-000015"]
    updates, found = kept.latest() or (0, {})
    assert updates == 15
    assert torch.equal(found["policy"]["w"], torch.full((100, 100), 15.0))
    assert kept.save(15, state(99)) == tmp_path / "update-000015"


def test_the_same_state_gives_the_same_bytes(tmp_path: Path) -> None:
    made = [Checkpoints(tmp_path / name, WHO).save(1, state(3)) for name in "ab"]
    assert len({(path / "state.pt").read_bytes() for path in made}) == 1


@pytest.mark.parametrize("after", [0, 5_000])
def test_a_full_disk_leaves_the_last_good_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    kept = Checkpoints(tmp_path, WHO)
    kept.save(5, state(5))
    opened = Path.open

    class Full:
        """A file on a disk that takes `after` more bytes."""

        def __init__(self, handle: Any) -> None:
            self.handle, self.left = handle, after

        def write(self, data: Any) -> int:
            self.left -= len(data)
            if self.left < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return int(self.handle.write(data))

        def __getattr__(self, name: str) -> Any:
            return getattr(self.handle, name)

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *error: object) -> None:
            self.handle.close()

    def full(self: Path, mode: str = "r", **changes: Any) -> Any:
        handle = opened(self, mode, **changes)
        return Full(handle) if self.name == "state.pt" and "w" in mode else handle

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(CheckpointError, match="can't be written") as caught:
        kept.save(10, state(10))
    assert "update-000005" in str(caught.value)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["update-000005"]
    assert (kept.latest() or (0, {}))[0] == 5


def test_another_configuration_is_refused_key_by_key(tmp_path: Path) -> None:
    Checkpoints(tmp_path, WHO).save(5, state(5))
    with pytest.raises(CheckpointError, match=r"lr: 0.1 there, 0.2 now; new: None there, 'x' now") as caught:
        Checkpoints(tmp_path, {**WHO, "lr": 0.2, "new": "x"}).latest()
    assert "another --out" in str(caught.value)
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("damage", ["cut", "no json", "flipped"])
def test_damage_is_named(tmp_path: Path, damage: str) -> None:
    kept = Checkpoints(tmp_path, WHO)
    path = kept.save(5, state(5))
    file = path / "state.pt"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    elif damage == "no json":
        (path / "about.json").write_text("{")
    else:
        file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(CheckpointError, match="is damaged"):
        kept.latest()


def test_a_checkpoint_can_not_run_code(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    kept = Checkpoints(tmp_path / "kept", WHO)
    path = kept.save(5, state(5))
    torch.save({"policy": Evil()}, path / "state.pt")
    about = json.loads((path / "about.json").read_text())
    (path / "about.json").write_text(json.dumps({**about, "bytes": (path / "state.pt").stat().st_size}))
    with pytest.raises(CheckpointError, match="is damaged"):
        kept.latest()
    assert not (tmp_path / "ran").exists()


def test_left_overs_of_a_killed_save_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".saving-000007-1").mkdir(parents=True)
    (tmp_path / "update-000007").mkdir()
    kept = Checkpoints(tmp_path, WHO)
    assert kept.latest() is None
    assert not (tmp_path / ".saving-000007-1").exists()
    assert module.ABOUT == "about.json"


def test_an_export_replaces_the_earlier_one_or_leaves_it(tmp_path: Path) -> None:
    class Writes:
        def export(self, folder: Path) -> None:
            (folder / "weights").write_text("good")

    class Fails:
        def export(self, folder: Path) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    assert export(Writes(), tmp_path) == tmp_path / "model"
    with pytest.raises(CheckpointError, match="the model can't be written"):
        export(Fails(), tmp_path)
    assert (tmp_path / "model" / "weights").read_text() == "good"
    export(Writes(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]
