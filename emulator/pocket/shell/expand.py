"""Word expansion: parameters, command substitution, arithmetic, field splitting, file names.

Definition: IEEE Std 1003.1 section 2.6. Arithmetic knows integers, names and the operators of C that Python shares.
"""

from __future__ import annotations

import ast
import fnmatch
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emulator.pocket.shell.context import Exit, absolute
from emulator.pocket.shell.syntax import Arithmetic, Literal, Part, Substitution, Variable, Word

if TYPE_CHECKING:
    from emulator.pocket.shell.interpreter import Shell

GLOB_CHARACTERS = frozenset("*?[")


@dataclass(frozen=True)
class Piece:
    """A stretch of expanded text: `literal` text neither splits nor globs."""

    text: str
    literal: bool


def fields(shell: Shell, word: Word) -> list[str]:
    """The arguments a word becomes: none, one or many."""
    if len(word) == 1 and isinstance(word[0], Literal):
        if word[0].quoted:
            return [word[0].text]
        if not GLOB_CHARACTERS & set(word[0].text):
            return [_tilde(shell, word[0].text)]
    if any(isinstance(part, Variable) and part.name == "@" and part.quoted for part in word):
        return _with_all_arguments(shell, word)
    result: list[str] = []
    for pieces in _split(list(_pieces(shell, word))):
        result.extend(_glob(shell, pieces))
    return result


def single(shell: Shell, word: Word) -> str:
    """A word where no splitting happens: assignments, redirections, case subjects."""
    return "".join(piece.text for piece in _pieces(shell, word))


def pattern(shell: Shell, word: Word) -> str:
    """A case pattern for fnmatch, its quoted characters taken literally."""
    return "".join(_escaped(piece) for piece in _pieces(shell, word))


def matches(text: str, glob: str) -> bool:
    """Whether `text` fits a shell pattern; [!x] and [x-y] included, case matters."""
    return re.fullmatch(fnmatch.translate(glob), text) is not None


def _escaped(piece: Piece) -> str:
    if not piece.literal:
        return piece.text
    return re.sub(r"[*?\[]", lambda match: f"[{match.group()}]", piece.text)


def _tilde(shell: Shell, text: str) -> str:
    if text == "~" or text.startswith("~/"):
        return shell.variables.get("HOME", "/") + text[1:]
    return text


def _with_all_arguments(shell: Shell, word: Word) -> list[str]:
    """`"$@"`: one field for each positional parameter, the rest of the word joined to the outer ones."""
    index = next(i for i, part in enumerate(word) if isinstance(part, Variable) and part.name == "@" and part.quoted)
    before, after = single(shell, word[:index]), single(shell, word[index + 1 :])
    if not shell.positional:
        return [before + after] if before + after else []
    result = list(shell.positional)
    result[0] = before + result[0]
    result[-1] += after
    return result


def _pieces(shell: Shell, word: Word) -> Iterator[Piece]:
    for part in word:
        match part:
            case Literal():
                yield Piece(part.text, literal=part.quoted)
            case Variable():
                yield from _parameter(shell, part)
            case _:
                yield Piece(_computed(shell, part), literal=part.quoted)


def _computed(shell: Shell, part: Part) -> str:
    if isinstance(part, Substitution):
        return shell.captured(part.source).rstrip("\n")
    assert isinstance(part, Arithmetic)
    return str(arithmetic(shell, part.source))


def _parameter(shell: Shell, part: Variable) -> Iterator[Piece]:
    value = shell.parameter(part.name)
    op = part.op
    if op == "length":
        yield Piece(str(len(value or "")), literal=part.quoted)
    elif op in ("#", "##", "%", "%%"):
        yield Piece(_trimmed(value or "", op, pattern(shell, part.argument)), literal=part.quoted)
    elif op and op[-1] in "-=+?":
        missing = value is None or (op.startswith(":") and value == "")
        yield from _conditional(shell, part, value or "", missing=missing)
    elif value is not None:
        yield Piece(value, literal=part.quoted)
    elif part.quoted:
        yield Piece("", literal=True)


def _conditional(shell: Shell, part: Variable, value: str, *, missing: bool) -> Iterator[Piece]:
    action = part.op[-1]
    if action == "+":
        if not missing:
            yield from _pieces(shell, part.argument)
    elif not missing:
        yield Piece(value, literal=part.quoted)
    elif action == "?":
        shell.complain(f"{part.name}: {single(shell, part.argument) or 'parameter null or not set'}")
        raise Exit(1)
    else:
        if action == "=":
            shell.variables[part.name] = single(shell, part.argument)
        yield from _pieces(shell, part.argument)


