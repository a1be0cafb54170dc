"""Finds calls such as `click(start_box='(540,188)')` in a reply and reads their arguments.

Shared by the families whose replies are calls, commands or tagged lines (`../shared/facts/dialects.md`, cards 3, 4,
6-8, 12-15, 18). Two things make these replies hard, and both are settled here once:
* a text may hold the quote, comma or bracket that ends it. The closing quote is the first one that is followed by the
  next known argument, or by the closing bracket and then the end, a tag or another call of the family; failing that,
  the last quote before a bracket. So `type(content='it's 5, ok')` and `Type(content='f(x)')` keep their text.
* a box is spelt in a dozen ways. `numbers` reads them all, from the value only, and never invents a number.
Every function is linear in the length of the reply. What can't be read raises `CallFault`, which readers turn into
a `Fault`; it never leaves this package.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from solar_eval.actions import DIRECTIONS, Action, Kind, Point, Swipe
from solar_eval.dialects.base import Fault, FaultCode, Flag, Reading, swipe_from_word
from solar_eval.dialects.frames import ScrollSense

QUOTES = {"'": "'", '"': '"', "“": '”"', "‘": "’'", "`": "`"}
"""Opening quote -> the characters that may close it."""
OPENERS, CLOSERS = "([{（【", ")]}）】"

_PAIR = re.compile(r"[(\[]?([-+]?\d{1,9}(?:\.\d{1,9})?)\s?[,，\s]\s?([-+]?\d{1,9}(?:\.\d{1,9})?)[)\]]?")
_NUMBER = re.compile(r"(?<![\d.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3}(?!\w))?|[-+]?\.\d+")
_TAG = re.compile(r"</?[A-Za-z]\w*(?:>|(?=[\s\d(\[]))|<\|\w*\|>")
_AXIS = re.compile(r"\b[xy]\d?\s*[:=]|(?<=\d)px\b", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_PLACEHOLDER = re.compile(r"[\W_]*x\d?[\W_]+y\d?[\W_]*(?:x\d?[\W_]+y\d?[\W_]*)?", re.IGNORECASE)
_BOXY = re.compile(r"(?:[\d\s.,，()\[\]（）【】/<>|=_+-]|b?box|point|start|begin|end|of)*+")
_ENDISH = r"\s*+[,，]?\s*+[)）]"
_KEY = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*")
_NEXT_KEY = re.compile(r"\s*+[A-Za-z_]\w*\s*+=")
_EDGE = re.compile(r"[(\[{（【)\]}）】,，]")
_SPACE = re.compile(r"\s*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}
_BETWEEN = re.compile(r"['\"]\s*,\s*['\"]")
MAX_CALLS = 50
"""Calls of one reply (of one section of it) that are read: what a flood of calls says is clear from these."""
_SEPARATORS = re.compile(r"[\s;,.。]*")


class CallFault(Exception):
    """Something in the reply that can't be read. `seen`: the kind of action that was understood."""

    def __init__(self, code: FaultCode, detail: str = "", seen: str = "") -> None:
        super().__init__(detail)
        self.code, self.detail, self.seen = code, detail[:160], seen


class Arg(NamedTuple):
    """One argument: its text between the quotes, or as it stands where there are none; `quote` is '' then."""

    text: str
    quote: str


NO_ARGS: Mapping[str, Arg] = {}


class Call(NamedTuple):
    """One call. `closed`: its closing bracket is there. `end`: index after it in the text it was found in."""

    name: str
    args: Mapping[str, Arg] = NO_ARGS
    positional: tuple[Arg, ...] = ()
    closed: bool = True
    end: int = 0


