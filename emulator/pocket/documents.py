"""Addresses of files as apps hand them to each other: content:// of the external storage provider, file://.

Form of the address: Android's DocumentsContract, `content://com.android.externalstorage.documents/document/primary%3A`
plus the path below the storage, percent-encoded. Departure: no grants, whoever has the address can read it.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from emulator.pocket.files import STORAGE, FileSystem

AUTHORITY = "com.android.externalstorage.documents"


def document_uri(path: str) -> str:
    """The content:// address of a file on the shared storage, file:// for any other path."""
    full = FileSystem.canonical(path)
    if not full.startswith(f"{STORAGE}/"):
        return "file://" + quote(full)
    return f"content://{AUTHORITY}/document/" + quote("primary:" + full[len(STORAGE) + 1 :], safe="")


def document_path(uri: str) -> str:
    """The path behind such an address or a plain path; '' if it names no file of the storage."""
    if uri.startswith("/"):
        return FileSystem.canonical(uri)
    if uri.startswith("file://"):
        return FileSystem.canonical(unquote(uri[len("file://") :]))
    head, _, last = uri.rpartition("/")
    name = unquote(last)
    if head.startswith(f"content://{AUTHORITY}/") and name.startswith("primary:"):
        return FileSystem.canonical(f"{STORAGE}/{name.partition(':')[2]}")
    return ""
