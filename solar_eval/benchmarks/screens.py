"""Screen sizes of AndroidControl episodes where the labels come without screenshots and without sizes.

Most screens are 1080 x 2400. `KNOWN` lists the test episodes that are not, as the recorded replies of
YangRui2015/GUI-R1 @4be56980 give them (`orig_w`, `orig_h`; 1,412 of the 1,543 episodes). Elsewhere two things speak:
the end points that UI-S1 drew for a swipe (half the width, a quarter and three quarters of the height, or the same
with the axes exchanged), which tell the sizes at hand apart, and points beyond 1080 x 2400. Candidate boxes say
nothing: they often reach a few pixels beyond the screen's edge (1084, 1139).
"""

from __future__ import annotations

from collections.abc import Iterable

from solar_eval.dialects.frames import Size

DEFAULT: Size = (1080, 2400)
LARGE: Size = (1440, 3120)
SHORT: Size = (1080, 2160)
KNOWN: dict[int, Size] = {
    **dict.fromkeys((1027, 4881, 4988, 5837, 6402, 6645, 6919, 6944, 7239, 8074, 9195, 9711, 10531, 10554, 10986,
                     11217, 11673, 13390, 13805, 14940, 16124, 18894, 19088, 19928), LARGE),
    **dict.fromkeys((2777, 5076, 7399, 15832, 16608), SHORT),
    3738: (1080, 2340),
    12571: DEFAULT,  # its first click lies below the screen: (541, 2532)
}  # fmt: skip
KNOWN_STEPS: dict[tuple[int, int], Size] = {(18574, 8): (2400, 1080)}
"""Single steps whose screenshot is turned."""


def screen_of(episode: int | None, index: int, inferred: Size) -> Size:
    """The size of one step's screenshot: recorded where it is known, else what its episode's labels tell."""
    if episode is None:
        return inferred
    return KNOWN_STEPS.get((episode, index)) or KNOWN.get(episode) or inferred


def infer(points: Iterable[tuple[float, float]], paths: Iterable[tuple[float, float, float, float]]) -> Size:
    """The size an episode's click points and drawn swipe paths (x1, y1, x2, y2; pixels) speak for, else DEFAULT."""
    for path in paths:
        size = _drawn_on(*path)
        if size is not None:
            return size
    if any(x > DEFAULT[0] or y > DEFAULT[1] for x, y in points):
        return LARGE
    return DEFAULT


def _drawn_on(x1: float, y1: float, x2: float, y2: float) -> Size | None:
    """The one of the sizes at hand on which this path runs between a quarter and three quarters of an axis."""
    for width, height in (DEFAULT, LARGE, SHORT, KNOWN[3738]):
        for w, h in ((width, height), (height, width)):
            vertical = [(w / 2, h / 4), (w / 2, h * 3 / 4)]
            horizontal = [(w / 4, h / 2), (w * 3 / 4, h / 2)]
            drawn = [(x1, y1), (x2, y2)]
            if any(_near(way, path) for way in (drawn, drawn[::-1]) for path in (vertical, horizontal)):
                return w, h
    return None


def _near(path: list[tuple[float, float]], other: list[tuple[float, float]]) -> bool:
    return all(abs(a - b) <= 1 for p, q in zip(path, other, strict=True) for a, b in zip(p, q, strict=True))
