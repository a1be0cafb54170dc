"""What a person writes to name phones, as a source and a number: `pocket:4`, `avd:AndroidWorld:2?memory=4096`, ...

Forms (docs/emulators.md):
    pocket[:N]               pocket phones of this process over adb        ?size=540x1200&seed=7
    pocket-in-process[:N]    the same without adb                          ?size=..., seed=...
    SERIAL[,SERIAL...]       phones that are there (also `adb:SERIAL,...`)  ?server=5038&snapshot=NAME
    avd:NAME[:N]             emulators started here, read-only clones      ?snapshot=, memory=, cores=, gpu=, ...
    docker:IMAGE:N           a container a lease                           ?port=5555&args=...
    ray://ADDRESS/SPEC       SPEC on every host with an `emulator` resource; ADDRESS may be `auto`
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from emulator.sources import DEFAULT_SIZE, PocketInProcess, PocketOverAdb, Serials, Source

MAX_PHONES = 256
Options = Mapping[str, str]


class BadSpec(ValueError):
    """A device spec that names nothing; the message says what would."""


def source_of(spec: str) -> tuple[Source, int]:
    """(source, how many phones it is to hold). BadSpec."""
    if spec.startswith("ray://"):
        from emulator.ray_hosts import source as ray_source

        return ray_source(spec)
    body, _, query = spec.strip().partition("?")
    kind, _, rest = body.partition(":")
    if kind not in KINDS or (kind == "pocket" and "." in rest):
        kind, rest = "adb", body
    options = dict(parse_qsl(query, keep_blank_values=True))
    make, known = KINDS[kind]
    for name in options:
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
            raise BadSpec(f"{spec!r}: unknown option {name!r}; {hint}")
    return make(spec, rest, options)


def number(spec: str, text: str, what: str, least: int = 1, most: int = MAX_PHONES) -> int:
    """A whole number within limits; BadSpec."""
    if not re.fullmatch(r"\d{1,6}", text) or not least <= int(text) <= most:
        raise BadSpec(f"{spec!r}: {what} must be a number from {least} to {most}, not {text!r}")
    return int(text)


def _size(spec: str, options: Options) -> tuple[int, int]:
    text = options.get("size", "")
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text or f"{DEFAULT_SIZE[0]}x{DEFAULT_SIZE[1]}")
    if not match:
        raise BadSpec(f"{spec!r}: size={text!r}: write WIDTHxHEIGHT in pixels, for instance 540x1200")
    return int(match[1]), int(match[2])


def _pocket(spec: str, rest: str, options: Options) -> tuple[Source, int]:
    seed = number(spec, options.get("seed", "0"), "seed", 0, 999_999)
    return PocketOverAdb(_size(spec, options), seed), number(spec, rest or "1", "N")


def _pocket_in_process(spec: str, rest: str, options: Options) -> tuple[Source, int]:
    seed = number(spec, options.get("seed", "0"), "seed", 0, 999_999)
    return PocketInProcess(_size(spec, options), seed), number(spec, rest or "1", "N")


def _adb(spec: str, rest: str, options: Options) -> tuple[Source, int]:
    serials = [serial.strip() for serial in rest.split(",")]
    for serial in serials:
        if not re.fullmatch(r"[A-Za-z0-9\[][A-Za-z0-9._:\[\]-]*", serial) or serial in ("", *KINDS):
            kinds = ", ".join([*KINDS, "ray://"])
            raise BadSpec(f"{spec!r}: {serial!r} is no serial; write serials with commas, or a kind first ({kinds})")
    if len(set(serials)) < len(serials):
        raise BadSpec(f"{spec!r}: a serial stands there twice")
    server = options.get("server") or os.environ.get("ANDROID_ADB_SERVER_PORT") or "5037"
    port = number(spec, server, "the adb server's port", 1, 65535)
    return Serials(serials, port, options.get("snapshot", "")), len(serials)


def _avd(spec: str, rest: str, options: Options) -> tuple[Source, int]:
    from emulator.avd_source import from_spec

    return from_spec(spec, rest, options)


def _docker(spec: str, rest: str, options: Options) -> tuple[Source, int]:
    from emulator.docker_phones import from_spec

    return from_spec(spec, rest, options)


KINDS: dict[str, tuple[Callable[[str, str, Options], tuple[Source, int]], tuple[str, ...]]] = {
    "pocket": (_pocket, ("size", "seed")),
    "pocket-in-process": (_pocket_in_process, ("size", "seed")),
    "adb": (_adb, ("server", "snapshot")),
    "avd": (_avd, ("snapshot", "memory", "cores", "gpu", "loads", "sdk", "boot", "args")),
    "docker": (_docker, ("port", "args", "docker", "boot", "kvm")),
}
