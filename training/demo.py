"""A made-up world in which a tiny VLM learns within minutes: the goal names an action, the screen if it is due.

A goal names a sign ("follow the heron"), and each sign stands for one action (a table that the model has to learn). A
screen that is bright above is clear: the sign's action is right. One that is bright below is covered by something:
whatever the goal, it has to be dismissed with back first. So neither the goal nor the screen alone is enough, and no
fine sight is needed, which random weights don't learn in minutes (facts/training_stack.md, section 3). An episode is
two to four screens in random order.

It is ours, for demonstrations and tests; no score on it is a benchmark's.
"""

from __future__ import annotations

import io
import random
from functools import cache, partial
from typing import Literal

from solar_eval.actions import Action, Press, Swipe, Wait
from solar_eval.dialects.frames import Size
from solar_eval.records import Benchmark, Episode, Step

SIGNS: dict[str, Action] = {
    "birch": Swipe("up"), "heron": Swipe("down"), "raven": Press("home"), "mossy": Wait(),
    "ember": Swipe("left"), "flint": Press("recents"), "tulip": Swipe("right"), "cedar": Press("enter"),
}  # fmt: skip
DISMISS = Press("back")
SCREEN: Size = (56, 112)
Mark = Literal["clear", "covered"]
COVERED = 0.3
"""Share of covered screens."""
PROMPT = """{% block user %}
{{ goal }}
{% endblock %}"""
"""A template for this world: the goal and the picture, no explanation, no history."""


def demo_world(episodes: int = 200, seed: int = 0, signs: int = 8, lengths: tuple[int, int] = (2, 4)) -> Benchmark:
    """Different episodes of the world, the same for the same seed. signs: how many of SIGNS occur, in turn.

    There are only so many: `episodes` is an upper bound.
    """
    rng = random.Random(f"demo-{seed}")
    names = list(SIGNS)[:signs]
    drawn: dict[tuple[str, tuple[Mark, ...]], None] = {}
    for attempt in range(20 * episodes):
        if len(drawn) < episodes:
            length = rng.randint(*lengths)
            marks: list[Mark] = ["covered" if rng.random() < COVERED else "clear" for _ in range(length)]
            drawn[names[attempt % len(names)], tuple(marks)] = None
    made = [_episode(number, sign, found) for number, (sign, found) in enumerate(drawn)]
    return Benchmark("demo", "all", tuple(made), notes=("a made-up world for demonstrations",))


def _episode(number: int, sign: str, marks: tuple[Mark, ...]) -> Episode:
    goal, name = f"follow the {sign}", f"demo-{number}"
    steps = tuple(
        Step(f"{name}/{i}", name, i, goal, "", SIGNS[sign] if mark == "clear" else DISMISS, SCREEN,
             screenshot=partial(screenshot, mark))
        for i, mark in enumerate(marks)
    )  # fmt: skip
    return Episode(name, goal, steps)


@cache
def screenshot(mark: Mark) -> bytes:
    """The PNG of a screen that is bright above (clear) or below (covered)."""
    from PIL import Image

    picture = Image.new("RGB", SCREEN, (16, 16, 16))
    half = (SCREEN[0], SCREEN[1] // 2)
    picture.paste(Image.new("RGB", half, (240, 240, 240)), (0, 0 if mark == "clear" else half[1]))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()
