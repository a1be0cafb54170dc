"""The phone's file system: a dictionary in memory, laid out like Android's.

Paths are resolved in this dictionary only, so no path, however crooked, reaches the host's disk. /sdcard,
/mnt/sdcard, /storage/self/primary and /data/media/0 are names for /storage/emulated/0; /data/user/0 for
/data/data. Nodes are immutable and contents are `bytes`, so a snapshot is the copy of two dictionaries.

Departures from Android: reading does not move atime (AndroidWorld's Markor and recorder checks list atime and
rely on that), permissions are kept and shown but not enforced (the adb user is root), no links, no devices.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import stat as stat_bits
from collections.abc import Iterator
from dataclasses import dataclass, replace

from emulator.pocket.clock import Clock

STORAGE = "/storage/emulated/0"
ALIASES = (
    ("/sdcard", STORAGE),
    ("/mnt/sdcard", STORAGE),
    ("/storage/self/primary", STORAGE),
    ("/data/media/0", STORAGE),
    ("/data/user/0", "/data/data"),
)
NAMES = {0: "root", 1000: "system", 1015: "sdcard_rw", 1023: "media_rw", 2000: "shell", 9997: "everybody"}
DEFAULT_QUOTA = 2 * 1024**3
NAME_MAX = 255


@dataclass(frozen=True, slots=True)
class Node:
    """One directory or regular file. `mode` has the type bits; times are nanoseconds since 1970."""

    mode: int
    data: bytes
    uid: int
    gid: int
    atime_ns: int
    mtime_ns: int
    ctime_ns: int
    ino: int

    @property
    def is_dir(self) -> bool:
        """True for a directory."""
        return stat_bits.S_ISDIR(self.mode)

    @property
    def size(self) -> int:
        """Bytes of content; 4096 for a directory, as ext4 shows it (3452 on Android's sdcardfs varies)."""
        return 4096 if self.is_dir else len(self.data)


def owner_name(uid: int) -> str:
    """Android's name of a user or group id, e.g. 10086 -> u0_a86."""
    if uid >= 10000:
        return f"u0_a{uid - 10000}"
    return NAMES.get(uid, str(uid))


def fail(code: int, path: str) -> OSError:
    """The OSError (right subclass, errno, message) for `path`."""
    return OSError(code, os.strerror(code), path)


class FileSystem:
    """Directories and regular files. Every method takes absolute or root-relative paths, with aliases.

    Errors are OSError subclasses with errno: ENOENT, EEXIST, ENOTDIR, EISDIR, ENOTEMPTY, ENOSPC, ENAMETOOLONG,
    EINVAL. `version` grows at every change.
    """

    def __init__(self, clock: Clock, quota: int = DEFAULT_QUOTA) -> None:
        self.clock = clock
        self.quota = quota
        self.used = 0
        self.version = 0
        self._ino = 1
        self._nodes: dict[str, Node] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._add("/", self._node(stat_bits.S_IFDIR | 0o755, b"", 0))

    # paths

    @staticmethod
    def canonical(path: str, cwd: str = "/") -> str:
        """The one spelling of `path`: absolute, no `.`/`..`, aliases resolved (before `..`, as a link would)."""
        if "\0" in path:
            raise fail(errno.EINVAL, path)
        full = path if path.startswith("/") else f"{cwd}/{path}"
        done: list[str] = []
        for part in full.split("/"):
            if part in {"", "."}:
                continue
            if part == "..":
                if done:
                    done.pop()
                continue
            if len(part.encode("utf-8", "surrogateescape")) > NAME_MAX:
                raise fail(errno.ENAMETOOLONG, path)
            done.append(part)
            if len(done) <= 4:
                here = "/" + "/".join(done)
                for alias, target in ALIASES:
                    if here == alias:
                        done = target[1:].split("/")
        return "/" + "/".join(done)

    def _find(self, path: str) -> tuple[str, Node]:
        full = self.canonical(path)
        node = self._nodes.get(full)
        if node is None:
            parent = full.rpartition("/")[0]
            while parent and parent not in self._nodes:
                parent = parent.rpartition("/")[0]
            blocked = bool(parent) and not self._nodes[parent].is_dir
            raise fail(errno.ENOTDIR if blocked else errno.ENOENT, path)
        if path.endswith("/") and not node.is_dir:
            raise fail(errno.ENOTDIR, path)
        return full, node

    def _node(self, mode: int, data: bytes, uid: int) -> Node:
        now = self.clock.now_ns()
        self._ino += 1
        return Node(mode, data, uid, uid, now, now, now, self._ino)

    def _owner_for(self, full: str) -> int:
        parent = self._nodes.get(full.rpartition("/")[0] or "/")
        if full.startswith(STORAGE):
            return 1023
        return parent.uid if parent is not None else 0

    def _add(self, full: str, node: Node) -> None:
        self._nodes[full] = node
        if node.is_dir:
            self._names.setdefault(full, ())
        if full != "/":
            parent, _, name = full.rpartition("/")
            self._names[parent or "/"] = (*self._names[parent or "/"], name)
            self._touch(parent or "/")
        self.version += 1

    def _drop(self, full: str) -> None:
        node = self._nodes.pop(full)
        self.used -= len(node.data)
        self._names.pop(full, None)
        parent, _, name = full.rpartition("/")
        self._names[parent or "/"] = tuple(n for n in self._names[parent or "/"] if n != name)
        self._touch(parent or "/")
        self.version += 1

    def _touch(self, directory: str) -> None:
        node = self._nodes[directory]
        now = self.clock.now_ns()
        if node.mtime_ns != now:
            self._nodes[directory] = replace(node, mtime_ns=now, ctime_ns=now)

    def _parent_of(self, full: str, path: str) -> None:
        parent = full.rpartition("/")[0] or "/"
        node = self._nodes.get(parent)
        if node is None:
            raise fail(errno.ENOENT, path)
        if not node.is_dir:
            raise fail(errno.ENOTDIR, path)

    # reading

    def stat(self, path: str) -> Node:
        """Mode, size, owner and times of `path`."""
        return self._find(path)[1]

    def exists(self, path: str) -> bool:
        """True for a file or a directory; False also for an impossible path."""
        try:
            self._find(path)
        except OSError:
            return False
        return True

    def isdir(self, path: str) -> bool:
        """True for a directory."""
        return self._nodes.get(self.canonical(path), _NOTHING).is_dir

    def isfile(self, path: str) -> bool:
        """True for a regular file."""
        return self.exists(path) and not self.isdir(path)

    def listdir(self, path: str) -> list[str]:
        """Names in a directory, sorted by byte value."""
        full, node = self._find(path)
        if not node.is_dir:
            raise fail(errno.ENOTDIR, path)
        return sorted(self._names[full])

    def read(self, path: str) -> bytes:
        """Whole content of a regular file."""
        node = self._find(path)[1]
        if node.is_dir:
            raise fail(errno.EISDIR, path)
        return node.data

    def walk(self, top: str) -> Iterator[tuple[str, list[str], list[str]]]:
        """(directory, its directories, its files), top down, sorted; paths start with `top` as it was written."""
        base = top.rstrip("/") or "/"
        names = self.listdir(top)
        prefix = "" if base == "/" else base
        folders = [n for n in names if self._nodes[self.canonical(f"{prefix}/{n}")].is_dir]
        inside = set(folders)
        yield base, folders, [n for n in names if n not in inside]
        for name in folders:
            yield from self.walk(f"{prefix}/{name}")

    def glob(self, pattern: str, cwd: str = "/") -> list[str]:
        """Existing paths that match a shell pattern (* ? [..]); dot files only where the pattern says `.`."""
        absolute = pattern.startswith("/")
        found = ["/" if absolute else ""]
        for part in [p for p in pattern.split("/") if p]:
            found = [hit for base in found for hit in self._match(base, part, cwd)]
        return sorted(found)

    def _match(self, base: str, part: str, cwd: str) -> list[str]:
        prefix = base if base in {"", "/"} else base + "/"
        here = self.canonical(base or ".", cwd)
        if not any(c in part for c in "*?["):
            return [prefix + part] if self.exists(f"{here}/{part}") else []
        if not self.isdir(here):
            return []
        hidden = part.startswith(".")
        names = (n for n in self._names[here] if hidden or not n.startswith("."))
        return [prefix + n for n in names if fnmatch.fnmatchcase(n, part)]

    # writing

    def write(self, path: str, data: bytes | str, mode: int | None = None) -> None:
        """Create or replace a regular file; its directory must exist. `mode`: permission bits."""
        content = data.encode() if isinstance(data, str) else bytes(data)
        full = self.canonical(path)
        if path.endswith("/"):
            raise fail(errno.EISDIR, path)
        old = self._nodes.get(full)
        if old is not None and old.is_dir:
            raise fail(errno.EISDIR, path)
        if old is None:
            self._parent_of(full, path)
        grow = len(content) - (len(old.data) if old else 0)
        if grow > 0 and self.used + grow > self.quota:
            raise fail(errno.ENOSPC, path)
        self.used += grow
        now = self.clock.now_ns()
        if old is None:
            bits = 0o660 if full.startswith(STORAGE) else 0o600
            owner = self._owner_for(full)
            self._add(full, self._node(stat_bits.S_IFREG | (bits if mode is None else mode), content, owner))
            return
        bits = old.mode if mode is None else stat_bits.S_IFREG | mode
        self._nodes[full] = replace(old, data=content, mode=bits, mtime_ns=now, ctime_ns=now)
        self.version += 1

    def append(self, path: str, data: bytes | str) -> None:
        """Add to the end of a regular file, creating it if needed."""
        old = self.read(path) if self.exists(path) else b""
        self.write(path, old + (data.encode() if isinstance(data, str) else bytes(data)))

    def mkdir(self, path: str, parents: bool = False, mode: int = 0o771) -> None:
        """Make a directory. With `parents`, missing ones above too, and an existing directory is fine."""
        full = self.canonical(path)
        old = self._nodes.get(full)
        if old is not None:
            if parents and old.is_dir:
                return
            raise fail(errno.EEXIST, path)
        if parents:
            above = full.rpartition("/")[0] or "/"
            node = self._nodes.get(above)
            if node is not None and not node.is_dir:
                raise fail(errno.ENOTDIR, path)
            self.mkdir(above, parents=True, mode=mode)
        self._parent_of(full, path)
        self._add(full, self._node(stat_bits.S_IFDIR | mode, b"", self._owner_for(full)))

    def remove(self, path: str, recursive: bool = False) -> None:
        """Remove a file or an empty directory; with `recursive`, everything below too."""
        full, node = self._find(path)
        if full == "/":
            raise fail(errno.EBUSY, path)
        if node.is_dir and self._names[full]:
            if not recursive:
                raise fail(errno.ENOTEMPTY, path)
            for name in self._names[full]:
                self.remove(f"{full}/{name}", recursive=True)
        self._drop(full)

    def rename(self, src: str, dst: str) -> None:
        """Move a file or directory to exactly `dst` (a file there is replaced)."""
        source, node = self._find(src)
        target = self.canonical(dst)
        if source == target:
            return
        if target.startswith(source.rstrip("/") + "/"):
            raise fail(errno.EINVAL, dst)
        self._parent_of(target, dst)
        old = self._nodes.get(target)
        if old is not None:
            if old.is_dir and not node.is_dir:
                raise fail(errno.EISDIR, dst)
            self.remove(target)
        inside = [p for p in self._nodes if p.startswith(source + "/")]
        for path in sorted(inside):
            moved = target + path[len(source) :]
            self._nodes[moved] = self._nodes.pop(path)
            if path in self._names:
                self._names[moved] = self._names.pop(path)
        names = self._names.get(source, ())
        self._drop(source)
        self.used += len(node.data)
        self._add(target, node)
        if node.is_dir:
            self._names[target] = names

    def copy(self, src: str, dst: str, recursive: bool = False, preserve: bool = False) -> None:
        """Copy to exactly `dst`. A directory needs `recursive` and merges into an existing one."""
        source, node = self._find(src)
        target = self.canonical(dst)
        if not node.is_dir:
            self.write(target, node.data, mode=stat_bits.S_IMODE(node.mode) if preserve else None)
        elif not recursive:
            raise fail(errno.EISDIR, src)
        elif (target + "/").startswith(source.rstrip("/") + "/"):
            raise fail(errno.EINVAL, dst)
        else:
            if not self.isdir(target):
                self.mkdir(target)
            for name in self._names[source]:
                self.copy(f"{source}/{name}", f"{target}/{name}", recursive=True, preserve=preserve)
        if preserve:
            made = self._nodes[target]
            keep = replace(node, data=made.data, ino=made.ino)
            self._nodes[target] = keep

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits."""
        full, node = self._find(path)
        self._nodes[full] = replace(node, mode=stat_bits.S_IFMT(node.mode) | (mode & 0o7777))

    def chown(self, path: str, uid: int, gid: int | None = None) -> None:
        """Set the owner (and group: the same id if not given)."""
        full, node = self._find(path)
        self._nodes[full] = replace(node, uid=uid, gid=uid if gid is None else gid)

    def utime(self, path: str, atime_ns: int | None = None, mtime_ns: int | None = None) -> None:
        """Set times (nanoseconds since 1970); None takes the clock's."""
        full, node = self._find(path)
        now = self.clock.now_ns()
        access = now if atime_ns is None else atime_ns
        self._nodes[full] = replace(node, atime_ns=access, mtime_ns=now if mtime_ns is None else mtime_ns)
        self.version += 1

    # whole

    def snapshot(self) -> tuple[dict[str, Node], dict[str, tuple[str, ...]], int, int]:
        """Everything there is to keep; contents are shared, not copied."""
        return self._nodes.copy(), self._names.copy(), self.used, self._ino

    def restore(self, state: tuple[dict[str, Node], dict[str, tuple[str, ...]], int, int]) -> None:
        """Back to a `snapshot`, which stays usable."""
        nodes, names, self.used, self._ino = state
        self._nodes, self._names = nodes.copy(), names.copy()
        self.version += 1

    def items(self) -> list[tuple[str, Node]]:
        """Every path with its node, sorted by path (for hashing and tests)."""
        return sorted(self._nodes.items())


_NOTHING = Node(0, b"", 0, 0, 0, 0, 0, 0)
