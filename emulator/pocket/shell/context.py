"""What a command of the device shell is given, and what it gives back."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator.pocket.phone import Phone
from emulator.pocket.shell.streams import Sink, Source

if TYPE_CHECKING:
    from emulator.pocket.shell.interpreter import Shell


class Exit(Exception):
    """`exit N`: ends the shell (or subshell) with status N."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Loop(Exception):
    """`break` (stop) or `continue`, `levels` loops up."""

    def __init__(self, levels: int, *, stop: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.stop = stop


class Ended(Exception):
    """The session was closed, or its deadline passed, while a command ran."""


class UsageError(Exception):
    """Wrong arguments: the message goes to stderr behind the command's name, the status is `status`."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Context:
    """One run of one command: its name and arguments, its three streams, the shell and the phone under it."""

    shell: Shell
    name: str
    arguments: list[str]
    stdin: Source
    stdout: Sink
    stderr: Sink

    @property
    def phone(self) -> Phone:
        """The phone this shell belongs to."""
        return self.shell.phone

    def out(self, text: str) -> None:
        """Write text to standard output."""
        if text:
            self.stdout.write(encode(text))

    def err(self, text: str) -> None:
        """Write text to standard error."""
        self.stderr.write(encode(text))

    def fail(self, message: str, status: int = 1) -> int:
        """Write `name: message` to standard error and return the status."""
        self.err(f"{self.name}: {message}\n")
        return status

    def fail_file(self, path: str, error: OSError) -> int:
        """`name: path: No such file or directory`, status 1."""
        return self.fail(f"{path}: {reason(error)}")

    def path(self, path: str) -> str:
        """An absolute, normalised path of the phone; '..' never climbs above the root."""
        return absolute(self.shell.directory, path)

    def flags(self, known: str) -> tuple[set[str], list[str]]:
        """Single-letter options (clustered or not) and the rest; UsageError for a letter not in `known`."""
        found: set[str] = set()
        rest: list[str] = []
        for index, argument in enumerate(self.arguments):
            if argument == "--":
                rest += self.arguments[index + 1 :]
                break
            if len(argument) > 1 and argument.startswith("-"):
                for letter in argument[1:]:
                    if letter not in known:
                        raise UsageError(f"Unknown option '{letter}' (see \"{self.name} --help\")")
                    found.add(letter)
            else:
                rest.append(argument)
        return found, rest


Command = Callable[[Context], int]


def whole(text: str) -> int:
    """A whole number of at most nine digits; UsageError for anything else."""
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise UsageError(f"bad number '{text}'")
    return int(text)


def absolute(directory: str, path: str) -> str:
    """`path` seen from `directory`, normalised; empty paths name nothing and raise FileNotFoundError."""
    if not path:
        raise FileNotFoundError(2, os.strerror(2), path)
    return "/" + posixpath.normpath(posixpath.join(directory, path)).lstrip("/")


def encode(text: str) -> bytes:
    """Text to bytes; what came in as undecodable bytes goes out unchanged."""
    return text.encode("utf-8", "surrogateescape")


def decode(data: bytes) -> str:
    """Bytes to text, undecodable bytes kept as lone surrogates."""
    return bytes(data).decode("utf-8", "surrogateescape")


def reason(error: OSError) -> str:
    """The system's words for an error, as toybox prints them."""
    return os.strerror(error.errno) if error.errno else str(error)
