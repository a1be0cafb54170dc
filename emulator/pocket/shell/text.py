"""cat, echo, printf, head, tail, wc, sort, uniq, cut, tr, tee, sums, base64: text in, text out."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator

from emulator.pocket.shell.context import Command, Context, UsageError, decode, whole

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "\\": "\\"}
ESCAPE = re.compile(r"\\(0[0-7]{0,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|.)", re.DOTALL)


def inputs(context: Context, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    """(name, content) of each file, '-' or no file being standard input; a missing file is reported and skipped."""
    for path in paths or ["-"]:
        if path == "-":
            yield "-", context.stdin.read()
            continue
        try:
            with context.phone.lock:
                data = context.phone.fs.read(context.path(path))
        except OSError as error:
            context.fail_file(path, error)
            continue
        yield path, data


def missing(context: Context, paths: list[str]) -> int:
    """1 if a named input can't be read, else 0."""
    files = context.phone.fs
    return int(
        any(path != "-" and (not files.exists(context.path(path)) or files.isdir(context.path(path))) for path in paths)
    )


def cat(context: Context) -> int:
    """`cat [-nuv] [FILE...]`; from a live standard input it copies as the bytes come."""
    flags, paths = context.flags("nuvteA")
    if not paths or paths == ["-"]:
        while chunk := context.stdin.read(1 << 16):
            context.stdout.write(chunk)
        return 0
    number = 0
    for _, data in inputs(context, paths):
        if "n" not in flags:
            context.stdout.write(data)
            continue
        for line in data.splitlines(keepends=True):
            number += 1
            context.stdout.write(b"%6d\t%s" % (number, line))
    return missing(context, paths)


def unescape(text: str) -> tuple[str, bool]:
    """Backslash sequences of echo and printf replaced; True when \\c ended the output."""
    head, cut, _ = text.partition("\\c")

    def one(match: re.Match[str]) -> str:
        body = match[1]
        if body[0] == "0":
            return decode(bytes([int(body[1:] or "0", 8) & 0xFF]))
        if body[0] == "x" and len(body) > 1:
            return decode(bytes([int(body[1:], 16)]))
        if body[0] == "u" and len(body) > 1:
            return chr(int(body[1:], 16))
        return ESCAPES.get(body, match[0])

    return ESCAPE.sub(one, head), bool(cut)


def echo(context: Context) -> int:
    """`echo [-neE] WORDS`: as in mksh, backslash sequences count unless -E is given."""
    words, newline, escapes = list(context.arguments), True, True
    while words and re.fullmatch(r"-[neE]+", words[0]):
        option = words.pop(0)
        newline = newline and "n" not in option
        escapes = "E" not in option
    text, cut = unescape(" ".join(words)) if escapes else (" ".join(words), False)
    context.out(text + ("\n" if newline and not cut else ""))
    return 0


def printf(context: Context) -> int:
    """`printf FORMAT ARGUMENTS`: %s %d %i %u %x %o %c %b %%, the format repeated while arguments are left."""
    if not context.arguments:
        raise UsageError("Need 1 argument")
    form, values = unescape(context.arguments[0])[0], context.arguments[1:]
    pieces = re.findall(r"%%|%[-+ 0#]*\d*(?:\.\d+)?[sdiuxXocb]|[^%]+|%", form)
    while True:
        before = len(values)
        for piece in pieces:
            context.out(_one(piece, values))
        if not values or len(values) == before:
            return 0


def _one(piece: str, values: list[str]) -> str:
    if piece in ("%%", "%"):
        return "%"
    if not piece.startswith("%"):
        return piece
    value = values.pop(0) if values else ""
    kind = piece[-1]
    if kind in "sb":
        return (piece[:-1] + "s") % (unescape(value)[0] if kind == "b" else value)
    if kind == "c":
        return value[:1]
    number = int(value, 0) if re.fullmatch(r"[-+]?(0[xX][0-9a-fA-F]+|[1-9]\d*|0)", value) else 0
    return (piece[:-1] + {"i": "d", "u": "d"}.get(kind, kind)) % number


def _count(context: Context, default: int) -> tuple[int, str, list[str]]:
    """(count, unit 'n' or 'c', files) of head and tail; a '+' before the count comes back as a negative unit."""
    words, count, unit, files = list(context.arguments), default, "n", []
    while words:
        word = words.pop(0)
        match = re.fullmatch(r"-([nc]?)([-+]?\d+)?", word)
        if not match or word == "-":
            files.append(word)
            continue
        unit = match[1] or "n"
        text = match[2] if match[2] is not None else (words.pop(0) if words else "")
        if not re.fullmatch(r"[-+]?\d+", text):
            raise UsageError(f"bad number '{text}'")
        count, unit = int(text), ("+" + unit if text.startswith("+") else unit)
    return count, unit, files


