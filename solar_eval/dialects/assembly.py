"""From the JSON values found in a reply to its `Reading`: one rule for all families that reply in JSON.

The action that counts (the family's `multi_rule`) decides about fault and flags; the others are only kept. A reading
that is not strict always carries a flag: where no other liberty was taken, the text round the value was not the
family's (`no_wrapper`).
"""

from __future__ import annotations

from collections.abc import Callable

from solar_eval.actions import Action
from solar_eval.dialects.base import Dialect, Fault, Flag, Reading
from solar_eval.dialects.cleaning import Prepared
from solar_eval.dialects.json_reading import Located, Notes, ReplyFault
from solar_eval.dialects.json_repair import Json

Convert = Callable[[Json, Notes], Action]


def assembled(
    dialect: Dialect,
    located: Located,
    convert: Convert,
    exact: bool,
    thought: str = "",
    allowed: frozenset[Flag] = frozenset(),
) -> Reading:
    """The reading of what was located, in order.

    `exact`: the text round the first value is as the family's grammar has it. `allowed`: flags its grammar permits.
    """
    pairs = _flat(located)
    if not pairs:
        return Reading(fault=Fault("malformed", "a list without an object"), thought=thought)
    chosen = 0 if dialect.multi_rule == "first" else len(pairs) - 1
    notes = pairs[chosen][1]
    if len(pairs) > 1:
        notes.add("multi_action")
    actions: list[Action] = []
    for index, (value, taken) in enumerate(pairs):
        try:
            actions.append(convert(value, taken))
        except ReplyFault as fault:
            if index == chosen:
                return Reading(fault=fault.fault, flags=notes.flags, thought=thought, seen=fault.seen)
    strict = exact and allowed.issuperset(notes.flags)
    if not strict and not notes.flags:
        notes.add("no_wrapper")
    return Reading(tuple(actions), None, strict, notes.flags, thought)


def _flat(located: Located) -> list[tuple[Json, Notes]]:
    """The values one by one; a list of objects in place of an object is a liberty."""
    pairs: list[tuple[Json, Notes]] = []
    for value, notes in zip(located.values, located.notes, strict=True):
        if isinstance(value, list):
            notes.add("repaired")
            pairs += [(item, Notes(notes.flags)) for item in value if isinstance(item, dict)]
        else:
            pairs.append((value, notes))
    return pairs


def nothing(prepared: Prepared, located: Located) -> Reading:
    """The reading of a reply without a value: malformed where it began one, else no action."""
    body = prepared.body.strip()
    flags: tuple[Flag, ...] = ("truncated",) if prepared.open_thought else ()
    if located.tagged or ("{" in body and not prepared.open_thought):
        return Reading(fault=Fault("malformed", body[:80]), flags=flags)
    return Reading(fault=Fault("no_action", body[-80:]), flags=flags)
