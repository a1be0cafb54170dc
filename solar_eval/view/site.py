"""Writes a view: one folder with pages, data and pictures, that works from disk and from any static server.

    index.html, app/*    the viewer, the same files for every run
    data/*.js            the run: run.js, index.js, piece-0000.js ..., long-<row>.js for texts beyond LONG characters
    pics/, thumbs/       screenshots and their thumbnails, named by their content

Data are written first and index.html last; files of an earlier writing that nothing refers to any more are removed.
A folder that holds anything else than an earlier view is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

from solar_eval.errors import RunDirError
from solar_eval.view.pictures import PictureFolder
from solar_eval.view.script_data import write_put, write_whole

PIECE = 100
LONG = 20_000
"""Characters of a text that stand in a step's piece; the whole of a longer one is a file of its own."""
SCRIPTS = (
    "core.js", "text.js", "state.js", "charts.js", "screen.js", "list.js", "overview.js", "sample.js", "live.js",
    "training.js", "keys.js", "main.js",
)  # fmt: skip
OURS = frozenset({"index.html", "app", "data", "pics", "thumbs"})
MARK = "solar-eval view"


class Pages(Protocol):
    """What a run of any kind gives the viewer. `about` has "kind" and "title"; `entry` is one step's page."""

    @property
    def count(self) -> int:
        """Number of steps."""

    def about(self) -> dict[str, Any]:
        """What every page shows."""

    def index(self) -> dict[str, Any]:
        """Columns over all steps."""

    def entry(self, row: int) -> dict[str, Any]:
        """Everything that the page of one step shows."""


@dataclass
class Site:
    """A view being written into `root`. `bytes`: of the data so far, pictures apart."""

    root: Path
    bytes: int = 0
    written: set[str] = field(default_factory=set)

    @classmethod
    def at(cls, root: Path) -> Site:
        """A view that will stand at `root`. Raises RunDirError where something else does."""
        if root.exists():
            if not root.is_dir():
                raise RunDirError("is a file, not a folder", str(root), "give another --out")
            strangers = sorted(entry.name for entry in root.iterdir() if entry.name not in OURS)
            index = root / "index.html"
            foreign = index.is_file() and MARK not in index.read_text(encoding="utf-8", errors="replace")
            if strangers or foreign:
                name = strangers[0] if strangers else "index.html"
                raise RunDirError(
                    f"holds {name}, which is no part of a view", str(root), "give an empty or a new --out"
                )
        return cls(root)

    def write(self, pages: Pages, pictures: PictureFolder | None = None) -> None:
        """Writes data, then the viewer; removes what is left of an earlier view. Raises RunDirError."""
        self.bytes, self.written = 0, set()
        for name in ("app", "data"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        count = pages.count
        self._put("run", {**pages.about(), "count": count, "piece": PIECE})
        self._put("index", pages.index())
        for start in range(0, count, PIECE):
            entries = [self._cut(pages.entry(row), row) for row in range(start, min(start + PIECE, count))]
            self._put(f"piece-{start // PIECE:04d}", entries)
        self._viewer()
        self._clean(pictures.used if pictures else set())

    def _put(self, name: str, data: object) -> None:
        self.bytes += write_put(self.root / "data" / f"{name}.js", name, data)
        self.written.add(f"data/{name}.js")

    def _cut(self, entry: dict[str, Any], row: int) -> dict[str, Any]:
        """The entry with over-long texts cut to LONG characters; their whole goes to a file of its own."""
        whole = {key: value for key, value in entry.items() if isinstance(value, str) and len(value) > LONG}
        if not whole:
            return entry
        self._put(f"long-{row}", whole)
        sizes = {key: len(value) for key, value in whole.items()}
        return {**entry, **{key: value[:LONG] for key, value in whole.items()}, "long": sizes}

    def _viewer(self) -> None:
        folder = resources.files("solar_eval.view") / "app"
        for name in ("view.css", *SCRIPTS):
            write_whole(self.root / "app" / name, (folder / name).read_bytes())
            self.written.add(f"app/{name}")
        page = (folder / "index.html").read_text(encoding="utf-8")
        scripts = "\n".join(f'<script defer src="app/{name}"></script>' for name in SCRIPTS)
        write_whole(self.root / "index.html", page.replace("<!-- scripts -->", scripts).encode("utf-8"))

    def _clean(self, pictures: set[str]) -> None:
        kept = self.written | pictures
        for name in ("app", "data", "pics", "thumbs"):
            for file in (self.root / name).iterdir() if (self.root / name).is_dir() else ():
                if f"{name}/{file.name}" not in kept:
                    file.unlink()
