"""RankSVM: a linear ranker that keeps preferred documents a margin above others.

A preference of i over j is met if s_i ≥ s_j + 1; otherwise it is violated and costs (1 − s_i + s_j)². In the order of
the scores a document violates preferences only with neighbours less than 1 away. So running sums over the levels of
grades give the loss and its derivatives in O(n log n), however many pairs there are (Joachims, Training linear SVMs in
linear time, KDD 2006; Lee & Lin, Large-scale linear rankSVM, Neural Computation 2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rankgauge.constraints import list_of, real_number
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.training.documents import Documents, Preferences
from rankgauge.training.objective import Objective
from rankgauge.training.ranker import LinearRanker, Watch, WeightedRound, learned_attribute, parameter, weigh_features

GRID = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4)

_STEPS = 100
_ROUNDING = 1e-15


class RankSVM(LinearRanker):
    """The linear ranker w that is smallest in ½ ‖w‖² + C Σ max(0, 1 − w·x_i + w·x_j)², i preferred to j.

    There is no intercept, as it would move all documents alike. Without `C` each value of `grid` is tried, and the best
    on the validation set, or on the training set where there is none, is kept. `tolerance` is how far the objective may
    stay above its minimum: its square, as a share of the objective.

    Joachims, Optimizing search engines using clickthrough data, KDD 2002; the loss and the way to the minimum are those
    of Lee & Lin 2014.
    """

    name = "ranksvm"
    quick = {"grid": (1e-3, 1e-1)}

    C: float | None = parameter(real_number(positive=True, optional=True), default=None)
    grid: Sequence[float] = parameter(list_of(real_number(positive=True)), default=GRID)
    tolerance: float = parameter(real_number(positive=True), default=1e-3)

    C_: float = learned_attribute("C")

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        costs, matrix = sorted(self.grid) if self.C is None else [self.C], train.documents.matrix
        found = enumerate(path(train.documents, costs, self.tolerance), start=1)
        rounds = (WeightedRound(number=n, weights=w, value=train.mean(weigh_features(matrix, w))) for n, w in found)
        self._keep_best(rounds, len(costs), validation, watch)
        assert self.best_round_ is not None
        self.C_ = np.float64(costs[self.best_round_ - 1])


def path(documents: Documents, costs: Sequence[float], tolerance: float) -> Iterator[FloatArray]:
    """Yield the weights of the minimum for each cost C, by Newton's method from the minimum before.

    The objective is a parabola as long as the same preferences are violated. So an old curvature is used while it
    brings the objective down quickly; a new one costs more than several steps.
    """
    preferences = Preferences.of(documents)
    scores = np.zeros(len(preferences.rows))
    margins, weights = Margins.at(preferences, scores), np.zeros(documents.matrix.shape[1])
    point = _Point(matrix=documents.matrix, weights=weights, scores=scores, margins=margins)
    curvature = margins.curvature(documents.matrix)
    for cost in map(float, costs):
        new, before = False, np.inf
        for _ in range(_STEPS):
            slope = point.slope(cost)
            step = -_solve(curvature, cost, slope)
            drop = -float(slope @ step)
            if drop / 2 <= max(tolerance**2, _ROUNDING) * point.value(cost):
                break
            moved = point.move(step, cost, drop) if new or drop < before / 10 else None
            if moved is None and new:
                break
            if moved is None:
                curvature, new = point.margins.curvature(point.matrix), True
            else:
                point, new, before = moved, False, drop
        yield point.weights


@dataclass(frozen=True, kw_only=True, eq=False)
class _Point:
    """Weights, the scores they give the documents that have preferences, and the margins of these."""

    matrix: FloatArray
    weights: FloatArray
    scores: FloatArray
    margins: Margins

    def value(self, cost: float) -> float:
        return float(self.weights @ self.weights) / 2 + cost * self.margins.loss

    def slope(self, cost: float) -> FloatArray:
        pulls = np.zeros(len(self.matrix))
        pulls[self.margins.preferences.rows] = self.margins.slopes
        return np.asarray(self.weights + 2 * cost * (pulls @ self.matrix))

    def move(self, step: FloatArray, cost: float, drop: float) -> _Point | None:
        """Return the point after the step, or half of it, or a quarter …; None if the objective does not fall."""
        preferences, share = self.margins.preferences, 1.0
        change = (self.matrix @ step)[preferences.rows]
        while share > 1e-9:
            weights, scores = self.weights + share * step, self.scores + share * change
            moved_ = replace(self, weights=weights, scores=scores, margins=Margins.at(preferences, scores))
            if moved_.value(cost) <= self.value(cost) - 1e-4 * share * drop:
                return moved_
            share /= 2
        return None


def _solve(curvature: FloatArray, cost: float, slope: FloatArray) -> FloatArray:
    """(I + 2 C K)⁻¹ times the slope."""
    second = 2 * cost * curvature + np.eye(len(slope))
    scale = 1 / np.sqrt(np.diag(second))  # features may differ by many orders of magnitude
    for ridge in (0.0, 1e-12, 1e-8, 1e-4):
        try:
            factor = cho_factor(second * np.outer(scale, scale) + ridge * np.eye(len(slope)))
        except LinAlgError:  # not positive definite, by rounding
            continue
        return np.asarray(scale * cho_solve(factor, scale * slope))
    return slope


_PIECE = 8192
"""How many documents' features are sorted at a time, so that memory does not grow with the collection."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Margins:
    """Scores of documents, in the order of their queries and then their scores."""

    preferences: Preferences
    order: IndexArray
    scores: FloatArray
    floor: IndexArray
    """For each document, the first place of its query whose score is less than 1 below."""
    ceiling: IndexArray
    """For each document, the first place whose score is 1 or more above, or the end of the query."""

    @classmethod
    def at(cls, preferences: Preferences, scores: FloatArray) -> Margins:
        """Return the margins at the scores of the documents that have preferences."""
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
        _, preferred, _, other = self._violated
        return float(np.sum(preferred) + self.scores @ (other - preferred))

    @cached_property
    def slopes(self) -> FloatArray:
        """Half the derivative of the loss by the score of each document."""
        _, preferred, _, other = self._violated
        slopes = np.empty(len(self.order))
        slopes[self.order] = other - preferred
        return slopes

    @cached_property
    def _violated(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """How many preferences each document violates and the sum of its margins: as the preferred one, and as the one
        not preferred."""
        starts = np.repeat(self.preferences.starts, self.preferences.sizes)
        below, low = self._windows(np.less, self.floor, self.preferences.ends)
        above, high = self._windows(np.greater, starts, self.ceiling)
        return below, below * (1 - self.scores) + low, above, above * (1 + self.scores) - high

    def _windows(self, than: np.ufunc, low: IndexArray, high: IndexArray) -> tuple[FloatArray, FloatArray]:
        """Count the documents below or above each document's level between two places, and sum their scores."""
        counts, sums = np.zeros(len(self.order)), np.zeros(len(self.order))
        for level in range(self.preferences.height):
            at, mask = np.flatnonzero(self.levels == level), than(self.levels, level)
            for totals, amounts in ((counts, mask), (sums, np.where(mask, self.scores, 0.0))):
                running = _running(amounts)
                totals[at] = running[high[at]] - running[low[at]]
        return counts, sums

    def curvature(self, matrix: FloatArray) -> FloatArray:
        """Σ (x_i − x_j)(x_i − x_j)ᵀ over violated preferences: half the second derivative by linear weights.

        Half of it is ½ Σ n_i x_i x_iᵀ − Σ x_i (Σ_j x_j)ᵀ, n_i the degree of i, j the lower documents of its violations.
        """
        half, degrees = np.zeros((matrix.shape[1], matrix.shape[1])), self._violated[0] + self._violated[2]
        ends, first = np.cumsum(self.preferences.sizes), 0
        while first < len(self.order):  # pieces of whole queries
            last = int(ends[min(int(np.searchsorted(ends, first + _PIECE)), len(ends) - 1)])
            x, levels = matrix[self.preferences.rows[self.order[first:last]]], self.levels[first:last]
            pulled = x * (degrees[first:last, np.newaxis] / 2)
            for level in range(1, self.preferences.height):
                at, mask = np.flatnonzero(levels == level), levels < level
                places, running = _running(mask), _running(x[mask])
                low, high = (places[place[first:last][at] - first] for place in (self.floor, self.preferences.ends))
                pulled[at] -= running[high] - running[low]
            half += x.T @ pulled
            first = last
        return half + half.T


def _running(amounts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    sums = np.zeros((len(amounts) + 1, *amounts.shape[1:]), dtype=np.result_type(amounts, np.int64))
    np.cumsum(amounts, axis=0, out=sums[1:])
    return sums
