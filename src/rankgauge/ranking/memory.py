"""Memory that is freed and taken again many times over."""

from __future__ import annotations

import numpy as np

__all__ = ["keep_freed_memory"]


def keep_freed_memory() -> None:
    """Asks the C library to keep what is freed for the next block, not to hand it back page by page.

    glibc takes a large mapping that is freed as a hint that there will be more, and raises its thresholds. The array
    is never touched, so it costs nothing; without it a quarter of the time goes to page faults.
    """
    np.empty((32 << 20) - (64 << 10), dtype=np.uint8)
