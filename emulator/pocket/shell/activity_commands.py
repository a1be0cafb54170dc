"""am and monkey: starting, stopping and telling apps.

Output formats: those AndroidWorld and android_env parse (shared/facts/android_world_apps.md section 0.8).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from emulator.pocket.intents import LAUNCHER, MAIN, ActivityNotFound, Intent, short_component, split_component
from emulator.pocket.shell.context import Command, Context, UsageError
from emulator.pocket.shell.keyboards import keyboard_broadcast

TRUE = ("true", "1", "t")


def _number(text: str) -> int:
    if not re.fullmatch(r"[-+]?(0[xX][0-9a-fA-F]+|\d+)", text):
        raise UsageError(f"Error: bad number: {text}", 255)
    return int(text, 0 if "x" in text.lower() else 10)


def _real(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"Error: bad number: {text}", 255) from error


EXTRAS: dict[str, Callable[[str], Any]] = {
    "-e": str,
    "--es": str,
    "--ez": lambda text: text.lower() in TRUE,
    "--ei": _number,
    "--el": _number,
    "--ef": _real,
    "--ed": _real,
    "--eu": str,
    "--ecn": str,
    "--esa": lambda text: re.split(r"(?<!\\),", text),
    "--esal": lambda text: re.split(r"(?<!\\),", text),
    "--eia": lambda text: [_number(part) for part in text.split(",")],
    "--eial": lambda text: [_number(part) for part in text.split(",")],
    "--ela": lambda text: [_number(part) for part in text.split(",")],
}
WITH_VALUE = ("--user", "-f", "--display", "--windowingMode", "--activityType", "-P", "--start-profiler", "-R")
OTHERS_WITH_VALUE = ("--task", "--receiver-permission", "--uid")


def parse_intent(words: list[str]) -> tuple[Intent, set[str]]:
    """The intent an `am` command line describes, and its plain flags (-W, -S, ...). UsageError for missing values."""
    fields: dict[str, str] = {"action": "", "data": "", "mime": "", "component": "", "package": ""}
    names = {"-a": "action", "-d": "data", "-t": "mime", "-n": "component", "-p": "package"}
    categories: list[str] = []
    extras: dict[str, Any] = {}
    flags: set[str] = set()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        needed = (
            2
            if word in EXTRAS
            else int(word in names or word in ("-c", "--esn") or word in (*WITH_VALUE, *OTHERS_WITH_VALUE))
        )
        if len(rest) < needed:
            raise UsageError(f'Error: Argument expected after "{word}"', 255)
        if word in names:
            fields[names[word]] = rest.pop(0)
        elif word == "-c":
            categories.append(rest.pop(0))
        elif word in EXTRAS:
            key = rest.pop(0)
            extras[key] = EXTRAS[word](rest.pop(0))
        elif word == "--esn":
            extras[rest.pop(0)] = None
        elif word in (*WITH_VALUE, *OTHERS_WITH_VALUE):
            rest.pop(0)
        elif word.startswith("-"):
            flags.add(word)
        else:
            fields |= _positional(word)
    if fields["component"]:
        try:
            fields["component"] = short_component(*split_component(fields["component"]))
        except ValueError as error:
            raise UsageError(f"Error: {error}", 255) from error
    return Intent(categories=tuple(categories), extras=extras, **fields), flags


def _positional(word: str) -> dict[str, str]:
    """The last argument of `am start` may be a URI, a component or a package."""
    if ":" in word:
        return {"data": word}
    return {"component": word} if "/" in word else {"package": word}


def describe(intent: Intent) -> str:
    """`Intent { act=.. dat=.. cmp=.. }` as Android prints it."""
    parts = [("act", intent.action), ("cat", f"[{','.join(intent.categories)}]" if intent.categories else "")]
    parts += [
        ("dat", _short_data(intent.data)),
        ("typ", intent.mime),
        ("pkg", intent.package),
        ("cmp", intent.component),
    ]
    shown = " ".join(f"{name}={value}" for name, value in parts if value)
    return f"Intent {{ {shown}{' ' if shown else ''}{'(has extras) ' if intent.extras else ''}}}"


def _short_data(data: str) -> str:
    scheme, colon, rest = data.partition(":")
    if colon and scheme in ("tel", "sms", "smsto", "mailto"):
        return f"{scheme}:{'x' * len(rest)}"
    match = re.match(r"(//[^/]*)(/.+)?", rest) if colon else None
    return f"{scheme}:{match[1]}{'/...' if match[2] else ''}" if match else data


def am(context: Context) -> int:
    """`am VERB ...`; see VERBS."""
    verb = context.arguments[0] if context.arguments else ""
    if verb not in VERBS:
        context.err(f"Error: unknown command '{verb}'\n")
        return 255
    return VERBS[verb](context, context.arguments[1:])


def start(context: Context, words: list[str]) -> int:
    """`am start [-W] [-S] INTENT`."""
    intent, flags = parse_intent(words)
    if not intent.action and not intent.component and not intent.data and intent.package:
        intent = Intent(MAIN, package=intent.package, categories=(LAUNCHER,), extras=intent.extras)
    if "-S" in flags and intent.component:
        name = intent.component.partition("/")[0]
        context.out(f"Stopping: {name}\n")
        context.phone.force_stop(name)
    context.out(f"Starting: {describe(intent)}\n")
    try:
        context.phone.start_activity(intent)
    except ActivityNotFound:
        context.err(_not_found(intent))
        return 1
    if "-W" in flags:
        top = context.phone.activities.foreground
        context.out("Status: ok\nLaunchState: COLD\n")
        context.out(f"Activity: {top.short}\nTotalTime: 100\nWaitTime: 110\nComplete\n")
    return 0


def _not_found(intent: Intent) -> str:
    if intent.component:
        package, cls = split_component(intent.component)
        return f"Error type 3\nError: Activity class {{{package}/{cls}}} does not exist.\n"
    return f"Error: Activity not started, unable to resolve {describe(intent)}\n"


def start_service(context: Context, words: list[str]) -> int:
    """`am startservice INTENT`: no service does anything on this phone."""
    intent, _ = parse_intent(words)
    context.out(f"Starting service: {describe(intent)}\n")
    if intent.component.partition("/")[0] not in context.phone.packages:
        context.err("Error: Not found; no service started.\n")
        return 255
    return 0


def broadcast(context: Context, words: list[str]) -> int:
    """`am broadcast INTENT`: prints the receivers' result code and data."""
    intent, _ = parse_intent(words)
    context.out(f"Broadcasting: {describe(intent).replace(' }', ' flg=0x400000 }')}\n")
    for listener in context.shell.endpoint.on_broadcast:
        listener(intent)
    code, data = keyboard_broadcast(context.phone, intent) or context.phone.broadcast(intent)
    shown = f', data="{data}"' if data else ""
    context.out(f"Broadcast completed: result={code}{shown}\n")
    return 0


