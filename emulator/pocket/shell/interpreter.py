"""Runs a syntax tree of the endpoint shell on a phone.

Departs from POSIX in two ways, for the sake of one order of events that is the same every time: a background list
(`a &`) runs to its end before the next command, and the stages of a pipeline run one after another, each given the
whole output of the one before (unless a stage is one that never ends, such as `logcat`, when each has a thread).
"""

from __future__ import annotations

import posixpath
import re
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from emulator.pocket.phone import Phone
from emulator.pocket.shell import control, expand
from emulator.pocket.shell.builtins import BUILTINS
from emulator.pocket.shell.context import Context, Ended, Exit, Loop, UsageError, decode, encode, reason
from emulator.pocket.shell.endpoint import Endpoint
from emulator.pocket.shell.lexer import ShellSyntaxError
from emulator.pocket.shell.parser import parse
from emulator.pocket.shell.redirect import redirected
from emulator.pocket.shell.streams import BrokenPipe, Buffer, Bytes, Deferred, Discard, Sink, Source, Streams, Tee
from emulator.pocket.shell.syntax import AndOr, Case, Command, For, Group, If, Pipeline, Sequence, Simple, While
from emulator.pocket.shell.table import COMMANDS, UNLOCKED

PROGRAM_DIRECTORIES = ("/system/bin", "/system/xbin", "/vendor/bin", "/bin", "/usr/bin")
MAX_ARGUMENTS = 4 << 20
NOT_FOUND, TIMED_OUT, KILLED = 127, 124, 137


@dataclass(frozen=True)
class Result:
    """What a command line gave: both streams, both in the order written, and the exit status."""

    stdout: bytes
    stderr: bytes
    output: bytes
    status: int


