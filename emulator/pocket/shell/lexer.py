"""Words and operators of the device shell, out of a command line.

Definition: IEEE Std 1003.1 sections 2.2 (quoting) and 2.3 (token recognition); `$'...'` as in mksh.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from emulator.pocket.shell.syntax import Arithmetic, Literal, Part, Substitution, Variable, Word

OPERATORS = ("<<-", "&&", "||", ";;", "<<", ">>", "<&", ">&", ">|", "&", "|", ";", "<", ">", "(", ")", "\n")
BLANKS = " \t\r"
WORD_END = BLANKS + "\n;&|<>()"
SPECIAL_NAMES = "?$!#@*-0123456789"
PARAMETER_OPS = (":-", ":=", ":+", ":?", "##", "%%", "-", "=", "+", "?", "#", "%")
ANSI_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
MAX_DEPTH = 40


class ShellSyntaxError(Exception):
    """The command line isn't in the language; the shell prints the message and returns 2, as sh does."""


@dataclass(frozen=True)
class Token:
    """One token: `operator` set, or `word` set. `fd` is the number written before a redirection, if any."""

    operator: str = ""
    word: Word = ()
    fd: int | None = None

    def keyword(self) -> str:
        """The text of an unquoted, literal word; '' for everything else."""
        if len(self.word) == 1 and isinstance(self.word[0], Literal) and not self.word[0].quoted:
            return self.word[0].text
        return ""


def tokens(source: str) -> Iterator[Token]:
    """All tokens of `source`; raises ShellSyntaxError for unfinished quotes."""
    position = 0
    while position < len(source):
        character = source[position]
        if character in BLANKS:
            position += 1
        elif source.startswith("\\\n", position):
            position += 2
        elif character == "#":
            end = source.find("\n", position)
            position = len(source) if end < 0 else end
        elif (operator := _operator_at(source, position)) is not None:
            yield Token(operator=operator)
            position += len(operator)
        else:
            word, end = _read_word(source, position)
            fd = _descriptor(source, position, end)
            if fd is not None:
                operator = _operator_at(source, end) or ""
                yield Token(operator=operator, fd=fd)
                end += len(operator)
            else:
                yield Token(word=word)
            position = end


def _operator_at(source: str, position: int) -> str | None:
    return next((operator for operator in OPERATORS if source.startswith(operator, position)), None)


def _descriptor(source: str, start: int, end: int) -> int | None:
    """The file descriptor when the word source[start:end] is digits written straight before < or >."""
    text = source[start:end]
    if text.isdigit() and len(text) <= 2 and end < len(source) and source[end] in "<>":
        return int(text)
    return None


def _read_word(source: str, position: int) -> tuple[Word, int]:
    parts: list[Part] = []
    while position < len(source) and source[position] not in WORD_END:
        part, position = _read_part(source, position)
        parts.extend(part)
    return _merged(parts), position


