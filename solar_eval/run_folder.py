"""A locked folder with a manifest: what every run directory, offline or live, has in common.

    manifest.json     identity (what makes the numbers what they are), about, and, apart, environment (may differ)
    config.json       the resolved configuration with the origin of each value

A second run over the same identity resumes; another identity is refused, key by key. The layout follows verifiers v1's
run directory (Prime Intellect); the split of identity and environment is ours.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from solar_eval.errors import RunDirError
from solar_eval.result_files import write_atomically, write_json

if TYPE_CHECKING:
    from filelock import BaseFileLock

SCHEMA = 1
PACKAGES = (
    "openai", "httpx2", "pydantic", "numpy", "pandas", "pyarrow", "pillow", "scipy", "statsmodels", "rapidfuzz",
)  # fmt: skip
"""Packages whose versions stand in the environment section."""


@dataclass
class RunFolder:
    """An open folder. `lock` is None where it was opened read only. `resumed`: it was there before."""

    path: Path
    manifest: dict[str, Any]
    lock: BaseFileLock | None = None
    resumed: bool = False

    @classmethod
    def create_or_resume(
        cls,
        path: Path,
        identity: Mapping[str, object],
        about: Mapping[str, object] | None = None,
        session: Mapping[str, object] | None = None,
    ) -> Self:
        """Locks `path`, makes it or checks it against `identity`. Raises RunDirError.

        identity: refused if it differs. about: deterministic too, but replaced (counts, notes, protocols).
        session: what may differ from start to start (command, address, concurrency).
        """
        if path.exists() and not path.is_dir():
            raise RunDirError("is a file, not a directory", str(path), "give another --out")
        path.mkdir(parents=True, exist_ok=True)
        lock = _locked(path)
        try:
            manifest = _manifest_for(path, identity)
            resumed = bool(manifest["environment"]["sessions"])
            manifest["about"] = dict(about or {})
            manifest["environment"]["sessions"].append(_session(session or {}))
            write_json(path / "manifest.json", manifest)
        except BaseException:
            _release(path, lock)
            raise
        return cls(path, manifest, lock, resumed)

    @classmethod
    def open(cls, path: Path) -> Self:
        """An existing folder, read only and without a lock."""
        manifest = _read_manifest(path)
        if manifest is None:
            raise RunDirError("is not a run directory (no manifest.json)", str(path))
        return cls(path, manifest, None, True)

    def write_config(self, config: Mapping[str, object]) -> None:
        """Keeps the resolved configuration as config.json."""
        write_json(self.path / "config.json", config)

    def note(self, facts: Mapping[str, object]) -> None:
        """Adds to this session's entry in the environment section (server facts, end of the run)."""
        self.manifest["environment"]["sessions"][-1].update(facts)
        write_json(self.path / "manifest.json", self.manifest)

    def writable(self) -> None:
        """Raises RunDirError where the folder was opened read only."""
        if self.lock is None:
            raise RunDirError("was opened read only", str(self.path))

    def close(self) -> None:
        """Notes the time and unlocks; may be called twice."""
        if self.lock is None:
            return
        self.note({"finished": _now()})
        _release(self.path, self.lock)
        self.lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# ---- identity
def differences(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Each key that differs, dotted, as "key: old -> new"."""
    before, after = _flat(old), _flat(new)
    keys = [*before, *(key for key in after if key not in before)]
    return [
        f"{key}: {_shown(before, key)} -> {_shown(after, key)}"
        for key in keys
        if before.get(key, ...) != after.get(key, ...)
    ]


def _flat(data: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    out: dict[str, object] = {}
    for key, value in data.items():
        if isinstance(value, Mapping) and value:
            out |= _flat(value, f"{prefix}{key}.")
        else:
            out[prefix + key] = value
    return out


def _shown(data: Mapping[str, object], key: str) -> str:
    text = json.dumps(data[key], ensure_ascii=False) if key in data else "(not there)"
    return text if len(text) <= 80 else text[:77] + "..."


def _manifest_for(path: Path, identity: Mapping[str, object]) -> dict[str, Any]:
    """The manifest that stands there, if its identity is the same, or a new one."""
    wanted = json.loads(json.dumps(identity))
    found = _read_manifest(path)
    if found is None:
        strangers = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
        if strangers:
            raise RunDirError(f"holds {strangers[0]} but no manifest.json", str(path), "give an empty or a new --out")
        version = solar_eval_version()
        return {
            "schema": SCHEMA,
            "solar_eval": version,
            "identity": wanted,
            "about": {},
            "environment": {"sessions": []},
        }
    changed = differences(found["identity"], wanted)
    if changed:
        raise RunDirError(
            "was made with another configuration:\n    " + "\n    ".join(changed), str(path),
            "give the old values, or another --out",
        )  # fmt: skip
    return found


def _read_manifest(path: Path) -> dict[str, Any] | None:
    file = path / "manifest.json"
    if not file.exists():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        sound = isinstance(data["identity"], dict) and isinstance(data["environment"]["sessions"], list)
        schema = data["schema"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise RunDirError(f"unreadable: {type(error).__name__}: {error}", str(file), "give another --out") from None
    if schema != SCHEMA or not sound:
        raise RunDirError(f"schema {schema!r}, this version writes {SCHEMA}", str(file), "give another --out")
    return dict(data)


# ---- lock
def _locked(path: Path) -> BaseFileLock:
    from filelock import FileLock, Timeout

    lock = FileLock(path / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RunDirError(f"is in use by {_holder(path)}", str(path), "wait for it, or give another --out") from None
    except OSError as error:
        raise RunDirError(f"can't be locked: {error}", str(path), "is it writable?") from None
    holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
    write_atomically(path / ".holder", json.dumps(holder).encode())
    return lock


def _holder(path: Path) -> str:
    try:
        data = json.loads((path / ".holder").read_text(encoding="utf-8"))
        return f"process {data['pid']} on {data['host']} since {data['since']}"
    except (OSError, ValueError, LookupError, TypeError):
        return "another process (it left no note)"


def _release(path: Path, lock: BaseFileLock) -> None:
    with suppress(FileNotFoundError):
        (path / ".holder").unlink()
    lock.release()


# ---- environment
def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def solar_eval_version() -> str:
    """The installed version, "unknown" for a bare checkout on the path."""
    return _version("solar-eval") or "unknown"


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _session(given: Mapping[str, object]) -> dict[str, object]:
    versions = {name: found for name in PACKAGES if (found := _version(name)) is not None}
    return {
        "started": _now(), "solar_eval": solar_eval_version(), "pid": os.getpid(), "host": socket.gethostname(),
        "python": platform.python_version(), "platform": sys.platform, "packages": versions, **given,
    }  # fmt: skip
