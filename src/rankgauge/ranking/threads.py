"""Work on many blocks by threads: NumPy lets go of the interpreter's lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["THREADS", "spread"]

THREADS = int(os.environ.get("RANKGAUGE_THREADS", "2"))
"""More gain nothing; a task of Spark has one core and one thread."""

Given = TypeVar("Given")
Made = TypeVar("Made")


def spread(work: Callable[[Given], Made], source: Iterable[Given]) -> Iterator[Made]:
    """What `work` makes of each block, in order; at most `THREADS` more blocks are taken than were given back."""
    if THREADS < 2:
        yield from map(work, source)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        pending: deque[Future[Made]] = deque()
        for block in source:
            pending.append(pool.submit(work, block))
            if len(pending) > THREADS:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
