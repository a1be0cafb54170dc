"""A `Reply` as one JSON object, the form of a line in samples.jsonl and of our own reply files.

{"step", "key", "text", "image": [w, h], "prefill", "error", "finish_reason", "latency_s", "prompt_tokens",
"completion_tokens", "recorded"}; only "step" and "text" are always there. "text" is null for a fault, and
then "error" says why. Further keys (a reasoning channel) are kept by writers and ignored by readers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solar_eval.actions import Point, from_json, to_json
from solar_eval.dialects.frames import Size
from solar_eval.records import RecordedParse, Reply

COUNTS = ("prompt_tokens", "completion_tokens")
TEXTS = ("prefill", "error", "finish_reason")


def reply_to_json(reply: Reply, key: str = "", extra: Mapping[str, object] | None = None) -> dict[str, object]:
    """The fields that are set, step and text first."""
    out: dict[str, object] = {"step": reply.step, **({"key": key} if key else {}), "text": reply.text}
    if reply.image is not None:
        out["image"] = list(reply.image)
    for name in (*TEXTS, "latency_s", *COUNTS):
        value = getattr(reply, name)
        if value not in (None, ""):
            out[name] = value
    if reply.recorded is not None:
        out["recorded"] = _recorded_json(reply.recorded)
    return out | {name: value for name, value in (extra or {}).items() if name not in out}


def reply_from_json(data: Mapping[str, Any]) -> Reply:
    """The inverse. Raises ValueError naming the field that does not fit."""
    step, text, latency = data.get("step"), data.get("text"), data.get("latency_s")
    if not isinstance(step, str) or not step:
        raise ValueError("step: no step id")
    if text is not None and not isinstance(text, str):
        raise ValueError(f"text of step {step}: {type(text).__name__}, not text")
    texts: dict[str, Any] = {name: data.get(name, "") for name in TEXTS}
    counts: dict[str, Any] = {name: data.get(name) for name in COUNTS}
    if bad := [name for name, value in texts.items() if not isinstance(value, str)]:
        raise ValueError(f"{bad[0]} of step {step}: not text")
    if bad := [name for name, value in counts.items() if not (value is None or isinstance(value, int))]:
        raise ValueError(f"{bad[0]} of step {step}: not a count")
    if not (latency is None or isinstance(latency, int | float)):
        raise ValueError(f"latency_s of step {step}: not a number")
    recorded = _recorded(data["recorded"]) if data.get("recorded") is not None else None
    image = _size(data.get("image"), step)
    return Reply(step, text, image, latency_s=latency, recorded=recorded, **texts, **counts)


def _size(value: object, step: str) -> Size | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2 and all(type(v) is int and v > 0 for v in value):
        return value[0], value[1]
    raise ValueError(f"image of step {step}: {value!r} is not [width, height]")


def _recorded_json(parse: RecordedParse) -> dict[str, object]:
    out: dict[str, object] = {"action": None if parse.action is None else to_json(parse.action)}
    out |= {name: value for name in ("fault", "verb", "text") if (value := getattr(parse, name))}
    return out if parse.point is None else out | {"point": list(parse.point)}


def _recorded(data: object) -> RecordedParse:
    if not isinstance(data, dict):
        raise ValueError("recorded: not an object")
    action, point = data.get("action"), data.get("point")
    texts = [str(data.get(name, "")) for name in ("fault", "verb", "text")]
    return RecordedParse(
        from_json(action) if isinstance(action, dict) else None, texts[0], texts[1],
        Point(float(point[0]), float(point[1])) if isinstance(point, list) and len(point) == 2 else None, texts[2],
    )  # fmt: skip