class Shell:
    """One shell on a phone: variables, directory, exit status.

    endpoint: what the shells of one phone share; by default a new one. `unknown` counts commands that don't exist.
    sleep: what `sleep` does besides moving the phone's clock on; None: nothing (no wall-clock time passes).
    ended: set by the owner when nobody waits for the output any more.
    """

    def __init__(
        self,
        phone: Phone,
        endpoint: Endpoint | None = None,
        *,
        sleep: Callable[[float], None] | None = None,
        ended: threading.Event | None = None,
        deadline: float | None = None,
    ) -> None:
        self.phone = phone
        self.endpoint = endpoint or Endpoint(phone)
        self.unknown: Counter[str] = self.endpoint.unknown
        self.over = False
        self.sleep = sleep
        self.ended = ended or threading.Event()
        self.deadline = deadline
        self.directory = "/"
        self.variables = {"PATH": ":".join(PROGRAM_DIRECTORIES), "HOME": "/", "PWD": "/", "SHELL": "/system/bin/sh"}
        self.variables |= {"USER": "root", "TMPDIR": "/data/local/tmp", "EXTERNAL_STORAGE": "/sdcard"}
        self.positional: list[str] = []
        self.script = "sh"
        self.status = 0
        self.streams = Streams(Bytes(), Discard(), Discard())

    def run(self, source: str, stdin: bytes = b"") -> Result:
        """Run a command line to its end, everything in memory."""
        stdout, stderr, both = Buffer(), Buffer(), Buffer()
        status = self.execute(source, Bytes(stdin), Tee(stdout, both), Tee(stderr, both))
        return Result(bytes(stdout.data), bytes(stderr.data), bytes(both.data), status)

    def execute(self, source: str, stdin: Source, stdout: Sink, stderr: Sink) -> int:
        """Run a command line on the given streams; returns the exit status. Errors go to `stderr`, none is raised."""
        self.streams = Streams(stdin, stdout, stderr)
        try:
            return self.interpret(source)
        except Exit as exit_:
            self.over = True
            return exit_.status
        except Loop:
            return 0
        except BrokenPipe:
            return 141
        except Ended:
            return KILLED if self.ended.is_set() else TIMED_OUT
        except RecursionError:
            self.complain("commands nested too deep")
            return 2

    def interpret(self, source: str) -> int:
        """Parse and run in this shell; Exit passes through."""
        try:
            tree = parse(source)
        except ShellSyntaxError as error:
            self.complain(f"syntax error: {error}")
            self.status = 2
            return 2
        self.sequence(tree)
        return self.status

    def complain(self, message: str) -> None:
        """A message of the shell itself on the current standard error."""
        self.streams.stderr.write(encode(f"/system/bin/sh: {message}\n"))

    def fork(self) -> Shell:
        """A subshell: same phone and streams, its own variables and directory."""
        child = Shell(self.phone, self.endpoint, sleep=self.sleep, ended=self.ended, deadline=self.deadline)
        child.directory, child.variables = self.directory, dict(self.variables)
        child.positional, child.script = list(self.positional), self.script
        child.status, child.streams = self.status, self.streams
        return child

    def captured(self, source: str) -> str:
        """The standard output of `source` run in a subshell; its status becomes `$?`."""
        child, buffer = self.fork(), Buffer()
        child.streams = replace(self.streams, stdout=buffer)
        try:
            child.interpret(source)
        except Exit as exit_:
            child.status = exit_.status
        self.status = child.status
        return decode(bytes(buffer.data)).replace("\0", "")

    def parameter(self, name: str) -> str | None:
        """The value of `$name`; None when unset."""
        if name.isdigit():
            index = int(name)
            everything = [self.script, *self.positional]
            return everything[index] if index < len(everything) else None
        special = {"?": str(self.status), "#": str(len(self.positional)), "$": "4242", "!": "4243", "-": ""}
        if name in special:
            return special[name]
        return " ".join(self.positional) if name in ("@", "*") else self.variables.get(name)

    def checkpoint(self) -> None:
        """Raises Ended when nobody waits any more; called where a command waits, and in loops."""
        if self.ended.is_set():
            raise Ended
        self.expire()

    def expire(self) -> None:
        """Raises Ended when the deadline has passed; called before each command."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Ended

    def sequence(self, tree: Sequence) -> int:
        """Run and-or lists one after another."""
        for item in tree.items:
            self.and_or(item)
        return self.status

    def and_or(self, tree: AndOr) -> None:
        """Run pipelines joined by && and ||."""
        if tree.background:
            self.subshell(Sequence((replace(tree, background=False),)))
            self.status = 0
            return
        self.pipeline(tree.pipelines[0])
        for operator, pipeline in zip(tree.operators, tree.pipelines[1:], strict=True):
            if (self.status == 0) == (operator == "&&"):
                self.pipeline(pipeline)

    def pipeline(self, tree: Pipeline) -> None:
        """Run the stages; the status is the last one's."""
        if len(tree.commands) == 1:
            self.command(tree.commands[0])
        else:
            self.status = control.run_stages(self, tree.commands)
        if tree.negated:
            self.status = int(self.status == 0)

    def stage(self, command: Command) -> int:
        """A command in this (sub)shell; exit and a broken pipe end only it."""
        try:
            self.command(command)
        except Exit as exit_:
            self.status = exit_.status
        except Loop:
            self.status = 0
        except BrokenPipe:
            self.status = 141
        return self.status

    def subshell(self, tree: Sequence) -> None:
        """Run `tree` in a subshell."""
        child = self.fork()
        try:
            child.sequence(tree)
        except Exit as exit_:
            child.status = exit_.status
        except Loop:
            child.status = 0
        self.status = child.status

    def command(self, tree: Command) -> None:
        """Run one command with its redirections."""
        self.expire()
        outer = self.streams
        if not isinstance(tree, Simple) and tree.redirections:
            streams = redirected(self, tree.redirections)
            if streams is None:
                self.status = 1
                return
            self.streams = streams
        try:
            self._dispatch(tree)
        finally:
            self.streams = outer

    def _dispatch(self, tree: Command) -> None:
        match tree:
            case Simple():
                self.simple(tree)
            case Group(body=body, subshell=True):
                self.subshell(body)
            case Group(body=body):
                self.sequence(body)
            case If():
                control.run_if(self, tree)
            case For():
                control.run_for(self, tree)
            case While():
                control.run_while(self, tree)
            case Case():
                control.run_case(self, tree)

    def simple(self, tree: Simple) -> None:
        """Expand, redirect, assign, and run a builtin, a command, or nothing."""
        before = self.status
        words = [value for word in tree.words for value in expand.fields(self, word)]
        if sum(map(len, words)) > MAX_ARGUMENTS:
            self.complain("argument list too long")
            self.status = 126
            return
        assigned = {name: expand.single(self, word) for name, word in tree.assignments}
        streams = redirected(self, tree.redirections) if tree.redirections else self.streams
        if streams is None:
            self.status = 1
            return
        if any(len(value) > MAX_ARGUMENTS for value in assigned.values()):
            self.complain("value too long")
            self.status = 1
            return
        if not words:
            self.variables |= assigned
            self.status = self.status if self.status != before else 0
            return
        saved = {name: self.variables.get(name) for name in assigned}
        self.variables |= assigned
        try:
            self.status = self.invoke(words, streams) & 0xFF
        finally:
            for name, value in saved.items():
                self.variables.pop(name, None)
                if value is not None:
                    self.variables[name] = value

    def invoke(self, words: list[str], streams: Streams) -> int:
        """Run a builtin or a command by its words."""
        name, arguments = words[0], words[1:]
        outer, self.streams = self.streams, streams
        context = Context(self, name, arguments, streams.stdin, streams.stdout, streams.stderr)
        try:
            if name in BUILTINS:
                return self._guarded(BUILTINS[name], context)
            key = name
            if "/" in name and posixpath.dirname(name) in PROGRAM_DIRECTORIES:
                key = posixpath.basename(name)
            command = COMMANDS.get(key)
            if command is None:
                return self._not_a_command(context)
            if key in UNLOCKED:
                return self._guarded(command, context)
            return self._locked(command, context)
        finally:
            self.streams = outer

    def _not_a_command(self, context: Context) -> int:
        name = context.name
        if "/" in name and self.phone.fs.exists(context.path(name)):
            if self.phone.fs.isdir(context.path(name)):
                self.complain(f"{name}: can't execute: Is a directory")
                return 126
            return self._guarded(BUILTINS["sh"], replace(context, arguments=[name, *context.arguments]))
        self.unknown[name] += 1
        self.complain(f"{name}: inaccessible or not found")
        return NOT_FOUND

    def _locked(self, command: Callable[[Context], int], context: Context) -> int:
        log: list[tuple[Sink, bytes]] = []
        deferred = replace(context, stdout=Deferred(log, context.stdout), stderr=Deferred(log, context.stderr))
        with self.phone.lock:
            status = self._guarded(command, deferred)
        for sink, data in log:
            sink.write(data)
        return status

    def _guarded(self, command: Callable[[Context], int], context: Context) -> int:
        """The command's status; its usage and system errors become messages, a defect of ours is logged and is 255."""
        try:
            return command(context)
        except UsageError as error:
            return context.fail(str(error), error.status)
        except OSError as error:
            return context.fail(f"{error.filename}: {reason(error)}" if error.filename else reason(error))
        except (Exit, Loop, Ended, BrokenPipe, RecursionError):
            raise
        except Exception:  # a defect of one command is logged whole and is exit status 255
            self.endpoint.note("shell", f"{context.name}: {traceback.format_exc()}")
            return context.fail("internal error of the pocket phone; see its log", 255)


def quote(text: str) -> str:
    """Text as one word of this shell."""
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"
