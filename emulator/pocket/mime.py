"""MIME types by file extension, the same on every host."""

from __future__ import annotations

TYPES = {
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
    "bmp": "image/bmp", "svg": "image/svg+xml", "mp3": "audio/mpeg", "m4a": "audio/mp4", "wav": "audio/x-wav",
    "ogg": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "aac": "audio/aac", "3gp": "video/3gpp",
    "mp4": "video/mp4", "mkv": "video/x-matroska", "webm": "video/webm", "avi": "video/avi", "mov": "video/quicktime",
    "txt": "text/plain", "md": "text/markdown", "html": "text/html", "htm": "text/html", "csv": "text/csv",
    "xml": "text/xml", "json": "application/json", "pdf": "application/pdf", "zip": "application/zip",
    "apk": "application/vnd.android.package-archive", "gpx": "application/gpx+xml", "m3u": "audio/x-mpegurl",
    "ics": "text/calendar", "vcf": "text/x-vcard", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}  # fmt: skip


def mime_type(name: str) -> str:
    """The type of a file name, application/octet-stream where the extension says nothing."""
    return TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")


def icon_for(name: str) -> str:
    """The icon (icons.py) for a file name."""
    kind = mime_type(name).split("/")[0]
    return {"image": "image", "audio": "music", "video": "video", "text": "note"}.get(kind, "file")
