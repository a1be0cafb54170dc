"""ls, stat, find, du, df: commands that show the phone's files, in toybox's formats.

Formats: toybox `ls -l` and `-ll` (nanoseconds and zone), and what AndroidWorld parses of it
(google-research/android_world@d9c569f utils/file_utils.py: nine columns, `-u` shows atime).
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
import stat as bits
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from emulator.pocket.files import Node, owner_name
from emulator.pocket.shell.context import Command, Context, UsageError, reason

LABEL = "u:object_r:media_rw_data_file:s0"


def blocks(node: Node) -> int:
    """Kilobytes on disk, in whole pages of four."""
    return 4 if node.is_dir else (node.size + 4095) // 4096 * 4


def shown_time(nanoseconds: int, *, full: bool) -> str:
    """`2023-10-15 15:34`, or with nanoseconds and zone."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.strftime(f"%Y-%m-%d %H:%M:%S.{rest:09d} +0000" if full else "%Y-%m-%d %H:%M")


def ls(context: Context) -> int:
    """`ls [-1aAcCdFhilnprRsStuZ] [PATH...]`, options anywhere."""
    flags, paths = context.flags("1aAcCdFghilLmnopqrRsStuUxZ")
    full = sum(argument.count("l") for argument in context.arguments if re.fullmatch(r"-\w+", argument)) > 1
    status = 0
    files: list[tuple[str, Node]] = []
    directories: list[tuple[str, Node]] = []
    for path in paths or ["."]:
        try:
            node = context.phone.fs.stat(context.path(path))
        except OSError as error:
            status = context.fail_file(path, error)
            continue
        (directories if node.is_dir and "d" not in flags else files).append((path, node))
    _list(context, files, flags, full=full)
    for index, (path, _) in enumerate(directories):
        if len(directories) + len(files) > 1 or "R" in flags:
            context.out(("\n" if index or files else "") + f"{path}:\n")
        _list_directory(context, path, flags, full=full)
    return status


def _list_directory(context: Context, path: str, flags: set[str], *, full: bool) -> None:
    files = context.phone.fs
    directory = context.path(path)
    names = files.listdir(directory)
    if "a" not in flags and "A" not in flags:
        names = [name for name in names if not name.startswith(".")]
    elif "a" in flags:
        names = [".", "..", *names]
    entries = [(name, files.stat(posixpath.join(directory, name))) for name in names]
    if "l" in flags or "s" in flags:
        context.out(f"total {sum(blocks(node) for _, node in entries)}\n")
    _list(context, entries, flags, full=full)
    if "R" in flags:
        for name, node in entries:
            if node.is_dir and name not in (".", ".."):
                context.out(f"\n{posixpath.join(path, name)}:\n")
                _list_directory(context, posixpath.join(path, name), flags, full=full)


def _list(context: Context, entries: list[tuple[str, Node]], flags: set[str], *, full: bool) -> None:
    if "t" in flags:
        entries = sorted(entries, key=lambda entry: -_time(entry[1], flags))
    elif "S" in flags:
        entries = sorted(entries, key=lambda entry: -entry[1].size)
    if "r" in flags:
        entries = entries[::-1]
    rows = [_row(name, node, flags, full=full) for name, node in entries]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(5)]
    for row in rows:
        if "l" not in flags:
            context.out(row[5] + "\n")
            continue
        mode, links, owner, group, size = (
            row[0],
            row[1].rjust(widths[1]),
            row[2].ljust(widths[2]),
            row[3].ljust(widths[3]),
            row[4].rjust(widths[4]),
        )
        context.out(f"{mode} {links} {owner} {group} {size} {row[6]} {row[5]}\n")


def _time(node: Node, flags: set[str]) -> int:
    if "u" in flags:
        return node.atime_ns
    return node.ctime_ns if "c" in flags else node.mtime_ns


def _row(name: str, node: Node, flags: set[str], *, full: bool) -> tuple[str, str, str, str, str, str, str]:
    number = "n" in flags
    owner = str(node.uid) if number else owner_name(node.uid)
    group = str(node.gid) if number else owner_name(node.gid)
    size = human(node.size) if "h" in flags else str(node.size)
    mark = "/" if node.is_dir and flags & {"p", "F"} else ""
    prefix = (f"{node.ino} " if "i" in flags else "") + (f"{blocks(node)} " if "s" in flags else "")
    prefix += f"{LABEL} " if "Z" in flags else ""
    links = "2" if node.is_dir else "1"
    return (
        bits.filemode(node.mode),
        links,
        owner,
        group,
        size,
        prefix + name + mark,
        shown_time(_time(node, flags), full=full),
    )


def human(size: int) -> str:
    """1234567 -> 1.2M."""
    value = float(size)
    for unit in ("", "K", "M", "G"):
        if value < 1000 or unit == "G":
            return f"{value:.1f}{unit}" if unit and value < 10 else f"{value:.0f}{unit}"
        value /= 1024
    return str(size)


