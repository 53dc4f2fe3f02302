"""Linear rankers: weighted sums of features."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import learned
from rankgauge.training.ranker import Ranker, Watch


def weighted(matrix: FloatArray, weights: FloatArray) -> FloatArray:
    """The weighted sum of each document's features; documents with the same features get the same score.

    A matrix product does not promise that: BLAS adds up rows in blocks, so the last bit of a sum may depend on the
    row's place, and ties would be broken arbitrarily.
    """
    return np.asarray(np.einsum("df,f->d", matrix, weights))


class LinearRanker(Ranker):
    """A ranker by a weighted sum of features, whose rounds propose weights. After fit: `weights_`."""

    weights_: FloatArray = learned("weights")

    def _keep_best(
        self, rounds: Iterable[tuple[int, FloatArray, float]], most: int, held: Objective | None, watch: Watch
    ) -> None:
        """Keeps the best weights: by their value on the validation documents, or in training if there are none.

        A round is its number, its weights and their value in training; there are at most `most`.
        """
        best = -np.inf
        for number, weights, trained in rounds:
            found = np.nan if held is None else held.mean(weighted(held.documents.matrix, weights))
            watch(number, most, trained, found)
            reached = trained if held is None else found
            if reached > best:
                self.weights_, self.best_round_, best = weights, number, reached

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return weighted(matrix, self.weights_)
