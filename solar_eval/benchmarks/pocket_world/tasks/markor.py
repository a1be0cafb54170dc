"""Markor."""

from __future__ import annotations

import random

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import NOTEBOOK, World

APP = ("Markor",)
NEW = "Create a new file or folder"
TEXT = "document__fragment__edit__highlighting_editor"
NAME = "new_file_dialog__name"


def draw(rng: random.Random) -> Params:
    """Five notes; two are meant, the last one is the newest."""
    topics = rng.sample(words.TOPICS, 12)
    names = [words.note_name(rng, topic) for topic in topics[:5]]
    texts = rng.sample(words.TEXTS, 12)
    one, two = rng.sample(names, 2)
    return {
        "notes": dict(zip(names, texts, strict=False)), "name": one, "second": two, "newest": names[-1],
        "new": f"{topics[5]}_{rng.randint(10, 99)}", "text": texts[5], "folder": topics[6].title(),
        "said": texts[names.index(one)], "second_said": texts[names.index(two)],
        "others": [t for t, n in zip(texts, names, strict=False) if n != one],
        "five": {f"{t}_{rng.randint(10, 99)}": words_ for t, words_ in zip(topics[7:12], texts[6:11], strict=True)},
        "items": rng.sample(words.ITEMS, 8),
    }  # fmt: skip


def draw_list(rng: random.Random) -> Params:
    """A shopping list."""
    p = draw(rng)
    return p | {"list": ", ".join(p["items"])}


def draw_five(rng: random.Random) -> Params:
    """Five notes to write."""
    p = draw(rng)
    return p | {"list": "; ".join(f"{name}.md: {said}" for name, said in p["five"].items())}


def put(world: World, p: Params) -> None:
    """Those notes."""
    world.files(p["notes"], NOTEBOOK)


def holds(now: Reading, notes: dict[str, str], folders: tuple[str, ...] = ()) -> bool:
    """Exactly these notes, blanks at the ends of texts apart."""
    if now.paths(NOTEBOOK) != sorted([*notes, *folders]):
        return False
    return all((now.text(f"{NOTEBOOK}/{name}") or "").strip() == said.strip() for name, said in notes.items())


def end_of_text(driver: Driver) -> None:
    """The cursor behind the last word: a tap at the right lower corner of the text."""
    _, _, right, bottom = driver.get(id=TEXT).bounds
    driver.tap_at(right - 3, bottom - 3)


def write(driver: Driver, name: str, text: str) -> None:
    """A new note, from the list of notes."""
    driver.tap_description(NEW)
    driver.type_into(NAME, name)
    driver.tap_text("OK")
    driver.type_text(text)
    driver.tap_description("Save")


def create(driver: Driver, p: Params, text: str = "text") -> None:
    """One note."""
    driver.open_app(moves.MARKOR)
    write(driver, p["new"], p[text])


def shopping(driver: Driver, p: Params, count: int = 8) -> None:
    """One line an item."""
    driver.open_app(moves.MARKOR)
    driver.tap_description(NEW)
    driver.type_into(NAME, p["new"])
    driver.tap_text("OK")
    for at, item in enumerate(p["items"][:count]):
        if at:
            driver.enter()
        driver.type_text(item)
    driver.tap_description("Save")


def five(driver: Driver, p: Params, count: int = 5) -> None:
    """Five notes."""
    driver.open_app(moves.MARKOR)
    for name, text in list(p["five"].items())[:count]:
        write(driver, name, text)
        driver.tap_description("Navigate up")


def mark(driver: Driver, name: str) -> None:
    """Open Markor, hold a note."""
    driver.open_app(moves.MARKOR)
    moves.hold_far(driver, name)


def delete(driver: Driver, p: Params, which: str = "name") -> None:
    """The bin, OK."""
    mark(driver, p[which])
    driver.tap_description("Delete")
    driver.tap_text("OK")


def delete_newest(driver: Driver, p: Params, order: str = "Date") -> None:
    """By date the newest stands on top."""
    driver.open_app(moves.MARKOR)
    driver.tap_description("Sort by")
    driver.tap_text(order)
    rows = [e for e in driver.find_all(id="opoc_filesystem_item__title") if e.text != ".."]
    wrong = [e for e in rows if e.text != p["newest"]]
    driver.long_press_element(rows[0] if order == "Date" else wrong[0])
    driver.tap_description("Delete")
    driver.tap_text("OK")


def rename(driver: Driver, p: Params, which: str = "name") -> None:
    """Hold, the pencil, another name."""
    mark(driver, p[which])
    driver.tap_description("Rename")
    moves.replace(driver, driver.find_all(cls="EditText")[-1], f"{p['new']}.md")
    driver.tap_text("OK")


def append(driver: Driver, p: Params, which: str = "name") -> None:
    """A new last line."""
    driver.open_app(moves.MARKOR)
    moves.tap_far(driver, p[which])
    end_of_text(driver)
    driver.enter()
    driver.type_text(p["text"])
    driver.tap_description("Save")


def appended(now: Reading, p: Params) -> bool:
    """The line stands below."""
    return holds(now, p["notes"] | {p["name"]: f"{p['said']}\n{p['text']}"})


