"""RankBoost: boosted stumps that put preferred documents above others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankgauge.ltr.documents import Documents
from rankgauge.ltr.objective import Objective
from rankgauge.ltr.parameters import WholeNumber, parameter
from rankgauge.ltr.preferences import Preferences
from rankgauge.ltr.ranker import Ranker, Watch
from rankgauge.ltr.stumps import Stump, Stumps
from rankgauge.numeric import FloatArray

__all__ = ["RankBoost"]

_LEAST, _LARGEST = 1e-12, 1 - 1e-12
"""Bounds of a stump's worth: at 0 no stump helps, and at 1, with every pair in order, its weight would be infinite."""
_HIGHEST = 600.0
"""A score above which the weights of pairs would overflow."""


class RankBoost(Ranker):
    """Boosting of stumps on pairs of documents, as many rounds as do best on the validation set.

    A round finds the stump that orders the most weight of pairs, adds it, and gives more weight to pairs that stand in
    the wrong order. `bins` cuts the range of each feature into that many equal parts; None has a threshold at each of
    its values. The training value of a round is measured only where there is no validation set: it would cost more than
    the round.

    Freund, Iyer, Schapire & Singer, An efficient boosting algorithm for combining preferences, JMLR 2003. With features
    of 32 bits and 10 bins the rounds are those of RankLib.
    """

    name = "rankboost"
    quick = {"rounds": 10}

    rounds: int = parameter(WholeNumber(), default=300)
    bins: int | None = parameter(WholeNumber(least=2, optional=True), default=10)

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        judge = train if validation is None else validation
        matrix = np.asfortranarray(judge.documents.matrix)
        scores, best = np.zeros(len(matrix)), -np.inf
        found: list[tuple[Stump, float]] = []
        for stump, weight in _boosted(train.documents, self.bins, self.rounds):
            found.append((stump, weight))
            scores += weight * (matrix[:, stump.feature] > stump.threshold)
            value = judge.mean(scores)
            if validation is None or self.best_round_ is None or value > best:
                best, self.best_round_ = value, len(found)
            watch(len(found), self.rounds, *((value, np.nan) if validation is None else (np.nan, value)))
        self._keep(found[: self.best_round_ or 0])

    def _keep(self, found: list[tuple[Stump, float]]) -> None:
        self.features_ = np.array([stump.feature for stump, _ in found], dtype=np.int64)
        self.thresholds_ = np.array([stump.threshold for stump, _ in found], dtype=np.float64)
        self.weights_ = np.array([weight for _, weight in found], dtype=np.float64)

    def _scores(self, matrix: FloatArray) -> FloatArray:
        scores = np.zeros(len(matrix))
        for feature, threshold, weight in zip(self.features_, self.thresholds_, self.weights_, strict=True):
            scores += weight * (matrix[:, feature] > threshold)
        return scores

    def _state(self) -> dict[str, Any]:
        return {
            "features": self.features_.tolist(),
            "thresholds": self.thresholds_.tolist(),
            "weights": self.weights_.tolist(),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.features_ = np.array(state["features"], dtype=np.int64)
        self.thresholds_ = np.array(state["thresholds"], dtype=np.float64)
        self.weights_ = np.array(state["weights"], dtype=np.float64)


def potentials(preferences: Preferences, scores: FloatArray) -> FloatArray:
    """The weight of the pairs in which a document is preferred, less that of the pairs in which the other one is.

    The weight of a pair is exp(s_j − s_i), i preferred to j, over the sum of all. It is a product, so sums over the
    levels of each query serve all pairs: π_i = e^{−s_i} Σ_{j below} e^{s_j} − e^{s_i} Σ_{j above} e^{−s_j}.
    """
    cells, shape = preferences.cells, preferences.shape
    raised = np.exp(scores)
    lowered = 1 / raised
    risen, sunk = (np.bincount(cells, amounts, shape[0] * shape[1]).reshape(shape) for amounts in (raised, lowered))
    below, above = _before(risen), _before(sunk[:, ::-1])[:, ::-1]
    total = np.sum(sunk * below)
    return np.asarray((lowered * below.ravel()[cells] - raised * above.ravel()[cells]) / total)


def _before(amounts: np.ndarray[Any, Any]) -> FloatArray:
    """The sum of all columns before each. A difference of two sums would lose small amounts beside large ones."""
    sums = np.zeros(amounts.shape)
    np.cumsum(amounts[:, :-1], axis=1, out=sums[:, 1:])
    return sums


def _boosted(train: Documents, bins: int | None, rounds: int) -> Iterator[tuple[Stump, float]]:
    """The stump of each round with its weight, as long as some stump puts more in order than out of order."""
    preferences = Preferences.of(train)
    if not len(preferences.rows):
        return
    matrix = np.asfortranarray(train.matrix[preferences.rows])  # it is read by columns
    stumps, scores = Stumps.of(matrix, bins), np.zeros(len(matrix))
    for _ in range(rounds):
        stump = stumps.best(potentials(preferences, scores))
        if stump.worth <= _LEAST or scores.max() > _HIGHEST:
            return
        worth = min(stump.worth, _LARGEST)
        weight = float(np.log((1 + worth) / (1 - worth)) / 2)
        scores += weight * (matrix[:, stump.feature] > stump.threshold)
        yield stump, weight
        if worth == _LARGEST:
            return
