"""Outages of a database: while somebody else holds a lock, one waits for it, and all others are told at once.

Without this, every request would wait as long as the first, and a room would run out of threads.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from weakref import WeakKeyDictionary

from sqlalchemy.engine import Engine

from rankgauge.errors import UnavailableError

LOCKED, FULL = "is locked by another program", "has no room left"

RECENT = 5.0
"""For how many seconds a full disk is believed to be full: a small write may still find room where others do not."""

AGAIN = 0.25
"""After how many seconds somebody tries again whether a lock is gone."""


class Outage:
    """What keeps a database, or a campaign in it, from being written to, as this process last saw it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.error: UnavailableError | None = None
        self.turn = threading.Lock()
        """Held by whoever writes, where only one can."""
        self._clock, self._lock, self._again, self._since = clock, threading.Lock(), 0.0, 0.0

    def look(self) -> None:
        """Raises the error of the outage, unless it is time that somebody tries whether it is over."""
        error = self.error
        if error is not None and self._clock() < self._again:
            raise UnavailableError(error.problem, path=error.path)

    def check(self) -> None:
        """The same for a caller who tries now: until that is done, all others are told."""
        if self.error is not None:
            with self._lock:
                self.look()
                self._again = math.inf

    def begin(self, error: UnavailableError) -> None:
        """Remembers the error. Only a lock is worth waiting for: whatever else is wrong is seen at once."""
        with self._lock:
            self.error, self._since = error, self._clock()
            self._again = self._clock() + (AGAIN if LOCKED in error.problem else 0.0)

    @property
    def is_full(self) -> bool:
        """Whether there was no room a moment ago."""
        return self.error is not None and FULL in self.error.problem and self._clock() - self._since < RECENT

    def end(self) -> None:
        """Forgets it."""
        self.error = None


class Outages:
    """The outages of a database, and those of its campaigns by themselves."""

    def __init__(self) -> None:
        self._known: dict[int | None, Outage] = {}

    def of(self, campaign: int | None) -> Outage:
        """The outage of a campaign; None: of whatever is not a campaign's."""
        return self._known.setdefault(campaign, Outage())

    def now(self) -> dict[int | None, UnavailableError]:
        """The errors of the outages that last, by campaign."""
        return {campaign: one.error for campaign, one in list(self._known.items()) if one.error is not None}


_OUTAGES: WeakKeyDictionary[Engine, Outages] = WeakKeyDictionary()


def outages(engine: Engine) -> Outages:
    """The outages of the engine's database."""
    return _OUTAGES.setdefault(engine, Outages())
