"""Plans in stages: the queries in random order, cut into stages, each with beliefs fitted to the labels before it.

Every query is a draw. If nothing of it is judged, its expected value under the beliefs is used. For each visited query
a stage gives a `change`: an unbiased estimate, whatever the beliefs are worth, of how far the value is from the
expected one. The sum over the pool is then estimated by what the earlier stages found, plus the expected values of the
rest, plus the mean change times the size of the rest. Stages count by their size: weights by inverse estimated
variances would bias the estimate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.active.intervals import IntervalKind
from rankgauge.active.method import Estimate, Plan, Repetitions
from rankgauge.active.pool import Pool
from rankgauge.active.target import Target
from rankgauge.numeric import FloatArray, IndexArray

SETTLED = 4.0
"""Once a quarter of a stage has run, the estimate rests on it alone; until then the stage before counts too."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Luck:
    """The random numbers of a plan: a uniform one for each query and each document of the pool."""

    query: FloatArray
    document: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class StageOutcome:
    """What the visited queries of a stage gave, an entry for each; `expected` has an entry for each of the pool's.

    `variance` is an unbiased estimate of the change's variance over the luck; `documents` are all that were judged.
    """

    expected: FloatArray
    change: FloatArray
    variance: FloatArray
    cost: FloatArray
    labels: FloatArray
    documents: IndexArray


class Stage(ABC):
    """How the queries of a stage are judged."""

    name: str
    rest: IndexArray
    """The queries that the stage begins with."""

    def prepare(self, grades: FloatArray) -> None:  # noqa: B027 - a stage may have nothing to prepare
        """Computes under known grades, once, what many repetitions need."""

    @abstractmethod
    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        """The documents of the query whose grades are needed next."""

    @abstractmethod
    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        """What the queries give under the grades; those of documents that are not asked for may be NaN."""

    @abstractmethod
    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The variance of each query's change over the luck, and its mean cost, if all its grades are known."""

    @abstractmethod
    def predicted_variance(self) -> float:
        """The variance of the sum over the rest of the queries if the beliefs are right."""