def head(context: Context) -> int:
    """`head [-n COUNT | -c COUNT] [FILE...]`."""
    count, unit, files = _count(context, 10)
    if not files and unit == "n" and count >= 0:
        for _ in range(count):
            line = context.stdin.readline()
            if not line:
                break
            context.stdout.write(line)
        return 0
    for _, data in inputs(context, files):
        items = data.splitlines(keepends=True) if unit == "n" else None
        context.stdout.write(b"".join(items[:count]) if items is not None else data[:count])
    return missing(context, files)


def tail(context: Context) -> int:
    """`tail [-n [+]COUNT | -c COUNT] [FILE...]`."""
    count, unit, files = _count(context, 10)
    for _, data in inputs(context, files):
        if unit == "c":
            context.stdout.write(data[-abs(count) :] if count else b"")
            continue
        lines = data.splitlines(keepends=True)
        kept = lines[count - 1 :] if unit.startswith("+") else lines[len(lines) - min(len(lines), abs(count)) :]
        context.stdout.write(b"".join(kept))
    return missing(context, files)


def wc(context: Context) -> int:
    """`wc [-lwcm] [FILE...]`."""
    flags, files = context.flags("lwcm")
    wanted = [letter for letter in "lwcm" if letter in flags] or list("lwc")
    for name, data in inputs(context, files):
        counts = {"l": data.count(b"\n"), "w": len(data.split()), "c": len(data), "m": len(decode(data))}
        shown = " ".join(str(counts[letter]) for letter in wanted)
        context.out(f"{shown} {name}\n" if files else f"{shown}\n")
    return missing(context, files)


def sort(context: Context) -> int:
    """`sort [-nru] [FILE...]`."""
    flags, files = context.flags("nrufs")
    lines = [
        line
        for _, data in inputs(context, files)
        for line in decode(data).split("\n")[: -1 if data.endswith(b"\n") else None]
    ]
    if "n" in flags:
        lines.sort(key=lambda line: float(match[0]) if (match := re.match(r"\s*-?\d+(\.\d+)?", line)) else 0.0)
    else:
        lines.sort(key=str.lower if "f" in flags else str)
    if "r" in flags:
        lines.reverse()
    if "u" in flags:
        lines = list(dict.fromkeys(lines))
    context.out("".join(line + "\n" for line in lines))
    return missing(context, files)


def uniq(context: Context) -> int:
    """`uniq [-cd] [FILE]`."""
    flags, files = context.flags("cdu")
    for _, data in inputs(context, files):
        groups: list[tuple[str, int]] = []
        for line in decode(data).splitlines():
            same = bool(groups) and groups[-1][0] == line
            groups = [*groups[:-1], (line, groups[-1][1] + 1)] if same else [*groups, (line, 1)]
        for line, count in groups:
            if "d" not in flags or count > 1:
                context.out(f"{count:7d} {line}\n" if "c" in flags else line + "\n")
    return missing(context, files)


def cut(context: Context) -> int:
    """`cut -d CHARACTER -f LIST` or `-c LIST`, of standard input or files."""
    words, options, files = list(context.arguments), {"d": "\t", "f": "", "c": ""}, []
    while words:
        word = words.pop(0)
        if re.match(r"-[dfcb]", word):
            options["c" if word[1] == "b" else word[1]] = word[2:] or (words.pop(0) if words else "")
        elif word != "-s":
            files.append(word)
    ranges = [_range(part) for part in (options["f"] or options["c"]).split(",")]

    def chosen(index: int) -> bool:
        return any(low <= index <= high for low, high in ranges)

    for _, data in inputs(context, files):
        for line in decode(data).splitlines():
            if options["c"]:
                context.out("".join(c for i, c in enumerate(line, 1) if chosen(i)) + "\n")
                continue
            parts = line.split(options["d"])
            kept = [part for i, part in enumerate(parts, 1) if chosen(i)] if len(parts) > 1 else parts
            context.out(options["d"].join(kept) + "\n")
    return missing(context, files)


def _range(text: str) -> tuple[int, int]:
    """`2`, `2-4`, `2-`, `-4`."""
    low, dash, high = text.partition("-")
    return whole(low or "1"), whole(high or "999999999") if dash else whole(low)


