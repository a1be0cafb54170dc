"""A tolerant reader for JSON that a model broke: one pass, linear, never guesses a value.

What it mends, each seen in a public report (docs/parse_policies.md): single or curly quotes, unquoted keys and words,
trailing or full-width commas, missing or superfluous brackets, the wrong bracket kind, inner quotes that were not
escaped, stray tags after a number, raw line feeds. What it never does: complete a number or a text that the reply
stops in. Such a value is dropped, so a half-written coordinate is a missing one and not a wrong one.

Written here and not taken from the json-repair package: that one invents values for what is missing, and does not
say what it did. Only the first REPAIR_CHARS of a block are looked at, no action is longer.
"""

from __future__ import annotations

import math
import re
from typing import Final, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

REPAIR_CHARS = 32_000
MAX_DEPTH = 60
QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’"}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TUPLE = re.compile(r"\([-+\d.,，\s]{1,80}\)")
_SPACE = re.compile(r"\s*")
_TAG = re.compile(r"</?[^<>\n]{0,40}>")
_KEY_AHEAD = re.compile(
    r"\s*[,，]\s*(?:[\"'“][^\"'“”\n]{1,60}[\"'”]\s*[:：]|[\"'“][^\"'“”\n]{0,60}[\"'”]?\s*$"
    r"|[A-Za-z_]\w{0,60}\s*[:：]|[}\]]|$)"
)
_ITEM_AHEAD = re.compile(r"\s*[,，]\s*(?:[\"'“\d\[{}\]-]|$)")
_CLOSERS = re.compile(r"[}\]\s`]*[}\]][}\]\s`]*$")
_BARE_KEY = re.compile(r"[^\s,，:：{}\[\]\"'“”]+(?: [^\s,，:：{}\[\]\"'“”]+)*")
_BARE_VALUE = re.compile(r"[^,，{}\[\]\n]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"', "'": "'"}
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_WORDS: Final[dict[str, Json]] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None,
    "NaN": math.nan, "nan": math.nan, "Infinity": math.inf, "inf": math.inf, "-Infinity": -math.inf,
}  # fmt: skip


class TooDeep(ValueError):
    """Nested deeper than MAX_DEPTH."""


class _Missing:
    """A value the reply stops in."""


_MISSING = _Missing()


class TolerantReader:
    """Reads one value of `text[start:stop]`. `closed`: something after `stop` shows that the block is complete."""

    def __init__(self, text: str, start: int, stop: int, closed: bool) -> None:
        self.text, self.pos = text, start
        self.stop = min(stop, start + REPAIR_CHARS)
        self.closed = closed and self.stop == stop
        self.truncated = False
        self.brackets: list[str] = []

    def read(self) -> Json | None:
        """The value, None where nothing of it is complete. `pos` and `truncated` tell the rest."""
        value = self._value(in_value=True)
        return None if isinstance(value, _Missing) else value

    def _peek(self) -> str:
        match = _SPACE.match(self.text, self.pos, self.stop)
        self.pos = match.end() if match else self.pos
        return self.text[self.pos] if self.pos < self.stop else ""

    def _value(self, in_value: bool) -> Json | _Missing:
        char = self._peek()
        if char in ("{", "["):
            return self._container(char)
        if char in QUOTES:
            return self._string(char, in_value)
        return self._bare(in_value)

    def _container(self, bracket: str) -> Json:
        if len(self.brackets) >= MAX_DEPTH:
            raise TooDeep(f"nested deeper than {MAX_DEPTH}")
        self.brackets.append(bracket)
        self.pos += 1
        items: list[Json] = []
        pairs: dict[str, Json] = {}
        while not self._ends():
            before = self.pos
            self._member(items, pairs)
            if self.pos == before:
                self.pos += 1
        self.brackets.pop()
        return pairs if pairs or (bracket == "{" and not items) else items

    def _ends(self) -> bool:
        """Whether the innermost container ends here; consumes its bracket."""
        while char := self._peek():
            if char == "}":
                self.pos += self.brackets[-1] == "{" or "{" not in self.brackets
                return True
            if char == "]" and "[" in self.brackets:
                self.pos += self.brackets[-1] == "["
                return True
            if char not in (",", "，", ";", "]"):  # "]" here: one bracket too many
                return False
            self.pos += 1
        self.truncated = self.truncated or not self.closed
        return True

    def _member(self, items: list[Json], pairs: dict[str, Json]) -> None:
        item = self._value(in_value=False)
        if isinstance(item, _Missing):
            return
        if self._peek() in (":", "：") and not isinstance(item, list | dict):
            self.pos += 1
            value = self._value(in_value=True)
            if not isinstance(value, _Missing):
                pairs[str(item)] = value
            return
        items.append(item)

    def _string(self, quote: str, in_value: bool) -> str | _Missing:
        close = QUOTES[quote]
        begin = at = self.pos + 1
        stops = re.compile(f"[\\\\{close}]")
        while (match := stops.search(self.text, at, self.stop)) is not None:
            at = match.end()
            if match.group() == "\\":
                at += 1
            elif self._closes(at, in_value):
                self.pos = at
                return unescaped(self.text[begin : match.start()])
        tail = _CLOSERS.search(self.text, max(begin, self.stop - 200), self.stop)
        self.pos = self.stop
        if tail is not None and (self.closed or self._closes_all(tail.group())):  # only the last quote is lost
            self.pos = tail.start()
            return unescaped(self.text[begin : tail.start()])
        self.truncated = True
        return _MISSING

    def _closes_all(self, tail: str) -> bool:
        return tail.count("}") + tail.count("]") >= len(self.brackets)

    def _closes(self, after: int, in_value: bool) -> bool:
        """Whether a quote just before `after` ends its string, by what follows it."""
        match = _SPACE.match(self.text, after, self.stop)
        at = match.end() if match else after
        char = self.text[at] if at < self.stop else ""
        if char in ("", "}", "]"):
            return True
        if char in (":", "："):
            return not in_value
        if char in (",", "，"):
            ahead = _KEY_AHEAD if in_value else _ITEM_AHEAD
            return ahead.match(self.text, after, self.stop) is not None
        return False

    def _bare(self, in_value: bool) -> Json | _Missing:
        pair = _TUPLE.match(self.text, self.pos, self.stop)
        if pair is not None:
            self.pos = pair.end()
            return [number(digits) for digits in _NUMBER.findall(pair.group())]
        match = (_BARE_VALUE if in_value else _BARE_KEY).match(self.text, self.pos, self.stop)
        if match is None:
            return _MISSING
        self.pos = match.end()
        if self.pos == self.stop and not self.closed:
            self.truncated = True
            return _MISSING
        word = _TAG.sub("", match.group()).strip(" \t\r`\"'")
        if word in _WORDS:
            return _WORDS[word]
        if word == "":
            return _MISSING
        return number(word) if _NUMBER.fullmatch(word) else word


def number(digits: str) -> int | float:
    """A written number; one too long for a float becomes infinite instead of an error."""
    if len(digits) <= 300 and digits.lstrip("+-").isdigit():
        return int(digits)
    return float(digits)


def unescaped(body: str) -> str:
    """The text of a string body with its escapes resolved; an unknown escape keeps its backslash."""
    if "\\" not in body:
        return body

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        if len(code) == 5:
            return chr(int(code[1:], 16))
        return _ESCAPES.get(code, "\\" + code)

    text = _ESCAPED.sub(one, body)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # joins surrogate pairs
