"""Worker processes that end with their parent, however that ends: done, error, Ctrl-C, SIGTERM, SIGKILL.

Ctrl-C reaches a whole process group, SIGTERM one process only. Here workers leave Ctrl-C to the parent; the parent ends
them when anything is raised in it; and each worker watches for its parent's end, so that none is left even where the
parent had no time to say goodbye. `terminable` makes SIGTERM raise SystemExit(143) in the main thread.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process

TERMINATED = 128 + signal.SIGTERM


@contextmanager
def workers(processes: int) -> Iterator[ProcessPoolExecutor]:
    """A pool whose processes are ended at once when something is raised inside."""
    before = {child.pid for child in active_children()}
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_follow)
    try:
        yield pool
    except BaseException:
        for child in active_children():
            if child.pid not in before:
                child.terminate()
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()


def _follow() -> None:
    """In a worker: Ctrl-C is the parent's, SIGTERM ends it, and so does the parent's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(TERMINATED)


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM raises SystemExit inside, in the main thread; elsewhere nothing changes."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = signal.getsignal(signal.SIGTERM)

    def end(number: int, frame: object) -> None:
        raise SystemExit(TERMINATED)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, kept)
