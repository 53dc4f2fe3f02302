"""coordinate-ascent: a linear ranker, climbed up one weight at a time.

Metzler & Croft, Linear feature-based models for information retrieval, Information Retrieval 2007. From each start the
weights are taken in random order, and each is moved by the step that raises the measure most, until a round over all of
them gains next to nothing. Of everything that was reached, the weights that are best on the validation documents stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.ltr.documents import Documents
from rankgauge.ltr.line_search import LineSearch, line_search
from rankgauge.ltr.linear import weighted
from rankgauge.ltr.parameters import Number, Whole
from rankgauge.ltr.ranker import Ranker, Watch
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray

__all__ = ["CoordinateAscent"]


class CoordinateAscent(Ranker):
    """A weighted sum of features that makes any measure large, under any dialect.

    `restarts` counts the starts, `iterations` the rounds over all weights from each of them at most; a round that gains
    less than `tolerance` is the last. The first start has equal weights; the others are drawn evenly from the simplex.
    """

    name = "coordinate-ascent"
    rules = {"restarts": Whole(), "iterations": Whole(), "tolerance": Number()}
    quick = {"restarts": 2, "iterations": 3}

    weights_: FloatArray

    def __init__(
        self,
        *,
        metric: str | Measure = "nDCG@10",
        dialect: str | Dialect = "standard",
        restarts: int = 5,
        iterations: int = 25,
        tolerance: float = 0.0001,
        rng: int | np.random.Generator | None = 0,
    ) -> None:
        super().__init__(metric=metric, dialect=dialect, rng=rng)
        self.restarts = restarts
        self.iterations = iterations
        self.tolerance = tolerance

    def _fit(self, train: Documents, validation: Documents | None, watch: Watch) -> None:
        objective = self.objective(train)
        held = None if validation is None else self.objective(validation)
        scale = train.spread
        self.weights_, best = np.zeros(len(scale)), -np.inf
        for round_, weights in self._climbs(train.chosen(objective.live), scale):
            learned = objective.mean(weighted(train.matrix, weights))
            found = np.nan if held is None else held.mean(weighted(held.documents.matrix, weights))
            watch(round_, self.restarts * self.iterations, learned, found)
            reached = learned if held is None else found
            if reached > best:
                self.weights_, self.best_round_, best = weights, round_, reached

    def _climbs(self, documents: Documents, scale: FloatArray) -> Iterator[tuple[int, FloatArray]]:
        """The number of each round and the weights after it, start by start; nothing where no order matters."""
        used = np.flatnonzero(scale)
        if not len(documents.sizes) or not len(used):
            return
        columns = np.ascontiguousarray((documents.matrix[:, used] / scale[used]).T)
        search, rng = line_search(self.objective(documents), columns), self._generator()
        for restart in range(self.restarts):
            start = rng.dirichlet(np.ones(len(used))) if restart else np.full(len(used), 1.0 / len(used))
            for n, found in enumerate(self._climb(search, start, rng), start=1):
                weights = np.zeros(len(scale))
                weights[used] = found / scale[used]
                yield restart * self.iterations + n, weights

    def _climb(self, search: LineSearch, weights: FloatArray, rng: np.random.Generator) -> Iterator[FloatArray]:
        """The weights after each round over all of them; their sizes add up to 1 before each."""
        for _ in range(self.iterations):
            weights = weights / np.abs(weights).sum()
            search.start(weighted(search.columns.T, weights))
            before = search.value
            for feature in rng.permutation(len(weights)):
                weights[feature] += search.best(feature)
            yield weights
            if search.value - before < self.tolerance:
                return

    def _scores(self, matrix: FloatArray) -> FloatArray:
        return weighted(matrix, self.weights_)

    def _state(self) -> dict[str, Any]:
        return {"weights": self.weights_.tolist()}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.weights_ = np.array(state["weights"], dtype=np.float64)
