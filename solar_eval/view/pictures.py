"""Screenshots beside the pages: named by their content, each with a thumbnail, made by several threads.

A name never comes from the data, so no id or path in it can point anywhere. Only bytes that begin as PNG, JPEG or
WebP are written. Pictures that are there already, from an earlier writing or an equal screen, are not made again.
Almost all of the time is the decoding of PNG (about 40 ms for 1080x2400), for which pillow lets other threads run.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from solar_eval.errors import SolarEvalError
from solar_eval.view.script_data import write_whole

if TYPE_CHECKING:
    from PIL import Image

Keep = Literal["original", "small", "none"]
"""original: the screenshots as they are; small: JPEG of SMALL_WIDTH; none: no pictures at all."""
Load = Callable[[], bytes]
SMALL_WIDTH, THUMB_WIDTH = 540, 144
MAGIC: tuple[tuple[bytes, str], ...] = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"RIFF", "webp"))
BATCH = 64
"""Pictures held in memory at a time."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One written picture: file names inside pics/ and thumbs/; `fault` says why there is none."""

    file: str = ""
    thumb: str = ""
    width: int = 0
    height: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """Encoded bytes, and where their smaller copies go (None: not wanted)."""

    data: bytes
    thumb: Path
    small: Path | None


@dataclass
class PictureFolder:
    """pics/ and thumbs/ below `root`. `used`: every file below `root` that the pages refer to."""

    root: Path
    keep: Keep = "original"
    workers: int = field(default_factory=lambda: min(16, os.cpu_count() or 1))
    used: set[str] = field(default_factory=set)

    def write(self, loads: Sequence[Load | None], tell: Callable[[int], None] = lambda count: None) -> list[Shown]:
        """Writes the picture of each of N loaders; None, and every one under keep "none", gives an empty `Shown`.

        tell: called with the count so far. A picture that can't be read is a `fault`, never an error.
        """
        if self.keep == "none":
            return [Shown()] * len(loads)
        for name in ("pics", "thumbs"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        out: list[Shown] = []
        with ThreadPoolExecutor(self.workers) as pool:
            for start in range(0, len(loads), BATCH):
                out += self._batch(loads[start : start + BATCH], pool)
                tell(len(out))
        self.used |= {f"pics/{shown.file}" for shown in out if shown.file}
        self.used |= {f"thumbs/{shown.thumb}" for shown in out if shown.thumb}
        return out

    def _batch(self, loads: Sequence[Load | None], pool: ThreadPoolExecutor) -> list[Shown]:
        tasks: dict[str, Task] = {}
        shown = [self._placed(load, tasks) for load in loads]
        faults = dict(zip(tasks, pool.map(shrink, tasks.values()), strict=True))
        return [Shown(fault=why) if (why := faults.get(one.thumb, "")) else one for one in shown]

    def _placed(self, load: Load | None, tasks: dict[str, Task]) -> Shown:
        """Names one picture, writes its original, and notes what is still to be made of it, by thumbnail."""
        if load is None:
            return Shown()
        try:
            data = load()
            suffix, (width, height) = _header(data)
        except (SolarEvalError, OSError, ValueError, SyntaxError) as error:
            return Shown(fault=str(error))
        digest = hashlib.sha256(data).hexdigest()[:20]
        shrunk = self.keep == "small"
        shown = Shown(f"{digest}-{SMALL_WIDTH}.jpg" if shrunk else f"{digest}.{suffix}", f"{digest}.jpg", width, height)
        thumb, picture = self.root / "thumbs" / shown.thumb, self.root / "pics" / shown.file
        if not (thumb.exists() and picture.exists()):
            tasks[shown.thumb] = Task(data, thumb, picture if shrunk else None)
            if not shrunk:
                write_whole(picture, data)
        return shown


def _header(data: bytes) -> tuple[str, tuple[int, int]]:
    """Suffix and size. Raises ValueError (or what pillow raises) where the bytes are no picture of the three forms."""
    from PIL import Image

    suffix = next((name for magic, name in MAGIC if data.startswith(magic)), "")
    if not suffix:
        raise ValueError("not a PNG, JPEG or WebP picture")
    try:
        with Image.open(io.BytesIO(data)) as opened:
            return suffix, opened.size
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from None


def shrink(task: Task) -> str:
    """Writes a picture's smaller copies; returns why it can't be read, or ""."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(task.data)) as opened:
            if task.small is not None:
                write_whole(task.small, _jpeg(opened, SMALL_WIDTH, 80))
            write_whole(task.thumb, _jpeg(opened, THUMB_WIDTH, 70))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        return f"not a readable picture: {error}"
    return ""


def _jpeg(picture: Image.Image, width: int, quality: int) -> bytes:
    """A JPEG at most `width` pixels wide, the same bytes for one version of pillow."""
    from PIL import Image

    size = (min(width, picture.width), max(1, round(picture.height * min(1.0, width / picture.width))))
    out = io.BytesIO()
    small = picture.convert("RGB").resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    small.save(out, "JPEG", quality=quality)
    return out.getvalue()
