"""An order by majorities: each document beats the next in most runs, or at least does not lose to it.

Majorities may run in circles, so such an order depends on where sorting begins. It begins with Borda's count here: a
merge sort that moves a document up only past those that it beats. All queries are merged together, step by step.
"""

from __future__ import annotations

import numpy as np

from rankgauge.fusion.borda import borda_points
from rankgauge.fusion.ordering import rounded
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray, IndexArray


def majority_order(stack: Stack, weights: FloatArray) -> FloatArray:
    """The scores of an order by weighted majorities: as many as the query has documents for the first, 1 for the last.

    A run votes for the document that it ranks higher, and for one that it lists against one that it does not; it has no
    vote on two that it does not list, or that are tied.
    """
    ranks = stack.spread(stack.shared(stack.rank.astype(np.float64)), np.inf)
    begun = np.lexsort((stack.heads, -rounded(borda_points(stack, weights)), stack.slot_query))
    order = _merged(begun, stack.pooled, ranks, weights)
    places = np.empty(stack.slots)
    ends = np.cumsum(stack.pooled)
    places[order] = np.repeat(ends, stack.pooled) - np.arange(stack.slots)
    return places


def _merged(order: IndexArray, sizes: IndexArray, ranks: FloatArray, weights: FloatArray) -> IndexArray:
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
