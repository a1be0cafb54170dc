"""if, for, while, case and pipelines: how a shell runs what is made of other commands."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from emulator.pocket.shell import expand
from emulator.pocket.shell.context import Ended, Loop
from emulator.pocket.shell.streams import Buffer, Bytes, Pipe, Source, Streams
from emulator.pocket.shell.syntax import Case, Command, For, If, Sequence, Simple, While
from emulator.pocket.shell.table import ENDLESS

if TYPE_CHECKING:
    from emulator.pocket.shell.interpreter import Shell


def run_if(shell: Shell, tree: If) -> None:
    """The body of the first condition with status 0, or the else body."""
    for condition, body in tree.branches:
        if shell.sequence(condition) == 0:
            shell.sequence(body)
            return
    shell.status = 0
    if tree.otherwise is not None:
        shell.sequence(tree.otherwise)


def run_for(shell: Shell, tree: For) -> None:
    """The body once for every field of the words."""
    values = shell.positional
    if tree.words is not None:
        values = [value for word in tree.words for value in expand.fields(shell, word)]
    shell.status = 0
    for value in values:
        shell.checkpoint()
        shell.variables[tree.name] = value
        if not _turn(shell, tree.body):
            break


def run_while(shell: Shell, tree: While) -> None:
    """The body as long as the condition has status 0 (until: another)."""
    last = 0
    while (shell.sequence(tree.condition) == 0) != tree.negated:
        shell.checkpoint()
        proceed = _turn(shell, tree.body)
        last = shell.status
        if not proceed:
            break
    shell.status = last


def _turn(shell: Shell, body: Sequence) -> bool:
    """One turn of a loop; False after `break`."""
    try:
        shell.sequence(body)
    except Loop as jump:
        if jump.levels > 1:
            raise Loop(jump.levels - 1, stop=jump.stop) from None
        return not jump.stop
    return True


def run_case(shell: Shell, tree: Case) -> None:
    """The body of the first pattern that fits."""
    subject = expand.single(shell, tree.subject)
    shell.status = 0
    for patterns, body in tree.clauses:
        if any(expand.matches(subject, expand.pattern(shell, word)) for word in patterns):
            shell.sequence(body)
            return


def run_stages(shell: Shell, commands: tuple[Command, ...]) -> int:
    """A pipeline, each stage in a subshell; the last one's status."""
    if any(_endless(shell, command) for command in commands[:-1]):
        return _threaded(shell, commands)
    source: Source = shell.streams.stdin
    for command in commands[:-1]:
        buffer = Buffer()
        child = shell.fork()
        child.streams = Streams(source, buffer, shell.streams.stderr)
        child.stage(command)
        source = Bytes(bytes(buffer.data))
    child = shell.fork()
    child.streams = replace(shell.streams, stdin=source)
    return child.stage(commands[-1])


def _endless(shell: Shell, command: Command) -> bool:
    """Whether a stage is one of the commands that never end by themselves, such as `logcat`."""
    if not isinstance(command, Simple) or not command.words:
        return False
    words = [word for part in command.words for word in expand.fields(shell, part)]
    return bool(words) and words[0] in ENDLESS and ENDLESS[words[0]](words[1:])


def _threaded(shell: Shell, commands: tuple[Command, ...]) -> int:
    pipes = [Pipe() for _ in commands[:-1]]
    threads = []
    for index, command in enumerate(commands[:-1]):
        child = shell.fork()
        stdin = shell.streams.stdin if index == 0 else pipes[index - 1]
        child.streams = Streams(stdin, pipes[index], shell.streams.stderr)
        threads.append(threading.Thread(target=_feed, args=(child, command, pipes[index]), daemon=True))
        threads[-1].start()
    child = shell.fork()
    child.streams = replace(shell.streams, stdin=pipes[-1])
    try:
        return child.stage(commands[-1])
    finally:
        for pipe in pipes:
            pipe.abandon()
        for thread in threads:
            thread.join(timeout=2)


def _feed(shell: Shell, command: Command, pipe: Pipe) -> None:
    """One stage of a threaded pipeline, in its own thread."""
    try:
        shell.stage(command)
    except Ended:
        pass
    finally:
        pipe.end()