class CallGrammar:
    """How the calls of one family look: its verbs, its argument names, whether texts escape their quotes."""

    def __init__(self, verbs: Iterable[str], keys: Iterable[str], escapes: bool = True) -> None:
        names = "|".join(sorted(map(re.escape, verbs), key=len, reverse=True))
        words = "|".join(map(re.escape, keys))
        self.escapes = escapes
        self.start = re.compile(rf"({names})\s*[(（]", re.IGNORECASE)
        self.bare = re.compile(rf"({names})\b", re.IGNORECASE)
        self.keyed = re.compile(rf"(?<![\w.])(?=(?:{names})\((?:(?:{words})\s*=|\)))", re.IGNORECASE)
        self.line = re.compile(rf"^[ \t]*(?=(?:{names})[(（])", re.IGNORECASE | re.MULTILINE)
        follow = (
            rf"\s*+(?:[,，]\s*+(?:{words})\s*+=|[,，]?\s*+[)）][\s;,.。]*+"
            rf"(?:\Z|</|```|(?:{names})\s*+[(（]|(?:Action|Thought)\s*+[:：]))"
        )
        skip = r"\\.|" if escapes else ""
        self._ends = {
            quote: re.compile(
                rf"{skip}[{closers}](?:(?P<clean>(?={follow}))|(?P<bracket>(?={_ENDISH})))", re.DOTALL | re.IGNORECASE
            )
            for quote, closers in QUOTES.items()
        }
        self._missed = re.compile(rf"[,，]\s*(?:{words})\s*=")

    def calls(self, text: str, at: int) -> Iterator[Call]:
        """The calls that follow one another from index `at`, where one must begin; at most MAX_CALLS."""
        for _ in range(MAX_CALLS):
            match = self.start.match(text, at)
            if match is None:
                return
            call = self._read(text, match)
            yield call
            at = _end(_SEPARATORS, text, call.end)

    def _read(self, text: str, match: re.Match[str]) -> Call:
        args: dict[str, Arg] = {}
        positional: list[Arg] = []
        pos = match.end()
        while (pos := _end(_SPACE, text, pos)) < len(text):
            if text[pos] in ")）":
                return Call(match.group(1), args, tuple(positional), True, pos + 1)
            key = _KEY.match(text, pos)
            begin = key.end() if key else pos
            arg, end, closed = self._value(text, begin, key is not None)
            if key is None:
                positional.append(arg)
            else:
                args.setdefault(key.group(1), arg)
            if closed:
                return Call(match.group(1), args, tuple(positional), True, end)
            pos = end + 1 if end == begin or text[end : end + 1] in (",", "，") else end
        return Call(match.group(1), args, tuple(positional), False, len(text))

    def _value(self, text: str, pos: int, keyed: bool) -> tuple[Arg, int, bool]:
        """The argument from `pos`, the index after it, and whether it already swallowed the call's end."""
        quote = text[pos : pos + 1]
        if quote not in QUOTES:
            end = _bare_end(text, pos, keyed)
            return Arg(text[pos:end].strip(), ""), end, False
        end = self._closing(text, pos + 1, quote)
        if end < 0:
            value = text[pos + 1 :].rstrip()
            whole = value.rstrip("'\"`”’")
            closed = whole.endswith((")", "）"))
            value = whole[:-1].rstrip() if closed else value
            return Arg(value, quote), len(text), closed
        value = text[pos + 1 : end]
        if "=" in value and (cut := self._missed.search(value)) and _BOXY.fullmatch(value, 0, cut.start()):
            return Arg(value[: cut.start()], quote), pos + 1 + cut.start(), False
        return Arg(value, quote), end + 1, False

    def _closing(self, text: str, pos: int, quote: str) -> int:
        """Index of the quote that ends the value from `pos`; -1 if there is none. See the module's docstring."""
        last = -1
        for match in self._ends[quote].finditer(text, pos):
            if match.lastgroup == "clean":
                return match.start()
            if match.lastgroup == "bracket":
                if last < 0 and _BOXY.fullmatch(text, pos, match.start()):
                    return match.start()
                last = match.start()
        return last


def _end(pattern: re.Pattern[str], text: str, pos: int) -> int:
    match = pattern.match(text, pos)
    return match.end() if match else pos


def _bare_end(text: str, pos: int, keyed: bool) -> int:
    """End of an unquoted value: a comma (before the next `name=`, if the value has a name) or the closing bracket."""
    depth = 0
    for match in _EDGE.finditer(text, pos):
        char = match.group()
        if char in OPENERS:
            depth += 1
        elif char in CLOSERS:
            if depth == 0 and char in ")）":
                return match.start()
            depth = max(0, depth - 1)
        elif depth == 0 and (not keyed or _NEXT_KEY.match(text, match.end())):
            return match.start()
    return len(text)