def rewrite(driver: Driver, p: Params, which: str = "name") -> None:
    """Another text instead."""
    driver.open_app(moves.MARKOR)
    moves.tap_far(driver, p[which])
    driver.long_press_element(driver.get(id=TEXT))
    driver.tap("Select all", index=-1)
    driver.type_text(p["text"])
    driver.tap_description("Save")


def into_folder(driver: Driver, p: Params, which: str = "name") -> None:
    """A folder, then the note into it."""
    driver.open_app(moves.MARKOR)
    driver.tap_description(NEW)
    driver.type_into(NAME, p["folder"])
    driver.tap_text("FOLDER")
    moves.hold_far(driver, p[which])
    driver.tap_description("More options")
    driver.tap_text("Move")
    driver.tap_text(p["folder"], index=-1)
    driver.tap_text("SELECT")


def moved(now: Reading, p: Params) -> bool:
    """The note lies in the folder."""
    notes = {n: t for n, t in p["notes"].items() if n != p["name"]} | {f"{p['folder']}/{p['name']}": p["said"]}
    return holds(now, notes, (f"{p['folder']}/",))


def read(driver: Driver, name: str) -> str:
    """Open a note from the list and read it."""
    moves.tap_far(driver, name)
    return driver.get(id=TEXT).text


def merge(driver: Driver, p: Params, both: bool = True) -> None:
    """Read two notes, write a third."""
    driver.open_app(moves.MARKOR)
    found = []
    for name in (p["name"], p["second"])[: 1 + both]:
        found.append(read(driver, name).strip())
        driver.tap_description("Navigate up")
    driver.tap_description(NEW)
    driver.type_into(NAME, p["new"])
    driver.tap_text("OK")
    for at, text in enumerate(found):
        if at:
            driver.enter()
        driver.type_text(text)
    driver.tap_description("Save")


def say(driver: Driver, p: Params) -> None:
    """Read and answer."""
    driver.open_app(moves.MARKOR)
    driver.answer(read(driver, p["name"]))


SPECS = (
    Spec("MarkorCreateNote", "Create a note named {new}.md in Markor with the text: {text}", 7, "easy", APP, draw,
         create, lambda driver, p: create(driver, p, "said"),
         lambda now, p: holds(now, p["notes"] | {f"{p['new']}.md": p["text"]}), put),
    Spec("MarkorDeleteNote", "Delete the note {name} in Markor.", 4, "easy", APP, draw, delete,
         lambda driver, p: delete(driver, p, "second"),
         lambda now, p: holds(now, {n: t for n, t in p["notes"].items() if n != p["name"]}), put),
    Spec("MarkorDeleteNewest", "Delete the note in Markor that was changed last.", 6, "medium", APP, draw,
         delete_newest, lambda driver, p: delete_newest(driver, p, "Name"),
         lambda now, p: holds(now, {n: t for n, t in p["notes"].items() if n != p["newest"]}), put),
    Spec("MarkorRename", "Rename the note {name} to {new}.md in Markor.", 6, "medium", APP, draw, rename,
         lambda driver, p: rename(driver, p, "second"),
         lambda now, p: holds(now, {f"{p['new']}.md" if n == p["name"] else n: t for n, t in p["notes"].items()}), put),
    Spec("MarkorAppendLine", "Add a new line to the end of the note {name} in Markor: {text}", 6, "medium", APP, draw,
         append, lambda driver, p: append(driver, p, "second"), appended, put),
    Spec("MarkorReplaceText", "Replace the whole text of the note {name} in Markor by: {text}", 6, "medium", APP, draw,
         rewrite, append, lambda now, p: holds(now, p["notes"] | {p["name"]: p["text"]}), put),
    Spec("MarkorMoveToFolder", "Create a folder {folder} in Markor and move the note {name} into it.", 10, "medium",
         APP, draw, into_folder, lambda driver, p: into_folder(driver, p, "second"), moved, put),
    Spec("MarkorShoppingList", "Create a note {new}.md in Markor with these items, one a line, in this order: {list}.",
         21, "medium", APP, draw_list, shopping, lambda driver, p: shopping(driver, p, 7),
         lambda now, p: holds(now, p["notes"] | {f"{p['new']}.md": "\n".join(p["items"])}), put),
    Spec("MarkorMergeNotes", "Create a note {new}.md in Markor that holds the text of {name} and, in the next line, "
         "the text of {second}.", 13, "hard", APP, draw, merge, lambda driver, p: merge(driver, p, False),
         lambda now, p: holds(now, p["notes"] | {f"{p['new']}.md": f"{p['said']}\n{p['second_said']}"}), put),
    Spec("MarkorNoteQuestion", "What does the note {name} in Markor say?", 3, "easy", APP, draw, say,
         lambda driver, p: driver.answer(p["second_said"]), setup=put,
         wanted=lambda p: Wanted((p["said"],), tuple(p["others"]))),
    Spec("MarkorFiveNotes", "Create five notes in Markor. {list}", 36, "hard", APP, draw_five, five,
         lambda driver, p: five(driver, p, 4),
         lambda now, p: holds(now, p["notes"] | {f"{n}.md": t for n, t in p["five"].items()}), put),
)  # fmt: skip
