"""RankBoost: boosted stumps that put preferred documents above others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from rankgauge.constraints import whole_number
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.training.documents import Preferences
from rankgauge.training.objective import Objective
from rankgauge.training.ranker import Ranker, Watch, learned_attribute, parameter

_LEAST, _LARGEST = 1e-12, 1 - 1e-12
"""Bounds of a stump's worth: at 0 no stump helps, and at 1, with every pair in order, its weight would be infinite."""
_HIGHEST = 600.0
"""A score above which the weights of pairs would overflow."""


class RankBoost(Ranker):
    """Boosting of stumps on pairs of documents, as many rounds as do best on the validation set.

    A round finds the stump that orders the most weight of pairs, adds it, and gives more weight to pairs that are in
    the wrong order. `bins` cuts the range of each feature into that many equal parts; None has a threshold at each of
    its values. The training value of a round is measured only where there is no validation set: it would cost more than
    the round.

    Freund, Iyer, Schapire & Singer, An efficient boosting algorithm for combining preferences, JMLR 2003. With features
    of 32 bits and 10 bins the rounds are those of RankLib.
    """

    name = "rankboost"
    quick = {"rounds": 10}

    rounds: int = parameter(whole_number(), default=300)
    bins: int | None = parameter(whole_number(least=2, optional=True), default=10)

    features_: IndexArray = learned_attribute("features", dtype=np.int64)
    thresholds_: FloatArray = learned_attribute("thresholds")
    weights_: FloatArray = learned_attribute("weights")

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        judge, preferences = train if validation is None else validation, Preferences.of(train.documents)
        learned = np.asfortranarray(train.documents.matrix[preferences.rows])  # matrices are read by columns
        judged = np.asfortranarray(judge.documents.matrix)
        stumps, rules, best = Stumps.of(learned, self.bins), list[tuple[int, float, float]](), -np.inf
        values, scores, worth = np.zeros(len(judged)), np.zeros(len(learned)), 0.0
        # As long as some stump puts more in order than out of order, and not all.
        while len(learned) and len(rules) < self.rounds and worth < _LARGEST:
            feature, threshold, worth = stumps.best(potentials(preferences, scores))
            if worth <= _LEAST or scores.max() > _HIGHEST:
                break
            worth = min(worth, _LARGEST)
            weight = float(np.log((1 + worth) / (1 - worth)) / 2)
            scores += weight * (learned[:, feature] > threshold)
            rules.append((feature, threshold, weight))
            values += weight * (judged[:, feature] > threshold)
            value = judge.mean(values)
            if validation is None or self.best_round_ is None or value > best:
                best, self.best_round_ = value, len(rules)
            watch(len(rules), self.rounds, *((value, np.nan) if validation is None else (np.nan, value)))
        kept = np.array(rules[: self.best_round_ or 0]).reshape(-1, 3)
        self.features_, self.thresholds_, self.weights_ = kept[:, 0].astype(np.int64), kept[:, 1], kept[:, 2]

    def _scores(self, matrix: FloatArray) -> FloatArray:
        scores = np.zeros(len(matrix))
        for feature, threshold, weight in zip(self.features_, self.thresholds_, self.weights_, strict=True):
            scores += weight * (matrix[:, feature] > threshold)
        return scores


def potentials(preferences: Preferences, scores: FloatArray) -> FloatArray:
    """The weight of the pairs in which a document is preferred, less that of the pairs in which the other one is.

    The weight of a pair is exp(s_j − s_i), i preferred to j, over the sum of all. It is a product, so sums over the
    levels of each query serve all pairs: π_i = e^{−s_i} Σ_{j below} e^{s_j} − e^{s_i} Σ_{j above} e^{−s_j}.
    """
    cells, shape = preferences.cells, (len(preferences.sizes), preferences.height)
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Stumps:
    """Every feature cut at its thresholds, the highest first: the documents between two thresholds are a bin.

    A stump's worth is the sum of the weights in the bins above its threshold. As the weights of all documents add up to
    0, the fullest bin of a feature, which holds most documents if the feature is sparse, is never summed.
    """

    thresholds: FloatArray
    """Feature after feature; each has one more bin than thresholds, and the last bin's threshold is −∞."""
    features: IndexArray
    members: csr_array
    """Which documents are in which bin (bins × documents), except those of the fullest bins."""
    firsts: IndexArray
    fullest: IndexArray
    """The first and the fullest bin of each feature."""

    @classmethod
    def of(cls, columns: FloatArray, bins: int | None) -> Stumps:
        """The stumps of documents × features, with `bins` equal bins for each feature, or None: a cut at each value."""
        thresholds, rows, counts, fullest = list[FloatArray](), list[IndexArray](), list[IndexArray](), list[int]()
        for column in columns.T:
            high, low = column.max(initial=-np.inf), column.min(initial=np.inf)
            cuts = np.zeros(0)
            if bins is None:
                cuts = np.unique(column)[-2::-1]
            elif high > low:  # one step after another, as RankLib has it: rounding falls on the same side of a value
                cuts = np.cumsum([high, *[-abs(high - low) / bins] * (bins - 1)])[1:]
            number = len(cuts) - np.searchsorted(cuts[::-1], column)  # of thresholds that the document is not above
            held = np.bincount(number, minlength=len(cuts) + 1)
            fullest.append(int(np.argmax(held)))
            held[fullest[-1]] = 0
            outside = np.flatnonzero(number != fullest[-1])
            thresholds.append(np.append(cuts, -np.inf))
            rows.append(outside[np.argsort(number[outside], kind="stable")])
            counts.append(held)
        lengths = np.array([len(of_feature) for of_feature in counts])
        firsts = np.cumsum(lengths) - lengths
        members, ends = np.concatenate(rows).astype(np.int32), np.append(0, np.cumsum(np.concatenate(counts)))
        return cls(
            thresholds=np.concatenate(thresholds),
            features=np.repeat(np.arange(len(lengths)), lengths),
            members=csr_array((np.ones(len(members)), members, ends), shape=(len(ends) - 1, len(columns))),
            firsts=firsts,
            fullest=firsts + fullest,
        )

    def best(self, weights: FloatArray) -> tuple[int, float, float]:
        """Return the feature, threshold and worth of the best stump; of several, the first feature's highest one.

        A stump is 1 for documents whose feature is above its threshold, and its worth the sum of their weights.
        """
        sums = self.members @ weights
        sums[self.fullest] = -np.add.reduceat(sums, self.firsts)
        # The bins of a feature add up to 0, so one running sum does for all features.
        worths = np.cumsum(sums)
        worths[self.thresholds == -np.inf] = 0.0
        at = int(np.argmax(worths))
        return int(self.features[at]), float(self.thresholds[at]), float(worths[at])
