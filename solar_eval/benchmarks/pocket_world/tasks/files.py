"""Files."""

from __future__ import annotations

import random

from emulator.pocket.experts.driver import Driver
from solar_eval.benchmarks.pocket_world import moves, words
from solar_eval.benchmarks.pocket_world.answers import Wanted
from solar_eval.benchmarks.pocket_world.reading import Reading
from solar_eval.benchmarks.pocket_world.spec import Params, Spec
from solar_eval.benchmarks.pocket_world.world import World

APP = ("Files",)
STORE = "sdk_gphone_x86_64"
FOLDERS = ("Documents", "Pictures", "Music", "Movies", "Recordings")
KINDS = ("pdf", "jpg", "mp3", "csv", "zip")


def draw(rng: random.Random) -> Params:
    """Six files in Download, of different sizes; one or two are meant."""
    topics = rng.sample(words.TOPICS, 8)
    names = [f"{topic}_{rng.randint(10, 99)}.{rng.choice(KINDS)}" for topic in topics[:6]]
    sizes = rng.sample(range(1, 60), 6)
    files = {f"Download/{name}": "x" * (size * 40) for name, size in zip(names, sizes, strict=True)}
    one, two, third = rng.sample(names, 3)
    stem, _, extension = one.rpartition(".")
    folder, other = rng.sample(FOLDERS, 2)
    largest = max(names, key=lambda n: len(files[f"Download/{n}"]))
    return {
        "files": files, "name": one, "second": two, "third": third, "folder": folder, "other": other, "stem": stem,
        "new_stem": f"{topics[6]}_{rng.randint(10, 99)}", "extension": extension, "new_folder": topics[7].title(),
        "largest": largest, "others": [n for n in names if n != largest], "list": names[:5],
        "names": ", ".join(names[:5]),
    }  # fmt: skip


def put(world: World, p: Params) -> None:
    """Those files."""
    world.files(p["files"])


def lies(now: Reading, p: Params, moved: dict[str, str], added: tuple[str, ...] = ()) -> bool:
    """The same files, those of `moved` at their new places ("": gone), and what was added."""
    files = [moved.get(path, path) for path in p["files"]]
    found = [path for path in now.paths() if path.startswith(tuple(f"{top}/" for top in ("Download", *FOLDERS)))]
    return sorted([*filter(None, files), *added]) == [f for f in found if not f.endswith("/") or f in added]


def mark(driver: Driver, *names: str) -> None:
    """Open Files, hold the first, tap the others."""
    driver.open_app(moves.FILES)
    moves.hold_far(driver, names[0])
    for name in names[1:]:
        moves.tap_far(driver, name)


def delete(driver: Driver, p: Params, which: tuple[str, ...] = ("name",)) -> None:
    """The bin, OK."""
    mark(driver, *[p[w] for w in which])
    driver.tap_description("Delete")
    driver.tap_text("OK")


def transfer(driver: Driver, verb: str, folder: str) -> None:
    """What is marked goes to a folder of the storage."""
    driver.tap_description("More options")
    driver.tap_containing(f"{verb} to")
    driver.tap_text(STORE)
    moves.tap_far(driver, folder)
    driver.tap_text(verb)


def move(driver: Driver, p: Params, folder: str = "folder", which: tuple[str, ...] = ("name",)) -> None:
    """Mark, move."""
    mark(driver, *[p[w] for w in which])
    transfer(driver, "Move", p[folder])


def copy(driver: Driver, p: Params, verb: str = "Copy") -> None:
    """Mark two, copy."""
    mark(driver, p["name"], p["second"])
    transfer(driver, verb, p["folder"])


def rename(driver: Driver, p: Params, which: str = "name") -> None:
    """The name without its extension is selected: type over it."""
    mark(driver, p[which])
    driver.tap_description("More options")
    driver.tap_text("Rename")
    driver.type_text(p["new_stem"])
    driver.tap_text("OK")


def new_folder(driver: Driver, p: Params, name: str = "") -> None:
    """Menu, New folder."""
    driver.open_app(moves.FILES)
    driver.tap_description("More options")
    driver.tap_text("New folder")
    driver.type_text(name or p["new_folder"])
    driver.tap_text("OK")


