"""Recorded replies from files: our own form, or GUI-R1's; `read_replies` tells which by the first readable line.

Our form is JSON lines, one reply a line: {"step" (or "id"): step id, "text": reply or null, "image"?: [w, h],
"prefill"?, "error"?, ...} (`reply_json.py`); a run directory stands for its samples.jsonl. A null text is a fault of
the infrastructure: the step is owed, and a later line may answer it. GUI-R1's form is `gui_r1.py`'s.

Nothing that can be read is lost: a damaged line, a line without a step id, a second answer to a step each become an
`Unreadable` naming file and line, and the rest is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from solar_eval.benchmarks.gui_r1 import ReplyFile, RowsOf, read_gui_r1
from solar_eval.benchmarks.join import Joined, join_android_control, missing_from, with_whole_texts
from solar_eval.benchmarks.lines import Line, files_of, read_lines
from solar_eval.errors import DataError
from solar_eval.records import Reply, Unreadable
from solar_eval.reply_json import reply_from_json

__all__ = ["Joined", "OwnReplies", "ReplyFile", "form_of", "join_android_control", "missing_from", "read_gui_r1",
           "read_own", "read_replies", "with_whole_texts"]  # fmt: skip

SUFFIXES = (".jsonl", ".jsonl.gz", ".json")
Form = Literal["own", "gui_r1"]


@dataclass(frozen=True, slots=True)
class OwnReplies:
    """Replies without labels, in file order, at most one a step."""

    replies: tuple[Reply, ...]
    unreadable: tuple[Unreadable, ...] = ()


def read_replies(path: Path, rows_of: RowsOf | None = None) -> OwnReplies | ReplyFile:
    """Whatever `path` holds. `rows_of`: see `read_gui_r1`. Raises DataError if there is no readable line at all."""
    return read_gui_r1(path, rows_of) if form_of(path) == "gui_r1" else read_own(path)


def form_of(path: Path) -> Form:
    """Which of the two forms the first readable line has. Raises DataError where no line can be read as either."""
    first: Unreadable | None = None
    for file in _files(path):
        for line in read_lines(file):
            if isinstance(line, Unreadable):
                first = first or line
            elif "gt_action" in line.data:
                return "gui_r1"
            elif "step" in line.data or "id" in line.data:
                return "own"
            else:
                names = ", ".join(list(line.data)[:8])
                first = first or Unreadable(line.where, f"neither form of reply; its keys: {names}")
    why = f"; the first: {first.where}: {first.why}" if first else ""
    raise DataError(f"no reply can be read{why}", str(path),
                    'lines: {"step": id, "text": reply}, or GUI-R1\'s rows, or a run directory')  # fmt: skip


def _files(path: Path) -> Sequence[Path]:
    samples = path / "samples.jsonl"
    return [samples] if samples.is_file() else files_of(path, SUFFIXES)


def read_own(path: Path) -> OwnReplies:
    """Replies in our form from a file, a directory of such files, a run directory or a glob.

    The first answer to a step counts; a fault counts until there is one. Raises DataError if the path has no file.
    """
    found: dict[str, tuple[Reply, str]] = {}
    unreadable: list[Unreadable] = []
    for file in _files(path):
        for line in read_lines(file):
            if isinstance(line, Unreadable):
                unreadable.append(line)
            else:
                _take(line, found, unreadable)
    return OwnReplies(tuple(reply for reply, _ in found.values()), tuple(unreadable))


def _take(line: Line, found: dict[str, tuple[Reply, str]], unreadable: list[Unreadable]) -> None:
    data = line.data if "step" in line.data else line.data | {"step": line.data.get("id")}
    try:
        if "text" not in data and not data.get("error"):
            raise ValueError("text: missing, and no error says why")
        reply = reply_from_json(data)
    except (ValueError, TypeError, OverflowError) as error:
        unreadable.append(Unreadable(line.where, str(error)))
        return
    earlier = found.get(reply.step)
    if earlier is None or (earlier[0].text is None and reply.text is not None):
        found[reply.step] = (reply, line.where)
    elif reply.text is not None:
        why = f"a second reply to step {reply.step}; the one at {earlier[1]} was kept"
        unreadable.append(Unreadable(line.where, why))
