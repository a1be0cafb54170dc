"""One action's arguments, typed: points, texts, times and words out of decoded JSON.

Every getter gives what the grammar asks for, mends what only differs in its container (a number as text, a pair as
"330, 182", a box for a point) with a note, and raises ReplyFault for the rest. A coordinate is never made up: what is
missing or half there is a fault.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeVar

from solar_eval.actions import Point
from solar_eval.dialects.base import Dialect
from solar_eval.dialects.frames import Frame
from solar_eval.dialects.json_reading import Notes, ReplyFault
from solar_eval.dialects.json_repair import Json

T = TypeVar("T")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NUMBERS = re.compile(rf"(?:{_NUMBER.pattern})(?:\s*[,，;\s]\s*(?:{_NUMBER.pattern}))*")
_TAGS = re.compile(r"</?\|?[A-Za-z_][^<>\n]{0,40}>")
_BRACKETS = str.maketrans(dict.fromkeys("[](){}（）【】", " "))
_PLACEHOLDER = re.compile(r"[<{\[(\s]*(?:[xy][0-9]?|[xy](?:_?(?:min|max|coord(?:inate)?|center)))[>}\])\s]*", re.I)
MAX_COORDINATE_TEXT = 200
HUGE = 10**9


@dataclass(slots=True)
class Args:
    """The arguments of one action. `seen`: its kind, for the fault of an action that can't be read."""

    values: dict[str, Json]
    notes: Notes
    dialect: Dialect
    frame: Frame
    seen: str = ""

    def fault(self, code: str, detail: str) -> ReplyFault:
        """A fault of this action."""
        return ReplyFault(code, detail, self.seen)  # type: ignore[arg-type]  # codes are literals at the callers

    def find(self, names: tuple[str, ...]) -> tuple[str, Json]:
        """The first of `names` that is set; any but the first one is a mended name. ('', None) where none is."""
        for name in names:
            value = self.values.get(name)
            if value is not None:
                if name != names[0]:
                    self.notes.add("repaired")
                return name, value
        return "", None

    def has(self, *names: str) -> bool:
        """Whether any of `names` is set."""
        return any(self.values.get(name) is not None for name in names)

    # ---- points
    def point(self, *names: str, box: bool = False) -> Point:
        """The point under the first of `names` that is set. `box`: four numbers are what the grammar asks for."""
        name, value = self.find(names)
        if not name:
            raise self.fault("missing_argument", f"no {names[0]}")
        return self.as_point(name, value, box)

    def as_point(self, name: str, value: Json, box: bool = False) -> Point:
        """A value as a point in fractions of the screen; four numbers give the centre of the box."""
        x, y = self.pair(name, value, box)
        return self.dialect.point(x, y, self.frame)

    def pair(self, name: str, value: Json, box: bool = False) -> tuple[float, float]:
        """A value as two numbers in the family's own space."""
        if type(value) is list and len(value) == 2 and all(type(v) is int and -HUGE < v < HUGE for v in value):
            if box:
                self.notes.add("repaired")
            return value[0], value[1]  # type: ignore[return-value]  # both are int
        numbers = self.numbers(name, value)
        if len(numbers) == 2:
            if box:
                self.notes.add("repaired")
            return numbers[0], numbers[1]
        if len(numbers) == 4:
            if not box:
                self.notes.add("box_as_point")
            return (numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2
        raise self.fault("bad_coordinate", f"{name}: {len(numbers)} numbers")

    def numbers(self, name: str, value: Json, depth: int = 0) -> list[float]:
        """All numbers of a coordinate value, whatever holds them. Raises ReplyFault for anything else."""
        if isinstance(value, bool) or value is None or depth > 2:
            raise self.fault("bad_coordinate", f"{name}: {str(value)[:40]}")
        if isinstance(value, int | float):
            return [self._finite(name, value)]
        if isinstance(value, str):
            self.notes.add("repaired")
            return self._written(name, value)
        if isinstance(value, dict):
            self.notes.add("repaired")
            value = self._from_keys(name, value)
        if len(value) > 4:
            raise self.fault("bad_coordinate", f"{name}: {len(value)} entries")
        if depth == 0 and any(isinstance(item, list) for item in value) and len(value) > 1:
            self.notes.add("repaired")
        return [number for item in value for number in self.numbers(name, item, depth + 1)]

    def _from_keys(self, name: str, value: dict[str, Json]) -> list[Json]:
        for keys in (("x", "y"), ("x1", "y1", "x2", "y2"), ("left", "top", "right", "bottom")):
            if all(key in value for key in keys):
                return [value[key] for key in keys]
        raise self.fault("bad_coordinate", f"{name}: {', '.join(list(value)[:4])}")

    def _finite(self, name: str, value: int | float) -> float:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.fault("bad_coordinate", f"{name}: not a finite number")
        return number

    def _written(self, name: str, text: str) -> list[float]:
        if len(text) > MAX_COORDINATE_TEXT:
            raise self.fault("bad_coordinate", f"{name}: a text of {len(text)} characters")
        if _PLACEHOLDER.fullmatch(text) or _PLACEHOLDER.fullmatch(text.split(",", maxsplit=1)[0]):
            raise self.fault("placeholder_coordinate", f"{name}: {text[:40]}")
        plain = _TAGS.sub(" ", text).translate(_BRACKETS).strip().rstrip(",，; ")
        if not _NUMBERS.fullmatch(plain):
            raise self.fault("bad_coordinate", f"{name}: {text[:40]}")
        return [self._finite(name, float(digits)) for digits in _NUMBER.findall(plain)]

    # ---- the rest
    def text(self, *names: str) -> str:
        """The text under the first of `names` that is set, exactly as written; a number becomes its digits."""
        name, value = self.find(names)
        if not name:
            raise self.fault("missing_argument", f"no {names[0]}")
        if isinstance(value, str):
            return value
        self.notes.add("repaired")
        if isinstance(value, list | dict):
            raise self.fault("malformed", f"{name} is not text")
        return str(value)

    def optional_text(self, *names: str) -> str:
        """Like `text`, '' where none is set."""
        return self.text(*names) if self.has(*names) else ""

    def number(self, *names: str) -> float | None:
        """A time or a length, None where none is set or what is set is no number from 0 on (then noted)."""
        name, value = self.find(names)
        if not name:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9:
            return value
        self.notes.add("repaired")
        if isinstance(value, str):
            match = _NUMBER.search(value[:40])
            if match is not None and 0 <= float(match.group()) < 1e9:
                return float(match.group())
        return None

    def word(self, table: dict[str, T], *names: str) -> T:
        """What `table` says about the word under the first of `names`; its case and separators may differ, noted."""
        written = self.text(*names)
        if written in table:
            return table[written]
        plain = plain_word(written)
        for key, meaning in table.items():
            if plain_word(key) == plain:
                self.notes.add("repaired")
                return meaning
        raise self.fault("malformed", f"{names[0]}: {written[:40]!r} is none of {', '.join(map(str, table))}")


def plain_word(text: str) -> str:
    """A verb or key without case, blanks and separators."""
    return "".join(char for char in text[:60].lower() if char.isalnum())
