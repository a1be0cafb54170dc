"""rm, rmdir, cp, mv, mkdir, touch, chmod, chown, restorecon, chcon, ln: commands that change the phone's files."""

from __future__ import annotations

import posixpath
import re
import stat as bits
from collections.abc import Callable
from datetime import UTC, datetime

from emulator.pocket.files import NAMES
from emulator.pocket.shell.context import Command, Context, UsageError

PERMISSION = re.compile(r"([ugoa]*)([-+=])([rwxXst]*)")


def each(context: Context, paths: list[str], act: Callable[[str], None]) -> int:
    """Do `act` on every path; an OSError is reported and the next path tried, as toybox does."""
    status = 0
    for path in paths:
        try:
            act(path)
        except OSError as error:
            status = context.fail_file(path, error)
    return status


def need(paths: list[str], count: int = 1) -> None:
    """UsageError unless there are at least `count` paths."""
    if len(paths) < count:
        raise UsageError(f"Need {count} argument{'s' if count > 1 else ''}")


def rm(context: Context) -> int:
    """`rm [-firR] PATH...`."""
    flags, paths = context.flags("firRv")
    if not paths and "f" in flags:
        return 0
    need(paths)

    def remove(path: str) -> None:
        absolute = context.path(path)
        files = context.phone.fs
        if "f" in flags and not files.exists(absolute):
            return
        if files.isdir(absolute) and not flags & {"r", "R"}:
            raise IsADirectoryError(21, "", path)
        files.remove(absolute, recursive=bool(flags & {"r", "R"}))

    return each(context, paths, remove)


def rmdir(context: Context) -> int:
    """`rmdir PATH...`: empty directories."""
    _, paths = context.flags("p")
    need(paths)

    def remove(path: str) -> None:
        if not context.phone.fs.isdir(context.path(path)):
            context.phone.fs.stat(context.path(path))
            raise NotADirectoryError(20, "", path)
        context.phone.fs.remove(context.path(path))

    return each(context, paths, remove)


def mkdir(context: Context) -> int:
    """`mkdir [-p] [-m MODE] PATH...`."""
    arguments, mode = list(context.arguments), 0o771
    if "-m" in arguments:
        index = arguments.index("-m")
        mode = new_mode("".join(arguments[index + 1 : index + 2]), 0o777, directory=True)
        del arguments[index : index + 2]
    context.arguments = arguments
    flags, paths = context.flags("pv")
    need(paths)
    return each(
        context, paths, lambda path: context.phone.fs.mkdir(context.path(path), parents="p" in flags, mode=mode)
    )


def _targets(context: Context, paths: list[str]) -> tuple[list[str], Callable[[str], str]]:
    """Sources, and where each goes: into the last path if that is a directory, else exactly there."""
    need(paths, 2)
    *sources, destination = paths
    target = context.path(destination)
    if context.phone.fs.isdir(target):
        return sources, lambda source: context.path(posixpath.join(target, posixpath.basename(source.rstrip("/"))))
    if len(sources) > 1:
        raise UsageError(f"'{destination}' not directory")
    return sources, lambda source: target


def cp(context: Context) -> int:
    """`cp [-afprRdnv] SOURCE... DESTINATION`; `SOURCE/.` copies what is in it."""
    flags, paths = context.flags("adfHilLnpPrRsTuv")
    sources, goes_to = _targets(context, paths)
    recursive, preserve = bool(flags & set("arR")), bool(flags & set("ap"))

    def copy(source: str) -> None:
        files, target = context.phone.fs, goes_to(source)
        origin = context.path(source)
        if files.isdir(origin) and not recursive:
            raise IsADirectoryError(21, "", source)
        if "n" in flags and files.exists(target):
            return
        files.copy(origin, target, recursive=recursive, preserve=preserve)

    return each(context, sources, copy)


def mv(context: Context) -> int:
    """`mv [-fnv] SOURCE... DESTINATION`."""
    flags, paths = context.flags("finTv")
    sources, goes_to = _targets(context, paths)

    def move(source: str) -> None:
        target = goes_to(source)
        if "n" in flags and context.phone.fs.exists(target):
            return
        context.phone.fs.rename(context.path(source), target)

    return each(context, sources, move)


def touch(context: Context) -> int:
    """`touch [-acm] [-t STAMP] [-d DATE] [-r FILE] PATH...`."""
    arguments: list[str] = []
    when: tuple[int, int] | None = None
    words = iter(context.arguments)
    for word in words:
        if word in ("-t", "-d", "-r"):
            when = _moment(context, word, next(words, ""))
        else:
            arguments.append(word)
    context.arguments = arguments
    flags, paths = context.flags("acmh")
    need(paths)

    def set_times(path: str) -> None:
        files, absolute = context.phone.fs, context.path(path)
        if not files.exists(absolute):
            if "c" in flags:
                return
            files.write(absolute, b"")
        node, now = files.stat(absolute), context.phone.clock.now_ns()
        access, change = when or (now, now)
        files.utime(
            absolute,
            node.atime_ns if "m" in flags and "a" not in flags else access,
            node.mtime_ns if "a" in flags and "m" not in flags else change,
        )

    return each(context, paths, set_times)


