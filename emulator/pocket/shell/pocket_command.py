"""pocket: what only this phone can do, for benchmarks that prepare it through adb.

    pocket reset                                     the phone as it was when it was new
    pocket fault add KIND [TIMES [VALUE]] [--over NAME]   see faults.py; NAME: package or activity it waits for
    pocket fault list | pocket fault clear [KIND]
    pocket clipboard [TEXT]                          print the clipboard, or set it
    pocket sms NUMBER TEXT | pocket call NUMBER      the world outside

`reset` keeps what belongs to the tools at the other end of adb: /data/local/tmp, packages installed later, the chosen
keyboard, accessibility services, properties, and faults of the fronts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from emulator.pocket import boot, calls
from emulator.pocket.faults import CORE, Fault, FaultKind
from emulator.pocket.phone import Phone
from emulator.pocket.shell.context import Command, Context, UsageError, whole
from emulator.pocket.state import Snapshot

TOOLS = "/data/local/tmp"
KEPT = (("secure", "default_input_method"), ("secure", "enabled_input_methods"),
        ("secure", "enabled_accessibility_services"), ("secure", "accessibility_enabled"))  # fmt: skip


@lru_cache(maxsize=8)
def fresh(seed: int, size: tuple[int, int]) -> Snapshot:
    """A new phone of this seed and size."""
    return Phone(seed=seed, size=size).snapshot()


def reset(phone: Phone) -> None:
    """Back to a new phone; see the module's words for what stays."""
    tools = [(path, phone.fs.stat(path).mode, node.data) for path, node in phone.fs.items()
             if path.startswith(f"{TOOLS}/") and not node.is_dir]  # fmt: skip
    later = list(phone.packages.values())
    chosen = {(space, key): phone.settings[space].get(key) for space, key in KEPT}
    properties = {k: v for k, v in phone.properties.items() if not k.startswith("gsm.pocket.")}
    apps = phone.apps.copy()
    phone.databases.close()
    phone.restore(fresh(phone.seed, phone.size))
    phone.properties, phone.apps = properties, apps
    for path, mode, data in tools:
        phone.fs.mkdir(path.rpartition("/")[0], parents=True)
        phone.fs.write(path, data, mode)
    for package in later:
        if package.name not in phone.packages:
            phone.packages.add(package)
            boot.make_data_directory(phone, package.name)
    for (space, key), value in chosen.items():
        if value is not None:
            phone.settings[space][key] = value
    for kind in CORE:
        phone.faults.clear(kind)
    phone.touched()


def _reset(context: Context, words: list[str]) -> int:
    reset(context.phone)
    return 0


def _kind(name: str) -> FaultKind:
    try:
        return FaultKind(name)
    except ValueError as error:
        raise UsageError(f"unknown fault '{name}'; known: {', '.join(FaultKind)}") from error


def _fault(context: Context, words: list[str]) -> int:
    faults, rest, over = context.phone.faults, list(words), ""
    if "--over" in rest[:-1]:
        at = rest.index("--over")
        over = rest[at + 1]
        del rest[at : at + 2]
    verb = rest[0] if rest else ""
    if verb == "add" and 2 <= len(rest) <= 4:
        times = whole(rest[2]) if len(rest) > 2 else 1
        faults.add(Fault(_kind(rest[1]), times, rest[3] if len(rest) > 3 else "", over))
    elif verb == "clear" and len(rest) <= 2:
        faults.clear(_kind(rest[1]) if len(rest) > 1 else None)
    elif verb == "list" and len(rest) == 1:
        for fault in faults.waiting():
            context.out(f"{fault.kind} {fault.times} {fault.value!r} {fault.over}\n")
    else:
        raise UsageError("usage: pocket fault add KIND [TIMES [VALUE]] [--over NAME] | list | clear [KIND]")
    context.phone.touched()
    return 0


def _clipboard(context: Context, words: list[str]) -> int:
    if words:
        context.phone.clipboard = " ".join(words)
        context.phone.touched()
    else:
        context.out(context.phone.clipboard + "\n")
    return 0


def _sms(context: Context, words: list[str]) -> int:
    if len(words) < 2:
        raise UsageError("usage: pocket sms NUMBER TEXT")
    context.phone.sms_received(words[0], " ".join(words[1:]))
    return 0


def _call(context: Context, words: list[str]) -> int:
    if len(words) != 1:
        raise UsageError("usage: pocket call NUMBER")
    calls.ring(context.phone, words[0])
    return 0


VERBS: dict[str, Callable[[Context, list[str]], int]] = {
    "reset": _reset, "fault": _fault, "clipboard": _clipboard, "sms": _sms, "call": _call,
}  # fmt: skip


def pocket(context: Context) -> int:
    """`pocket VERB ...`; see the module."""
    verb = context.arguments[0] if context.arguments else ""
    if verb not in VERBS:
        raise UsageError(f"unknown command '{verb}'; known: {', '.join(VERBS)}")
    return VERBS[verb](context, context.arguments[1:])


COMMANDS: dict[str, Command] = {"pocket": pocket}
