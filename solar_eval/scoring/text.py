"""Text rules: exact, substring, token F1, ANLS, and how texts are normalised before.

Sources: AgentCPM-GUI @acbaf509 (substring), ritzz-ai/GUI-R1 @d43eea2 (set F1 with the one-token shortcut),
OS-Copilot/OS-Atlas @bad0840 (first token, keyword F1), OpenGVLab/GUI-Odyssey @f53b3f4 (ANLS). One
departure holds for all: an empty prediction matches no label that has text. An empty LABEL is contained in everything:
the substring rule accepts any prediction for it, as upstream does (GUI-R1's files lost the text of 10 to 61 labels).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from solar_eval.protocols import TextRule, TextTest

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u00ad\u180e]")
_BLANKS = re.compile(r"\s+")
_SINGLE, _DOUBLE = "\u2018\u2019\u201a\u201b\u2032\u00b4`", "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_STRAIGHT = str.maketrans(_SINGLE + _DOUBLE, "'" * len(_SINGLE) + '"' * len(_DOUBLE))


def straight_quotes(text: str) -> str:
    """Typographic quotes, primes and guillemets as ' and "."""
    return text.translate(_STRAIGHT)


def normalise_strict(text: str) -> str:
    """NFKC, straight quotes, no invisible characters, blanks folded, one layer of outer quotes off, case folded.

    The outer quotes may be unbalanced: AndroidControl episodes 8629, 16860 and 17102 keep the annotator's.
    """
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_STRAIGHT)
    text = _BLANKS.sub(" ", text).strip()
    bare = text.removeprefix('"').removesuffix('"').strip()
    return (bare or text).casefold()


def normalise(text: str, how: str) -> str:
    """The text as a rule sees it; `how` is `TextRule.normalise`."""
    if how == "lower_strip":
        return text.lower().strip()
    if how == "strip":
        return text.strip()
    return normalise_strict(text) if how == "strict" else text


def tokens(text: str, characters: bool = False) -> list[str]:
    """Lower-case tokens: blank-separated words, or single characters without blanks (for scripts without them)."""
    lowered = text.lower()
    return [c for c in lowered if not c.isspace()] if characters else lowered.split()


def f1(predicted: str, label: str, characters: bool = False) -> float:
    """Token-set F1 in 0..1; 0 if either side has no token.

    `characters=True` compares characters, for Chinese and the like, where words have no blanks between them.
    No preset does; upstream evaluators split at blanks.
    """
    a, b = tokens(predicted, characters), tokens(label, characters)
    if characters:
        common = sum(min(a.count(c), b.count(c)) for c in set(a))
        return 2 * common / (len(a) + len(b)) if a and b else 0.0
    left, right = set(a), set(b)
    common = len(left & right)
    if not common:
        return 0.0
    precision, recall = common / len(left), common / len(right)
    return 2 * precision * recall / (precision + recall)


def anls(predicted: str, label: str) -> float:
    """1 - Levenshtein distance / longer length, in 0..1."""
    longest = max(len(predicted), len(label))
    return 1.0 - Levenshtein.distance(predicted, label) / longest if longest else 1.0


def passes(test: TextTest, predicted: str, label: str) -> bool:
    """One test on two normalised texts."""
    if test.kind == "exact":
        return predicted == label
    if not predicted.strip() or not label.strip():
        return not label.strip() and (test.kind == "substring" or not predicted.strip())
    if test.kind == "substring":
        return predicted in label or label in predicted
    if test.kind == "anls":
        return _reaches(anls(predicted, label), test)
    if test.kind in {"bag_f1", "app_name"}:
        from solar_eval.scoring.similarity import app_similarity, bag_f1

        return _reaches((bag_f1 if test.kind == "bag_f1" else app_similarity)(predicted, label), test)
    if test.kind == "first_token":
        return f"[{predicted}]".split()[0].lower() == f"[{label}]".split()[0].lower()
    return _f1_passes(test, predicted, label)


def _f1_passes(test: TextTest, predicted: str, label: str) -> bool:
    if test.strip_brackets:
        predicted, label = (t.replace("[", "").replace("]", "") for t in (predicted, label))
    if test.one_token_substring:
        left, right = set(tokens(predicted)), set(tokens(label))
        if len(left) == 1 and len(right) == 1:
            a, b = left.pop(), right.pop()
            if a in b or b in a:
                return True
    if test.keyword:
        predicted, label = f"{test.keyword} [{predicted}]", f"{test.keyword} [{label}]"
    return _reaches(f1(predicted, label), test)


def _reaches(value: float, test: TextTest) -> bool:
    return value >= test.threshold if test.inclusive else value > test.threshold


@lru_cache(maxsize=400_000)
def same_text(rule: TextRule, predicted: str, label: str) -> bool:
    """Whether two texts are the same under a rule; a rule without tests accepts every text."""
    if not rule.any_of:
        return True
    left, right = normalise(predicted, rule.normalise), normalise(label, rule.normalise)
    return any(passes(test, left, right) for test in rule.any_of)
