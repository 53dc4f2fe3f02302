"""Sorts that leave tied documents in an order of their own, as some tools do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heapreplace

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.policies import Ties


def selection_order(scores: FloatArray) -> list[int]:
    """The positions of the documents as a selection sort with swaps leaves them, by falling score: RankLib of 2011.

    The sort looks for the first of the highest scores that are left and swaps it with the document in its place, which
    lands behind others of its own score. So tied documents end in an order that is neither that of the input nor its
    reverse. Here a heap for each score holds the places of its documents. The document that makes way is in the lowest
    place of all that are left, so it is the head of its heap: n log n steps, not n².
    """
    values, group = np.unique(-scores, return_inverse=True)
    heaps: list[list[int]] = [[] for _ in values]
    groups = group.tolist()
    for place, one in enumerate(groups):
        heaps[one].append(place)  # rising, which is a heap
    at = list(range(len(groups)))
    for place, chosen in enumerate(np.sort(group).tolist()):
        entry = heappop(heaps[chosen])
        if entry != place:
            heapreplace(heaps[groups[at[place]]], entry)
            at[place], at[entry] = at[entry], at[place]
    return at


SMALL = 15
"""Numba sorts a part of up to this many and one more by insertion, which keeps the order of ties."""


def quicksort_order(scores: FloatArray) -> list[int]:
    """Return the positions of the documents as Numba's argsort leaves them, by falling score: ranx sorts runs with it.

    A quicksort around the median of three, which swaps documents of the pivot's score too; small parts are sorted by
    insertion. So tied documents keep the order of the input in short lists only.
    """
    key = (-scores).tolist()
    at = list(range(len(key)))
    parts = [(0, len(at) - 1)]
    while parts:
        low, high = parts.pop()
        while high - low >= SMALL:
            pivot = _partition(at, key, low, high)
            # The parts do not touch each other, so that the order in which they are sorted does not matter.
            parts.append((pivot + 1, high))
            high = pivot - 1
        at[low : high + 1] = sorted(at[low : high + 1], key=key.__getitem__)
    return at


def _partition(at: list[int], key: list[float], low: int, high: int) -> int:
    """Move what is below the median of three before it, and the rest after it; return its place."""
    middle = (low + high) >> 1
    for one, other in ((low, middle), (middle, high), (low, middle)):
        if key[at[other]] < key[at[one]]:
            at[one], at[other] = at[other], at[one]
    pivot = key[at[middle]]
    at[high], at[middle] = at[middle], at[high]
    left, right = low, high - 1
    while True:
        while left < high and key[at[left]] < pivot:
            left += 1
        while right >= low and pivot < key[at[right]]:
            right -= 1
        if left >= right:
            break
        at[left], at[right] = at[right], at[left]
        left, right = left + 1, right - 1
    at[left], at[high] = at[high], at[left]
    return left


SORTS: Mapping[Ties, Callable[[FloatArray], list[int]]] = {
    Ties.SELECTION: selection_order,
    Ties.QUICKSORT: quicksort_order,
}
"""The policies by which tied documents are as a sort of the whole list leaves them."""
