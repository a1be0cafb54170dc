"""Graded similarity of texts and of app names, for protocols that score how near a reply is.

Source: SOLAR-RL (arXiv 2604.22558) names token F1 for text and similarity for app launch; normalisation, thresholds
and the table of names are ours (facts solar_rl.md, section 3). No substring rule: it lets the empty string match
everything, and a policy that is trained on it learns that.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from rapidfuzz import fuzz

from solar_eval.scoring.text import straight_quotes

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana, Han
)
_TOKEN = re.compile(f"[{_UNSPACED}]|[^\\s{_UNSPACED}]+")


def folded(text: str) -> str:
    """Straight quotes, NFKC, case folded, format characters out, blanks folded."""
    made = unicodedata.normalize("NFKC", straight_quotes(text)).casefold()
    made = "".join(c for c in made if unicodedata.category(c) != "Cf")
    return " ".join(made.split())


def bag(text: str) -> Counter[str]:
    """Tokens with their counts: words without the punctuation around them; single characters in scripts without
    blanks. A text that is all punctuation keeps it.
    """
    words = _TOKEN.findall(folded(text))
    bare = [word for word in (_stripped(w) for w in words) if word]
    return Counter(bare or words)


def _stripped(word: str) -> str:
    start, end = 0, len(word)
    while start < end and _is_mark(word[start]):
        start += 1
    while end > start and _is_mark(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


@lru_cache(maxsize=200_000)
def bag_f1(predicted: str, label: str) -> float:
    """Multiset token F1 in 0..1. Two texts without a token are equal (1); one without is no match (0)."""
    left, right = bag(predicted), bag(label)
    if not left or not right:
        return float(left == right)
    return 2 * (left & right).total() / (left.total() + right.total())


_SAME_APP: tuple[tuple[str, ...], ...] = (
    ("gmail", "google mail"), ("maps", "google maps"), ("chrome", "google chrome"), ("photos", "google photos"),
    ("calendar", "google calendar"), ("drive", "google drive"), ("docs", "google docs"), ("keep", "google keep",
    "keep notes", "google keep notes"), ("sheets", "google sheets"), ("slides", "google slides"), ("meet",
    "google meet"), ("news", "google news"), ("translate", "google translate"), ("home", "google home"), ("play store",
    "google play", "google play store"), ("youtube",), ("youtube music", "yt music"), ("files", "files by google",
    "google files"), ("messages", "google messages"), ("clock", "google clock"), ("contacts", "google contacts"),
    ("phone", "google phone", "dialer"), ("calculator", "google calculator"), ("x", "twitter"), ("facebook", "fb"),
)  # fmt: skip
"""App names that mean one app, and, by standing in different rows, names that do not: similarity alone takes
"google maps" for "google mail" (.818)."""
_APP = {name.replace(" ", ""): names[0] for names in _SAME_APP for name in names}


def app_name(text: str) -> str:
    """A name as it is compared: folded, no punctuation, no trailing " app"."""
    bare = "".join(c for c in folded(text) if not _is_mark(c))
    return " ".join(bare.split()).removesuffix(" app")


@lru_cache(maxsize=50_000)
def app_similarity(predicted: str, label: str) -> float:
    """0..1: known names by identity (1 or 0), others by RapidFuzz's ratio of the compared names; empty matches none."""
    left, right = app_name(predicted), app_name(label)
    if not left or not right:
        return 0.0
    known = [_APP.get(name.replace(" ", "")) for name in (left, right)]
    if left.replace(" ", "") == right.replace(" ", "") or (known[0] and known[0] == known[1]):
        return 1.0
    return 0.0 if known[0] and known[1] else fuzz.ratio(left, right) / 100
