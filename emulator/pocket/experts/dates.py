"""Days as AndroidWorld's questions name them: today, Friday, this Friday, the Monday after next, October 17 (2023).

The forms are those of android_world@d9c569f task_evals/information_retrieval/datetime_utils.py. A bare weekday can
mean the last or the next one; `past` says which is meant.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NEAR = {"today": 0, "tomorrow": 1, "yesterday": -1}


def day_of(words: str, today: date, past: bool = False) -> date:
    """The day meant; ValueError for words of another form. A weekday is never today itself."""
    said = words.strip().lower()
    if said in NEAR:
        return today + timedelta(days=NEAR[said])
    after_next = said.startswith("the ") and said.endswith(" after next")
    name = said.removeprefix("the ").removesuffix(" after next").removeprefix("this ")
    if name in WEEKDAYS:
        ahead = (WEEKDAYS.index(name) - today.weekday() - 1) % 7 + 1
        back = ahead - 7 or -7
        return today + timedelta(days=back if past and name == said else ahead + 7 * after_next)
    for text in (words.strip(), f"{words.strip()} {today.year}"):
        try:
            return datetime.strptime(text, "%B %d %Y").date()
        except ValueError:
            continue
    raise ValueError(f"{words!r} is no day; known: today, tomorrow, yesterday, a weekday, October 17, October 17 2023")