def _moment(context: Context, option: str, value: str) -> tuple[int, int]:
    if option == "-r":
        node = context.phone.fs.stat(context.path(value))
        return node.atime_ns, node.mtime_ns
    if value.startswith("@") and value[1:].isdigit():
        return int(value[1:]) * 10**9, int(value[1:]) * 10**9
    forms = (
        ("%Y%m%d%H%M.%S", "%Y%m%d%H%M") if option == "-t" else ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")
    )
    for form in forms:
        try:
            stamp = datetime.strptime(value, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        return int(stamp.timestamp()) * 10**9, int(stamp.timestamp()) * 10**9
    raise UsageError(f"bad date '{value}'")


def new_mode(text: str, old: int, *, directory: bool) -> int:
    """Permission bits after `chmod TEXT`; UsageError for what is no mode."""
    if re.fullmatch(r"[0-7]{1,4}", text):
        return int(text, 8)
    for clause in text.split(","):
        match = PERMISSION.fullmatch(clause)
        if not match:
            raise UsageError(f"bad mode '{text}'")
        who = set(match[1].replace("a", "ugo")) or set("ugo")
        letters = match[3].replace("X", "x" if directory or old & 0o111 else "")
        value = sum({"r": 4, "w": 2, "x": 1}.get(letter, 0) for letter in set(letters))
        for group, shift in (("u", 6), ("g", 3), ("o", 0)):
            if group not in who:
                continue
            if match[2] == "=":
                old &= ~(7 << shift)
            old = old & ~(value << shift) if match[2] == "-" else old | (value << shift)
    return old


def below(context: Context, path: str, *, recursive: bool) -> list[str]:
    """The absolute path itself and, if asked, all below it."""
    absolute = context.path(path)
    context.phone.fs.stat(absolute)
    found = [absolute]
    if recursive and context.phone.fs.isdir(absolute):
        for base, folders, names in context.phone.fs.walk(absolute):
            found += [posixpath.join(base, name) for name in (*folders, *names)]
    return found


def chmod(context: Context) -> int:
    """`chmod [-R] MODE PATH...`, options anywhere."""
    recursive = any(word in ("-R", "--recursive") for word in context.arguments)
    words = [word for word in context.arguments if word not in ("-R", "-f", "-v", "--recursive")]
    need(words, 2)
    text = words[0]
    new_mode(text, 0, directory=False)

    def change(path: str) -> None:
        for inner in below(context, path, recursive=recursive):
            node = context.phone.fs.stat(inner)
            context.phone.fs.chmod(inner, new_mode(text, bits.S_IMODE(node.mode), directory=node.is_dir))

    return each(context, words[1:], change)


def user_id(name: str) -> int:
    """Number of a user or group name; UsageError for an unknown one."""
    known = {text: number for number, text in NAMES.items()}
    if match := re.fullmatch(r"u0_a(\d+)", name):
        return 10000 + int(match[1])
    if name.isdigit():
        return int(name)
    if name not in known:
        raise UsageError(f"unknown user '{name}'")
    return known[name]


def chown(context: Context) -> int:
    """`chown [-R] USER[:GROUP] PATH...`, `chgrp [-R] GROUP PATH...`."""
    flags, words = context.flags("Rfhv")
    need(words, 2)
    user, _, group = words[0].replace(".", ":").partition(":")
    if context.name == "chgrp":
        user, group = "", user

    def change(path: str) -> None:
        for inner in below(context, path, recursive="R" in flags):
            node = context.phone.fs.stat(inner)
            context.phone.fs.chown(inner, user_id(user) if user else node.uid, user_id(group) if group else node.gid)

    return each(context, words[1:], change)


def _exists(context: Context, path: str) -> None:
    """FileNotFoundError unless the path exists."""
    context.phone.fs.stat(context.path(path))


def relabel(context: Context) -> int:
    """`restorecon [-RDFv] PATH...`, `chcon [-R] LABEL PATH...`: labels aren't kept; the paths must exist."""
    _, paths = context.flags("RDFrnvhf")
    if context.name == "chcon":
        paths = paths[1:]
    need(paths)
    return each(context, paths, lambda path: _exists(context, path))


def ln(context: Context) -> int:
    """`ln [-s] TARGET NAME`: the phone's file system has no links; a copy stands in for a hard one."""
    flags, paths = context.flags("sfnv")
    if "s" in flags:
        return context.fail("symbolic links are not supported on this phone")
    need(paths, 2)
    context.phone.fs.copy(context.path(paths[0]), context.path(paths[1]))
    return 0


COMMANDS: dict[str, Command] = {
    "rm": rm,
    "unlink": rm,
    "rmdir": rmdir,
    "mkdir": mkdir,
    "cp": cp,
    "mv": mv,
    "touch": touch,
    "chmod": chmod,
    "chown": chown,
    "chgrp": chown,
    "restorecon": relabel,
    "chcon": relabel,
    "ln": ln,
}
