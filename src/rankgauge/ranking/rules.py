"""The rules by which a run becomes ranked lists, whether it comes as a frame, as arrays or as the bytes of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from heapq import heappop, heapreplace

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import Duplicates, IdealPool, JudgedTwice, NegativeGrade, RunOrder, Ties, Unjudged
from rankgauge.ranking.hits import Hits
from rankgauge.ranking.lists import UNJUDGED, to_single
from rankgauge.records import record


@record
class Ranking:
    """How a run becomes ranked lists."""

    duplicates: Duplicates = Duplicates.REFUSE
    judged_twice: JudgedTwice = JudgedTwice.REFUSE
    order: RunOrder = RunOrder.SCORE
    ties: Ties = Ties.EXPECTED
    single_precision: bool = False
    unjudged: Unjudged = Unjudged.NOT_RELEVANT
    negative: NegativeGrade = NegativeGrade.ZERO
    ideal: IdealPool = IdealPool.JUDGED
    depth: int | None = None
    single_arithmetic: bool = False
    levels: bool = False
    """Whether grades by facet are levels of preferences: then those below 0 are levels like any other."""


def arrange(hits: Hits, how: Ranking) -> Hits:
    """Return the hits after the policies that act on whole lists: ties, depth, unjudged documents.

    The depth is that of the run, so it is cut before unjudged documents are taken out (trec_eval's -M and -J).
    """
    hits = replace(hits.ordered(how.ties), single=how.single_arithmetic)
    if how.depth is not None:
        hits = hits.cut(how.depth)
    pooled = how.negative is NegativeGrade.POOLED or how.levels or (hits.facets is not None and hits.facets.sampled)
    return hits.condensed(pooled=pooled) if how.unjudged is Unjudged.SKIP else hits


def apply_negative(grades: FloatArray, negative: NegativeGrade) -> FloatArray:
    """Return the grades after the policy on negative ones."""
    match negative:
        case NegativeGrade.UNJUDGED | NegativeGrade.POOLED:
            return np.where(grades < 0, UNJUDGED, grades)
        case NegativeGrade.ZERO:
            return np.maximum(grades, 0.0)
    return grades


def comparable_scores(score: FloatArray, how: Ranking) -> FloatArray:
    """Return the scores as they are compared."""
    if not how.single_precision:
        return score
    with np.errstate(over="ignore"):
        return to_single(score)


def tied_by_rounding(query: IndexArray, score: FloatArray, how: Ranking) -> int:
    """Count the queries with scores that differ, but not in single precision, if they are compared in that."""
    if not how.single_precision:
        return 0
    if bool(((query[1:] == query[:-1]) & (score[1:] > score[:-1])).any()):
        order = np.lexsort((-score, query))
        query, score = query[order], score[order]
    single = comparable_scores(score, how)
    merged = (query[1:] == query[:-1]) & (single[1:] == single[:-1]) & (score[1:] != score[:-1])
    return len(np.unique(query[1:][merged]))


def tie_groups(code: IndexArray, score: FloatArray, ranks: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the first rank and the size of each row's tie group."""
    opens = np.ones(len(code), dtype=bool)
    opens[1:] = (code[1:] != code[:-1]) | (score[1:] != score[:-1])
    at = np.flatnonzero(opens)
    sizes = np.diff(at, append=len(code))
    return np.repeat(ranks[at], sizes), np.repeat(sizes, sizes).astype(np.float64)


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
        found = heappop(heaps[chosen])
        if found != place:
            heapreplace(heaps[groups[at[place]]], found)
            at[place], at[found] = at[found], at[place]
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
    """Moves what is below the median of three before it, and the rest after it; gives its place."""
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
