"""The way of a worker's thread to a model: models are asynchronous and shared, devices are held by threads.

One event loop in a thread of its own asks all questions; a worker waits for its answer and looks up now and then, so
that Ctrl-C does not wait for a server.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING

from solar_eval.errors import SolarEvalError
from solar_eval.live.episode import Interrupted
from solar_eval.models.base import Model, ModelReply, ModelRequest

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

LOOK_UP_S = 0.25


class Asking:
    """Asks from any thread while it is open. `stop`: set when the run ends."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop = stop
        self._portal: BlockingPortal | None = None

    @contextmanager
    def open(self, models: tuple[Model, ...]) -> Iterator[None]:
        """Runs the event loop for the length of a `with` block; the models are closed at its end."""
        from anyio.from_thread import start_blocking_portal

        with start_blocking_portal() as portal:
            self._portal = portal
            try:
                yield
            finally:
                self._portal = None
                for model in models:
                    portal.call(model.aclose)

    def ask(self, model: Model, request: ModelRequest) -> ModelReply:
        """One raw answer. InfrastructureError, RequestRefused; Interrupted when the run ends first."""
        if self._portal is None:
            raise RuntimeError("asked outside `with asking.open(...)`")
        future: Future[ModelReply] = self._portal.start_task_soon(model.ask, request)
        while not wait([future], LOOK_UP_S).done:
            if self.stop.is_set():
                future.cancel()
        try:
            return future.result()
        except CancelledError:
            raise Interrupted from None

    def facts(self, model: Model) -> dict[str, object]:
        """What the server says about itself; its error, in words, if it says nothing."""
        if self._portal is None:
            raise RuntimeError("asked outside `with asking.open(...)`")
        try:
            return self._portal.call(model.facts)
        except SolarEvalError as error:
            return {"error": str(error)}
