"""A made-up world in which a tiny VLM learns within minutes: the goal's words name the actions, the screen says which.

A goal names two signs ("first birch, then heron"); each of the signs stands for one action (a table that the model has
to learn). The screen is bright above or below: above means the goal's first sign is due, below the second. So neither
the goal nor the screen alone is enough, and no fine sight is needed, which random weights don't learn in minutes
(facts/training_stack.md, section 3). An episode is two to four steps with the marks in random order.

It is ours, for demonstrations and tests; no score on it is a benchmark's.
"""

from __future__ import annotations

import io
import random
from functools import cache, partial
from itertools import permutations
from typing import Literal

from solar_eval.actions import Action, Press, Swipe, Wait
from solar_eval.dialects.frames import Size
from solar_eval.records import Benchmark, Episode, Step

SIGNS: dict[str, Action] = {
    "birch": Swipe("up"), "cedar": Press("back"), "heron": Swipe("down"), "raven": Press("home"),
    "mossy": Wait(), "ember": Swipe("left"), "flint": Press("recents"), "tulip": Swipe("right"),
}  # fmt: skip
SCREEN: Size = (56, 112)
Mark = Literal["above", "below"]
PROMPT = """{% block user %}
{{ goal }}
{% endblock %}"""
"""A template for this world: the goal and the picture, no explanation, no history."""


def demo_world(episodes: int = 40, seed: int = 0, lengths: tuple[int, int] = (2, 4), signs: int = 8) -> Benchmark:
    """Episodes of the world, the same for the same seed; goals are pairs of the first `signs` signs."""
    rng = random.Random(f"demo-{seed}")
    pairs = list(permutations(list(SIGNS)[:signs], 2))
    rng.shuffle(pairs)
    made = [_episode(i, pairs[i % len(pairs)], rng, lengths) for i in range(episodes)]
    return Benchmark("demo", "all", tuple(made), notes=("a made-up world for demonstrations",))


def _episode(number: int, signs: tuple[str, str], rng: random.Random, lengths: tuple[int, int]) -> Episode:
    goal = f"first {signs[0]}, then {signs[1]}"
    name = f"demo-{number}"
    marks: list[Mark] = [rng.choice(("above", "below")) for _ in range(rng.randint(*lengths))]
    steps = tuple(
        Step(f"{name}/{i}", name, i, goal, "", SIGNS[signs[0] if mark == "above" else signs[1]], SCREEN,
             screenshot=partial(screenshot, mark))
        for i, mark in enumerate(marks)
    )  # fmt: skip
    return Episode(name, goal, steps)


@cache
def screenshot(mark: Mark) -> bytes:
    """The PNG of a screen that is bright above or below."""
    from PIL import Image

    picture = Image.new("RGB", SCREEN, (16, 16, 16))
    half = (SCREEN[0], SCREEN[1] // 2)
    picture.paste(Image.new("RGB", half, (240, 240, 240)), (0, 0 if mark == "above" else half[1]))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
