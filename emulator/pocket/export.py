"""Expert episodes of the pocket phone as GZIP TFRecords in AndroidControl's schema.

Schema: google-research/android_control README: one tf.train.Example an episode with episode_id, goal, screenshots
(PNG), accessibility_trees (AndroidAccessibilityForest), screenshot_widths, screenshot_heights, actions (JSON, one
fewer than screenshots) and step_instructions. Scroll words are raw, as there: the direction the content is revealed
in, so a finger moving up is `down`. Coordinates are pixels of the screenshot.

The data is the pocket phone's own; it is not AndroidControl, and no score on it is one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from emulator.pocket.experts.driver import Action, Driver
from emulator.pocket.experts.episodes import ERRANDS, Errand
from emulator.pocket.phone import Phone
from emulator.tfrecord import Features, write_examples

NAVIGATION = {"BACK": ("navigate_back", "Go back"), "HOME": ("navigate_home", "Go to the home screen")}


class ExportError(Exception):
    """An episode that can't be exported: an action the schema doesn't have, or a goal that wasn't reached."""


def android_control_action(action: Action, label_of: Callable[[str], str]) -> tuple[dict[str, Any], str]:
    """(the action in AndroidControl's words, an instruction for it). ExportError for what it has no word for."""
    name = action.target.label if action.target is not None else ""
    match action.kind:
        case "tap" | "long_press":
            (x, y) = action.points[0]
            verb, kind = ("Tap", "click") if action.kind == "tap" else ("Press and hold", "long_press")
            return {"action_type": kind, "x": x, "y": y}, f"{verb} {name!r}" if name else f"{verb} the marked place"
        case "swipe":
            word = scroll_word(*action.points)
            return {"action_type": "scroll", "direction": word}, f"Scroll {word}"
        case "type":
            return {"action_type": "input_text", "text": action.text}, f"Type {action.text!r}"
        case "open_app":
            label = label_of(action.text)
            return {"action_type": "open_app", "app_name": label}, f"Open the {label} app"
        case "wait":
            return {"action_type": "wait"}, "Wait"
        case "key" if action.text in NAVIGATION:
            kind, words = NAVIGATION[action.text]
            return {"action_type": kind}, words
    raise ExportError(f"AndroidControl has no action for {action.kind} {action.text!r}")


def scroll_word(start: tuple[int, int], end: tuple[int, int]) -> str:
    """AndroidControl's word for a finger's way: what the movement reveals."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    if abs(dy) >= abs(dx):
        return "down" if dy < 0 else "up"
    return "right" if dx < 0 else "left"


def record(phone: Phone, errand: Errand, episode_id: int) -> Features:
    """Do the errand and return the episode. Raises ExportError if the goal wasn't reached."""
    screenshots: list[bytes] = []
    trees: list[bytes] = []
    sizes: list[tuple[int, int]] = []
    actions: list[bytes] = []
    instructions: list[bytes] = []

    def look() -> None:
        screenshots.append(phone.screenshot_png())
        trees.append(phone.forest().SerializeToString(deterministic=True))
        sizes.append(phone.display_size)

    def before(action: Action) -> None:
        look()
        translated, words = android_control_action(action, phone.label_of)
        actions.append(json.dumps(translated, ensure_ascii=False).encode())
        instructions.append(words.encode())

    errand.do(Driver(phone, on_action=before, pause=phone.clock.advance))
    look()
    if not errand.done(phone):
        raise ExportError(f"episode {episode_id} ({errand.name}): {errand.goal!r} was not reached")
    return {
        "episode_id": [episode_id],
        "goal": [errand.goal.encode()],
        "screenshots": list(screenshots),
        "accessibility_trees": list(trees),
        "screenshot_widths": [width for width, _ in sizes],
        "screenshot_heights": [height for _, height in sizes],
        "actions": list(actions),
        "step_instructions": list(instructions),
    }


def expert_episodes(
    count: int,
    size: tuple[int, int] = (1080, 2400),
    seed: int = 0,
    errands: Sequence[Callable[[random.Random], Errand]] = ERRANDS,
) -> Iterator[Features]:
    """`count` episodes, each on a fresh phone; the errands in turn, their details from the seed."""
    for number in range(count):
        errand = errands[number % len(errands)](random.Random(f"{seed}-{number}"))
        yield record(Phone(seed=seed + number, size=size), errand, number)


def export_android_control(
    folder: Path, episodes: int = 6, size: tuple[int, int] = (1080, 2400), seed: int = 0, shard_size: int = 100
) -> str:
    """Write `android_control-0000I-of-0000N` files of at most shard_size episodes, and splits.json (all in `test`).

    Returns a sentence for people. The same arguments give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = expert_episodes(episodes, size, seed)
    shards = -(-episodes // shard_size)
    for shard in range(shards):
        wanted = min(shard_size, episodes - shard * shard_size)
        path = folder / f"android_control-{shard:05d}-of-{shards:05d}"
        write_examples(path, (next(source) for _ in range(wanted)))
    splits = {"train": [], "validation": [], "test": list(range(episodes))}
    (folder / "splits.json").write_text(json.dumps(splits), encoding="utf-8")
    return f"{episodes} expert episodes of the pocket phone in {shards} file{'s' if shards > 1 else ''} in {folder}"
