"""RankSVM: a linear ranker that keeps preferred documents a margin above others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rankgauge.constraints import list_of, real_number
from rankgauge.numeric import FloatArray
from rankgauge.training.documents import Documents
from rankgauge.training.margins import Margins
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import learned, parameter
from rankgauge.training.preferences import Preferences
from rankgauge.training.ranker import Ranker, Watch

GRID = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4)

_STEPS = 100
_ROUNDING = 1e-15


class RankSVM(Ranker):
    """The linear ranker w that is smallest in ½ ‖w‖² + C Σ max(0, 1 − w·x_i + w·x_j)², i preferred to j.

    There is no intercept, as it would move all documents alike. Without `C` each value of `grid` is tried, and the best
    on the validation set, or on the training set where there is none, is kept. `tolerance` is how far the objective may
    stay above its minimum: its square, as a share of the objective.

    Joachims, Optimizing search engines using clickthrough data, KDD 2002; the loss and the way to the minimum are those
    of Lee & Lin, Large-scale linear rankSVM, Neural Computation 2014.
    """

    name = "ranksvm"
    quick = {"grid": (1e-3, 1e-1)}

    C: float | None = parameter(real_number(positive=True, optional=True), default=None)
    grid: Sequence[float] = parameter(list_of(real_number(positive=True)), default=GRID)
    tolerance: float = parameter(real_number(positive=True), default=1e-3)

    C_: float = learned()
    coef_: FloatArray = learned("weights")

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        costs = sorted(self.grid) if self.C is None else [self.C]
        best = -np.inf
        for number, weights in enumerate(path(train.documents, costs, self.tolerance), start=1):
            trained, held = (
                np.nan if judge is None else judge.mean(judge.documents.matrix @ weights)
                for judge in (train, validation)
            )
            value = trained if validation is None else held
            if self.best_round_ is None or value > best:
                best, self.best_round_, self.C_, self.coef_ = value, number, float(costs[number - 1]), weights
            watch(number, len(costs), trained, held)

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return np.asarray(matrix @ self.coef_)

    def _state(self) -> dict[str, Any]:
        return {"C": self.C_, **super()._state()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        super()._restore(state)
        self.C_ = float(state["C"])


def path(documents: Documents, costs: Sequence[float], tolerance: float) -> Iterator[FloatArray]:
    """The weights of the minimum for each cost C, each found from the one before."""
    preferences = Preferences.of(documents)
    scores = np.zeros(len(preferences.rows))
    margins, weights = Margins.at(preferences, scores), np.zeros(documents.matrix.shape[1])
    point = _Point(matrix=documents.matrix, weights=weights, scores=scores, margins=margins)
    curvature = point.curvature
    for cost in costs:
        point, curvature = _minimum(point, curvature, float(cost), tolerance)
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
        return self.weights + 2 * cost * self._pull

    @cached_property
    def _pull(self) -> FloatArray:
        pulls = np.zeros(len(self.matrix))
        pulls[self.margins.preferences.rows] = self.margins.slopes
        return np.asarray(pulls @ self.matrix)

    @property
    def curvature(self) -> FloatArray:
        return self.margins.curvature(self.matrix)

    def moved(self, step: FloatArray, cost: float, drop: float) -> _Point | None:
        """The point after the step, or half of it, or a quarter …; None if the objective does not fall."""
        preferences, share = self.margins.preferences, 1.0
        change = (self.matrix @ step)[preferences.rows]
        while share > 1e-9:
            weights, scores = self.weights + share * step, self.scores + share * change
            found = replace(self, weights=weights, scores=scores, margins=Margins.at(preferences, scores))
            if found.value(cost) <= self.value(cost) - 1e-4 * share * drop:
                return found
            share /= 2
        return None


def _minimum(point: _Point, curvature: FloatArray, cost: float, tolerance: float) -> tuple[_Point, FloatArray]:
    """The point of the minimum, by Newton's method, and the curvature that was last computed.

    The objective is a parabola as long as the same preferences are violated. So an old curvature is used while it
    brings the objective down quickly; a new one costs more than several steps.
    """
    new, before = False, np.inf
    for _ in range(_STEPS):
        slope = point.slope(cost)
        step = -_solve(curvature, cost, slope)
        drop = -float(slope @ step)
        if drop / 2 <= max(tolerance**2, _ROUNDING) * point.value(cost):
            break
        moved = point.moved(step, cost, drop) if new or drop < before / 10 else None
        if moved is None and new:
            break
        if moved is None:
            curvature, new = point.curvature, True
        else:
            point, new, before = moved, False, drop
    return point, curvature


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
