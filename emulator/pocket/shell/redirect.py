"""Redirections: the streams of a command after `<`, `>`, `>>`, `2>&1` and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.pocket.shell import expand
from emulator.pocket.shell.context import absolute, reason
from emulator.pocket.shell.streams import Bytes, Discard, FileSink, Sink, Source, Streams
from emulator.pocket.shell.syntax import Redirection

if TYPE_CHECKING:
    from emulator.pocket.shell.interpreter import Shell

Table = tuple[dict[int, Source], dict[int, Sink]]


def redirected(shell: Shell, redirections: tuple[Redirection, ...]) -> Streams | None:
    """The streams after the redirections, left to right; None after a message when one can't be opened."""
    sources: dict[int, Source] = {0: shell.streams.stdin}
    sinks: dict[int, Sink] = {1: shell.streams.stdout, 2: shell.streams.stderr}
    for redirection in redirections:
        target = expand.single(shell, redirection.target)
        try:
            if redirection.op in (">&", "<&"):
                _duplicate((sources, sinks), redirection, target)
            elif redirection.op == "<":
                sources[redirection.fd] = _input(shell, target)
            else:
                sinks[redirection.fd] = _output(shell, target, sinks, append=redirection.op == ">>")
        except OSError as error:
            kind = "open" if redirection.op == "<" else "create"
            shell.complain(f"can't {kind} {target}: {reason(error)}")
            return None
    return Streams(sources[0], sinks[1], sinks[2])


def _duplicate(table: Table, redirection: Redirection, target: str) -> None:
    sources, sinks = table
    number = int(target) if target.isdigit() else -1
    if target == "-":
        sources[redirection.fd], sinks[redirection.fd] = Bytes(), Discard()
    elif redirection.op == "<&" and number in sources:
        sources[redirection.fd] = sources[number]
    elif number in sinks:
        sinks[redirection.fd] = sinks[number]
    else:
        raise OSError(9, f"bad file descriptor {target}")


def _input(shell: Shell, target: str) -> Source:
    path = absolute(shell.directory, target)
    if path == "/dev/null":
        return Bytes()
    with shell.phone.lock:
        return Bytes(shell.phone.fs.read(path))


def _output(shell: Shell, target: str, sinks: dict[int, Sink], *, append: bool) -> Sink:
    path = absolute(shell.directory, target)
    special: dict[str, Sink] = {"/dev/stdout": sinks[1], "/dev/stderr": sinks[2], "/dev/null": Discard()}
    if path in special:
        return special[path]
    files = shell.phone.fs
    with shell.phone.lock:
        if not append or not files.exists(path):
            files.write(path, b"")
    return FileSink(shell.phone, path)
