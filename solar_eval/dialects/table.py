"""The visible table of dialects; `get` finds one by name, alias or a near spelling of either."""

from __future__ import annotations

import re
from functools import lru_cache

from solar_eval.dialects.base import Dialect
from solar_eval.dialects.call_dialects import CALL_DIALECTS
from solar_eval.dialects.json_dialects import JSON_DIALECTS
from solar_eval.errors import unknown_name

DIALECTS: dict[str, Dialect] = {**JSON_DIALECTS, **CALL_DIALECTS}


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Dialect]:
    names: dict[str, Dialect] = {}
    for dialect in DIALECTS.values():
        for name in (dialect.name, *dialect.aliases):
            names[_plain(name)] = dialect
    return names


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def get(name: str) -> Dialect:
    """The dialect called `name` (case and punctuation don't count). Raises UsageError with a suggestion."""
    found = _by_name().get(_plain(name))
    if found is None:
        raise unknown_name("dialect", name, DIALECTS)
    return found
