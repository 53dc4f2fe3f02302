"""The order in which a selection sort with swaps leaves a list: RankLib of 2011.

It looks for the first of the highest scores that are left and swaps it with the document in its place, which lands
behind others of its own score. So tied documents end in an order that is neither that of the input nor its reverse.
"""

from __future__ import annotations

from heapq import heappop, heapreplace

import numpy as np

from rankgauge.numeric import FloatArray

__all__ = ["selection_order"]


def selection_order(scores: FloatArray) -> list[int]:
    """The positions of the documents by falling score, tied ones as the sort leaves them.

    A heap for each score holds the places where its documents stand. The document that makes way stands in the lowest
    place of all that are left, so it is the head of its heap; this gives the sort's result in n log n steps, not n².
    """
    values, group = np.unique(-scores, return_inverse=True)
    heaps: list[list[int]] = [[] for _ in values]
    groups = group.tolist()
    for place, one in enumerate(groups):
        heaps[one].append(place)  # rising, which is a heap
    at = list(range(len(groups)))
    for place, chosen in enumerate(np.sort(group).tolist()):
        found = heappop(heaps[chosen])
        if found != place:
            heapreplace(heaps[groups[at[place]]], found)
            at[place], at[found] = at[found], at[place]
    return at
