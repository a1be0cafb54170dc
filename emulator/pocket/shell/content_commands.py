"""content and sqlite3: the phone's providers and databases.

Output formats: AOSP Content.java; `Row: 0 name=value, name=value`, NULL for null, `No result found.`
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from emulator.pocket.shell.context import Command, Context, UsageError, decode

TYPES: dict[str, Callable[[str], Any]] = {
    "s": str,
    "i": int,
    "l": int,
    "f": float,
    "d": float,
    "b": lambda text: int(text.lower() in ("true", "1")),
    "n": lambda text: None,
}


def content(context: Context) -> int:
    """`content VERB --uri URI [--projection a:b] [--where W] [--sort S] [--bind name:type:value]...`.

    Verbs: query, insert, update, delete, call, gettype.
    """
    verb = context.arguments[0] if context.arguments else ""
    options = _options(context.arguments[1:])
    uri = str(options.get("--uri", ""))
    if verb not in ("query", "insert", "update", "delete", "call", "gettype"):
        context.err(f"[ERROR] Unsupported operation: {verb}\n")
        return 1
    if not uri.startswith("content://"):
        context.err("[ERROR] Content provider URI not specified. Did you specify --uri argument?\n")
        return 1
    values = _bound(options.get("--bind", []))
    where = str(options.get("--where", ""))
    provider = context.phone.content
    try:
        if verb == "query":
            _query(context, uri, options, where)
        elif verb == "insert":
            provider.insert(uri, values)
        elif verb == "update":
            provider.update(uri, values, where)
        elif verb == "delete":
            provider.delete(uri, where)
        elif verb == "gettype":
            context.out("Result: vnd.android.cursor.dir/item\n")
        else:
            context.out("Result: null\n")
    except LookupError as error:
        context.err(f"Error while accessing provider:{uri.split('/')[2]}\njava.lang.IllegalStateException: {error}\n")
        return 1
    except (ValueError, sqlite3.Error) as error:
        context.err(
            f"Error while accessing provider:{uri.split('/')[2]}\nandroid.database.sqlite.SQLiteException: {error}\n"
        )
        return 1
    return 0


def _options(words: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {"--bind": []}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            raise UsageError(f"[ERROR] Unsupported argument: {word}")
        value = rest.pop(0) if rest else ""
        if word == "--bind":
            options["--bind"].append(value)
        else:
            options[word] = value
    return options


def _bound(bindings: list[str]) -> dict[str, Any]:
    """`name:type:value` each; the type letters are Android's."""
    values: dict[str, Any] = {}
    for binding in bindings:
        parts = binding.split(":", 2)
        if len(parts) < 3 or parts[1] not in TYPES:
            raise UsageError(f"[ERROR] Binding not well formed: {binding}")
        try:
            values[parts[0]] = TYPES[parts[1]](parts[2])
        except ValueError as error:
            raise UsageError(f"[ERROR] Binding not well formed: {binding}") from error
    return values


def _query(context: Context, uri: str, options: dict[str, Any], where: str) -> None:
    projection = [name for name in str(options.get("--projection", "")).split(":") if name]
    rows = context.phone.content.query(uri, projection, where, sort=str(options.get("--sort", "")))
    if not rows:
        context.out("No result found.\n")
    for index, row in enumerate(rows):
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in row.items())
        context.out(f"Row: {index} {shown}\n")


def _shown(value: Any) -> str:
    if value is None:
        return "NULL"
    return "BLOB" if isinstance(value, bytes) else str(value)


def sqlite(context: Context) -> int:
    """`sqlite3 [-header] [-csv|-line|-separator S] DATABASE [SQL...]`; without SQL, statements from standard input."""
    words, separator, header = list(context.arguments), "|", False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-separator" and words:
            separator = words.pop(0)
        separator = "," if option == "-csv" else separator
        header = header or option in ("-header", "--header")
    if not words:
        raise UsageError("a database is needed: the pocket phone has no interactive sqlite3")
    path, statements = context.path(words[0]), words[1:]
    if not statements:
        statements = [decode(context.stdin.read())]
    for statement in statements:
        sql = _dot_command(statement.strip())
        if sql is None:
            context.err(f'Error: unknown command or invalid arguments: "{statement.strip()}"\n')
            return 1
        try:
            with context.phone.lock:
                rows = context.phone.sqlite(path, sql)
                context.phone.touched()
        except sqlite3.Error as error:
            context.err(f"Error: in prepare, {error}\n")
            return 1
        context.out("".join(separator.join(_cell(value) for value in row) + "\n" for row in rows))
    return 0


def _dot_command(text: str) -> str | None:
    """SQL that gives what a dot command prints; the text itself if it is SQL; None for others."""
    if not text.startswith("."):
        return text
    name = text.split(maxsplit=1)[0]
    if name == ".tables":
        return "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY 1"
    if name == ".schema":
        return "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL"
    return "" if name in (".quit", ".exit", ".timeout", ".headers", ".mode") else None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return decode(value) if isinstance(value, bytes) else str(value)


COMMANDS: dict[str, Command] = {"content": content, "sqlite3": sqlite}
UNLOCKED = frozenset({"sqlite3"})
