"""The order of documents that gains most where they repeat one another, found by branch and bound.

To find it is hard in general (Carterette 2009), and easy for the few documents of a short list: documents that are
relevant to the same subtopics are alike, one that is relevant to more of them comes first, and an order is given up
once it cannot become the best.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np

from rankgauge.errors import InputError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

STEPS = 20_000
"""After how many steps the search is given up, for one query."""

SAME = 1e-12
"""By how much a better order has to be better."""

Kind = tuple[bool, ...]
"""Documents that are relevant to the same subtopics, which these are."""


class _GivenUpError(Exception):
    """The search takes too long."""


def exact(
    relevant: BoolArray, weights: FloatArray, alpha: float, discount: FloatArray, query: str | int | None = None
) -> IndexArray:
    """The best order of the documents of one query (documents × subtopics), as long as the discount."""
    each: list[Kind] = [tuple(row) for row in relevant.tolist()]
    counts = sorted(Counter(each).items())
    try:
        order = _best(tuple(counts), tuple(weights.tolist()), alpha, tuple(discount.tolist()))
    except _GivenUpError:
        of = "" if query is None else f" of query {query}"
        raise InputError(
            f"the exact ideal order{of} takes more than {STEPS} steps to find",
            hint=f"Cut the lists before rank {len(discount)}, leave the query out, or leave out ideal_order='exact': "
            "the order is then ndeval's greedy one.",
        ) from None
    left = {kind: [place for place, one in enumerate(each) if one == kind] for kind, _ in counts}
    return np.array([left[kind].pop(0) for kind in order], dtype=np.int64)


@lru_cache(maxsize=4096)  # runs share their judgments
def _best(
    counts: tuple[tuple[Kind, int], ...], weights: tuple[float, ...], alpha: float, discount: tuple[float, ...]
) -> list[Kind]:
    """The best order, by the kinds of its documents."""
    kinds = np.array([kind for kind, _ in counts], dtype=np.float64).reshape(len(counts), len(weights))
    search = _OrderSearch(kinds, np.array([count for _, count in counts]), 1.0 - alpha, np.array(discount))
    return [counts[kind][0] for kind in search.best(np.array(weights))]


class _OrderSearch:
    """A search for the best order of kinds of documents, of which there are so many each."""

    def __init__(self, kinds: FloatArray, counts: IndexArray, left: float, discount: FloatArray) -> None:
        """`left` is what a relevant document leaves of a subtopic's worth for the next one."""
        self.kinds, self.counts, self.discount = kinds, counts, discount
        self.after = np.where(kinds > 0, left, 1.0)
        # Which kinds serve all that a kind serves, and more. While there are any, that kind can wait: to exchange the
        # two, or to take the better one instead, never loses anything.
        self.better = (kinds[:, np.newaxis] <= kinds).all(axis=-1) & ~np.eye(len(kinds), dtype=bool)
        # What the 1st, 2nd … document of a kind gains at most, as a share of what the first would.
        self.repeated = left ** np.arange(max(int(counts.max(initial=1)), 1))
        self.value, self.order, self.steps = -np.inf, list[int](), 0
        self.seen: dict[tuple[int, ...], float] = {}

    def best(self, weights: FloatArray) -> list[int]:
        """The best order; the first that is tried is the greedy one."""
        self._extend([], self.counts, weights, 0.0)
        return self.order

    def _extend(self, order: list[int], counts: IndexArray, worth: FloatArray, value: float) -> None:
        if len(order) == len(self.discount):
            if value > self.value + SAME:
                self.value, self.order = value, order
            return
        gains = self.kinds @ worth
        if self._is_hopeless(order, counts, gains, value):
            return
        next_ = (counts > 0) & ~(self.better & (counts > 0)).any(axis=-1)
        for kind in np.argsort(-gains, kind="stable").tolist():
            if next_[kind]:
                fewer = counts.copy()
                fewer[kind] -= 1
                gained = value + float(self.discount[len(order)] * gains[kind])
                self._extend([*order, kind], fewer, worth * self.after[kind], gained)

    def _is_hopeless(self, order: list[int], counts: IndexArray, gains: FloatArray, value: float) -> bool:
        """Whether nothing better comes of an order: the same documents gained as much in another order, or the best
        that is left would not be enough. No document gains more later than it would now."""
        self.steps += 1
        if self.steps > STEPS:
            raise _GivenUpError
        key = tuple(counts.tolist())
        if self.seen.get(key, -np.inf) >= value - SAME:
            return True
        self.seen[key] = value
        there = np.arange(len(self.repeated)) < counts[:, np.newaxis]
        most = -np.sort(-np.where(there, gains[:, np.newaxis] * self.repeated, 0.0).ravel())
        ahead = self.discount[len(order) :]
        return bool(value + most[: len(ahead)] @ ahead[: len(most)] <= self.value + SAME)