def force_stop(context: Context, words: list[str]) -> int:
    """`am force-stop PACKAGE`, `am kill PACKAGE`."""
    names = [word for index, word in enumerate(words) if not word.startswith("-") and words[index - 1] != "--user"]
    if not names:
        raise UsageError("Error: Argument required", 255)
    context.phone.force_stop(names[0])
    return 0


def kill_all(context: Context, words: list[str]) -> int:
    """`am kill-all`: stops what is not in front."""
    front = context.phone.activities.foreground.package
    for name in list(context.phone.activities.running):
        if name != front:
            context.phone.force_stop(name)
    return 0


def stack(context: Context, words: list[str]) -> int:
    """`am stack list`, `am stack remove ID`: recent tasks, the one in front first."""
    verb = words[0] if words else ""
    if verb == "list":
        context.out(stack_list(context))
    elif verb == "remove" and len(words) > 1 and words[1].isdigit():
        context.phone.activities.remove(int(words[1]))
    else:
        raise UsageError(f"Error: unknown command 'stack {verb}'", 255)
    return 0


def stack_list(context: Context) -> str:
    """One RootTask block for each task."""
    width, height = context.phone.display_size
    lines = ""
    for task in context.phone.activities.tasks():
        lines += f"RootTask id={task.id} bounds=[0,0][{width},{height}] displayId=0 userId=0\n"
        lines += " configuration={1.0 310mcc260mnc [en_US] ldltr sw411dp port finger -keyb/v/h}\n"
        lines += (
            f"  taskId={task.id}: {task.base} bounds=[0,0][{width},{height}] userId=0 "
            f"visible={str(task.visible).lower()} topActivity=ComponentInfo{{{task.component}}}\n\n"
        )
    return lines


def task(context: Context, words: list[str]) -> int:
    """`am task lock|resizeable ... ID`: accepted; screen pinning changes nothing on this phone."""
    return 0


def nothing(context: Context, words: list[str]) -> int:
    """Verbs that have nothing to do here."""
    return 0


def user(context: Context, words: list[str]) -> int:
    """`am get-current-user`."""
    context.out("0\n")
    return 0


VERBS = {
    "start": start,
    "start-activity": start,
    "startservice": start_service,
    "start-service": start_service,
    "start-foreground-service": start_service,
    "broadcast": broadcast,
    "force-stop": force_stop,
    "stop-app": force_stop,
    "kill": force_stop,
    "kill-all": kill_all,
    "stack": stack,
    "task": task,
    "get-current-user": user,
    "set-debug-app": nothing,
    "clear-debug-app": nothing,
    "wait-for-broadcast-idle": nothing,
    "idle-maintenance": nothing,
    "compat": nothing,
}


def monkey(context: Context) -> int:
    """`monkey -p PACKAGE [-c CATEGORY] COUNT`: starts the package's launcher activity; no random events."""
    words, packages = list(context.arguments), []
    for index, word in enumerate(words):
        if word == "-p" and index + 1 < len(words):
            packages.append(words[index + 1])
    if not words or not words[-1].isdigit():
        context.err("** Error: Count not specified\n")
        return 251
    context.out("".join(f"  bash arg: {word}\n" for word in words))
    name = packages[0] if packages else ""
    try:
        context.phone.launch(name)
    except ActivityNotFound:
        context.err("** No activities found to run, monkey aborted.\n")
        return 252
    context.out("Events injected: 1\n## Network stats: elapsed time=10ms (0ms mobile, 0ms wifi, 10ms not connected)\n")
    return 0


COMMANDS: dict[str, Command] = {"am": am, "monkey": monkey}
