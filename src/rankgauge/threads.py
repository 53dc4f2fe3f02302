"""Work on many blocks: by threads, as NumPy and polars release the interpreter's lock, in memory that is reused."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from concurrent.futures import Future

THREADS = int(os.environ.get("RANKGAUGE_THREADS", "2"))
"""More threads gain nothing; a Spark task has one core and one thread."""

Given = TypeVar("Given")
Made = TypeVar("Made")


_this = threading.local()
"""Whether a thread works for `spread`."""


def spread(work: Callable[[Given], Made], source: Iterable[Given], *, least: int = 2) -> Iterator[Made]:
    """Yield what `work` makes of each block, in order; at most `THREADS` blocks are taken ahead.

    Work that is spread already, as that on one of several runs, is not spread again, nor are fewer blocks than `least`.
    """
    if THREADS < 2 or getattr(_this, "works", False):
        yield from map(work, source)
        return
    blocks = iter(source)
    first = list(islice(blocks, least))
    if len(first) < least:
        yield from map(work, first)
        return
    from concurrent.futures import ThreadPoolExecutor  # which small work does without

    with ThreadPoolExecutor(THREADS, initializer=lambda: setattr(_this, "works", True)) as pool:
        pending: deque[Future[Made]] = deque()
        for block in chain(first, blocks):
            pending.append(pool.submit(work, block))
            if len(pending) > THREADS:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def keep_freed_memory() -> None:
    """Ask the C library to keep what is freed for the next block, not to hand it back page by page.

    glibc takes a large mapping that is freed as a hint that there will be more, and raises its thresholds. The array
    is never touched, so it costs nothing; without it a quarter to a third of the time goes to page faults.
    """
    np.empty((32 << 20) - (64 << 10), dtype=np.uint8)
