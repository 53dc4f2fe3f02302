"""How often an address may try: a bucket of tokens for each, refilled evenly."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["Limit"]

KEPT = 10_000
"""How many addresses are remembered; the one that was quiet for longest is forgotten first."""


class Limit:
    """At most `tries` a minute for each address, and as many at once."""

    def __init__(self, tries: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._tries, self._clock, self._lock = tries, clock, threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Whether the address may try once more now; the try is counted."""
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(address, (float(self._tries), now))
            left = min(float(self._tries), left + (now - since) * self._tries / 60.0)
            self._left[address] = (max(left - 1.0, 0.0) if left >= 1.0 else left, now)
            while len(self._left) > KEPT:
                self._left.popitem(last=False)
            return left >= 1.0
