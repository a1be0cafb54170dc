"""State and searches of uiautomator2's server on one phone."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from emulator.pocket.fronts.ui_nodes import Node, find_all, parse
from emulator.pocket.shell.endpoint import Endpoint

Selector = Mapping[str, Any]
POLL_SECONDS = 0.05
MAX_WAIT_SECONDS = 120.0


class ObjectNotFound(Exception):
    """No node fits the selector."""


class Session:
    """The server's state for one phone: the last toast it showed and the text it last traversed."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.phone = endpoint.phone
        self.toast: str | None = None

    def nodes(self, selector: Selector) -> list[Node]:
        """Nodes that fit now."""
        with self.phone.lock:
            xml = self.phone.hierarchy_xml(all_windows=True)
        return find_all(parse(xml), selector)

    def node(self, selector: Selector) -> Node:
        """The first node that fits; ObjectNotFound if none does."""
        found = self.nodes(selector)
        if not found:
            raise ObjectNotFound(str({key: value for key, value in selector.items() if value and key != "mask"}))
        return found[0]

    def wait(self, selector: Selector, milliseconds: float, *, present: bool) -> bool:
        """Poll until the selector fits (or no longer does) or the time is over."""
        end = time.monotonic() + min(milliseconds / 1000, MAX_WAIT_SECONDS)
        while bool(self.nodes(selector)) != present:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_SECONDS)
        return True
