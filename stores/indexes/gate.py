"""Searches run side by side; a change runs alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Many at once, or one alone; who wants to be alone goes before those who come later."""

    def __init__(self) -> None:
        self._turn = threading.Lock()  # held while somebody waits to be alone
        self._inside = 0
        self._changed = threading.Condition()

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._turn, self._changed:
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._turn:
            with self._changed:
                self._changed.wait_for(lambda: not self._inside)
            yield
