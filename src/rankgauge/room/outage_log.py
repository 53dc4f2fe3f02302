"""What the log says while the database cannot be used: the error as it begins and then once a minute.

Every request has a line of its own in the log anyway; a traceback for each would fill the disk, perhaps the very one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from rankgauge.errors import UnavailableError
from rankgauge.room.middleware import FACTS, LOG

AGAIN = 60.0
"""After how many seconds the same error is told again."""


class OutageLog:
    """The errors that were told lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._turn = clock, threading.Lock()
        self._told: dict[str, float] = {}
        self._silent = 0

    def tell(self, error: UnavailableError) -> None:
        """Logs the error with its traceback, unless it was told a moment ago; then with how many were not told."""
        with self._turn:
            now = self._clock()
            self._told = {problem: since for problem, since in self._told.items() if now - since < AGAIN}
            if error.problem in self._told:
                self._silent += 1
                return
            self._told[error.problem], silent, self._silent = now, self._silent, 0
        LOG.error("database", exc_info=error, extra={FACTS: {"not_told": silent}})
