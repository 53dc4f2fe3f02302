"""coordinate-ascent: a linear ranker, optimised one weight at a time.

Metzler & Croft, Linear feature-based models for information retrieval, Information Retrieval 2007. From each start the
weights are taken in random order, and each is moved by the step that raises the measure most, until a round over all of
them gains next to nothing. Of all rounds, the weights that are best on the validation documents are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from rankgauge.constraints import choice_of, real_number, whole_number
from rankgauge.numeric import FloatArray
from rankgauge.training.line_search import LineSearch, line_search
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import parameter
from rankgauge.training.ranker import LinearRanker, Watch, weighted


class CoordinateAscent(LinearRanker):
    """A weighted sum of features that makes any measure large, under any dialect.

    `restarts` counts the starts, `iterations` the rounds over all weights from each of them at most; a round that gains
    less than `tolerance` is the last. The first start has equal weights; the others are drawn evenly from the simplex.
    `keep` says what may be kept, by its value on the validation documents: the weights after any round, or those after
    the last round of a start.
    """

    name = "coordinate-ascent"
    quick = {"restarts": 2, "iterations": 3}

    restarts: int = parameter(whole_number(), default=5)
    iterations: int = parameter(whole_number(), default=25)
    tolerance: float = parameter(real_number(), default=0.0001)
    keep: str = parameter(choice_of("round", "start"), default="round")

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        matrix = train.documents.matrix
        rounds = ((number, weights, train.mean(weighted(matrix, weights))) for number, weights in self._climbs(train))
        self.weights_ = np.zeros(self.n_features_in_)
        self._keep_best(rounds, self.restarts * self.iterations, validation, watch)

    def _climbs(self, train: Objective) -> Iterator[tuple[int, FloatArray]]:
        """Yield the number of each round and the weights after it, start by start; none if every order is as good."""
        scale = train.documents.spread
        used = np.flatnonzero(scale)
        if not train.live.any() or not len(used):
            return
        live = train.chosen(train.live)
        columns = np.ascontiguousarray((live.documents.matrix[:, used] / scale[used]).T)
        search, rng = line_search(live, columns), self._generator()
        for restart in range(self.restarts):
            start = rng.dirichlet(np.ones(len(used))) if restart else np.full(len(used), 1.0 / len(used))
            rounds = enumerate(self._climb(search, start, rng), start=1)
            for n, climbed in rounds if self.keep == "round" else deque(rounds, maxlen=1):
                weights = np.zeros(len(scale))
                weights[used] = climbed / scale[used]
                yield restart * self.iterations + n, weights

    def _climb(self, search: LineSearch, weights: FloatArray, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield the weights after each round over all of them; before each round their sizes add up to 1."""
        for _ in range(self.iterations):
            weights = weights / np.abs(weights).sum()
            search.start(weighted(search.columns.T, weights))
            before = search.value
            for feature in rng.permutation(len(weights)):
                weights[feature] += search.best(feature)
            yield weights
            if search.value - before < self.tolerance:
                return
