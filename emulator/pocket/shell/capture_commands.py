"""screencap, uiautomator, logcat, app_process: what the phone shows and tells."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import UTC, datetime

from emulator.pocket.log import LogLine
from emulator.pocket.shell.context import Command, Context, encode

PIXEL_FORMAT_RGBA, COLOUR_SPACE_SRGB = 1, 1
DUMP_FILE = "/sdcard/window_dump.xml"
HEARTBEAT_SECONDS = 1.0
LONG_OPTIONS = {"--clear": "-c", "--format": "-v", "--buffer": "-b", "--tail": "-t", "--dump": "-d", "--regex": "-e"}
PRIORITIES = "VDIWEFS"
U2_MAIN = "com.wetest.uia2.Main"


def screencap(context: Context) -> int:
    """`screencap [-p] [-d ID] [FILE]`: PNG with -p or for a file ending in .png, else a 16-byte header and RGBA."""
    words = list(context.arguments)
    png = "-p" in words
    if "-d" in words:
        at = words.index("-d")
        del words[at : at + 2]
    files = [word for word in words if not word.startswith("-")]
    png = png or bool(files and files[0].endswith(".png"))
    data = context.phone.screenshot_png() if png else _raw(context)
    if files:
        context.phone.fs.write(context.path(files[0]), data)
    else:
        context.stdout.write(data)
    return 0


def _raw(context: Context) -> bytes:
    pixels = context.phone.screenshot()
    height, width = pixels.shape[:2]
    return struct.pack("<4I", width, height, PIXEL_FORMAT_RGBA, COLOUR_SPACE_SRGB) + pixels.tobytes()


def uiautomator(context: Context) -> int:
    """`uiautomator dump [--compressed] [--windows] [FILE]`; /dev/tty and /dev/stdout print the XML."""
    words = list(context.arguments)
    if words[:1] != ["dump"]:
        context.err("Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands: dump\n")
        return 1
    files = [word for word in words[1:] if not word.startswith("-")]
    path = files[0] if files else DUMP_FILE
    xml = context.phone.hierarchy_xml()
    if path in ("/dev/tty", "/dev/stdout", "/proc/self/fd/1"):
        context.out(xml + "\n")
    else:
        context.phone.fs.write(context.path(path), encode(xml))
    context.out(f"UI hierchary dumped to: {path}\n")
    return 0


def app_process(context: Context) -> int:
    """`CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p PORT`: uiautomator2's server.

    The port answers for as long as this command runs; other programs can't be run on this phone.
    """
    words = list(context.arguments)
    if U2_MAIN not in words:
        context.err("Error: the pocket phone runs no Java code\n")
        return 1
    jar = context.shell.variables.get("CLASSPATH", "")
    if not jar or not context.phone.fs.exists(context.path(jar)):
        context.err(f"java.lang.ClassNotFoundException: {U2_MAIN}\n")
        return 1
    port = words[words.index("-p") + 1] if "-p" in words[:-1] else "9008"
    ports = context.shell.endpoint.ports
    ports[f"tcp:{port}"] += 1
    try:
        context.out(f"[server] INFO: [UiAutomator2Server] Starting Server on port {port}\n")
        while not context.shell.ended.wait(0.5):
            context.shell.checkpoint()
    finally:
        ports[f"tcp:{port}"] -= 1
    return 0


def logcat(context: Context) -> int:
    """`logcat [-d] [-c] [-v FORMAT] [-b BUFFER] [-t COUNT | -T COUNT] [-s] [FILTER...]`, FILTER as `tag:priority`."""
    words = [part for word in context.arguments for part in _short(word)]
    options, filters = _logcat_arguments(words)
    log = context.phone.log
    if "-c" in options:
        with context.phone.lock:
            log.clear()
        return 0
    shown = _line_format(options.get("-v", "threadtime"))
    accepts = _filter(filters, silent="-s" in options)
    limit = options.get("-t") or options.get("-T")
    with context.phone.lock:
        lines, seen = list(log.lines), log.count
    if limit and limit.isdigit():
        lines = lines[len(lines) - min(len(lines), int(limit)) :]
    context.out("--------- beginning of main\n" + "".join(shown(line) for line in lines if accepts(line)))
    if not _endless(words):
        return 0
    rounds = 0
    while True:
        context.shell.checkpoint()
        context.shell.ended.wait(HEARTBEAT_SECONDS / 4)
        rounds += 1
        with context.phone.lock:
            new = min(log.count - seen, len(log.lines))
            lines = list(log.lines)[len(log.lines) - new :] if new > 0 else []
            seen = log.count
        # Without a line now and then adbutils' logcat can't be stopped.
        beat = "--------- heartbeat of the pocket phone\n" if rounds % 4 == 0 else ""
        context.out("".join(shown(line) for line in lines if accepts(line)) or beat)


def _endless(words: list[str]) -> bool:
    """Whether this logcat follows the log."""
    return not any(part in ("-d", "-c", "-t", "-g") for word in words for part in _short(word))


def _short(word: str) -> list[str]:
    """`--format=brief` -> -v brief; `-vbrief` -> -v brief; anything else as it is."""
    name, equals, value = word.partition("=")
    if name in LONG_OPTIONS:
        return [LONG_OPTIONS[name], *([value] if equals else [])]
    match = re.fullmatch(r"(-[vbtT])(\w+)", word)
    return [match[1], match[2]] if match else [word]


def _logcat_arguments(words: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    filters: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-v", "-b", "-t", "-T", "-e", "-m", "--pid", "-f", "-r", "-n"):
            value = rest.pop(0) if rest else ""
            options[word] = value if word != "-v" or options.get("-v") is None else options["-v"]
        elif word.startswith("-"):
            options[word] = ""
        else:
            filters.append(word)
    return options, filters


def _filter(filters: list[str], *, silent: bool) -> Callable[[LogLine], bool]:
    default, tags = ("S" if silent else "V"), {}
    for text in filters:
        tag, _, priority = text.partition(":")
        level = (priority or "V")[:1].upper()
        level = level if level in PRIORITIES else "V"
        if tag == "*":
            default = level
        else:
            tags[tag] = level
    return lambda line: PRIORITIES.index(line.priority) >= PRIORITIES.index(tags.get(line.tag, default))


def _line_format(name: str) -> Callable[[LogLine], str]:
    if name == "epoch":
        return lambda line: f"         {line.time:.3f}  1000  1000 {line.priority} {line.tag}: {line.text}\n"
    if name == "brief":
        return lambda line: f"{line.priority}/{line.tag}( 1000): {line.text}\n"
    if name == "tag":
        return lambda line: f"{line.priority}/{line.tag}: {line.text}\n"
    if name == "raw":
        return lambda line: f"{line.text}\n"
    if name == "time":
        return lambda line: f"{_stamp(line)} {line.priority}/{line.tag}( 1000): {line.text}\n"
    return lambda line: f"{_stamp(line)}  1000  1000 {line.priority} {line.tag}: {line.text}\n"


def log_(context: Context) -> int:
    """`log [-p PRIORITY] [-t TAG] TEXT`."""
    words, priority, tag = list(context.arguments), "I", "log"
    while words[:1] in (["-p"], ["-t"]) and len(words) > 1:
        option, value = words.pop(0), words.pop(0)
        priority, tag = (value[:1].upper(), tag) if option == "-p" else (priority, value)
    context.phone.log.write(priority if priority in PRIORITIES[:-1] else "I", tag, " ".join(words))
    return 0


def _stamp(line: LogLine) -> str:
    moment = datetime.fromtimestamp(int(line.time), UTC)
    return moment.strftime("%m-%d %H:%M:%S") + f".{int(line.time % 1 * 1000):03d}"


COMMANDS: dict[str, Command] = {
    "screencap": screencap,
    "uiautomator": uiautomator,
    "app_process": app_process,
    "logcat": logcat,
    "log": log_,
}
UNLOCKED = frozenset({"app_process", "logcat"})
ENDLESS: dict[str, Callable[[list[str]], bool]] = {"logcat": _endless, "app_process": lambda words: U2_MAIN in words}
