"""Finding JSON in a reply: between a family's tags, or somewhere in prose; strict first, mended only where that fails.

`tagged` and `bare` hand back every JSON value that may be an action, in order, with how it was found. Both are linear
in the reply's length: strict decoding starts at the tag or at a brace, its failures share one budget of characters,
and mending (json_repair.py) looks at bounded pieces. Nothing here knows an action; `arguments.py` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from solar_eval.dialects.base import Fault, FaultCode, Flag
from solar_eval.dialects.json_repair import Json, TolerantReader, number


class ReplyFault(Exception):
    """A fault of the reply, on its way to `Reading.fault`. `seen`: the kind of action that was meant."""

    def __init__(self, code: FaultCode, detail: str = "", seen: str = "") -> None:
        super().__init__(code, detail)
        self.fault, self.seen = Fault(code, detail[:160]), seen


class Notes:
    """The liberties taken while one action is read, each once, in the order they were taken."""

    __slots__ = ("flags",)

    def __init__(self, flags: tuple[Flag, ...] = ()) -> None:
        self.flags: tuple[Flag, ...] = flags

    def add(self, flag: Flag) -> None:
        """Records a liberty."""
        if flag not in self.flags:
            self.flags = (*self.flags, flag)


@dataclass(slots=True)
class Located:
    """JSON values found in one reply.

    `prefix`, `suffix`: the text around the first block, its tags left out. `tagged`: at least one opening tag.
    `closed`: the closing tag follows the value with only white space between. `lines`: each tag stands against a line
    feed, as the official readers of the Qwen line split. `begin`, `end`: where the first value stands. `notes`:
    liberties per value.
    """

    values: list[Json] = field(default_factory=list)
    notes: list[Notes] = field(default_factory=list)
    prefix: str = ""
    suffix: str = ""
    tagged: bool = False
    closed: bool = False
    lines: bool = False
    begin: int = -1
    end: int = -1

    def add(self, value: Json, notes: Notes, begin: int, end: int) -> None:
        """Takes one value; the first one's place is kept."""
        if not self.values:
            self.begin, self.end = begin, end
        self.values.append(value)
        self.notes.append(notes)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


MAX_BLOCKS, MAX_OBJECTS = 16, 64
"""Tagged blocks, and objects in prose, that are read in one reply; a reply with more is a loop."""
_STRICT = json.JSONDecoder(parse_constant=_refuse)
_LOOSE = json.JSONDecoder(strict=False, parse_int=number)
_SPACE = re.compile(r"\s*")
_FENCE = re.compile(r"```(?:json|JSON)?")
_OPENING = re.compile(r"[{\[]\s*[\"'“]?[A-Za-z_]\w{0,40}[\"'”]?\s*[:：]")
_BETWEEN = re.compile(r"[\s,;}\]`]*")


class Tag:
    """An opening and a closing tag. `near` finds spellings that only differ in case, blanks or the separator."""

    def __init__(self, name: str) -> None:
        self.open, self.close = f"<{name}>", f"</{name}>"
        loose = name.replace("_", r"[_ -]?")
        self.near = re.compile(rf"<\s?{loose}\s?>", re.IGNORECASE)
        self.near_close = re.compile(rf"<\s?/\s?{loose}\s?>", re.IGNORECASE)


def strict_at(text: str, at: int) -> tuple[Json, int]:
    """The strict JSON value that begins at `at`, and its end. Raises ValueError."""
    value, end = _STRICT.raw_decode(text, at)
    return value, end


def _loose_at(text: str, at: int) -> tuple[Json, int] | None:
    try:
        value, end = _LOOSE.raw_decode(text, at)
    except ValueError:
        return None
    return value, end


