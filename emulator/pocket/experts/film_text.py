"""Reads the one line of yellow text that stands in AndroidWorld's films, from the pixels of a screenshot.

AndroidWorld draws it with OpenCV on noise (android_world@d9c569f task_evals/utils/user_data_generation.py: 320 x 240,
`putText` at (50, 120), FONT_HERSHEY_SIMPLEX, size 1, thickness 2, (0, 255, 255) in BGR), and the film is compressed and
scaled. So the same words are drawn here with the same function, letter by letter, and those kept that explain the
yellow of the picture with the least squared error (beam search). Any line of the letters below is found, not only names
that are known beforehand. What a person does by looking, this does by knowing how the text was drawn; it can't read
other films.
"""

from __future__ import annotations

import importlib
import re
import string
from collections.abc import Sequence
from io import BytesIO
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WIDTH, HEIGHT = 320, 240
LEFT, BASE = 50, HEIGHT // 2
TOP, BOTTOM = BASE - 34, BASE + 16
LETTERS = string.ascii_letters + string.digits + "-' "
FONT = 0  # cv2.FONT_HERSHEY_SIMPLEX
LONGEST, BEAM, PATIENCE = 16, 12, 2
WORTH = 4.0  # a letter must explain at least as much squared error as four pixels of full ink
SAME = 20.0  # another text leaves at least this much more squared error
Grey: TypeAlias = NDArray[np.float32]


def read(screenshots: Sequence[bytes], bounds: tuple[int, int, int, int]) -> list[str]:
    """The texts of a film, one after the other, from PNG screenshots that show it whole in the middle of `bounds`.

    Screenshots that follow each other and show the same text are read together: their noise differs, the text does not.
    Raises ModuleNotFoundError where OpenCV, which drew the text, is not installed.
    """
    cv2 = importlib.import_module("cv2")
    groups: list[tuple[str, list[Grey]]] = []
    for seen in (_yellow(_film(screenshot, bounds)) for screenshot in screenshots):
        words, shots = groups[-1] if groups else ("", [])
        if shots and _left_over(cv2, seen, words) < _left_over(cv2, shots[-1], words) + SAME:
            shots.append(seen)
        else:
            groups.append((_explained(cv2, seen), [seen]))
    read_ = [_explained(cv2, np.mean(shots, axis=0)) for _, shots in groups]
    return [words for i, words in enumerate(read_) if words and (not i or words != read_[i - 1])]


def _film(screenshot: bytes, bounds: tuple[int, int, int, int]) -> NDArray[np.float32]:
    """The film's picture in its own size, (240, 320, 3), 0 to 1."""
    left, top, right, bottom = bounds
    fit = min((right - left) / WIDTH, (bottom - top) / HEIGHT)
    wide, tall = round(WIDTH * fit), round(HEIGHT * fit)
    x, y = left + (right - left - wide) // 2, top + (bottom - top - tall) // 2
    with Image.open(BytesIO(screenshot)) as opened:
        cut = opened.convert("RGB").crop((x, y, x + wide, y + tall))
    small = cut.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
    return (np.asarray(small) / 255).astype(np.float32)


def _yellow(film: NDArray[np.float32]) -> Grey:
    """How yellow each pixel of the text's rows is; noise, which is mostly not, at about 0."""
    rows = film[TOP:BOTTOM]
    found = np.minimum(rows[..., 0], rows[..., 1]) - rows[..., 2]
    return found.astype(np.float32)


def _drawn(cv2: Any, words: str) -> Grey:
    """The ink of `words`, 0 to 1, in the same rows."""
    canvas = np.zeros((BOTTOM - TOP, WIDTH), np.uint8)
    cv2.putText(canvas, words, (LEFT, BASE - TOP), FONT, 1, 255, 2, cv2.LINE_AA)
    return canvas.astype(np.float32) / np.float32(255)


def _explained(cv2: Any, seen: Grey) -> str:
    """The words with the least error over all columns.

    Beginnings are compared by the share of the yellow, up to where they end, that they leave unexplained: so letters
    that are wide and letters that are narrow have the same chance.
    """
    power = (seen**2).sum(0)
    best, kept, idle = (float(power.sum()), ""), [""], 0
    while kept and idle < PATIENCE and len(kept[0]) < LONGEST:
        tried = []
        for words in (old + letter for old in kept for letter in LETTERS):
            error = ((seen - _drawn(cv2, words)) ** 2).sum(0)
            end = min(LEFT + cv2.getTextSize(words, FONT, 1, 2)[0][0] - 1, WIDTH)
            tried.append((float(error[LEFT:end].sum() / power[LEFT:end].sum()), words, float(error.sum())))
        tried = sorted(tried)[:BEAM]
        kept = [words for _, words, _ in tried]
        least = min((total, words) for _, words, total in tried)
        idle = 0 if least[0] < best[0] - WORTH else idle + 1
        best = least if not idle else best
    return re.sub("(?<=[a-z])I", "l", best[1]).strip()  # the two look alike; inside a word it is an l


def _left_over(cv2: Any, seen: Grey, words: str) -> float:
    return float(((seen - _drawn(cv2, words)) ** 2).sum())
