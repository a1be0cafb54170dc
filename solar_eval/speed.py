"""How fast replies are read and scored on this machine, in replies/s and step-protocol pairs/s on one core.

Run by `scripts/benchmark`. The input is a GUI-R1 reply file where one is given (real text, about 500 characters a
reply), else replies that the scripted models write for made-up steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from solar_eval.actions import Click, OpenApp, Point, Press, Swipe, Type
from solar_eval.dialects.base import Dialect
from solar_eval.dialects.frames import Frame
from solar_eval.protocols import presets
from solar_eval.records import RecordedParse, Step
from solar_eval.scoring.columns import build
from solar_eval.scoring.match import judge

T = TypeVar("T")
THOUGHT = "The goal asks for the next page, and the button at the lower right of the list leads there. " * 4


def timed(work: Callable[[], T], least_s: float = 1.0) -> tuple[float, T]:
    """CPU seconds for one call, the best of as many as fit into `least_s`, and its result."""
    best, spent, result = float("inf"), 0.0, work()
    while spent < least_s:
        started = time.process_time()
        result = work()
        took = time.process_time() - started
        best, spent = min(best, took), spent + took
    return best, result


def made_up_steps(count: int) -> list[Step]:
    """Steps of five kinds of label on 1080 x 2400, in episodes of six."""
    labels = (Click(Point(0.31, 0.42)), Swipe(direction="up", word="down"), Type("green tea, no sugar"),
              OpenApp("Clock"), Press("back"))  # fmt: skip
    return [Step(str(i), str(i // 6), i % 6, "goal", "", labels[i % 5], (1080, 2400)) for i in range(count)]


def parse_rate(dialect: Dialect, texts: Sequence[str], frame: Frame) -> float:
    """Replies read a second."""
    seconds, _ = timed(lambda: [dialect.parse(text, frame) for text in texts])
    return len(texts) / seconds


def score_rate(count: int = 20_000) -> float:
    """Step-protocol pairs judged a second, all presets, columns built once (their building is in the time)."""
    steps = made_up_steps(count)
    predictions = [RecordedParse(step.label) for step in steps]

    def work() -> None:
        columns = build(steps, predictions)
        for protocol in presets().values():
            judge(columns, protocol)

    seconds, _ = timed(work)
    return count * len(presets()) / seconds


def main() -> None:
    """Prints one line a dialect and one for the scorer."""
    from solar_eval.dialects.base import CannotExpress
    from solar_eval.dialects.table import DIALECTS

    for dialect in DIALECTS.values():
        frame = dialect.frame_for((1080, 2400))
        texts = []
        for step in made_up_steps(2000):
            assert step.label is not None
            try:
                texts.append(dialect.render(step.label, frame, THOUGHT))
            except CannotExpress:
                continue
        print(f"parse  {dialect.name:20s} {parse_rate(dialect, texts, frame):>10,.0f} replies/s")
    print(f"score  {'all presets':20s} {score_rate():>10,.0f} step-protocol pairs/s")


if __name__ == "__main__":
    main()