def _read_part(source: str, position: int) -> tuple[list[Part], int]:
    character = source[position]
    if character == "'":
        end = source.find("'", position + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        return [Literal(source[position + 1 : end], quoted=True)], end + 1
    if character == '"':
        return _double_quoted(source, position + 1)
    if character == "\\":
        if source.startswith("\\\n", position):
            return [], position + 2
        return [Literal(source[position + 1 : position + 2], quoted=True)], position + 2
    if character == "$" and source.startswith("$'", position):
        return _ansi_quoted(source, position + 2)
    if character in "$`":
        part, end = _expansion(source, position, quoted=False)
        return [part], end
    return [Literal(character, quoted=False)], position + 1


def _double_quoted(source: str, position: int) -> tuple[list[Part], int]:
    parts: list[Part] = [Literal("", quoted=True)]
    while position < len(source):
        character = source[position]
        if character == '"':
            return parts, position + 1
        if character == "\\" and source[position + 1 : position + 2] in ("$", "`", '"', "\\"):
            parts.append(Literal(source[position + 1], quoted=True))
            position += 2
        elif source.startswith("\\\n", position):
            position += 2
        elif character in "$`":
            part, position = _expansion(source, position, quoted=True)
            parts.append(part)
        else:
            parts.append(Literal(character, quoted=True))
            position += 1
    raise ShellSyntaxError("no closing quote")


def _ansi_quoted(source: str, position: int) -> tuple[list[Part], int]:
    text = ""
    while position < len(source) and source[position] != "'":
        if source[position] == "\\" and position + 1 < len(source):
            text += ANSI_ESCAPES.get(source[position + 1], source[position + 1])
            position += 2
        else:
            text += source[position]
            position += 1
    if position >= len(source):
        raise ShellSyntaxError("no closing quote")
    return [Literal(text, quoted=True)], position + 1


def _expansion(source: str, position: int, *, quoted: bool) -> tuple[Part, int]:
    if source[position] == "`":
        return _backticks(source, position + 1, quoted=quoted)
    if source.startswith("$((", position):
        end = closing(source, position + 2)
        if source.startswith("))", end):
            return Arithmetic(source[position + 3 : end], quoted), end + 2
    if source.startswith("$(", position):
        end = closing(source, position + 1)
        return Substitution(source[position + 2 : end], quoted), end + 1
    if source.startswith("${", position):
        return _braced(source, position + 2, quoted=quoted)
    following = source[position + 1 : position + 2]
    if following and following in SPECIAL_NAMES:
        return Variable(following, quoted), position + 2
    end = _name_end(source, position + 1)
    if end > position + 1:
        return Variable(source[position + 1 : end], quoted), end
    return Literal("$", quoted=True), position + 1


def _backticks(source: str, position: int, *, quoted: bool) -> tuple[Part, int]:
    text = ""
    while position < len(source) and source[position] != "`":
        if source[position] == "\\" and source[position + 1 : position + 2] in ("`", "\\", "$"):
            position += 1
        text += source[position]
        position += 1
    if position >= len(source):
        raise ShellSyntaxError("no closing quote")
    return Substitution(text, quoted), position + 1


def _braced(source: str, position: int, *, quoted: bool) -> tuple[Part, int]:
    if source[position : position + 1] == "#" and source[position + 1 : position + 2] != "}":
        end = source.find("}", position)
        if end < 0:
            raise ShellSyntaxError("unclosed ${")
        return Variable(source[position + 1 : end], quoted, op="length"), end + 1
    end = _name_end(source, position)
    if end == position and source[position : position + 1] in tuple(SPECIAL_NAMES):
        end = position + 1
    if end == position:
        raise ShellSyntaxError("bad substitution")
    name = source[position:end]
    op = next((op for op in PARAMETER_OPS if source.startswith(op, end)), "")
    start = end + len(op)
    close = _closing_brace(source, start)
    if not op and close != start:
        raise ShellSyntaxError("bad substitution")
    return Variable(name, quoted, op, _argument(source[start:close], quoted=quoted)), close + 1


def _argument(text: str, *, quoted: bool) -> Word:
    """The word after an operator in ${name<op>word}; blanks in it don't end it."""
    if quoted:
        parts, _ = _double_quoted(text.replace('"', '\\"') + '"', 0)
        return _merged(parts)
    collected: list[Part] = []
    position = 0
    while position < len(text):
        part, position = _read_part(text, position)
        collected.extend(part)
    return _merged(collected)


def _closing_brace(source: str, position: int) -> int:
    depth = 1
    while position < len(source):
        if source[position] == "\\":
            position += 1
        elif source.startswith("${", position):
            depth += 1
        elif source[position] == "}":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    raise ShellSyntaxError("unclosed ${")


def closing(source: str, position: int) -> int:
    """The index of the ')' that closes the '(' at `position`, quotes and nesting respected."""
    depth = 0
    quote = ""
    while position < len(source):
        character = source[position]
        if character == "\\" and quote != "'":
            position += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "(":
            depth += 1
            if depth > MAX_DEPTH:
                raise ShellSyntaxError("too many nested parentheses")
        elif character == ")":
            depth -= 1
            if depth == 0:
                return position
        position += 1
    raise ShellSyntaxError("no closing parenthesis")


def _name_end(source: str, position: int) -> int:
    end = position
    while end < len(source) and (source[end] == "_" or (source[end].isascii() and source[end].isalnum())):
        if end == position and source[end].isdigit():
            break
        end += 1
    return end


def _merged(parts: list[Part]) -> Word:
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Literal) and isinstance(last, Literal) and part.quoted == last.quoted:
            merged[-1] = Literal(last.text + part.text, part.quoted)
        else:
            merged.append(part)
    return tuple(merged)
