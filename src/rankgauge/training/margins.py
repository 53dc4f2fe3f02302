"""Margins: the squared hinge loss of all preferences at some scores, by order statistics.

A preference of i over j is met if s_i ≥ s_j + 1; otherwise it is violated and costs (1 − s_i + s_j)². In the order of
the scores a document violates preferences only with neighbours less than 1 away. So running sums over the levels of
grades give the loss and its derivatives in O(n log n), however many pairs there are (Joachims, Training linear SVMs in
linear time, KDD 2006; Lee & Lin, Large-scale linear rankSVM, Neural Computation 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.training.preferences import Preferences

_PIECE = 8192
"""How many documents' features are sorted at a time, so that memory does not grow with the collection."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Margins:
    """Scores of documents, in the order of their queries and then their scores."""

    preferences: Preferences
    order: IndexArray
    """The documents in order."""
    scores: FloatArray
    """In order."""
    floor: IndexArray
    """For each document, the first place of its query whose score is less than 1 below."""
    ceiling: IndexArray
    """For each document, the first place whose score is 1 or more above, or the end of the query."""

    @classmethod
    def at(cls, preferences: Preferences, scores: FloatArray) -> Margins:
        """The margins at the scores of the documents that have preferences."""
        # One sort for all queries: each has its own stretch of the axis. Rounding there may take a preference for
        # violated that is just met; its loss is 0 all the same.
        low = scores.min(initial=0.0)
        stretch = scores.max(initial=0.0) - low + 3
        keys = scores - low + preferences.query * stretch
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        return cls(
            preferences=preferences,
            order=order,
            scores=scores[order],
            floor=np.searchsorted(keys, keys - 1, side="right"),
            ceiling=np.searchsorted(keys, keys + 1, side="left"),
        )

    @cached_property
    def levels(self) -> IndexArray:
        """The levels of the documents, in order."""
        return self.preferences.levels[self.order]

    @cached_property
    def loss(self) -> float:
        """The sum of the squared losses: Σ m² = Σ m (1 − s_i + s_j)."""
        return float(np.sum(self._preferred[1]) + self.scores @ self._pulls)

    @cached_property
    def slopes(self) -> FloatArray:
        """Half the derivative of the loss by the score of each document."""
        slopes = np.empty(len(self.order))
        slopes[self.order] = self._pulls
        return slopes

    @cached_property
    def _pulls(self) -> FloatArray:
        return self._other[1] - self._preferred[1]

    @cached_property
    def degrees(self) -> FloatArray:
        """How many violated preferences each document, in order, is part of."""
        return self._preferred[0] + self._other[0]

    @cached_property
    def _preferred(self) -> tuple[FloatArray, FloatArray]:
        """How many preferences each document violates as the preferred one, and the sum of its margins."""
        counts, sums = self._windows(lambda level: self.levels < level, self.floor, self.preferences.ends)
        return counts, counts * (1 - self.scores) + sums

    @cached_property
    def _other(self) -> tuple[FloatArray, FloatArray]:
        """The same for each document as the other one."""
        counts, sums = self._windows(lambda level: self.levels > level, self.preferences.starts, self.ceiling)
        return counts, counts * (1 + self.scores) - sums

    def _windows(
        self, chosen: Callable[[int], BoolArray], low: IndexArray, high: IndexArray
    ) -> tuple[FloatArray, FloatArray]:
        """For each document, how many of those chosen for its level are between two places, and their summed scores."""
        counts, sums = np.zeros(len(self.order)), np.zeros(len(self.order))
        for level in range(self.preferences.height):
            at, mask = np.flatnonzero(self.levels == level), chosen(level)
            for found, amounts in ((counts, mask), (sums, np.where(mask, self.scores, 0.0))):
                running = _running(amounts)
                found[at] = running[high[at]] - running[low[at]]
        return counts, sums

    def curvature(self, matrix: FloatArray) -> FloatArray:
        """Σ (x_i − x_j)(x_i − x_j)ᵀ over violated preferences: half the second derivative by linear weights."""
        half = np.zeros((matrix.shape[1], matrix.shape[1]))
        for first, last in self._pieces():
            half += self._half(matrix, slice(first, last))
        return half + half.T

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Ranges of places that hold whole queries."""
        ends, first = np.cumsum(self.preferences.sizes), 0
        while first < len(self.order):
            last = int(ends[min(int(np.searchsorted(ends, first + _PIECE)), len(ends) - 1)])
            yield first, last
            first = last

    def _half(self, matrix: FloatArray, piece: slice) -> FloatArray:
        """½ Σ n_i x_i x_iᵀ − Σ x_i (Σ_j x_j)ᵀ, n_i the degree of i, j the lower documents of its violations."""
        x, levels = matrix[self.preferences.rows[self.order[piece]]], self.levels[piece]
        pulled = x * (self.degrees[piece, np.newaxis] / 2)
        for level in range(1, self.preferences.height):
            at, mask = np.flatnonzero(levels == level), levels < level
            places, running = _running(mask), _running(x[mask])
            low, high = (places[place[piece][at] - piece.start] for place in (self.floor, self.preferences.ends))
            pulled[at] -= running[high] - running[low]
        return np.asarray(x.T @ pulled)


def _running(amounts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The sums of the first 0, 1, 2, … rows."""
    sums = np.zeros((len(amounts) + 1, *amounts.shape[1:]), dtype=np.result_type(amounts, np.int64))
    np.cumsum(amounts, axis=0, out=sums[1:])
    return sums
