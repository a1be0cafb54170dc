"""A checkout of google-research/android_world: is it there, which commit, can it be imported with what is installed?

Facts (2026-11-30): it can't be installed with pip from git (setup.py imports pkg_resources); its pins (protobuf 5.29.5,
android_env 1.2.3) and android_env 1.3.0 (gencode 6.33.5) exclude each other, so its task protocol files are made anew
or its own pins installed apart; android_env 1.3.0 forgets immutabledict. Only `registry` and what it needs is imported.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from emulator.doctor import Finding, Purpose, last_line, run_program

PINNED = "d9c569f"
CLONE = "git clone https://github.com/google-research/android_world"
PROTOS = "android_world/task_evals/information_retrieval/proto"
IMPORT_SECONDS = 180.0
NEEDED: tuple[Purpose, ...] = ("android_world",)
PROBE = """
import google.protobuf, importlib.metadata as m
from android_world import registry
families = registry.TaskRegistry()
print(len(families.get_registry(families.ANDROID_WORLD_FAMILY)), google.protobuf.__version__, m.version("android-env"))
"""
GENCODE = re.compile(r"gencode ([\d.]+) runtime ([\d.]+)")


def android_world(path: Path) -> list[Finding]:
    """Place, commit, import with the number of tasks and the versions."""
    if not (path / "android_world" / "registry.py").is_file():
        said = f"{path} holds no android_world/registry.py"
        return [Finding("android_world", "fails", said, f"{CLONE}; then --android-world PATH", NEEDED)]
    return [_commit(path), _import(path)]


def _commit(path: Path) -> Finding:
    done = run_program(["git", "-C", str(path), "rev-parse", "HEAD"], 10.0)
    if done.code:
        said = f"{path}: no commit can be told ({last_line(done.output)})"
        return Finding("android_world commit", "not proven", said, "use a git checkout, so that results can name it")
    commit = last_line(done.output)
    if not commit.startswith(PINNED):
        said = f"{commit[:12]}; this version was tested with {PINNED}"
        return Finding("android_world commit", "warns", said, f"git -C {path} checkout {PINNED}")
    changed = run_program(["git", "-C", str(path), "status", "--porcelain", "--untracked-files=no"], 30.0)
    if changed.output:
        names = ", ".join(line[3:] for line in changed.output.splitlines()[:3])
        return Finding("android_world commit", "warns", f"{commit[:12]}, changed: {names}", "results will say so")
    return Finding("android_world commit", "ok", commit[:12])


def _import(path: Path) -> Finding:
    search = os.pathsep.join(filter(None, [str(path), os.environ.get("PYTHONPATH", "")]))
    done = run_program([sys.executable, "-c", PROBE], IMPORT_SECONDS, os.environ | {"PYTHONPATH": search})
    if done.code == 0:
        tasks, protobuf, env = last_line(done.output).split()
        return Finding("android_world import", "ok", f"{tasks} tasks; protobuf {protobuf}, android_env {env}")
    return Finding("android_world import", "fails", last_line(done.output), _remedy(done.output, path), NEEDED)


def _remedy(output: str, path: Path) -> str:
    versions = GENCODE.search(output)
    if versions:
        return f"protobuf {versions[2]} is older than the files' {versions[1]}: pip install 'protobuf>={versions[1]}'"
    if re.search(r"(cannot import name|No module named) '[\w.]*_pb2'", output):
        protos = f"{path}/{PROTOS}"
        return f"pip install grpcio-tools && python -m grpc_tools.protoc -I {path} --python_out={path} {protos}/*.proto"
    missing = re.search(r"No module named '([\w.]+)'", output)
    if missing:
        package = {"cv2": "opencv-python-headless", "google.generativeai": "google-generativeai"}.get(missing[1])
        return f"pip install {package or missing[1].split('.')[0]}"
    return "run the import by hand to see the whole message: python -c 'from android_world import registry'"
