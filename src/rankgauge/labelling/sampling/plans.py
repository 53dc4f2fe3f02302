"""Plans of a method: whole queries, drawn one after another, and stages whose beliefs are fitted to earlier labels.

Labels are looked up if a query is drawn again, so it costs nothing then. Draws of whole queries go on until one would
exceed the budget; that one is not counted: it is more often a costly query, which would bias the estimate (Sawade et
al. 2012, line 4 of the algorithm). An estimator works on many repetitions at once (repetitions × draws), of which a
campaign is one.

In a plan of stages every query is a draw. If nothing of it is judged, its expected value under the beliefs is used. For
each visited query a stage gives a `change`: an unbiased estimate, whatever the beliefs are worth, of how far the value
is from the expected one. The sum over the pool is then estimated by what the earlier stages found, plus the expected
values of the rest, plus the mean change times the size of the rest. The weights of stages are fixed before they are
judged: weights by variances that grades show would favour a stage that happens to look quiet, and bias the estimate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.intervals import Basis, IntervalKind, bernstein
from rankgauge.labelling.method import Estimate, Plan, Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.stages import Luck, Stage, StageOutcome
from rankgauge.labelling.target import Target
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


class QueryEstimator(ABC):
    """What the values of drawn queries say of the pool's mean."""

    @abstractmethod
    def estimate(
        self, values: FloatArray, queries: IndexArray, taken: BoolArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the estimates, their standard errors, and the degrees of freedom of these, a repetition each.

        `values` are those of the drawn queries; `taken` says which draws count (each repetitions × draws).
        """

    def bound_draws(
        self, values: FloatArray, queries: IndexArray, bounds: tuple[float, float]
    ) -> tuple[FloatArray, tuple[float, float], float] | None:
        """Return bounded draws whose mean is the pool's, their bounds, and how many there are to draw from."""
        return None


class QueryPlan(Plan):
    """A plan whose draws are whole queries, in an order."""

    def __init__(
        self,
        pool: Pool,
        target: Target,
        *,
        budget: float,
        seed: int,
        estimator: QueryEstimator,
        order: IndexArray | None = None,
        method: str = "",
    ) -> None:
        super().__init__(pool, target, budget=budget, seed=seed)
        self.estimator, self.method = estimator, method or self.method
        self._order: IndexArray = np.zeros(0, dtype=np.int64) if order is None else order

    @property
    def length(self) -> int | None:
        return len(self._order)

    def _draws(self, n: int) -> IndexArray:
        """Return the queries of the first n draws."""
        return self._order[:n]

    def query(self, j: int) -> int:
        return int(self._draws(j + 1)[j])

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        documents = self.pool.rows_of(self.query(j))
        return documents[self.target.needed_documents(self.pool)[documents] & np.isnan(grades[documents])]

    def price(self, j: int, grades: FloatArray) -> float:
        drawn = self._draws(j + 1)
        return 0.0 if drawn[j] in drawn[:j] else float(self.target.query_costs(self.pool)[drawn[j]])

    def estimate(self, n: int, grades: FloatArray, *, level: float = 0.95, interval: str = IntervalKind.T) -> Estimate:
        drawn = self._draws(n)
        values, distinct = self.target.values(self.pool, grades)[drawn], np.unique(drawn)
        assert not np.isnan(values).any(), "an estimate takes complete draws"
        value, error, freedom = np.nan, np.nan, 0.0
        if n:  # one repetition of the estimator
            estimate = self.estimator.estimate(values[np.newaxis], drawn[np.newaxis], np.ones((1, n), dtype=bool))
            value, error, freedom = (float(part[0]) for part in estimate)
        facts: dict[str, Any] = {
            "draws": n,
            "freedom": freedom,
            "level": level,
            "labels": int(np.add.reduceat(self.needed.astype(np.int64), self.pool.starts)[distinct].sum()),
            "cost": float(self.target.query_costs(self.pool)[distinct].sum()),
            "method": self.method,
            "interval": interval,
            "basis": self.basis(len(distinct)) if self.cautious else None,
        }
        if IntervalKind.parse(interval) is not IntervalKind.BERNSTEIN:
            return Estimate.around(value, error, **facts)
        bounded = self.estimator.bound_draws(values, drawn, self.target.bounds(self.pool))
        if bounded is None:
            raise ParameterError(f"method {self.method}", "interval", "t or sequence", str(IntervalKind.BERNSTEIN))
        draws, bounds, population = bounded
        low, high = bernstein(draws, bounds=bounds, level=level, population=population)
        return Estimate(value=value, error=error, low=low, high=high, **facts)


def is_new(draws: IndexArray) -> BoolArray:
    """Say whether each draw's query is drawn for the first time (draws on the last axis)."""
    order = np.argsort(draws, axis=-1, kind="stable")
    sorted_ = np.take_along_axis(draws, order, axis=-1)
    first, new = np.ones(draws.shape, dtype=bool), np.empty(draws.shape, dtype=bool)
    first[..., 1:] = sorted_[..., 1:] != sorted_[..., :-1]
    np.put_along_axis(new, order, first, axis=-1)
    return new


def affordable(costs: FloatArray, budget: float) -> BoolArray:
    """Return the draws before the first one that would exceed the budget."""
    # Costs that are fractions of each other add up to the budget only nearly.
    return np.asarray(np.cumsum(costs, axis=-1) <= budget * (1 + 1e-12))


def repeat_draws(
    pool: Pool,
    target: Target,
    grades: FloatArray,
    *,
    budget: float,
    draws: IndexArray,
    costs: FloatArray,
    estimator: QueryEstimator,
) -> Repetitions:
    """What many repetitions give that each spend the budget on their draws (repetitions × draws) at these costs."""
    taken = affordable(costs, budget)
    n = taken.sum(axis=1)
    kept = slice(max(int(n.max()), 1))
    draws, taken, paid = draws[:, kept], taken[:, kept], np.where(taken, costs, 0.0)[:, kept]
    value, error, freedom = estimator.estimate(target.values(pool, grades)[draws], draws, taken)
    labels = np.add.reduceat(target.needed_documents(pool).astype(float), pool.starts)[draws]
    distinct = (is_new(np.where(taken, draws, -1)) & taken).sum(axis=1)
    return Repetitions.around(
        value=value,
        error=error,
        freedom=freedom,
        basis=Basis(queries=distinct, size=len(pool.sizes), bounds=target.extent(pool)),
        cost=paid.sum(axis=1),
        draws=n.astype(float),
        labels=np.where(paid > 0, labels, 0.0).sum(axis=1),
    )


SETTLED = 4.0
"""Once a quarter of a stage has run that promises more than those before it, the estimate rests on it alone."""

TINY = 1e-9

COUNTING = 3
"""How many judged queries a later stage needs to count: fewer show nothing of its error, nor can a line be fitted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StagedEstimate:
    """The estimate so far, with the parts of its variance and their degrees of freedom."""

    size: int
    """The number of queries in the pool."""
    cautious: bool = True
    """Whether stages count by what they promise; before version 0.3 the last one counted as soon as it had run."""
    value: float = np.nan
    parts: tuple[tuple[float, float], ...] = ()
    """Variances, and the degrees of freedom of each."""
    error: float = np.nan
    promise: float = np.inf
    queries: int = 0
    """How many queries with judged documents the estimate rests on."""
    whole: float = 1.0
    """The weight of queries judged whole."""
    done: float = 0.0
    """The sum over the visited queries."""
    noise: tuple[FloatArray, ...] = ()
    """The variances of the visited queries' changes, by stage."""

    def after(self, stage: Stage, outcome: StageOutcome, rest: IndexArray, *, length: int) -> StagedEstimate:
        """Return the estimate after a stage that has visited the first of the rest of the queries, `length` in the end.

        Two phases: the visited queries are a random sample of the rest, and what each gives is uncertain in itself
        (Särndal, Swensson & Wretman, Model assisted survey sampling, 1992, result 4.3.1).
        """
        n, size, m = len(outcome.change), len(rest), self.size
        seen, doubt = size / n, stage.doubt()
        spread = float(np.var(outcome.change, ddof=1)) if n > 1 else np.inf
        total = float(outcome.expected[rest].sum() + size * outcome.change.mean())
        # The variance that comes from queries of the rest that were not visited, and that of the visited ones' changes.
        between = size * (seen - 1) * spread if n < size else 0.0
        noise = np.concatenate([*self.noise, seen * outcome.variance])
        # The variance of the total that the design promises, in units of a query's.
        promise = size * (seen - 1) + seen * (stage.predicted_variance() / doubt if doubt > 0 else 0.0)
        share = self._share(promise, n / length)
        parts = ((between, outcome.queries - 1.0), (float(np.abs(noise).sum()), _effective(noise)))
        scaled = [((1 - share) ** 2 * v, f) for v, f in self.parts] + [(share**2 * v / m**2, f) for v, f in parts]
        error = float(np.sqrt(max(float(noise.sum()) + between, 0.0))) / m
        return StagedEstimate(
            size=m,
            cautious=self.cautious,
            value=_mix(self.value, (self.done + total) / m, share),
            parts=tuple((v, f) for v, f in scaled if v > 0),
            error=error if share == 1.0 else self._joined_error((1 - share) * self.error, share * error),
            promise=promise if share == 1.0 else (1 - share) ** 2 * self.promise + share**2 * promise,
            queries=self.queries + outcome.queries,
            whole=_mix(self.whole, float(stage.whole), share),
            done=self.done + float((outcome.expected[rest[:n]] + outcome.change).sum()),
            noise=(*self.noise, outcome.variance),
        )

    @property
    def is_noisy(self) -> bool:
        """Whether the changes of visited queries are uncertain in themselves."""
        return any(part.any() for part in self.noise)

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the error: those of its parts together (Satterthwaite 1946), and of the noise.

        Single documents have rare and large changes, which the variance between queries shares.
        """
        below = sum(v**2 / max(f, TINY) for v, f in self.parts)
        together = sum(v for v, _ in self.parts) ** 2 / below if below > 0 else np.inf
        return min(float(together), self.noise_freedom)

    @property
    def noise_freedom(self) -> float:
        """The degrees of freedom of the noise alone; all that versions before 0.3 counted."""
        return _effective(np.concatenate([np.zeros(0), *self.noise])) if self.queries else 0.0

    def _share(self, promise: float, visited: float) -> float:
        """Return the weight of a stage, from what its design promises and the share of its draws that was visited."""
        if np.isnan(self.value):
            return 1.0
        run = min(1.0, SETTLED * visited)
        if not self.cautious:
            return run
        precise = self.promise / (self.promise + promise) if self.promise + promise > 0 else 1.0
        return run * (1.0 if promise <= self.promise else precise) if self.is_noisy else precise

    def _joined_error(self, before: float, here: float) -> float:
        """Return the standard error with a stage's: what is known of whole queries has no part in the stage's error.

        Otherwise the noise of the visited queries is in both, and the sum of the two is an upper bound.
        """
        return float(np.hypot(before, here)) if self.cautious and not self.is_noisy else before + here


def _mix(before: float, here: float, share: float) -> float:
    return here if share == 1.0 else (1 - share) * before + share * here


def _effective(parts: FloatArray) -> float:
    """Return the number of equal parts that would make a sum as uncertain as these do."""
    square = float((parts**2).sum())
    return float(np.abs(parts).sum() ** 2 / square) if square > 0 else np.inf


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
        """Return the stage of that number over the rest of the queries; `grades` holds those of the stages before."""

    @property
    def length(self) -> int:
        return len(self.order)

    def query(self, j: int) -> int:
        return int(self.order[j])

    def count_open(self, grades: FloatArray) -> int:
        for start, edge in zip(self.edges, self.edges[1:-1], strict=False):
            if not all(self.complete(j, grades) for j in range(start, edge)):
                return edge
        return self.length

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        return self._stage(self._number(j), grades).asks(self.query(j), self.luck, grades)

    def price(self, j: int, grades: FloatArray) -> float:
        stage = self._stage(self._number(j), grades)
        return float(stage.run(self.order[j : j + 1], self.luck, grades).cost[0])

    def estimate(self, n: int, grades: FloatArray, *, level: float = 0.95, interval: str = IntervalKind.T) -> Estimate:
        outcomes = self._outcomes(n, grades)
        estimate = self._combine(outcomes, grades)
        return Estimate.around(
            estimate.value,
            estimate.error,
            draws=n,
            freedom=estimate.freedom if self.cautious else estimate.noise_freedom,
            level=level,
            labels=int(sum(outcome.labels.sum() for outcome in outcomes)),
            cost=float(sum(outcome.cost.sum() for outcome in outcomes)),
            method=self.method,
            interval=interval,
            basis=self.basis(estimate.queries, estimate.whole) if self.cautious else None,
        )

    def waiting(self, n: int, grades: FloatArray) -> int:
        outcomes = self._outcomes(n, grades)
        return sum(len(outcome.change) for outcome in outcomes[self._counting(outcomes) :])

    def play(self, grades: FloatArray) -> Repetitions:
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
        estimate = self._combine(outcomes, grades)
        return Repetitions.around(
            value=np.array([estimate.value]),
            error=np.array([estimate.error]),
            freedom=np.array([estimate.freedom]),
            basis=self.basis(np.array([estimate.queries]), np.array([estimate.whole])),
            cost=np.array([self.budget - left]),
            draws=np.array([float(sum(len(outcome.change) for outcome in outcomes))]),
            labels=np.array([float(sum(outcome.labels.sum() for outcome in outcomes))]),
        )

    def _number(self, j: int) -> int:
        """Return the stage of draw j."""
        return int(np.searchsorted(self.edges[:-1], j, side="right")) - 1

    def _outcomes(self, n: int, grades: FloatArray) -> list[StageOutcome]:
        return [self._outcome(number, n, grades) for number in range(self._number(n - 1) + 1)] if n else []

    def _outcome(self, number: int, n: int, grades: FloatArray) -> StageOutcome:
        visited = self.order[self.edges[number] : min(n, self.edges[number + 1])]
        return self._stage(number, grades).run(visited, self.luck, grades)

    def _stage(self, number: int, grades: FloatArray) -> Stage:
        """Return the stage, built once for the labels that it rests on."""
        edge = self.edges[number]
        key = (number, grades[self._before(number)].tobytes())
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
        """Return the documents of the queries of the stages before."""
        if number not in self._earlier:
            self._earlier[number] = np.flatnonzero(np.isin(self.pool.query, self.order[: self.edges[number]]))
        return self._earlier[number]

    def _counting(self, outcomes: Sequence[StageOutcome]) -> int:
        """Return how many of the stages count: those before the first that has judged too few queries."""
        for number, outcome in enumerate(outcomes):
            few = self.cautious and number > 0 and outcome.queries < COUNTING
            if few or not len(outcome.change):
                return number
        return len(outcomes)

    def _combine(self, outcomes: Sequence[StageOutcome], grades: FloatArray) -> StagedEstimate:
        """Return what the stages say together; one that has judged too few queries says nothing, nor do later ones."""
        estimate = StagedEstimate(size=len(self.order), cautious=self.cautious)
        for number, outcome in enumerate(outcomes[: self._counting(outcomes)]):
            edge, end = self.edges[number], self.edges[number + 1]
            estimate = estimate.after(self._stage(number, grades), outcome, self.order[edge:], length=end - edge)
        return estimate