def last_match(pattern: re.Pattern[str], text: str, pos: int = 0) -> re.Match[str] | None:
    """The last match of `pattern` from `pos` on."""
    last = deque(pattern.finditer(text, pos), maxlen=1)
    return last[0] if last else None


def unescape(text: str) -> str:
    """`\\n`, `\\t`, `\\r` and escaped quotes and backslashes, once; other backslashes stay."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: _ESCAPES.get(m.group(1), m.group()), text)


def numbers(value: str) -> list[float]:
    """Two numbers (a point) or four (a box) from any spelling. Raises CallFault for anything else."""
    pair = _PAIR.fullmatch(value)
    if pair is not None:
        return [float(pair.group(1)), float(pair.group(2))]
    text = _TAG.sub(" ", value) if "<" in value else value
    if _LETTER.search(text):
        if _PLACEHOLDER.fullmatch(text):
            raise CallFault("placeholder_coordinate", value)
        text = _AXIS.sub(" ", text)
        if _LETTER.search(_NUMBER.sub(" ", text)):
            raise CallFault("bad_coordinate", value)
    found = [float(number) for number in _NUMBER.findall(text)]
    if len(found) not in (2, 4) or not all(map(math.isfinite, found)):
        raise CallFault("bad_coordinate", value)
    return found


def first_number(text: str) -> float | None:
    """The first finite number of a text."""
    match = _NUMBER.search(text)
    value = float(match.group()) if match else math.inf
    return value if math.isfinite(value) else None


def keys_of(text: str) -> list[str]:
    """The keys of a hotkey: "ctrl c", "ctrl+c", "ctrl++" (the last is control and plus)."""
    return [key for key in re.split(r"\s+|(?<=[^\s+])\+(?=\S)", text.strip()) if key]


@dataclass(slots=True)
class Slots:
    """What the verbs of a family take their arguments from. `flags` collects the liberties taken.

    `place` turns the family's numbers into a fraction of the screen; `sense` is what a scroll word means.
    """

    call: Call
    place: Callable[[float, float], Point]
    sense: ScrollSense
    escapes: bool = True
    flags: list[Flag] = field(default_factory=list)

    def has(self, *keys: str) -> bool:
        """Whether any of these arguments is there."""
        return any(key in self.call.args for key in keys)

    def point(self, *keys: str) -> Point:
        """A point from the first of `keys` that is there, from x and y, or from unnamed numbers."""
        value = self._box(keys)
        if value is None:
            raise CallFault("missing_argument", f"{self.call.name}: {' or '.join(keys)}")
        if not self.call.closed and value[-1:].isdigit():
            raise CallFault("bad_coordinate", f"cut off: {value}")
        found = numbers(value)
        if len(found) == 4:
            self.note("box_as_point")
            return self.place((found[0] + found[2]) / 2, (found[1] + found[3]) / 2)
        return self.place(*found)

    def _box(self, keys: tuple[str, ...]) -> str | None:
        args = self.call.args
        for key in keys:
            if key in args:
                return args[key].text
        if "x" in args or "y" in args:
            return " ".join(args[axis].text for axis in ("x", "y") if axis in args)
        return " ".join(arg.text for arg in self.call.positional) or None

    def maybe_point(self, *keys: str) -> Point | None:
        """Like `point`, None where the argument is not there or empty."""
        value = next((self.call.args[key].text for key in keys if key in self.call.args), "")
        return self.point(*keys) if value.strip() else None

    def text(self, *keys: str) -> str:
        """A text, or a missing_argument."""
        found = self.maybe_text(*keys)
        if found is None:
            raise CallFault("missing_argument", f"{self.call.name}: {' or '.join(keys)}")
        return found

    def maybe_text(self, *keys: str) -> str | None:
        """A text from the first of `keys` that is there, or from the only unnamed argument."""
        named = [self.call.args[key] for key in keys if key in self.call.args]
        for arg in named or self.call.positional[:1]:
            return unescape(arg.text) if self.escapes and arg.quote else arg.text
        return None

    def number(self, *keys: str) -> float | None:
        """The first number of an optional argument ("3 seconds" is 3.0)."""
        return first_number(self.maybe_text(*keys) or "")

    def word(self, *keys: str, start: Point | None = None) -> Swipe:
        """A swipe named by a direction word."""
        word = self.text(*keys)
        swipe = swipe_from_word(word, self.sense, start)
        if swipe is None:
            raise CallFault("missing_argument", f"{word!r} is none of {', '.join(DIRECTIONS)}")
        return swipe

    def note(self, flag: Flag) -> None:
        """Records a liberty once."""
        if flag not in self.flags:
            self.flags.append(flag)


class Verb(NamedTuple):
    """One verb of a family: the kind of action it names, and how to make it. `make` None: no counterpart here."""

    kind: Kind | None
    make: Callable[[Slots], Action] | None
    offered: bool = True
    """Whether a prompt of the family (for phones) offers it."""


VerbTable = Mapping[str, Verb]


def plain(name: str) -> str:
    """A verb without case, blanks, hyphens and underscores."""
    return name.lower().replace("_", "").replace(" ", "").replace("-", "")


def find_verb(name: str, table: VerbTable) -> Verb:
    """The verb called `name`, exactly or but for case and underscores. Raises CallFault(unknown_action)."""
    verb = table.get(name)
    if verb is None:
        bare = plain(name)
        verb = next((known for key, known in table.items() if plain(key) == bare), None)
    if verb is None:
        raise CallFault("unknown_action", name)
    return verb


def make(name: str, slots: Slots, table: VerbTable) -> Action:
    """The action of one call. Raises CallFault, with the kind that was seen."""
    verb = find_verb(name, table)
    if verb.make is None:
        said = " ".join(arg.text for arg in (*slots.call.args.values(), *slots.call.positional))
        keys = keys_of(_BETWEEN.sub(" ", said))
        raise CallFault("unsupported_action", f"{name}: {', '.join(keys)}" if keys else name)
    if not verb.offered:
        slots.note("outside_prompt")
    if not slots.call.closed:
        slots.note("truncated")
    try:
        return verb.make(slots)
    except CallFault as fault:
        seen = "" if fault.code == "unsupported_action" else verb.kind or ""
        raise CallFault(fault.code, fault.detail, seen) from None


def assemble(
    pending: Iterable[tuple[str, Slots]], table: VerbTable, strict: bool, flags: Iterable[Flag] = (), thought: str = ""
) -> Reading:
    """A reading of the calls in order, the one that counts first. A fault of that one is the reply's fault.

    `pending`: the verb's name and the slots of each call; made one by one, at most MAX_CALLS.
    """
    queue = islice(pending, MAX_CALLS)
    head = next(queue, None)
    if head is None:
        return faulty(CallFault("malformed"), flags, thought)
    name, slots = head
    try:
        actions = [make(name, slots, table)]
    except CallFault as fault:
        return faulty(fault, (*flags, *slots.flags), thought)
    noted = tuple(dict.fromkeys((*flags, *slots.flags))) if slots.flags else tuple(flags)
    for name, slots in queue:
        with suppress(CallFault):
            actions.append(make(name, slots, table))
    return finished(actions, strict, noted, thought)


def finished(actions: Iterable[Action], strict: bool, flags: Iterable[Flag], thought: str = "") -> Reading:
    """A reading that says `repaired` where the strict grammar refused the text and nothing else says why."""
    found, noted = tuple(actions), tuple(flags)
    if not strict and not noted and len(found) == 1:
        noted = ("repaired",)
    return Reading(found, None, strict, noted, thought)


def faulty(fault: CallFault, flags: Iterable[Flag] = (), thought: str = "") -> Reading:
    """A reading that is a fault."""
    return Reading((), Fault(fault.code, fault.detail), False, tuple(dict.fromkeys(flags)), thought, fault.seen)


def nothing(body: str, marked: bool, thought: str = "", flags: tuple[Flag, ...] = ()) -> Reading:
    """No action was found: `malformed` where the reply tried to give one (`marked`: it has the tags), else prose."""
    rest = body.strip()
    tried = marked or rest[:1] in ("[", "{", "<", "(") or re.match(r"[A-Za-z_][\w.]*\(", rest) is not None
    return Reading((), Fault("malformed" if tried else "no_action", rest[:80]), False, flags, thought)
