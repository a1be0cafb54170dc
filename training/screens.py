"""Screenshots as the model sees them: resized once, kept by key, read as patches.

Training asks for pictures in random order, and TFRecord shards only give them in sequence, so curation resizes each
screenshot once, in file order, and keeps the PNG under the hash of its content: in a folder, or in memory for small
data. The resized size stands with every step; nothing is resized again later, so that tokens and features can't part
(verl#3469, NoisyRollout#3). Patches are those of transformers' Qwen2-VL image processors (rescaled by 1/255, CLIP's
mean and std, the single frame repeated over the temporal patch, merge blocks in order), to which a test compares them.
"""

from __future__ import annotations

import hashlib
import io
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solar_eval.dialects.frames import ResizeRule, Size
from solar_eval.errors import DataError, boundary
from solar_eval.images import prepare_picture
from solar_eval.result_files import write_atomically

Pixels = NDArray[np.float32]
MEAN = np.array([0.48145466, 0.4578275, 0.40821073], dtype=np.float32)
STD = np.array([0.26862954, 0.26130258, 0.27577711], dtype=np.float32)


@dataclass(frozen=True)
class Screen:
    """A kept screenshot. size: as the model sees it; original: of the screenshot itself; width, height."""

    key: str
    size: Size
    original: Size


@dataclass
class ScreenStore:
    """Pictures by key. folder None keeps them in memory; `cached` pictures stay decoded as patches."""

    rule: ResizeRule
    folder: Path | None = None
    cached: int = 512
    patch: int = 14
    merge: int = 2
    frames: int = 2
    _memory: dict[str, bytes] = field(default_factory=dict, repr=False)
    _patches: OrderedDict[str, tuple[Pixels, tuple[int, int]]] = field(default_factory=OrderedDict, repr=False)

    def add(self, load: Callable[[], bytes], where: str) -> Screen:
        """Resizes and keeps one screenshot. Raises DataError naming `where` for one that can't be read."""
        with boundary(DataError, where):
            picture = prepare_picture(load(), self.rule)
        key = hashlib.sha256(picture.data).hexdigest()[:32]
        if self.folder is None:
            self._memory[key] = picture.data
        elif not self._path(key).is_file():
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(key), picture.data)
        return Screen(key, picture.size, picture.original)

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{key}.png"

    def data(self, key: str) -> bytes:
        """The PNG. Raises DataError where it is gone."""
        if self.folder is None:
            return self._memory[key]
        try:
            return self._path(key).read_bytes()
        except OSError as error:
            raise DataError(f"the kept screenshot can't be read ({error.strerror or error})", str(self._path(key)),
                            "delete the run's screens folder; the next start makes it again") from error  # fmt: skip

    def patches(self, key: str) -> tuple[Pixels, tuple[int, int]]:
        """Patches (h * w, channels * frames * patch * patch) and their grid (h, w)."""
        if key not in self._patches:
            self._patches[key] = patchify(self._rgb(key), self.patch, self.merge, self.frames)
            while len(self._patches) > self.cached:
                self._patches.popitem(last=False)
        self._patches.move_to_end(key)
        return self._patches[key]

    def fault(self, key: str) -> str:
        """Why the picture can't be read any more, "" where it can (it is decoded then, and kept as `patches` keeps)."""
        try:
            self.patches(key)
        except DataError as error:
            return f"{error.where}: {error.what}"
        return ""

    def _rgb(self, key: str) -> NDArray[np.uint8]:
        from PIL import Image

        with boundary(DataError, f"kept screenshot {key}"), Image.open(io.BytesIO(self.data(key))) as opened:
            return np.asarray(opened.convert("RGB"))


def image_tokens(size: Size, patch: int = 14, merge: int = 2) -> int:
    """Placeholders that a picture of this resized size becomes."""
    return (size[0] // (patch * merge)) * (size[1] // (patch * merge))


def patchify(
    rgb: NDArray[np.uint8], patch: int = 14, merge: int = 2, frames: int = 2
) -> tuple[Pixels, tuple[int, int]]:
    """Patches of an image (height, width, 3) whose sides are multiples of patch * merge, and their grid (h, w)."""
    height, width, channels = rgb.shape
    if height % (patch * merge) or width % (patch * merge):
        raise DataError(f"a picture of {width}x{height} pixels has no whole number of {patch * merge}-pixel blocks")
    scaled = (rgb.astype(np.float32) / 255 - MEAN) / STD
    h, w = height // patch, width // patch
    blocks = scaled.transpose(2, 0, 1).reshape(channels, h // merge, merge, patch, w // merge, merge, patch)
    blocks = blocks.transpose(1, 4, 2, 5, 0, 3, 6)[:, :, :, :, :, None]
    blocks = np.broadcast_to(blocks, (*blocks.shape[:5], frames, patch, patch))
    return np.ascontiguousarray(blocks.reshape(h * w, channels * frames * patch * patch)), (h, w)
