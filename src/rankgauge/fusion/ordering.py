"""Fused scores → an order: scores that differ only by the order of their sums are equal, and ties are settled."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray

SPARE = 16
"""How many of the lowest bits of a score's 52 are rounded away; see `rounded`."""

_FREED = (1 << SPARE) - 1


def rounded(scores: FloatArray) -> FloatArray:
    """The scores to eleven digits: sums of the same numbers in another order are equal, and their documents tied."""
    bits = (scores + 0.0).view(np.int64)
    bits += 1 << (SPARE - 1)
    bits &= ~_FREED
    return bits.view(np.float64)


def falling(settled: FloatArray, ties: IndexArray, *, counts: IndexArray, spans: IndexArray) -> IndexArray:
    """The places of rounded scores, falling within groups that are together; tied ones by their numbers in `ties`.

    Each group has `counts` of them, and its numbers are the next `spans` ones. They are kept in the bits that rounding
    freed, so that a group is sorted in one go; groups that are too large for that take another sort.
    """
    ends, offset = np.cumsum(counts), np.repeat(np.cumsum(spans) - spans, counts)
    if int(spans.max(initial=0)) > _FREED:
        return np.lexsort((ties, -settled, offset))
    bits = settled.view(np.int64)
    keys = bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)
    np.invert(keys, out=keys)
    keys &= ~_FREED
    keys |= ties - offset
    for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
        keys[start:end].sort()
    keys &= _FREED
    keys += offset
    place = np.empty(int(spans.sum()), dtype=np.int64)
    place[ties] = np.arange(len(ties))
    return place.take(keys)
