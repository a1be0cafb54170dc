"""Whether what was said answers the question.

A sentence counts as well as a bare value: the answer is right if it says everything expected and nothing of what would
be wrong (`others`: the other names, times, amounts that stood on the same screen). Case, punctuation and blanks don't
matter; a number is never found inside a longer one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+(?:[.:][^\W_]+)*")


@dataclass(frozen=True)
class Wanted:
    """What an answer must say, and what it must not."""

    said: tuple[str, ...]
    others: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    """Words and numbers of a text in lower case; `15:30` and `12.50` are one each."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def says(text: Sequence[str], phrase: str) -> bool:
    """True if the words of `phrase` stand in the text in a row."""
    wanted = words(phrase)
    return bool(wanted) and any(list(text[i : i + len(wanted)]) == wanted for i in range(len(text) - len(wanted) + 1))


def right(answer: str, wanted: Wanted) -> bool:
    """True if the answer says all of it and none of the others."""
    said = words(answer)
    wrong = [o for o in wanted.others if not any(says(words(w), o) for w in wanted.said)]
    return all(says(said, w) for w in wanted.said) and not any(says(said, o) for o in wrong)