def _trimmed(value: str, op: str, glob: str) -> str:
    lengths: range | Iterator[int] = range(len(value) + 1)
    if op in ("##", "%%"):
        lengths = reversed(range(len(value) + 1))
    for length in lengths:
        if op[0] == "#" and matches(value[:length], glob):
            return value[length:]
        if op[0] == "%" and matches(value[len(value) - length :], glob):
            return value[: len(value) - length]
    return value


def _split(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Field splitting at blanks of what is not literal; the lexer left no blanks in plain source text."""
    current: list[Piece] = []
    for piece in pieces:
        if piece.literal or not re.search(r"[ \t\n]", piece.text):
            if piece.literal or piece.text:
                current.append(piece)
            continue
        for index, text in enumerate(re.split(r"[ \t\n]+", piece.text)):
            if index and current:
                yield current
                current = []
            if text:
                current.append(Piece(text, literal=False))
    if current:
        yield current


def _glob(shell: Shell, pieces: list[Piece]) -> list[str]:
    plain = "".join(piece.text for piece in pieces)
    if not any(not piece.literal and GLOB_CHARACTERS & set(piece.text) for piece in pieces):
        return [_tilde(shell, plain) if not pieces[0].literal else plain]
    found = expand_names(shell, "".join(_escaped(piece) for piece in pieces))
    return found or [plain]


def expand_names(shell: Shell, glob: str) -> list[str]:
    """Paths of the phone that fit a pattern, sorted, spelled with the pattern's own prefix."""
    start, found = ("/", ["/"]) if glob.startswith("/") else ("", [""])
    for component in glob[len(start) :].split("/"):
        if not component:
            continue
        found = [name for base in found for name in _children(shell, base, component)]
    return found if not glob.endswith("/") else [name + "/" for name in found]


def _children(shell: Shell, base: str, component: str) -> Iterator[str]:
    directory = absolute(shell.directory, base or ".")
    joined = base if not base or base.endswith("/") else base + "/"
    plain = re.sub(r"\[([*?\[])\]", r"\1", component)
    if not GLOB_CHARACTERS & set(re.sub(r"\[[*?\[]\]", "", component)):
        if shell.phone.fs.exists(absolute(directory, plain)):
            yield joined + plain
        return
    if not shell.phone.fs.isdir(directory):
        return
    for name in sorted(shell.phone.fs.listdir(directory)):
        if (not name.startswith(".") or component.startswith(".")) and matches(name, component):
            yield joined + name


_BINARY: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: lambda a, b: a << min(b, 64),
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Div: lambda a, b: int(a / b) if b else _bad("division by zero"),
    ast.Mod: lambda a, b: a - b * int(a / b) if b else _bad("division by zero"),
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def _bad(message: str) -> int:
    raise ValueError(message)


def arithmetic(shell: Shell, source: str) -> int:
    """An integer expression; raises Exit(1) after a message for anything else. 64-bit wrap-around as in mksh."""
    text = re.sub(r"\$\{?([A-Za-z_][A-Za-z0-9_]*|[0-9?#])\}?", lambda match: shell.parameter(match[1]) or "0", source)
    try:
        tree = ast.parse(text.strip().replace("&&", " and ").replace("||", " or ") or "0", mode="eval")
        value = _value(shell, tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        shell.complain(f"{source.strip()}: bad arithmetic expression ({type(error).__name__})")
        raise Exit(1) from error
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _value(shell: Shell, node: ast.expr) -> int:
    match node:
        case ast.Constant(value=bool()):
            raise ValueError("not an integer")
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            text = shell.variables.get(name, "0")
            return int(text) if re.fullmatch(r"\s*-?\d+\s*", text) else 0
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(shell, inner)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _value(shell, inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(shell, left), _value(shell, right))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _BINARY:
            return int(_BINARY[type(op)](_value(shell, left), _value(shell, right)))
        case ast.BoolOp(op=op, values=values):
            results = [bool(_value(shell, value)) for value in values]
            return int(all(results) if isinstance(op, ast.And) else any(results))
    raise ValueError("unsupported expression")