def whole(text: str) -> Json | None:
    """The value where the whole text is one strict JSON object or list, else None."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "["):
        return None
    try:
        value, end = strict_at(stripped, 0)
    except ValueError:
        return None
    return value if end == len(stripped) else None


def tagged(text: str, tag: Tag) -> Located:
    """All values between `tag`s; `Located.tagged` is False where there is no such tag."""
    found = Located()
    start = text.find(tag.open)
    if start < 0:
        return _near_tagged(text, tag, found)
    found.tagged, found.prefix = True, text[:start]
    for count in range(MAX_BLOCKS):
        inside = start + len(tag.open)
        following = text.find(tag.open, inside)
        start = _block(text, tag, inside, following, found, first=count == 0)
        if start < 0:
            break
    return found


def _near_tagged(text: str, tag: Tag, found: Located) -> Located:
    if "<" not in text or tag.near.search(text) is None:
        return found
    respelled = tag.near_close.sub(tag.close, tag.near.sub(tag.open, text))
    found = tagged(respelled, tag)
    for notes in found.notes:
        notes.add("repaired")
    found.closed = found.lines = False
    return found


def _block(text: str, tag: Tag, inside: int, following: int, found: Located, first: bool) -> int:
    """Reads one block from `inside` on; returns where the next opening tag stands (-1: none)."""
    limit = following if following >= 0 else len(text)
    begin = _opening(text, inside, limit)
    if begin < 0:
        return following
    notes = Notes()
    try:
        value, end = strict_at(text, begin)
    except ValueError:
        close = text.find(tag.close, begin, limit)
        stop = close if close >= 0 else limit
        value, end = mended(text, begin, stop, close >= 0 or following >= 0, notes)
    if end > limit:  # the tag's name stood inside a string
        following = text.find(tag.open, end)
        limit = following if following >= 0 else len(text)
    if isinstance(value, dict | list):
        found.add(value, notes, begin, end)
        _after(text, tag, inside, end, limit, found, notes, first)
    return following


def _opening(text: str, inside: int, limit: int) -> int:
    """Where the value of a block begins: directly, after a fence, or at the first brace of the block; -1: nowhere."""
    match = _SPACE.match(text, inside, limit)
    at = match.end() if match else inside
    if at < limit and text[at] in "{[":
        return at
    return text.find("{", inside, limit)


def _after(text: str, tag: Tag, inside: int, end: int, limit: int, found: Located, notes: Notes, first: bool) -> None:
    """Looks at what follows a block's first value: its closing tag, further objects, or the end of the reply."""
    at = _skip(_SPACE, text, end, limit)
    closed = text.startswith(tag.close, at)
    if first:
        found.closed = closed and text[inside : found.begin].strip() == ""
        found.lines = closed and text[inside : found.begin] == "\n" and text[end:at] == "\n"
    if not closed:
        extra = _skip(_BETWEEN, text, end, limit)
        if extra > at:
            notes.add("repaired")
        extra = _further(text, extra, limit, found)
        close = text.find(tag.close, extra, limit)
        if close < 0:
            notes.add("truncated")
            return
        at = close
        if text[extra:at].strip():
            notes.add("repaired")
    if first:
        found.suffix = text[at + len(tag.close) :]


def _further(text: str, at: int, limit: int, found: Located) -> int:
    """Further objects right behind the first one in the same block; where they end."""
    while at < limit and text[at] == "{" and len(found.values) < MAX_OBJECTS:
        try:
            value, end = strict_at(text, at)
        except ValueError:
            return at
        found.add(value, Notes(), at, end)
        at = _skip(_BETWEEN, text, end, limit)
    return at


def _skip(pattern: re.Pattern[str], text: str, at: int, limit: int) -> int:
    match = pattern.match(text, at, limit)
    return match.end() if match else at


def mended(text: str, begin: int, stop: int, closed: bool, notes: Notes) -> tuple[Json, int]:
    """A value that strict JSON refuses, and its end; what was done to it goes into `notes`."""
    notes.add("repaired")
    loose = _loose_at(text, begin)
    if loose is not None:
        return loose
    reader = TolerantReader(text, begin, stop, closed)
    value = reader.read()
    if reader.truncated:
        notes.add("truncated")
    return value, reader.pos


def bare(text: str, accept: Callable[[dict[str, Json]], bool], mend: bool = True) -> Located:
    """JSON objects in prose that `accept` takes for an action. Mends only where no strict one was found."""
    found = Located()
    budget = 4 * len(text) + 1000
    at = text.find("{")
    while at >= 0 and budget > 0 and len(found.values) < MAX_OBJECTS:
        try:
            value, end = strict_at(text, at)
        except json.JSONDecodeError as error:
            budget -= 1 + error.pos - at + error.pos // 32  # JSONDecodeError counts the lines before it
            at = text.find("{", at + 1)
            continue
        except ValueError:  # NaN, an integer of thousands of digits
            break
        if isinstance(value, dict) and accept(value):
            found.add(value, Notes(), at, end)
        budget -= 1
        at = text.find("{", end)
    if not found.values and mend:
        _mend_bare(text, accept, found)
    if found.values:
        found.prefix, found.suffix = text[: found.begin], text[found.end :]
    return found


def _mend_bare(text: str, accept: Callable[[dict[str, Json]], bool], found: Located) -> None:
    opening = _OPENING.search(text)
    if opening is None:
        return
    notes = Notes()
    value, end = mended(text, opening.start(), len(text), False, notes)
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and accept(item):
            found.add(item, notes, opening.start(), end)


def unfenced(text: str) -> str:
    """The inside of the first code fence, or the text as it is."""
    match = _FENCE.search(text)
    if match is None:
        return text
    inside = text[match.end() :]
    close = inside.find("```")
    return inside[:close] if close >= 0 else inside
