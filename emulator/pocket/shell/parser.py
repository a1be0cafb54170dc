"""A command line to a syntax tree (IEEE Std 1003.1 section 2.10, without functions and here-documents)."""

from __future__ import annotations

import re

from emulator.pocket.shell.lexer import MAX_DEPTH, ShellSyntaxError, Token, tokens
from emulator.pocket.shell.syntax import (
    AndOr,
    Case,
    Command,
    For,
    Group,
    If,
    Literal,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
    While,
    Word,
)

REDIRECTIONS = (">", ">>", "<", ">&", "<&", ">|")
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
CLOSERS = ("then", "elif", "else", "fi", "do", "done", "esac", "}")
MAX_SOURCE = 1 << 20


def parse(source: str) -> Sequence:
    """The tree of `source`; raises ShellSyntaxError."""
    if len(source) > MAX_SOURCE:
        raise ShellSyntaxError("command line too long")
    parser = _Parser(list(tokens(source)))
    tree = parser.sequence()
    if not parser.finished():
        raise ShellSyntaxError(f"unexpected '{parser.shown()}'")
    return tree


def is_unfinished(source: str) -> bool:
    """Whether more lines could make `source` a command: an open quote, `if` without `fi`."""
    try:
        parse(source)
    except ShellSyntaxError as error:
        return "end of input" in str(error) or str(error).startswith(("no closing", "unclosed"))
    return False


