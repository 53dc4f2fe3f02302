"""A value that takes long to compute, computed once for everybody who asks for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

QUICK = 0.1
"""What takes fewer seconds than this is computed whenever it is asked for and something has changed."""

SHARE = 0.1
"""The largest share of the time that is spent on a value, however many ask for it again and again."""


class SlowValue(Generic[T]):
    """The value as it was last computed, and of which version of what it is made of."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._turn = clock, threading.Lock()
        self._kept: tuple[object, T] | None = None
        self._made = self._took = 0.0

    def now(self, version: Callable[[], object], compute: Callable[[], T]) -> T:
        """The value of the present version."""
        with self._turn:
            return self._computed(version, compute)

    def lately(self, version: Callable[[], object], compute: Callable[[], T]) -> T:
        """The value of the present version; where it takes long, perhaps that of a moment ago."""
        if self._kept is None:
            return self.now(version, compute)
        if self._is_recent() or not self._turn.acquire(blocking=False):
            return self._kept[1]
        try:
            return self._computed(version, compute)
        finally:
            self._turn.release()

    def _computed(self, version: Callable[[], object], compute: Callable[[], T]) -> T:
        wanted = version()
        if self._kept is None or self._kept[0] != wanted:
            start = self._clock()
            self._kept = wanted, compute()
            self._made = self._clock()
            self._took = self._made - start
        return self._kept[1]

    def _is_recent(self) -> bool:
        return self._took > QUICK and self._clock() - self._made < self._took / SHARE
