"""Packets of the adb transport protocol.

Definition: platform/packages/modules/adb docs/dev/protocol.md (AOSP); checked against adb 29, 34 and 36 (see
shared/facts/android_world.md section 5.4). A packet is six little-endian u32 (command, arg0, arg1, payload length,
sum of the payload's bytes, command ^ 0xffffffff) and its payload.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass

HEADER = struct.Struct("<6I")
VERSION = 0x01000001
VERSION_WITH_CHECKSUMS = 0x01000000
MAX_PAYLOAD = 1 << 20

AUTH_TOKEN, AUTH_SIGNATURE, AUTH_PUBLIC_KEY = 1, 2, 3


def _command(name: bytes) -> int:
    return int.from_bytes(name, "little")


CNXN, AUTH, OPEN = _command(b"CNXN"), _command(b"AUTH"), _command(b"OPEN")
OKAY, WRTE, CLSE = _command(b"OKAY"), _command(b"WRTE"), _command(b"CLSE")
KNOWN = {CNXN, AUTH, OPEN, OKAY, WRTE, CLSE, _command(b"SYNC"), _command(b"STLS")}


class ProtocolError(Exception):
    """The peer sent what is no adb packet; the connection can't be used any more."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet. arg0 is the sender's stream id and arg1 the receiver's, for OPEN, OKAY, WRTE and CLSE."""

    command: int
    arg0: int
    arg1: int
    payload: bytes = b""

    def name(self) -> str:
        """The command's four letters."""
        return self.command.to_bytes(4, "little").decode("ascii", "replace")


def encode(command: int, arg0: int, arg1: int, payload: bytes = b"", *, checksum: bool = False) -> bytes:
    """A packet as bytes; the sum is 0 unless asked for, as from protocol version 0x01000001 on."""
    total = sum(payload) & 0xFFFFFFFF if checksum else 0
    return HEADER.pack(command, arg0, arg1, len(payload), total, command ^ 0xFFFFFFFF) + payload


async def read(reader: asyncio.StreamReader, *, checked: bool) -> Packet:
    """The next packet.

    checked: whether the byte sum must be right. Raises ProtocolError for a wrong magic, an unknown command, a payload
    above MAX_PAYLOAD or a wrong sum; asyncio.IncompleteReadError when the peer has gone.
    """
    command, arg0, arg1, length, total, magic = HEADER.unpack(await reader.readexactly(HEADER.size))
    if magic != command ^ 0xFFFFFFFF:
        raise ProtocolError(f"bad magic {magic:#010x} for command {command:#010x}")
    if command not in KNOWN:
        raise ProtocolError(f"unknown command {command:#010x}")
    if length > MAX_PAYLOAD:
        raise ProtocolError(f"payload of {length} bytes, at most {MAX_PAYLOAD} are allowed")
    payload = await reader.readexactly(length) if length else b""
    if checked and total != sum(payload) & 0xFFFFFFFF:
        raise ProtocolError(f"wrong checksum {total:#x}, the payload's is {sum(payload) & 0xFFFFFFFF:#x}")
    return Packet(command, arg0, arg1, payload)
