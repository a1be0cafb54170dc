"""Shared preferences: an app's small settings, kept as Android keeps them, an XML file in its data directory.

Being a file, they follow `pm clear` and AndroidWorld's app snapshots like everything else of the app.
"""

from __future__ import annotations

from xml.etree import ElementTree

from emulator.pocket.files import FileSystem

Value = str | int | float | bool
KINDS: dict[str, type[Value]] = {"string": str, "long": int, "float": float, "boolean": bool}


class Prefs:
    """One preferences file: name -> text, whole number, float or bool."""

    def __init__(self, fs: FileSystem, package: str) -> None:
        self.fs = fs
        self.directory = f"/data/data/{package}/shared_prefs"
        self.path = f"{self.directory}/{package}_preferences.xml"
        self._source: bytes | None = None
        self._values: dict[str, Value] = {}

    def all(self) -> dict[str, Value]:
        """Everything set; an unreadable file counts as empty."""
        data = self.fs.read(self.path) if self.fs.exists(self.path) else None
        if data is not self._source:
            self._source = data
            self._values = _parse(data) if data else {}
        return self._values

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self.all().get(name, default)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: int = 0) -> int:
        """A whole number."""
        value = self.all().get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str, default: bool = False) -> bool:
        """A bool."""
        value = self.all().get(name, default)
        return value if isinstance(value, bool) else default

    def set(self, name: str, value: Value) -> None:
        """Set one value and write the file."""
        values = self.all() | {name: value}
        self._write(values)

    def remove(self, name: str) -> None:
        """Forget one value."""
        self._write({key: value for key, value in self.all().items() if key != name})

    def _write(self, values: dict[str, Value]) -> None:
        root = ElementTree.Element("map")
        for name, value in values.items():
            kind = next(k for k, t in KINDS.items() if type(value) is t)
            node = ElementTree.SubElement(root, kind, name=name)
            if kind == "string":
                node.text = str(value)
            else:
                node.set("value", str(value).lower() if kind == "boolean" else repr(value))
        self.fs.mkdir(self.directory, parents=True)
        self.fs.write(self.path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))
        self._source, self._values = self.fs.read(self.path), values


def _parse(data: bytes) -> dict[str, Value]:
    values: dict[str, Value] = {}
    try:
        nodes = list(ElementTree.fromstring(data))
    except ElementTree.ParseError:
        return values
    for node in nodes:
        name, text = node.get("name", ""), node.get("value", "")
        if node.tag == "string":
            values[name] = node.text or ""
        elif node.tag == "boolean":
            values[name] = text == "true"
        elif node.tag in {"int", "long"} and text.lstrip("-").isdecimal():
            values[name] = int(text)
        elif node.tag == "float" and text.replace(".", "", 1).lstrip("-").isdecimal():
            values[name] = float(text)
    return values
