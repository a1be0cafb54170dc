"""Commands that change the shell itself (IEEE Std 1003.1 section 2.14, those of use on a phone)."""

from __future__ import annotations

import re
from collections.abc import Callable

from emulator.pocket.shell.context import Context, Exit, Loop, UsageError, decode, whole
from emulator.pocket.shell.parser import is_unfinished
from emulator.pocket.shell.table import COMMANDS


def _number(context: Context, default: int) -> int:
    if not context.arguments:
        return default
    if not re.fullmatch(r"-?\d+", context.arguments[0]):
        raise UsageError(f"{context.arguments[0]}: bad number", 2)
    return int(context.arguments[0])


def nothing(context: Context) -> int:
    """`:` and what has no meaning here (trap, wait, umask, set without arguments)."""
    return 0


def cd(context: Context) -> int:
    """`cd [DIR]`."""
    target = context.arguments[0] if context.arguments else context.shell.variables.get("HOME", "/")
    path = context.path(target)
    if not context.phone.fs.isdir(path):
        return context.fail(f"{target}: No such file or directory", 2)
    context.shell.directory = context.shell.variables["PWD"] = path
    return 0


def pwd(context: Context) -> int:
    """Print the directory."""
    context.out(context.shell.directory + "\n")
    return 0


def exit_(context: Context) -> int:
    """`exit [N]`."""
    raise Exit(_number(context, context.shell.status) & 0xFF)


def break_(context: Context) -> int:
    """`break [N]`."""
    raise Loop(max(1, _number(context, 1)), stop=True)


def continue_(context: Context) -> int:
    """`continue [N]`."""
    raise Loop(max(1, _number(context, 1)), stop=False)


def export(context: Context) -> int:
    """`export NAME[=VALUE]`: every variable is passed on here, so only the assignment counts."""
    for argument in context.arguments:
        name, equals, value = argument.partition("=")
        if equals:
            context.shell.variables[name] = value
    return 0


def unset(context: Context) -> int:
    """`unset NAME...`."""
    for name in context.arguments:
        context.shell.variables.pop(name, None)
    return 0


def shift(context: Context) -> int:
    """`shift [N]`."""
    count = _number(context, 1)
    if count > len(context.shell.positional):
        return context.fail("nothing to shift")
    del context.shell.positional[:count]
    return 0


def set_(context: Context) -> int:
    """`set -- WORDS` sets the positional parameters; options are accepted and do nothing."""
    if "--" in context.arguments:
        context.shell.positional = context.arguments[context.arguments.index("--") + 1 :]
    return 0


def read(context: Context) -> int:
    """`read [-r] NAME...`: one line, split at blanks, the rest into the last name."""
    names = [argument for argument in context.arguments if not argument.startswith("-")] or ["REPLY"]
    line = context.stdin.readline()
    words = decode(line).rstrip("\n").split(None, len(names) - 1)
    for index, name in enumerate(names):
        context.shell.variables[name] = words[index].strip() if index < len(words) else ""
    return 0 if line.endswith(b"\n") else 1


def eval_(context: Context) -> int:
    """`eval WORDS`."""
    return context.shell.interpret(" ".join(context.arguments))


def source(context: Context) -> int:
    """`. FILE`."""
    if not context.arguments:
        raise UsageError("missing file", 2)
    with context.phone.lock:
        text = decode(context.phone.fs.read(context.path(context.arguments[0])))
    return context.shell.interpret(text)


def sh(context: Context) -> int:
    """`sh -c SOURCE [NAME ARGS]`, `sh FILE [ARGS]`, or commands from standard input."""
    arguments = [argument for argument in context.arguments if argument not in ("-l", "-i", "-e", "-x")]
    child = context.shell.fork()
    if arguments[:1] == ["-c"]:
        if len(arguments) < 2:
            raise UsageError("-c: requires an argument")
        text, child.script, child.positional = arguments[1], (arguments[2:] or ["sh"])[0], arguments[3:]
    elif arguments:
        with context.phone.lock:
            text = decode(context.phone.fs.read(context.path(arguments[0])))
        child.script, child.positional = arguments[0], arguments[1:]
    else:
        return _from_input(context)
    try:
        return child.interpret(text)
    except Exit as done:
        return done.status


