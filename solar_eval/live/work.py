"""The queue of episodes: what is owed, in order, and what becomes of an episode that phone or server could not finish.

An episode that failed goes to the end of the queue until it was tried `tries` times in this session; then it stays
owed. The queue is empty for a worker only when nothing waits and nothing that might come back is being played.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Iterable

from solar_eval.live.store import Item


class Queue:
    """Thread-safe. `given_up`: keys whose tries are used up."""

    def __init__(self, items: Iterable[Item], tries: int) -> None:
        self._waiting = deque(items)
        self._tries = tries
        self._playing = 0
        self._tried: Counter[str] = Counter()
        self._closed = False
        self._changed = threading.Condition()
        self.given_up: set[str] = set()

    def take(self) -> Item | None:
        """The next episode; waits while one may still come back. None when there is nothing more to do."""
        with self._changed:
            while not self._closed and not self._waiting and self._playing:
                self._changed.wait()
            if self._closed or not self._waiting:
                return None
            self._playing += 1
            item = self._waiting.popleft()
            self._tried[item.key] += 1
            return item

    def done(self, item: Item) -> None:
        """The episode has its score."""
        with self._changed:
            self._playing -= 1
            self._changed.notify_all()

    def failed(self, item: Item) -> bool:
        """The episode is owed; True if it will be tried again."""
        with self._changed:
            self._playing -= 1
            again = self._tried[item.key] < self._tries
            if again:
                self._waiting.append(item)
            else:
                self.given_up.add(item.key)
            self._changed.notify_all()
            return again

    def put_back(self, item: Item) -> None:
        """The episode was not begun or was interrupted: it costs no try."""
        with self._changed:
            self._playing -= 1
            self._tried[item.key] -= 1
            self._waiting.appendleft(item)
            self._changed.notify_all()

    def close(self) -> None:
        """Nothing more is handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