def to_new_folder(driver: Driver, p: Params, second: bool = True) -> None:
    """A folder, then two files into it."""
    new_folder(driver, p)
    driver.back()
    moves.hold_far(driver, p["name"])
    if second:
        moves.tap_far(driver, p["second"])
    driver.tap_description("More options")
    driver.tap_containing("Move to")
    driver.tap_text(STORE)
    moves.tap_far(driver, "Download")
    moves.tap_far(driver, p["new_folder"])
    driver.tap_text("Move")


def say_largest(driver: Driver, p: Params) -> None:
    """Sort by size, read the first."""
    driver.open_app(moves.FILES)
    driver.tap_description("More options")
    driver.tap_text("Sort by...")
    driver.tap_text("Size (largest first)")
    driver.answer(driver.find_all(id="title")[0].text)


def sort_out(driver: Driver, p: Params, count: int = 5) -> None:
    """Five files to five folders, one by one."""
    driver.open_app(moves.FILES)
    for name, folder in list(zip(p["list"], FOLDERS, strict=True))[:count]:
        moves.hold_far(driver, name)
        transfer(driver, "Move", folder)


def sorted_out(now: Reading, p: Params) -> bool:
    """Each where it should be."""
    return lies(now, p, {f"Download/{n}": f"{f}/{n}" for n, f in zip(p["list"], FOLDERS, strict=True)})


SPECS = (
    Spec("FilesDelete", "Delete the file {name} in Downloads.", 4, "easy", APP, draw, delete,
         lambda driver, p: delete(driver, p, ("second",)), lambda now, p: lies(now, p, {f"Download/{p['name']}": ""}),
         put),
    Spec("FilesDeleteThree", "Delete {name}, {second} and {third} from Downloads.", 6, "medium", APP, draw,
         lambda driver, p: delete(driver, p, ("name", "second", "third")),
         lambda driver, p: delete(driver, p, ("name", "second")),
         lambda now, p: lies(now, p, {f"Download/{p[n]}": "" for n in ("name", "second", "third")}), put),
    Spec("FilesMove", "Move {name} from Downloads to the folder {folder}.", 7, "medium", APP, draw, move,
         lambda driver, p: move(driver, p, "other"),
         lambda now, p: lies(now, p, {f"Download/{p['name']}": f"{p['folder']}/{p['name']}"}), put),
    Spec("FilesCopyTwo", "Copy {name} and {second} from Downloads to the folder {folder}; the originals stay.", 8,
         "medium", APP, draw, copy, lambda driver, p: copy(driver, p, "Move"),
         lambda now, p: lies(now, p, {}, tuple(f"{p['folder']}/{p[n]}" for n in ("name", "second"))), put),
    Spec("FilesRename", "Rename {name} in Downloads to {new_stem}.{extension}.", 6, "medium", APP, draw, rename,
         lambda driver, p: rename(driver, p, "second"),
         lambda now, p: lies(now, p, {f"Download/{p['name']}": f"Download/{p['new_stem']}.{p['extension']}"}), put),
    Spec("FilesNewFolder", "Create a folder named {new_folder} in Downloads.", 5, "easy", APP, draw, new_folder,
         lambda driver, p: new_folder(driver, p, p["other"]),
         lambda now, p: lies(now, p, {}, (f"Download/{p['new_folder']}/",)), put),
    Spec("FilesIntoNewFolder", "Create a folder {new_folder} in Downloads and move {name} and {second} into it.", 14,
         "hard", APP, draw, to_new_folder, lambda driver, p: to_new_folder(driver, p, False),
         lambda now, p: lies(now, p, {f"Download/{p[n]}": f"Download/{p['new_folder']}/{p[n]}"
                                      for n in ("name", "second")}, (f"Download/{p['new_folder']}/",)), put),
    Spec("FilesLargestQuestion", "Which file in Downloads is the largest? Answer with its name.", 5, "medium", APP,
         draw, say_largest, lambda driver, p: driver.answer(p["others"][0]), setup=put,
         wanted=lambda p: Wanted((p["largest"],), tuple(p["others"]))),
    Spec("FilesSortOut", "Move these files from Downloads: {list[0]} to Documents, {list[1]} to Pictures, {list[2]} to "
         "Music, {list[3]} to Movies and {list[4]} to Recordings.", 32, "hard", APP, draw, sort_out,
         lambda driver, p: sort_out(driver, p, 4), sorted_out, put),
)  # fmt: skip