class StagedPlan(Plan):
    """A plan in stages; `edges` are the draws at which stages begin, the first of which is 0."""

    def __init__(
        self, pool: Pool, target: Target, *, budget: float, seed: int, edges: Sequence[int], first: Stage | None = None
    ) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        rng = np.random.default_rng(seed)
        self.order: IndexArray = rng.permutation(len(pool.sizes))
        self.luck = Luck(query=rng.random(len(pool.sizes)), document=rng.random(len(pool.documents)))
        self.edges = [*edges, len(pool.sizes)]
        self._built: dict[tuple[int, bytes], Stage] = {} if first is None else {(0, b""): first}
        self._earlier: dict[int, IndexArray] = {0: np.zeros(0, dtype=np.int64)}

    @abstractmethod
    def build(self, number: int, rest: IndexArray, left: float, grades: FloatArray) -> Stage:
        """The stage of that number over the rest of the queries; `grades` holds those of the stages before."""

    @property
    def length(self) -> int:
        return len(self.order)

    def query(self, j: int) -> int:
        return int(self.order[j])

    def opened(self, grades: FloatArray) -> int:
        for edge in self.edges[1:-1]:
            if not all(self.complete(j, grades) for j in range(self.edges[self._number(edge - 1)], edge)):
                return edge
        return self.length

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        return self._stage(self._number(j), grades).asks(self.query(j), self.luck, grades)

    def price(self, j: int, grades: FloatArray) -> float:
        stage = self._stage(self._number(j), grades)
        return float(stage.run(self.order[j : j + 1], self.luck, grades).cost[0])

    def estimate(self, n: int, grades: FloatArray, *, level: float = 0.95, interval: str = IntervalKind.T) -> Estimate:
        outcomes = [self._outcome(number, n, grades) for number in range(self._number(n - 1) + 1)] if n else []
        value, error, freedom = self._combined(outcomes)
        return Estimate.around(
            value,
            error,
            draws=n,
            freedom=freedom,
            level=level,
            labels=int(sum(outcome.labels.sum() for outcome in outcomes)),
            cost=float(sum(outcome.cost.sum() for outcome in outcomes)),
            method=self.method,
            interval=interval,
        )

    def played(self, grades: FloatArray) -> Repetitions:
        """What the plan gives on a pool with known grades, stopped before the draw that would exceed the budget."""
        outcomes: list[StageOutcome] = []
        left = self.budget
        for number, (edge, end) in enumerate(zip(self.edges[:-1], self.edges[1:], strict=True)):
            outcome = self._outcome(number, end, grades)
            paid = int(np.searchsorted(np.cumsum(outcome.cost), left * (1 + 1e-12), side="right"))
            # What is beyond the budget was not seen and must not count.
            outcomes.append(outcome if paid == end - edge else self._outcome(number, edge + paid, grades))
            left -= float(outcomes[-1].cost.sum())
            if paid < end - edge:
                break
        value, error, freedom = self._combined(outcomes)
        found = {
            "value": value,
            "error": error,
            "freedom": freedom,
            "cost": self.budget - left,
            "draws": sum(len(outcome.change) for outcome in outcomes),
            "labels": sum(outcome.labels.sum() for outcome in outcomes),
        }
        return Repetitions(**{name: np.array([float(number)]) for name, number in found.items()})

    def _number(self, j: int) -> int:
        """The stage of draw j."""
        return int(np.searchsorted(self.edges[:-1], j, side="right")) - 1

    def _outcome(self, number: int, n: int, grades: FloatArray) -> StageOutcome:
        visited = self.order[self.edges[number] : min(n, self.edges[number + 1])]
        return self._stage(number, grades).run(visited, self.luck, grades)

    def _stage(self, number: int, grades: FloatArray) -> Stage:
        """The stage, built once for the labels that it rests on."""
        edge, before = self.edges[number], self._before(number)
        key = (number, grades[before].tobytes())
        if key not in self._built:
            earlier = [self._outcome(s, edge, grades) for s in range(number)]
            left = self.budget - sum(float(outcome.cost.sum()) for outcome in earlier)
            # Only what earlier draws asked for is known, even if a simulation knows everything.
            judged = np.concatenate([np.zeros(0, dtype=np.int64), *[outcome.documents for outcome in earlier]])
            seen = np.full(len(grades), np.nan)
            seen[judged] = grades[judged]
            self._built[key] = self.build(number, self.order[edge:], max(left, 0.0), seen)
        return self._built[key]

    def _before(self, number: int) -> IndexArray:
        """The documents of the queries of the stages before."""
        if number not in self._earlier:
            self._earlier[number] = np.flatnonzero(np.isin(self.pool.query, self.order[: self.edges[number]]))
        return self._earlier[number]

    def _combined(self, outcomes: Sequence[StageOutcome]) -> tuple[float, float, float]:
        """The value, its standard error and the error's degrees of freedom."""
        m, done, sure = len(self.order), 0.0, 0.0
        value = error = np.nan
        pieces: list[FloatArray] = []
        for number, outcome in enumerate(outcomes):
            n = len(outcome.change)
            if not n:
                break
            edge = self.edges[number]
            total, variance = _expanded(outcome, self.order[edge:])
            here, spread = (done + total) / m, np.sqrt(max(sure + variance, 0.0)) / m
            share = 1.0 if np.isnan(value) else min(1.0, SETTLED * n / (self.edges[number + 1] - edge))
            value = here if share == 1.0 else (1 - share) * value + share * here
            # The two are not independent; the sum of their standard errors is an upper bound.
            error = spread if share == 1.0 else (1 - share) * error + share * spread
            done += float((outcome.expected[self.order[edge : edge + n]] + outcome.change).sum())
            sure += float(outcome.variance.sum())
            pieces.append(np.abs(outcome.variance))
        return float(value), float(error), _freedom(pieces, any(outcome.labels.any() for outcome in outcomes))


def _expanded(outcome: StageOutcome, rest: IndexArray) -> tuple[float, float]:
    """The estimated sum over the rest of the queries, of which the first were visited, and its variance.

    Two phases: the visited queries are a random sample of the rest, and what each gives is uncertain in itself
    (Särndal, Swensson & Wretman, Model assisted survey sampling, 1992, result 4.3.1).
    """
    n, size = len(outcome.change), len(rest)
    total = float(outcome.expected[rest].sum() + size * outcome.change.mean())
    within = size / n * float(outcome.variance.sum())
    if n == size:
        return total, within
    between = float(np.var(outcome.change, ddof=1)) if n > 1 else np.inf
    return total, size**2 * (1 - n / size) * between / n + within


def _freedom(pieces: Sequence[FloatArray], labelled: bool) -> float:
    """The degrees of freedom of a variance with these parts: few large parts make it uncertain."""
    parts = np.concatenate([np.zeros(0), *pieces])
    square = float((parts**2).sum())
    return float(parts.sum() ** 2 / square) if square > 0 else np.inf if labelled else 0.0