def tr(context: Context) -> int:
    """`tr [-ds] SET1 [SET2]` with ranges and backslash sequences."""
    flags, sets = context.flags("dsc")
    if not sets:
        raise UsageError("Need 1 argument")
    first = _characters(sets[0])
    text = decode(context.stdin.read())
    if "d" in flags:
        context.out("".join(character for character in text if character not in first))
        return 0
    second = _characters(sets[1]) if len(sets) > 1 else first
    second += second[-1:] * max(0, len(first) - len(second))
    text = text.translate(dict(zip(map(ord, first), second, strict=False)))
    if "s" in flags:
        text = re.sub(r"(.)\1+", lambda match: match[1] if match[1] in second else match[0], text, flags=re.DOTALL)
    context.out(text)
    return 0


def _characters(text: str) -> str:
    text = unescape(text)[0]
    for name, characters in (("upper", "A-Z"), ("lower", "a-z"), ("digit", "0-9"), ("space", " \t\n\r\f\v")):
        text = text.replace(f"[:{name}:]", characters)
    return re.sub(r"(.)-(.)", lambda match: "".join(map(chr, range(ord(match[1]), ord(match[2]) + 1))), text)


def tee(context: Context) -> int:
    """`tee [-a] FILE...`."""
    flags, files = context.flags("ai")
    data = context.stdin.read()
    for path in files:
        with context.phone.lock:
            (context.phone.fs.append if "a" in flags else context.phone.fs.write)(context.path(path), data)
    context.stdout.write(data)
    return 0


def sums(context: Context) -> int:
    """`md5sum`, `sha1sum`, `sha256sum` `[-b] [FILE...]`."""
    flags, files = context.flags("b")
    kind = {"md5": "md5", "md5sum": "md5", "sha1sum": "sha1", "sha224sum": "sha224"}.get(
        context.name, context.name[:-3]
    )
    for name, data in inputs(context, files):
        digest = hashlib.new(kind, data, usedforsecurity=False).hexdigest()
        context.out(f"{digest}\n" if "b" in flags else f"{digest}  {name}\n")
    return missing(context, files)


def base64_(context: Context) -> int:
    """`base64 [-d] [-w COLUMNS] [FILE]`."""
    words = list(context.arguments)
    width = 76
    if "-w" in words:
        index = words.index("-w")
        width = max(0, whole("".join(words[index + 1 : index + 2])))
        del words[index : index + 2]
    decoding = "-d" in words
    for _, data in inputs(context, [word for word in words if word != "-d"]):
        if decoding:
            try:
                context.stdout.write(base64.b64decode(b"".join(data.split()), validate=True))
            except binascii.Error:
                return context.fail("bad input")
            continue
        text = base64.b64encode(data).decode()
        lines = [text[i : i + width] for i in range(0, len(text), width)] if width else [text]
        context.out("".join(line + "\n" for line in lines))
    return 0


def seq(context: Context) -> int:
    """`seq [FIRST [STEP]] LAST`, whole numbers."""
    numbers = [int(word) for word in context.arguments if re.fullmatch(r"-?\d+", word)]
    if not numbers or len(numbers) != len(context.arguments):
        raise UsageError("needs whole numbers")
    first, step, last = (
        (1, 1, *numbers) if len(numbers) == 1 else (numbers[0], numbers[1] if len(numbers) > 2 else 1, numbers[-1])
    )
    values = range(first, last + (1 if step > 0 else -1), step or 1)
    context.out("".join(f"{value}\n" for value in values[:1_000_000]))
    return 0


def basename(context: Context) -> int:
    """`basename PATH [SUFFIX]`, `dirname PATH`."""
    if not context.arguments:
        raise UsageError("Need 1 argument")
    path = context.arguments[0].rstrip("/") or "/"
    directory, _, name = path.rpartition("/")
    if context.name == "dirname":
        context.out((directory or ("/" if path.startswith("/") else ".")) + "\n")
        return 0
    if len(context.arguments) > 1 and name != context.arguments[1]:
        name = name.removesuffix(context.arguments[1])
    context.out((name or "/") + "\n")
    return 0


COMMANDS: dict[str, Command] = {
    "cat": cat,
    "echo": echo,
    "print": echo,
    "printf": printf,
    "head": head,
    "tail": tail,
    "wc": wc,
    "sort": sort,
    "uniq": uniq,
    "cut": cut,
    "tr": tr,
    "tee": tee,
    "md5sum": sums,
    "md5": sums,
    "sha1sum": sums,
    "sha256sum": sums,
    "base64": base64_,
    "seq": seq,
    "basename": basename,
    "dirname": basename,
}
UNLOCKED = frozenset(COMMANDS)
