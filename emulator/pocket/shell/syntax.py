"""The syntax tree of the device shell.

A subset of POSIX sh (IEEE Std 1003.1, chapter 2), as Android's mksh understands it: lists, and-or, pipelines,
redirections, quoting, expansions, if, for, while, until, case, groups and subshells. Left out, with a clear syntax
error: functions and here-documents.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Literal:
    """Plain characters; `quoted` ones neither split into fields nor take part in globbing."""

    text: str
    quoted: bool


@dataclass(frozen=True)
class Variable:
    """`$name` or `${name<op>argument}`; op is one of '', ':-', '-', ':=', '=', ':+', '+', ':?', '?', '#', '%'..."""

    name: str
    quoted: bool
    op: str = ""
    argument: Word = ()


@dataclass(frozen=True)
class Substitution:
    """`$(source)` or backticks: the output of a list of commands, trailing newlines removed."""

    source: str
    quoted: bool


@dataclass(frozen=True)
class Arithmetic:
    """`$((source))`: integers only."""

    source: str
    quoted: bool


Part = Literal | Variable | Substitution | Arithmetic
Word = tuple[Part, ...]


@dataclass(frozen=True)
class Redirection:
    """`fd op target`, op one of '>', '>>', '<', '>&', '<&', '>|'."""

    fd: int
    op: str
    target: Word


@dataclass(frozen=True)
class Simple:
    """Assignments, then a command's words, and its redirections in the order written."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True)
class Pipeline:
    """Commands joined by '|'; `negated` for a leading '!'."""

    commands: tuple[Command, ...]
    negated: bool = False


@dataclass(frozen=True)
class AndOr:
    """Pipelines joined by '&&' and '||'; `operators[i]` stands before `pipelines[i + 1]`."""

    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...]
    background: bool = False


@dataclass(frozen=True)
class Sequence:
    """What ';', '&' and newlines separate."""

    items: tuple[AndOr, ...]


@dataclass(frozen=True)
class Group:
    """`{ list; }`, or `( list )` with `subshell`."""

    body: Sequence
    subshell: bool
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True)
class If:
    """(condition, body) pairs for if and elif, and the else body."""

    branches: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True)
class For:
    """`for name in words; do body; done`; words None means the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Sequence
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True)
class While:
    """`while condition; do body; done`; `until` with negated."""

    condition: Sequence
    body: Sequence
    negated: bool
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True)
class Case:
    """`case word in pattern|pattern) body ;; esac`."""

    subject: Word
    clauses: tuple[tuple[tuple[Word, ...], Sequence], ...]
    redirections: tuple[Redirection, ...] = ()


Command = Simple | Group | If | For | While | Case