def _from_input(context: Context) -> int:
    """Commands line by line from standard input; an unfinished one takes the next line too."""
    child = context.shell.fork()
    text = ""
    try:
        while line := context.stdin.readline():
            text += decode(line)
            if is_unfinished(text):
                continue
            child.interpret(text)
            text = ""
        if text:
            child.interpret(text)
    except Exit as done:
        return done.status
    return child.status


def su(context: Context) -> int:
    """`su [0|root] COMMAND...`: the shell is root already."""
    words = list(context.arguments)
    if words[:1] in (["0"], ["root"], ["shell"]):
        del words[0]
    if words[:1] == ["-c"]:
        return context.shell.fork().interpret(" ".join(words[1:]))
    if not words:
        return _from_input(context)
    return context.shell.fork().invoke(words, context.shell.streams)


def env(context: Context) -> int:
    """`env [NAME=VALUE...] [COMMAND...]`."""
    child, words = context.shell.fork(), list(context.arguments)
    while words and "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        child.variables[name] = value
    if words:
        return child.invoke(words, context.shell.streams)
    for name, value in child.variables.items():
        context.out(f"{name}={value}\n")
    return 0


def prefixed(context: Context) -> int:
    """`nohup`, `exec`, `time`, `nice` in front of a command: the command itself."""
    words = [word for index, word in enumerate(context.arguments) if index or not word.startswith("-")]
    return context.shell.invoke(words, context.shell.streams) if words else 0


def timeout(context: Context) -> int:
    """`timeout SECONDS COMMAND`: the command itself; the phone's commands end by themselves."""
    return context.shell.invoke(context.arguments[1:], context.shell.streams) if context.arguments[1:] else 1


def which(context: Context) -> int:
    """`which NAME`, `command -v NAME`, `type NAME`."""
    words = list(context.arguments)
    if context.name == "command" and words[:1] != ["-v"]:
        return context.shell.invoke(words, context.shell.streams) if words else 0
    status = 0
    for name in (word for word in words if word != "-v"):
        if name in COMMANDS or name in ("sh", "su", "which"):
            context.out(f"/system/bin/{name}\n")
        elif name in BUILTINS:
            context.out(f"{name}\n")
        else:
            status = 1
    return status


def toybox(context: Context) -> int:
    """`toybox COMMAND ARGS`: the same command; alone, the list of commands."""
    if not context.arguments:
        context.out(" ".join(sorted(COMMANDS)) + "\n")
        return 0
    if context.arguments[0] not in COMMANDS and context.arguments[0] not in BUILTINS:
        context.shell.unknown[f"toybox {context.arguments[0]}"] += 1
        context.err(f'toybox: Unknown command {context.arguments[0]} (see "toybox --help")\n')
        return 127
    return context.shell.invoke(context.arguments, context.shell.streams)


def xargs(context: Context) -> int:
    """`xargs [-n COUNT] [-0] COMMAND`: the words of standard input as arguments."""
    words, count, zero = list(context.arguments), 0, False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        zero = zero or option == "-0"
        if option == "-n" and words:
            count = max(0, whole(words.pop(0)))
    text = decode(context.stdin.read())
    values = [value for value in text.split("\0") if value] if zero else text.split()
    status = 0
    for start in range(0, max(1, len(values)), count or max(1, len(values))):
        chunk = values[start : start + (count or len(values))]
        status = context.shell.invoke([*(words or ["echo"]), *chunk], context.shell.streams) or status
    return status


BUILTINS: dict[str, Callable[[Context], int]] = {
    ":": nothing,
    "trap": nothing,
    "wait": nothing,
    "umask": nothing,
    "sync": nothing,
    "cd": cd,
    "pwd": pwd,
    "exit": exit_,
    "return": exit_,
    "break": break_,
    "continue": continue_,
    "export": export,
    "unset": unset,
    "shift": shift,
    "set": set_,
    "read": read,
    "eval": eval_,
    ".": source,
    "source": source,
    "sh": sh,
    "/system/bin/sh": sh,
    "su": su,
    "env": env,
    "nohup": prefixed,
    "exec": prefixed,
    "time": prefixed,
    "timeout": timeout,
    "which": which,
    "command": which,
    "type": which,
    "toybox": toybox,
    "xargs": xargs,
}