class _Parser:
    """Recursive descent over a list of tokens."""

    def __init__(self, all_tokens: list[Token]) -> None:
        self.tokens = all_tokens
        self.position = 0
        self.depth = 0

    def finished(self) -> bool:
        return self.position >= len(self.tokens)

    def peek(self) -> Token:
        return self.tokens[self.position] if not self.finished() else Token()

    def shown(self) -> str:
        if self.finished():
            return "end of input"
        token = self.peek()
        return (token.operator or token.keyword() or "word").replace("\n", "newline")

    def take(self, operator: str) -> bool:
        if self.peek().operator == operator and not self.finished():
            self.position += 1
            return True
        return False

    def take_keyword(self, keyword: str) -> bool:
        if self.peek().keyword() == keyword:
            self.position += 1
            return True
        return False

    def need_keyword(self, keyword: str) -> None:
        if not self.take_keyword(keyword):
            raise ShellSyntaxError(f"unexpected '{self.shown()}', expected '{keyword}'")

    def skip_newlines(self) -> None:
        while self.take("\n"):
            pass

    def sequence(self) -> Sequence:
        """and-or lists up to a closing keyword, ')' or ';;'."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ShellSyntaxError("too many nested commands")
        items: list[AndOr] = []
        while True:
            self.skip_newlines()
            token = self.peek()
            if self.finished() or token.operator in (")", ";;") or token.keyword() in CLOSERS:
                break
            items.append(self.and_or())
            if self.take("&"):
                last = items.pop()
                items.append(AndOr(last.pipelines, last.operators, background=True))
            elif not self.take(";") and not self.take("\n"):
                break
        self.depth -= 1
        return Sequence(tuple(items))

    def body(self) -> Sequence:
        """A sequence that must not be empty, as between then and fi."""
        sequence = self.sequence()
        if not sequence.items:
            raise ShellSyntaxError(f"unexpected '{self.shown()}'")
        return sequence

    def and_or(self) -> AndOr:
        pipelines, operators = [self.pipeline()], []
        while self.peek().operator in ("&&", "||"):
            operators.append(self.peek().operator)
            self.position += 1
            self.skip_newlines()
            pipelines.append(self.pipeline())
        return AndOr(tuple(pipelines), tuple(operators))

    def pipeline(self) -> Pipeline:
        negated = self.take_keyword("!")
        commands = [self.command()]
        while self.take("|"):
            self.skip_newlines()
            commands.append(self.command())
        return Pipeline(tuple(commands), negated)

    def command(self) -> Command:
        keyword = self.peek().keyword()
        if self.take("("):
            body = self.body()
            if not self.take(")"):
                raise ShellSyntaxError(f"unexpected '{self.shown()}', expected ')'")
            return Group(body, subshell=True, redirections=self.redirections())
        if keyword == "{":
            self.position += 1
            body = self.body()
            self.need_keyword("}")
            return Group(body, subshell=False, redirections=self.redirections())
        if keyword == "if":
            return self.if_command()
        if keyword == "for":
            return self.for_command()
        if keyword in ("while", "until"):
            self.position += 1
            condition = self.body()
            return While(condition, self.do_group(), keyword == "until", self.redirections())
        if keyword == "case":
            return self.case_command()
        return self.simple()

    def if_command(self) -> If:
        self.need_keyword("if")
        branches = []
        while True:
            condition = self.body()
            self.need_keyword("then")
            branches.append((condition, self.body()))
            if not self.take_keyword("elif"):
                break
        otherwise = self.body() if self.take_keyword("else") else None
        self.need_keyword("fi")
        return If(tuple(branches), otherwise, self.redirections())

    def for_command(self) -> For:
        self.need_keyword("for")
        name = self.peek().keyword()
        if not ASSIGNMENT.fullmatch(name + "="):
            raise ShellSyntaxError(f"'{name}' is not a name")
        self.position += 1
        self.skip_newlines()
        words: tuple[Word, ...] | None = None
        if self.take_keyword("in"):
            words = self.words()
        if not self.take(";"):
            self.take("\n")
        self.skip_newlines()
        return For(name, words, self.do_group(), self.redirections())

    def do_group(self) -> Sequence:
        self.need_keyword("do")
        body = self.body()
        self.need_keyword("done")
        return body

    def case_command(self) -> Case:
        self.need_keyword("case")
        subject = self.peek().word
        self.position += 1
        self.skip_newlines()
        self.need_keyword("in")
        clauses = []
        self.skip_newlines()
        while not self.take_keyword("esac"):
            self.take("(")
            patterns = [self.one_word()]
            while self.take("|"):
                patterns.append(self.one_word())
            if not self.take(")"):
                raise ShellSyntaxError(f"unexpected '{self.shown()}', expected ')'")
            clauses.append((tuple(patterns), self.sequence()))
            self.take(";;")
            self.skip_newlines()
        return Case(subject, tuple(clauses), self.redirections())

    def one_word(self) -> Word:
        word = self.peek().word
        if not word:
            raise ShellSyntaxError(f"unexpected '{self.shown()}'")
        self.position += 1
        return word

    def words(self) -> tuple[Word, ...]:
        words = []
        while self.peek().word:
            words.append(self.one_word())
        return tuple(words)

    def redirections(self) -> tuple[Redirection, ...]:
        found = []
        while self.peek().operator in REDIRECTIONS:
            found.append(self.redirection())
        return tuple(found)

    def redirection(self) -> Redirection:
        token = self.peek()
        self.position += 1
        default = 0 if token.operator.startswith("<") else 1
        return Redirection(token.fd if token.fd is not None else default, token.operator, self.one_word())

    def simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while not self.finished():
            token = self.peek()
            if token.operator in REDIRECTIONS:
                redirections.append(self.redirection())
            elif not token.word:
                break
            elif not words and (assignment := _assignment(token.word)):
                assignments.append(assignment)
                self.position += 1
            else:
                words.append(self.one_word())
        if self.peek().operator in ("<<", "<<-"):
            raise ShellSyntaxError("here-documents are not supported by this shell")
        if self.peek().operator == "(" and words:
            raise ShellSyntaxError("unexpected '('")
        if not (assignments or words or redirections):
            raise ShellSyntaxError(f"unexpected '{self.shown()}'")
        return Simple(tuple(assignments), tuple(words), tuple(redirections))


def _assignment(word: Word) -> tuple[str, Word] | None:
    first = word[0]
    if not isinstance(first, Literal) or first.quoted or not (match := ASSIGNMENT.match(first.text)):
        return None
    rest = first.text[match.end() :]
    value: Word = ((Literal(rest, quoted=False),) if rest else ()) + word[1:]
    return match.group(1), value
