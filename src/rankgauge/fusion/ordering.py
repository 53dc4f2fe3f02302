"""Fused scores → an order: scores that differ only by the order of their sums are equal, and ties are settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray

if TYPE_CHECKING:
    from rankgauge.fusion.stack import Stack

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


def borda_points(stack: Stack, weights: FloatArray) -> FloatArray:
    """The points of each document, weighted by run."""
    lengths = np.zeros((stack.queries, stack.runs))
    lengths[stack.list_query, stack.list_run] = stack.sizes
    shares = (stack.pooled[:, np.newaxis] - lengths + 1) / 2
    query = stack.slot_query.take(stack.slot)
    points = stack.shared((stack.pooled.take(query) - stack.rank + 1).astype(np.float64)) - shares[query, stack.run]
    return stack.sum(points * weights.take(stack.run)) + (shares @ weights).take(stack.slot_query)


def majority_order(stack: Stack, weights: FloatArray) -> FloatArray:
    """The scores of an order by weighted majorities: as many as the query has documents for the first, 1 for the last.

    A run votes for the document that it ranks higher, and for one that it lists against one that it does not; it has no
    vote on two that it does not list, or that are tied.
    """
    ranks = stack.spread(stack.shared(stack.rank.astype(np.float64)), np.inf)
    begun = np.lexsort((stack.heads, -rounded(borda_points(stack, weights)), stack.slot_query))
    order = _merge(begun, stack.pooled, ranks, weights)
    places = np.empty(stack.slots)
    ends = np.cumsum(stack.pooled)
    places[order] = np.repeat(ends, stack.pooled) - np.arange(stack.slots)
    return places


def _merge(order: IndexArray, sizes: IndexArray, ranks: FloatArray, weights: FloatArray) -> IndexArray:
    """The order after merging neighbours of 1, 2, 4 … documents, in every query at once."""
    begins, width = np.cumsum(sizes) - sizes, 1
    while width < sizes.max(initial=0):
        pairs = -(-sizes // (2 * width))
        within = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        low = np.repeat(begins, pairs) + 2 * width * within
        end = np.repeat(begins + sizes, pairs)
        order = _step(order, low, np.minimum(low + width, end), np.minimum(low + 2 * width, end), ranks, weights)
        width *= 2
    return order


def _step(
    order: IndexArray, low: IndexArray, middle: IndexArray, high: IndexArray, ranks: FloatArray, weights: FloatArray
) -> IndexArray:
    """The order after every pair of neighbours, low … middle and middle … high, is merged into one."""
    made = order.copy()
    left, right, out = low.copy(), middle.copy(), low.copy()
    busy = np.flatnonzero(right < high)
    while len(busy):
        one, other = order[left[busy]], order[right[busy]]
        up = _beats(ranks[other], ranks[one], weights)
        made[out[busy]] = np.where(up, other, one)
        left[busy] += ~up
        right[busy] += up
        out[busy] += 1
        busy = busy[(left[busy] < middle[busy]) & (right[busy] < high[busy])]
    # What is left of the first part moves to the end; the rest of the second part is there already.
    rest = middle - left
    from_ = np.repeat(left - (np.cumsum(rest) - rest), rest) + np.arange(rest.sum())
    made[from_ + np.repeat(high - middle, rest)] = order[from_]
    return made


def _beats(one: FloatArray, other: FloatArray, weights: FloatArray) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Where the first document of each pair has more weight of votes than the second."""
    votes = (one < other).astype(np.float64) - (one > other)
    return np.asarray(np.einsum("dr,r->d", votes, weights) > 1e-12)
