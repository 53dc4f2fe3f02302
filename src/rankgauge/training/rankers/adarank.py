"""adarank: boosting of single features, with weights on queries.

Xu & Li, AdaRank: a boosting algorithm for information retrieval, SIGIR 2007. Each round takes the feature that is best
for the queries that the ranker so far ranks badly. Taken literally, that is the same strong feature in every round.
Here a feature that was taken rests for some rounds. RankLib (2.1 to 2.10) has another remedy, which is here too: a
feature chosen twice in a row is set aside, and its first turn undone; those set aside return one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from rankgauge.constraints import choice_of, flag, real_number, whole_number
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import Ties
from rankgauge.training.documents import Documents
from rankgauge.training.objective import Objective
from rankgauge.training.ranker import LinearRanker, Watch, WeightedRound, parameter

RESTING, RANKLIB = "resting", "ranklib"

IN_A_ROW = 5
"""How often in a row RankLib lets a feature that changes nothing be chosen before it leaves it out (maxSelCount)."""

SURE = 1.0 - 1e-9
"""The largest mean that a feature may have: a mean of 1 would get an infinite weight."""

VANISHED = float(np.log(np.finfo(np.float64).smallest_subnormal))
"""The logarithm of a weight below which there is none but 0."""


class AdaRank(LinearRanker):
    """A weighted sum of features that makes any measure from 0 to 1 large, under any dialect.

    With the rules `resting`, a feature that was taken is left out of the next `rest` rounds (0: the algorithm as
    published), and `patience` rounds without a larger training value end the training. Features count rising and
    falling, in units of their spread, and ties are averaged. `skip_dead` leaves out queries whose value no order of
    their documents can change: they only gather weight. Of all rounds the best on the validation documents stays.

    The rules `ranklib` are those of RankLib: features only rise and count as they are, all queries are learned from,
    strong features are set aside, and a round that lowers the training value by `tolerance` ends a stretch of the
    training. Whenever RankLib sets a feature aside it forgets its best validation value, so that a worse ranker can
    replace the best one; with `forget=no` it does not. RankLib sorts the documents of a single feature by interchanges,
    which mix up tied ones, and divides query weights by more than their sum, until all are 0 and training ends. With
    `stable=yes` ties are in the order of the input, and weights add up to 1.
    """

    name = "adarank"
    quick = {"rounds": 10}

    rounds: int = parameter(whole_number(), default=500)
    rules: str = parameter(choice_of(RESTING, RANKLIB), default=RESTING)
    forget: bool = parameter(flag(), default=True)
    stable: bool = parameter(flag(), default=False)
    rest: int = parameter(whole_number(least=0), default=2)
    patience: int = parameter(whole_number(), default=20)
    tolerance: float = parameter(real_number(), default=0.002)
    skip_dead: bool = parameter(flag(), default=True)

    def _fit(self, train: Objective, validation: Objective | None, watch: Watch) -> None:
        self.weights_ = np.zeros(self.n_features_in_)
        if self.rules == RESTING:
            rounds = Boosting.of(train, skip_dead=self.skip_dead).let_rest(self.rounds, self.rest, self.patience)
            self._keep_best(rounds, self.rounds, validation, watch)
            return
        held = None if validation is None else validation.with_ties(Ties.INPUT)
        rounds = Boosting.like_ranklib(train, stable=self.stable).set_aside(self.rounds, self.tolerance)
        for _, stretch in groupby(rounds, lambda round_: round_.rollbacks if self.forget else 0):
            self._keep_best(stretch, self.rounds, held, watch)


@dataclass(frozen=True, kw_only=True, eq=False)
class Round(WeightedRound):
    """The ranker after a round."""

    scores: FloatArray
    logs: FloatArray
    """The logarithms of the queries' weights, up to a common constant."""
    rollbacks: int = 0
    """How many rounds have been undone so far because their feature came up twice in a row."""

    @property
    def shares(self) -> FloatArray:
        """The queries' weights, which add up to 1; the largest logarithm is subtracted, so that none overflows."""
        raised = np.exp(self.logs - self.logs.max())
        return np.asarray(raised / raised.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Boosting:
    """The weak rankers, one or two of each feature, and their values for each query."""

    objective: Objective
    counted: BoolArray
    """The queries to learn from."""
    units: FloatArray
    """The factor of the feature in each weak ranker; first ascending, then, if at all, descending."""
    table: FloatArray
    """The values of the weak rankers (rankers × counted queries), as shares of the largest possible value."""
    top: float
    fading: bool = False
    """Whether a round divides the queries' weights by more than their sum, as RankLib does, until all are 0."""

    @classmethod
    def of(cls, objective: Objective, *, skip_dead: bool) -> Boosting:
        """Return each feature ascending and descending, scaled so that all vary alike, with ties averaged."""
        scale = objective.documents.spread
        units = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
        columns, units = objective.documents.matrix, np.concatenate([units, -units])
        boosting = cls._from_units(objective, columns, units, Ties.EXPECTED)
        boosting.table[boosting.units == 0] = 0.0  # a feature that never varies within a query ranks nothing
        if not skip_dead:
            return boosting
        live = boosting.counted & objective.live
        return replace(boosting, counted=live, table=boosting.table[:, live[boosting.counted]])

    @classmethod
    def like_ranklib(cls, objective: Objective, *, stable: bool = False) -> Boosting:
        """Return each feature as it is, ascending only, with tied documents as RankLib's sorting leaves them."""
        documents = objective.documents
        columns = documents.matrix if stable else sort_as_ranklib(documents)
        units = np.ones(columns.shape[1])
        return replace(cls._from_units(objective.with_ties(Ties.INPUT), columns, units, Ties.INPUT), fading=not stable)

    @classmethod
    def _from_units(cls, objective: Objective, matrix: FloatArray, units: FloatArray, ties: Ties) -> Boosting:
        top = objective.measure.facts.bounds[1]
        if not np.isfinite(top):  # of a measure without an upper bound: what the grades reach as scores
            reached = objective.values(objective.documents.grades)
            top = max(float(np.max(reached, initial=0.0, where=np.isfinite(reached))), 1e-300)
        # One column at a time, to avoid a second matrix of this size.
        columns = (np.sign(unit) * matrix[:, [place % matrix.shape[1]]] for place, unit in enumerate(units))
        table = np.vstack([objective.table(column, ties) for column in columns])
        counted = np.asarray(np.isfinite(table).all(axis=0))
        return cls(objective=objective, counted=counted, units=units, table=table[:, counted] / top, top=top)

    def let_rest(self, most: int, rest: int, patience: int) -> Iterator[Round]:
        """Yield the ranker after each round, where features rest after their turn."""
        if not self.counted.any():
            return
        now, best, idle = self._start, -np.inf, 0
        usable = int(np.count_nonzero(self.units[: self._features]))  # features that can change an order
        resting: deque[int] = deque(maxlen=max(min(rest, usable - 1), 0))
        for number in range(1, most + 1):
            ranker = self._pick(now, resting)
            now = self._after(now, ranker, number)
            resting.append(ranker % len(now.weights))
            idle = 0 if now.value > best else idle + 1
            best = max(best, now.value)
            yield now
            if idle >= patience:
                return

    def set_aside(self, most: int, tolerance: float) -> Iterator[Round]:
        """Yield the ranker after each round by RankLib's rules: strong features are set aside, and return at the end.

        A round that lowers the training value is yielded before it is undone: RankLib validates it too. Once features
        return nothing is rolled back; a feature that comes up IN_A_ROW times without any change is passed over once.
        """
        if not self.counted.any():
            return
        now = before = self._start
        aside: list[int] = []
        left_out: set[int] = set()
        returning, last, in_a_row, number = False, -1, 0, 1
        while number <= most and not (self.fading and now.logs.max() < VANISHED):
            ends = len(left_out.union(aside)) == len(self.units)
            if not ends:
                ranker = self._pick(now, left_out.union(aside))
                if ranker == last and not returning:
                    aside.append(ranker)
                    now, number = replace(before, rollbacks=now.rollbacks + 1), number + 1
                    continue
                after = self._after(now, ranker, number)
                yield after
                in_a_row = in_a_row + 1 if returning and (after.value, ranker) == (now.value, last) else 0
                left_out = left_out if in_a_row else set()
                if in_a_row == IN_A_ROW:
                    left_out, in_a_row = {*left_out, ranker}, 0
                last, ends = ranker, after.value + tolerance <= now.value
            if not ends:
                now, before, number = after, now, number + 1
            elif aside:
                aside.pop()
                returning = True
            else:
                return

    @property
    def _start(self) -> Round:
        """No feature yet, and all queries weigh the same."""
        none, unscored = np.zeros(self._features), np.zeros(len(self.objective.documents.grades))
        count = self.table.shape[1]
        return Round(weights=none, scores=unscored, value=-np.inf, logs=np.full(count, -np.log(count)))

    @property
    def _features(self) -> int:
        return int(self.objective.documents.matrix.shape[1])

    def _pick(self, now: Round, left_out: Iterable[int]) -> int:
        """Return the weak ranker that is best for the queries as they weigh now, without the features left out."""
        means = (self.table @ now.shares).reshape(-1, self._features)
        means[:, list(left_out)] = -np.inf
        return int(means.argmax())

    def _after(self, now: Round, ranker: int, number: int) -> Round:
        """Return the ranker with one more feature, and query weights that favour those it now ranks badly.

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
        lowered = -share * values[self.counted] / self.top
        return Round(
            number=number,
            weights=weights,
            scores=scores,
            value=self.objective.overall(values),
            logs=now.logs + lowered - (np.log(np.exp(lowered).sum()) if self.fading else 0.0),
            rollbacks=now.rollbacks,
        )


def sort_as_ranklib(documents: Documents) -> FloatArray:
    """Return where each feature puts each document of its query, as RankLib sorts: 0 for the first, −1 for the next.

    The largest of the documents left changes places with the first of them, which so may get behind its equals.
    """
    places = np.empty_like(documents.matrix)
    features = np.arange(places.shape[1])
    for start, size in zip(documents.starts, documents.sizes, strict=True):
        left = documents.matrix[start : start + size].copy()
        order = np.tile(np.arange(size)[:, np.newaxis], (1, len(features)))
        for first in range(size - 1):
            largest = first + left[first:].argmax(axis=0)
            for array in (left, order):
                array[first], array[largest, features] = array[largest, features], array[first].copy()
        np.put_along_axis(places[start : start + size], order, -np.arange(float(size))[:, np.newaxis], axis=0)
    return places