def stat(context: Context) -> int:
    """`stat [-f] [-c FORMAT] PATH...`."""
    arguments, form = list(context.arguments), ""
    if "-c" in arguments:
        index = arguments.index("-c")
        if index + 1 >= len(arguments):
            raise UsageError("Missing argument to -c")
        form = arguments[index + 1]
        del arguments[index : index + 2]
    status = 0
    for path in (argument for argument in arguments if argument not in ("-f", "-L", "-t")):
        try:
            node = context.phone.fs.stat(context.path(path))
        except OSError as error:
            status = context.fail_file(f"'{path}'", error)
            continue
        context.out(_formatted(form, path, node) + "\n" if form else _described(path, node))
    return status


def _formatted(form: str, path: str, node: Node) -> str:
    values = _values(path, node)
    return re.sub(r"%([a-zA-Z%])", lambda match: values.get(match[1], "?"), form)


def _values(path: str, node: Node) -> dict[str, str]:
    times = {"X": node.atime_ns, "Y": node.mtime_ns, "Z": node.ctime_ns}
    values = {letter: str(value // 1_000_000_000) for letter, value in times.items()}
    values |= {letter.lower(): shown_time(value, full=True) for letter, value in times.items()}
    kind = "directory" if node.is_dir else "regular file" if node.size else "regular empty file"
    return values | {
        "a": f"{bits.S_IMODE(node.mode):o}",
        "A": bits.filemode(node.mode),
        "b": str(blocks(node) * 2),
        "B": "512",
        "d": "64769",
        "f": f"{node.mode:x}",
        "F": kind,
        "g": str(node.gid),
        "G": owner_name(node.gid),
        "h": "2" if node.is_dir else "1",
        "i": str(node.ino),
        "n": path,
        "N": f"'{path}'",
        "o": "4096",
        "s": str(node.size),
        "u": str(node.uid),
        "U": owner_name(node.uid),
        "%": "%",
    }


def _described(path: str, node: Node) -> str:
    return _formatted(
        "  File: %N\n  Size: %s\t Blocks: %b\t IO Blocks: %B\t%F\n"
        "Endpoint: %dd\t Inode: %i\t Links: %h\n"
        "Access: (0%a/%A)\tUid: (%u/%U)\tGid: (%g/%G)\nAccess: %x\nModify: %y\nChange: %z\n",
        path,
        node,
    )


Test = Callable[[str, Node], bool]


def find(context: Context) -> int:
    """`find [PATH...] [EXPRESSION]`: -type -name -iname -path -size -empty -newer -delete -exec -print and depths."""
    words = list(context.arguments)
    count = next((i for i, word in enumerate(words) if word[0:1] in ("-", "(", "!")), len(words))
    expression = _Expression(context, words[count:])
    status = 0
    for start in words[:count] or ["."]:
        try:
            for path, node, depth in _tree(context, start, 0, expression):
                if expression.least <= depth:
                    expression.test(path, node)
        except OSError as error:
            status = context.fail(f"'{start}': {reason(error)}")
    return status or expression.status


def _tree(context: Context, path: str, depth: int, expression: _Expression) -> Iterator[tuple[str, Node, int]]:
    absolute = context.path(path)
    node = context.phone.fs.stat(absolute)
    if not expression.bottom_up:
        yield path, node, depth
    if node.is_dir and depth < expression.most:
        joined = path if path.endswith("/") else path + "/"
        for name in context.phone.fs.listdir(absolute):
            yield from _tree(context, joined + name, depth + 1, expression)
    if expression.bottom_up:
        yield path, node, depth


class _Expression:
    """A parsed `find` expression; `test` runs it on one path, actions included."""

    def __init__(self, context: Context, words: list[str]) -> None:
        self.context, self.words, self.status = context, words, 0
        self.least, self.most = 0, 1 << 30
        self.bottom_up = "-delete" in words or "-depth" in words
        self.acts = False
        test = self._alternatives() if words else lambda path, node: True
        if self.words:
            raise UsageError(f"bad arg '{self.words[0]}'")
        self.test: Test = test if self.acts else lambda path, node: test(path, node) and self._print(path, "\n")

    def _alternatives(self) -> Test:
        tests = [self._conjunction()]
        while self.words[:1] in (["-o"], ["-or"]):
            self.words.pop(0)
            tests.append(self._conjunction())
        return lambda path, node: any(test(path, node) for test in tests)

    def _conjunction(self) -> Test:
        tests: list[Test] = []
        while self.words and self.words[0] not in ("-o", "-or", ")"):
            if self.words[0] in ("-a", "-and"):
                self.words.pop(0)
                continue
            tests.append(self._primary())
        return lambda path, node: all(test(path, node) for test in tests)

    def _primary(self) -> Test:
        if not self.words:
            raise UsageError("an expression is missing")
        word = self.words.pop(0)
        if word in ("!", "-not"):
            inner = self._primary()
            return lambda path, node: not inner(path, node)
        if word == "(":
            group = self._alternatives()
            if self.words[:1] != [")"]:
                raise UsageError("missing ')'")
            self.words.pop(0)
            return group
        if word in ("-print", "-print0"):
            self.acts = True
            end = "\0" if word == "-print0" else "\n"
            return lambda path, node: self._print(path, end)
        if word in ("-delete", "-depth", "-xdev", "-empty", "-true"):
            return self._plain(word)
        if word == "-exec":
            return self._exec()
        return self._valued(word)

    def _plain(self, word: str) -> Test:
        if word == "-delete":
            self.acts = True
            return self._delete
        if word == "-empty":
            return self._empty
        return lambda path, node: True

    def _valued(self, word: str) -> Test:
        if not self.words:
            raise UsageError(f"'{word}' needs 1 arg")
        value = self.words.pop(0)
        if word in ("-mindepth", "-maxdepth"):
            depth = int(value) if value.isdigit() else 0
            self.least, self.most = (depth, self.most) if word == "-mindepth" else (self.least, depth)
            return lambda path, node: True
        if word == "-type":
            return lambda path, node: ("d" if node.is_dir else "f") in value.split(",")
        if word in ("-name", "-iname", "-path", "-ipath", "-wholename"):
            return self._named(word, value)
        if word == "-size":
            return self._sized(value)
        if word == "-newer":
            reference = self.context.phone.fs.stat(self.context.path(value)).mtime_ns
            return lambda path, node: node.mtime_ns > reference
        if word in ("-mtime", "-mmin"):
            return self._aged(word, value)
        raise UsageError(f"bad arg '{word}'")

    def _named(self, word: str, value: str) -> Test:
        fold = (lambda text: text.lower()) if word in ("-iname", "-ipath") else str
        wanted = re.compile(fnmatch.translate(fold(value)))
        if word.endswith("name") and word != "-wholename":
            return lambda path, node: wanted.fullmatch(fold(posixpath.basename(path.rstrip("/")))) is not None
        return lambda path, node: wanted.fullmatch(fold(path)) is not None

    def _sized(self, value: str) -> Test:
        match = re.fullmatch(r"([+-]?)(\d+)([ckMG]?)", value)
        if not match:
            raise UsageError(f"bad size '{value}'")
        unit = {"": 512, "c": 1, "k": 1024, "M": 1 << 20, "G": 1 << 30}[match[3]]
        count = int(match[2])
        return lambda path, node: _compared(match[1], -(-node.size // unit), count)

    def _aged(self, word: str, value: str) -> Test:
        match = re.fullmatch(r"([+-]?)(\d+)", value)
        if not match:
            raise UsageError(f"bad number '{value}'")
        unit = 86400 if word == "-mtime" else 60
        now = self.context.phone.clock.now_ns()
        return lambda path, node: _compared(match[1], (now - node.mtime_ns) // 10**9 // unit, int(match[2]))

    def _print(self, path: str, end: str) -> bool:
        self.context.out(path + end)
        return True

    def _empty(self, path: str, node: Node) -> bool:
        return not self.context.phone.fs.listdir(self.context.path(path)) if node.is_dir else node.size == 0

    def _delete(self, path: str, node: Node) -> bool:
        try:
            self.context.phone.fs.remove(self.context.path(path))
        except OSError as error:
            self.status = self.context.fail_file(path, error)
            return False
        return True

    def _exec(self) -> Test:
        self.acts = True
        end = next((i for i, word in enumerate(self.words) if word in (";", "+")), None)
        if end is None:
            raise UsageError("-exec needs an ending ';' or '+'")
        command, self.words = self.words[:end], self.words[end + 1 :]
        if not command:
            raise UsageError("-exec needs a command")

        def run(path: str, node: Node) -> bool:
            words = [word.replace("{}", path) for word in command]
            shell = self.context.shell
            streams = type(shell.streams)(self.context.stdin, self.context.stdout, self.context.stderr)
            return shell.invoke(words, streams) == 0

        return run


def _compared(sign: str, value: int, wanted: int) -> bool:
    if sign == "+":
        return value > wanted
    return value < wanted if sign == "-" else value == wanted


def du(context: Context) -> int:
    """`du [-s] [-h|-k|-m] [PATH...]`: kilobytes below each path."""
    flags, paths = context.flags("shkmacxd")
    for path in paths or ["."]:
        absolute = context.path(path)
        files = context.phone.fs
        node = files.stat(absolute)
        total = blocks(node)
        if node.is_dir:
            for base, folders, names in files.walk(absolute):
                total += sum(blocks(files.stat(posixpath.join(base, name))) for name in (*folders, *names))
        context.out(f"{human(total * 1024) if 'h' in flags else total}\t{path}\n")
    return 0


def df(context: Context) -> int:
    """`df [-h] [PATH...]`: one file system, as large as the phone's quota."""
    flags, _ = context.flags("hkPi")
    files = context.phone.fs
    size, used = files.quota // 1024, files.used // 1024
    shown = [human(value * 1024) if "h" in flags else str(value) for value in (size, used, size - used)]
    percent = 100 * used // size if size else 100
    context.out("Filesystem     1K-blocks     Used Available Use% Mounted on\n")
    context.out(f"/dev/fuse {shown[0]:>14} {shown[1]:>8} {shown[2]:>9} {percent:>3}% /storage/emulated\n")
    return 0


COMMANDS: dict[str, Command] = {"ls": ls, "stat": stat, "find": find, "du": du, "df": df}
