"""grep, sed and test: commands that look for something.

POSIX regular expressions are run as Python's after the few differences are translated; back-references and
collating elements work as in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from emulator.pocket.shell.context import Command, Context, UsageError, decode
from emulator.pocket.shell.text import inputs

CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9a-fA-F",
    "blank": r" \t",
}


def pattern(text: str, *, extended: bool) -> str:
    """A POSIX regular expression as a Python one."""
    text = re.sub(r"\[:(\w+):\]", lambda match: CLASSES.get(match[1], match[0]), text)
    text = text.replace("[^]", r"[^\]").replace("[]", r"[\]")
    if extended:
        return text
    swapped = []
    for part in re.findall(r"\\.|\[\^?\\?\]?[^]]*\]|.", text, re.DOTALL):
        if part in ("\\(", "\\)", "\\{", "\\}", "\\|", "\\+", "\\?"):
            swapped.append(part[1])
        elif part in ("(", ")", "{", "}", "|", "+", "?"):
            swapped.append("\\" + part)
        else:
            swapped.append(part)
    return "".join(swapped)


def compiled(text: str, *, extended: bool, fold: bool = False) -> re.Pattern[str]:
    """The expression ready to use; UsageError with status 2 if it is none."""
    try:
        return re.compile(pattern(text, extended=extended), re.IGNORECASE if fold else 0)
    except re.error as error:
        raise UsageError(f"bad regex '{text}': {error}", 2) from error


def grep(context: Context) -> int:
    """`grep [-EFGivnclqoswxrhH] [-e REGEX] [-m MAX] [-A|-B|-C N] REGEX [FILE...]`; egrep and fgrep."""
    options, numbers, regexes, files = _grep_arguments(context)
    flags = options | ({"E"} if context.name == "egrep" else {"F"} if context.name == "fgrep" else set())
    if not regexes:
        if not files:
            raise UsageError("no REGEX", 2)
        regexes = [files.pop(0)]
    matcher = _matcher(regexes, flags)
    paths = list(_recursed(context, files or ["."])) if flags & {"r", "R"} else files
    named = ("H" in flags or len(paths) > 1 or bool(flags & {"r", "R"})) and "h" not in flags
    found = False
    for name, data in inputs(context, paths):
        label = "(standard input)" if name == "-" else name
        found = _grep_one(context, label, decode(data), matcher, flags, numbers, named=named) or found
    return 0 if found else 1


def _grep_arguments(context: Context) -> tuple[set[str], dict[str, int], list[str], list[str]]:
    words, flags, regexes, files = list(context.arguments), set(), [], []
    numbers = {"m": 1 << 60, "A": 0, "B": 0}
    while words:
        word = words.pop(0)
        if word == "--":
            files += words
            break
        if word.startswith("--") or len(word) < 2 or not word.startswith("-"):
            if not word.startswith("--"):
                files.append(word)
            continue
        for index, letter in enumerate(word[1:], 1):
            if letter in "emABC":
                value = word[index + 1 :] or (words.pop(0) if words else "")
                if letter == "e":
                    regexes.append(value)
                elif value.isdigit():
                    numbers |= {"A": int(value), "B": int(value)} if letter == "C" else {letter: int(value)}
                break
            if letter not in "EFGivnclLqoswxrRhHaz":
                raise UsageError(f"Unknown option '{letter}'", 2)
            flags.add(letter)
    return flags, numbers, regexes, files


def _matcher(regexes: list[str], flags: set[str]) -> re.Pattern[str]:
    parts = [line for regex in regexes for line in regex.split("\n")]
    if "F" in flags:
        joined = "|".join(re.escape(part) for part in parts)
    else:
        joined = "|".join(f"(?:{pattern(part, extended='E' in flags)})" for part in parts)
    if "w" in flags:
        joined = rf"\b(?:{joined})\b"
    if "x" in flags:
        joined = rf"^(?:{joined})$"
    return compiled(joined, extended=True, fold="i" in flags)


def _recursed(context: Context, paths: list[str]) -> Iterator[str]:
    files = context.phone.fs
    for path in paths:
        if not files.isdir(context.path(path)):
            yield path
            continue
        for base, _, names in files.walk(context.path(path)):
            shown = path.rstrip("/") + base[len(context.path(path)) :]
            yield from (f"{shown}/{name}" for name in names)


def _grep_one(
    context: Context,
    name: str,
    text: str,
    matcher: re.Pattern[str],
    flags: set[str],
    numbers: dict[str, int],
    *,
    named: bool,
) -> bool:
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    hits = [i for i, line in enumerate(lines) if (matcher.search(line) is not None) != ("v" in flags)][: numbers["m"]]
    prefix = f"{name}:" if named else ""
    if "q" in flags:
        return bool(hits)
    if flags & {"l", "L"}:
        if bool(hits) != ("L" in flags):
            context.out(name + "\n")
    elif "c" in flags:
        context.out(f"{prefix}{len(hits)}\n")
    elif "o" in flags and "v" not in flags:
        for i in hits:
            context.out("".join(f"{prefix}{match[0]}\n" for match in matcher.finditer(lines[i]) if match[0]))
    else:
        shown = {j for i in hits for j in range(i - numbers["B"], i + numbers["A"] + 1) if 0 <= j < len(lines)}
        for j in sorted(shown):
            mark = ":" if j in hits else "-"
            number = f"{j + 1}{mark}" if "n" in flags else ""
            context.out(f"{prefix}{number}{lines[j]}\n")
    return bool(hits)


def sed(context: Context) -> int:
    """`sed [-nEri] SCRIPT [FILE...]` with s, d, p and an optional line number, `$` or /regex/ address."""
    words, flags, scripts, files = list(context.arguments), set(), [], []
    while words:
        word = words.pop(0)
        if word == "-e":
            scripts.append(words.pop(0) if words else "")
        elif re.fullmatch(r"-[nEri]+", word):
            flags |= set(word[1:])
        else:
            files.append(word)
    if not scripts:
        if not files:
            raise UsageError("No script")
        scripts = [files.pop(0)]
    extended = bool(flags & {"E", "r"})
    commands = [_sed_command(part.strip(), extended=extended) for script in scripts for part in _sed_split(script)]
    for path, data in inputs(context, files):
        output = "".join(_sed_lines(decode(data), commands, quiet="n" in flags))
        if "i" in flags and path != "-":
            context.phone.fs.write(context.path(path), output.encode("utf-8", "surrogateescape"))
        else:
            context.out(output)
    return 0


SED_PART = re.compile(r"(?:s([^\w\s])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gip0-9]*|[^;\n])+")


def _sed_split(script: str) -> list[str]:
    return [match.group() for match in SED_PART.finditer(script)]


SedCommand = tuple[str, str, re.Pattern[str] | None, str, str]


def _sed_command(text: str, *, extended: bool) -> SedCommand:
    match = re.fullmatch(r"(\d+|\$|/(?:\\.|[^/])*/)?\s*([sdpq])(.*)", text, re.DOTALL)
    if not match:
        raise UsageError(f"bad pattern '{text}'")
    address, letter, rest = match[1] or "", match[2], match[3]
    if letter != "s":
        return address, letter, None, "", ""
    parts = re.fullmatch(
        rf"({re.escape(rest[:1])})((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gip0-9]*)", rest, re.DOTALL
    )
    if not rest or not parts:
        raise UsageError(f"bad pattern '{text}'")
    replacement = re.sub(
        r"\\(.)|&", lambda m: r"\g<0>" if m[0] == "&" else "\\" + m[1] if m[1] in "123456789n\\" else m[1], parts[3]
    )
    regex = compiled(parts[2].replace("\\" + rest[0], rest[0]), extended=extended, fold="i" in parts[4])
    return address, "s", regex, replacement, parts[4]


def _sed_lines(text: str, commands: list[SedCommand], *, quiet: bool) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        end = "\n" if line.endswith("\n") else ""
        body, deleted = line.removesuffix("\n"), False
        for address, letter, regex, replacement, options in commands:
            if not _addressed(address, number, len(lines), body):
                continue
            if letter == "s" and regex is not None:
                body = regex.sub(replacement, body, count=0 if "g" in options else 1)
            elif letter == "p":
                yield body + end
            deleted = deleted or letter == "d"
        if not quiet and not deleted:
            yield body + end


def _addressed(address: str, number: int, last: int, body: str) -> bool:
    if not address:
        return True
    if address == "$":
        return number == last
    return number == int(address) if address.isdigit() else re.search(address[1:-1], body) is not None


def test(context: Context) -> int:
    """`test EXPRESSION`, `[ EXPRESSION ]`, `[[ EXPRESSION ]]`."""
    words = list(context.arguments)
    if context.name in ("[", "[["):
        if words[-1:] != [{"[": "]", "[[": "]]"}[context.name]]:
            raise UsageError("missing ]", 2)
        words.pop()
    if not words:
        return 1
    value, rest = _alternatives(context, words)
    if rest:
        raise UsageError(f"{rest[0]}: unexpected operator/operand", 2)
    return 0 if value else 1


def _alternatives(context: Context, words: list[str]) -> tuple[bool, list[str]]:
    value, words = _conjunction(context, words)
    while words[:1] in (["-o"], ["||"]):
        other, words = _conjunction(context, words[1:])
        value = value or other
    return value, words


def _conjunction(context: Context, words: list[str]) -> tuple[bool, list[str]]:
    value, words = _primary(context, words)
    while words[:1] in (["-a"], ["&&"]):
        other, words = _primary(context, words[1:])
        value = value and other
    return value, words


def _primary(context: Context, words: list[str]) -> tuple[bool, list[str]]:
    if not words:
        raise UsageError("missing argument", 2)
    if len(words) >= 3 and words[1] in COMPARISONS:
        return _compare(words[0], words[1], words[2]), words[3:]
    if words[0] == "!" and len(words) > 1:
        value, rest = _primary(context, words[1:])
        return not value, rest
    if words[0] == "(" and len(words) > 1:
        value, rest = _alternatives(context, words[1:])
        if rest[:1] != [")"]:
            raise UsageError("missing )", 2)
        return value, rest[1:]
    if len(words) >= 2 and re.fullmatch(r"-[a-zA-Z]", words[0]):
        return _unary(context, words[0], words[1]), words[2:]
    return words[0] != "", words[1:]


COMPARISONS = ("=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge")


def _compare(left: str, op: str, right: str) -> bool:
    if not op.startswith("-"):
        return {"=": left == right, "==": left == right, "!=": left != right, "<": left < right, ">": left > right}[op]
    numbers = []
    for text in (left, right):
        if not re.fullmatch(r"\s*[-+]?\d+\s*", text):
            raise UsageError(f"{text}: bad number", 2)
        numbers.append(int(text))
    a, b = numbers
    return {"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}[op]


def _unary(context: Context, op: str, value: str) -> bool:
    if op in ("-z", "-n"):
        return (value == "") == (op == "-z")
    if op == "-t":
        return False
    files, path = context.phone.fs, context.path(value) if value else ""
    if not value or not files.exists(path):
        return False
    if op in ("-d", "-f"):
        return files.isdir(path) == (op == "-d")
    if op == "-s":
        return files.stat(path).size > 0
    if op in ("-e", "-r", "-w", "-x", "-a"):
        return True
    if op in ("-L", "-h", "-b", "-c", "-p", "-S", "-g", "-u", "-k"):
        return False
    raise UsageError(f"{op}: unknown operator", 2)


COMMANDS: dict[str, Command] = {
    "grep": grep,
    "egrep": grep,
    "fgrep": grep,
    "sed": sed,
    "test": test,
    "[": test,
    "[[": test,
}
UNLOCKED = frozenset({"grep", "egrep", "fgrep", "sed"})
