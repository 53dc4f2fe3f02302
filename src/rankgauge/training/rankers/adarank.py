"""adarank: boosting of single features, with weights on queries.

Xu & Li, AdaRank: a boosting algorithm for information retrieval, SIGIR 2007. Each round takes the feature that is best
for the queries that the ranker so far ranks badly. Taken literally, that is the same strong feature in every round. So
a feature that was taken rests for some rounds. RankLib has another remedy, which is here too: a feature chosen twice in
a row is set aside, and its first turn undone; once the other features bring no more, those set aside return one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import flag, real_number, whole_number
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import Ties
from rankgauge.training.linear import LinearRanker
from rankgauge.training.objective import Objective
from rankgauge.training.parameters import parameter
from rankgauge.training.ranker import Watch

PATIENCE = 5
"""How many rounds may pass without a better ranking before a feature that RankLib's way set aside returns."""

SURE = 1.0 - 1e-9
"""The largest mean that a feature may have: a mean of 1 would get an infinite weight."""


class AdaRank(LinearRanker):
    """A weighted sum of features that makes any measure from 0 to 1 large, under any dialect.

    A feature that was taken is left out of the next `rest` rounds; after `patience` rounds without a larger training
    value there are no more. With `rest` 0 it is done as in RankLib: strong features are set aside, and a round that
    lowers the training value by `tolerance` or more is undone. `skip_dead` leaves out queries whose value no order of
    their documents can change: they only gather weight. Of all rounds the best on the validation documents stays.
    """

    name = "adarank"
    quick = {"rounds": 10}

    rounds: int = parameter(whole_number(), default=500)
    rest: int = parameter(whole_number(least=0), default=2)
    patience: int = parameter(whole_number(), default=20)
    tolerance: float = parameter(real_number(), default=0.002)
    skip_dead: bool = parameter(flag(), default=True)

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        boosting = Boosting.of(train, skip_dead=self.skip_dead)
        if self.rest:
            rounds = boosting.rested(self.rounds, self.rest, self.patience)
        else:
            rounds = boosting.rounds(self.rounds, self.tolerance)
        proposed = ((number, round_.weights, round_.value) for number, round_ in rounds)
        self.weights_ = np.zeros(self.n_features_in_)
        self._keep_best(proposed, self.rounds, validation, watch)


@dataclass(frozen=True, kw_only=True, eq=False)
class Round:
    """The ranker after a round."""

    weights: FloatArray
    scores: FloatArray
    value: float
    logs: FloatArray
    """The logarithms of the queries' weights, up to a common constant."""

    @property
    def shares(self) -> FloatArray:
        """The queries' weights, which add up to 1; the largest logarithm is subtracted, so that none overflows."""
        raised = np.exp(self.logs - self.logs.max())
        return np.asarray(raised / raised.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Boosting:
    """The weak rankers, each feature ascending and descending, and their values for each query."""

    objective: Objective
    counted: BoolArray
    """The queries to learn from."""
    units: FloatArray
    """The factor of the feature in each weak ranker, so that all vary alike; first ascending, then descending."""
    table: FloatArray
    """The values of the weak rankers (rankers × counted queries), as shares of the largest possible value."""
    top: float

    @classmethod
    def of(cls, objective: Objective, *, skip_dead: bool) -> Boosting:
        matrix, scale = objective.documents.matrix, objective.documents.spread
        units = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        # One column at a time, to avoid a second matrix of this size.
        columns = (sign * matrix[:, [feature]] for sign in (1.0, -1.0) for feature in range(len(scale)))
        table, top = np.vstack([objective.table(column, Ties.EXPECTED) for column in columns]), _top(objective)
        units = np.concatenate([units, -units])
        table[units == 0] = 0.0  # a feature that never varies within a query ranks nothing
        counted = np.asarray(np.isfinite(table).all(axis=0))
        counted &= objective.live if skip_dead else True
        return cls(objective=objective, counted=counted, units=units, table=table[:, counted] / top, top=top)

    def rested(self, most: int, rest: int, patience: int) -> Iterator[tuple[int, Round]]:
        """The number of each round and the ranker after it, where features rest after their turn."""
        if not self.counted.any():
            return
        now, best, idle = self._start, -np.inf, 0
        resting: deque[int] = deque(maxlen=max(min(rest, self._usable - 1), 0))
        for number in range(1, most + 1):
            ranker = self._pick(now, list(resting))
            now = self._after(now, ranker)
            resting.append(ranker % len(now.weights))
            idle = 0 if now.value > best else idle + 1
            best = max(best, now.value)
            yield number, now
            if idle >= patience:
                return

    def rounds(self, most: int, tolerance: float) -> Iterator[tuple[int, Round]]:
        """RankLib's way: the number of each round that is not undone, and the ranker after it."""
        if not self.counted.any():
            return
        now = before = self._start
        aside: list[int] = []
        last, returning, idle = -1, False, 0
        for number in range(1, most + 1):
            ranker = self._pick(now, aside)
            if ranker == last and not returning:
                aside.append(ranker % len(now.weights))
                returning = len(aside) == self._usable  # none is left
                aside = aside[:-1] if returning else aside
                now, last = before, -1
                continue
            after = self._after(now, ranker)
            idle = 0 if after.value > now.value else idle + 1
            if after.value + tolerance <= now.value or idle > PATIENCE:
                if not aside:
                    return
                aside.pop()
                returning, idle = True, 0
                continue
            now, before, last = after, now, ranker
            yield number, now

    @property
    def _start(self) -> Round:
        """No feature yet, and all queries weigh the same."""
        none, unscored = np.zeros(len(self.units) // 2), np.zeros(len(self.objective.documents.grades))
        return Round(weights=none, scores=unscored, value=-np.inf, logs=np.zeros(self.table.shape[1]))

    @property
    def _usable(self) -> int:
        """How many features can change an order."""
        return int(np.count_nonzero(self.units)) // 2

    def _pick(self, now: Round, aside: list[int]) -> int:
        means = (self.table @ now.shares).reshape(2, -1)
        means[:, aside] = -np.inf
        return int(means.argmax())

    def _after(self, now: Round, ranker: int) -> Round:
        """The ranker with one more feature, and query weights that favour those it now ranks badly.

        The paper sets a query's weight to exp(−value) of the whole ranker; as in RankLib, here each round multiplies it
        by exp(−share · value), which is what AdaBoost does.
        """
        mean = min(float(self.table[ranker] @ now.shares), SURE)
        share = 0.5 * np.log((1.0 + mean) / (1.0 - mean))
        feature, step = ranker % len(now.weights), share * self.units[ranker]
        scores = now.scores + step * self.objective.documents.matrix[:, feature]
        values = self.objective.values(scores)
        weights = now.weights.copy()
        weights[feature] += step
        return Round(
            weights=weights,
            scores=scores,
            value=self.objective.overall(values),
            logs=now.logs - share * values[self.counted] / self.top,
        )


def _top(objective: Objective) -> float:
    """The largest possible value; for a measure without an upper bound, that of the grades as scores."""
    bound = objective.measure.facts.bounds[1]
    if np.isfinite(bound):
        return float(bound)
    reached = objective.values(objective.documents.grades)
    return max(float(np.max(reached, initial=0.0, where=np.isfinite(reached))), 1e-300)
