"""`solar-eval view RUN`: a run directory as a folder of static pages."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from solar_eval.errors import RunDirError
from solar_eval.view.pictures import Keep, Load, PictureFolder
from solar_eval.view.site import Pages, Site

EVERY_S = 2.0


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """What the flags say. out: None: a folder `view` inside the run directory. data: the benchmark's files."""

    out: Path | None = None
    data: Path | None = None
    pictures: Keep = "original"


def run(path: Path, options: ViewOptions, err: TextIO | None = None) -> int:
    """Writes the view and says where it is; returns 0. Raises RunDirError or DataError.

    path: an offline or live run directory, or a training run's folder (metrics.jsonl).
    """
    err = err or sys.stderr
    start = time.monotonic()
    if not path.is_dir():
        raise RunDirError("no such run directory", str(path))
    site = Site.at(options.out or path / "view")
    folder = PictureFolder(site.root, options.pictures)
    pages = open_pages(path, options.data, folder, err)
    pictured = time.monotonic()
    site.write(pages, folder)
    done = time.monotonic()
    print(
        f"{pages.count} steps: reading and pictures {pictured - start:.1f} s, pages {done - pictured:.1f} s, "
        f"{site.bytes / 1e6:.1f} MB beside {len(folder.used)} picture files",
        file=err,
    )
    print(f"view: {site.root / 'index.html'}", file=err)
    return 0


def open_pages(path: Path, data: Path | None, folder: PictureFolder, err: TextIO) -> Pages:
    """The pages of whatever kind of run stands at `path`, its pictures written."""
    from solar_eval.view.live import LivePages, is_live, load_live
    from solar_eval.view.offline import load_offline
    from solar_eval.view.offline_pages import OfflinePages
    from solar_eval.view.training import TrainingPages, is_training

    if is_live(path):
        live = load_live(path)
        seen = [load for one in live.attempts for load in one.pictures]
        return LivePages(live, folder.write(seen, _teller(len(seen), err)))
    if is_training(path) and not (path / "samples.jsonl").is_file():
        return TrainingPages(path)
    loaded = load_offline(path, data)
    loads: list[Load | None] = [step.screenshot for step in loaded.steps]
    return OfflinePages(loaded, folder.write(loads, _teller(len(loads), err)))


def _teller(total: int, err: TextIO) -> Callable[[int], None]:
    """Prints "pictures 640/10000" every few seconds."""
    last = [time.monotonic()]

    def tell(count: int) -> None:
        if time.monotonic() - last[0] >= EVERY_S:
            last[0] = time.monotonic()
            print(f"pictures {count}/{total}", file=err)

    return tell
