"""Intents: what one app, the shell or the launcher asks the phone to start or tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

VIEW = "android.intent.action.VIEW"
MAIN = "android.intent.action.MAIN"
SEND = "android.intent.action.SEND"
SENDTO = "android.intent.action.SENDTO"
INSERT = "android.intent.action.INSERT"
EDIT = "android.intent.action.EDIT"
DIAL = "android.intent.action.DIAL"
CALL = "android.intent.action.CALL"
GET_CONTENT = "android.intent.action.GET_CONTENT"
OPEN_DOCUMENT = "android.intent.action.OPEN_DOCUMENT"
CREATE_DOCUMENT = "android.intent.action.CREATE_DOCUMENT"
LAUNCHER = "android.intent.category.LAUNCHER"


@dataclass(frozen=True)
class Intent:
    """An Android intent. `component` is `package/class`, where `.Class` is short for the package's own."""

    action: str = ""
    data: str = ""
    mime: str = ""
    component: str = ""
    package: str = ""
    categories: tuple[str, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scheme(self) -> str:
        """Scheme of `data` in lower case: `content`, `sms`, `http`, ... or ''."""
        return self.data.partition(":")[0].lower() if ":" in self.data else ""

    def text(self, name: str) -> str:
        """The extra `name` as text, '' if absent."""
        value = self.extras.get(name)
        return "" if value is None else str(value)


@dataclass(frozen=True)
class IntentFilter:
    """What an app declares it can open. An empty field matches everything; `mime` may end in `/*`.

    `schemes` are matched against the scheme, `data` against the beginning of the data URI.
    """

    action: str
    schemes: tuple[str, ...] = ()
    mime: str = ""
    data: str = ""

    def matches(self, intent: Intent) -> bool:
        """True if the app may be offered for this intent."""
        if intent.action != self.action:
            return False
        if self.schemes and intent.scheme not in self.schemes:
            return False
        if self.data and not intent.data.startswith(self.data):
            return False
        if not self.mime:
            return not (intent.mime and not self.schemes and not self.data)
        if self.mime.endswith("/*"):
            return self.mime == "*/*" or intent.mime.startswith(self.mime[:-1])
        return intent.mime == self.mime


class ActivityNotFound(LookupError):
    """Nothing on the phone can be started for the intent; the message is what `am start` prints."""


def split_component(component: str) -> tuple[str, str]:
    """(package, full class name) of `package/class`; ValueError if there is not exactly one slash."""
    package, slash, cls = component.partition("/")
    if not slash or not package or not cls or "/" in cls:
        raise ValueError(f"Bad component name: {component}")
    return package, package + cls if cls.startswith(".") else cls


def short_component(package: str, cls: str) -> str:
    """`package/.Class` where the class lies in the package, else `package/full.Class`."""
    return f"{package}/{cls[len(package) :]}" if cls.startswith(package + ".") else f"{package}/{cls}"
