"""Plans in stages: the queries in random order, cut into stages, each with beliefs fitted to the labels before it.

Every query is a draw. If nothing of it is judged, its expected value under the beliefs is used. For each visited query
a stage gives a `change`: an unbiased estimate, whatever the beliefs are worth, of how far the value is from the
expected one. The sum over the pool is then estimated by what the earlier stages found, plus the expected values of the
rest, plus the mean change times the size of the rest.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from rankgauge.labelling.intervals import IntervalKind
from rankgauge.labelling.method import Estimate, Plan, Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.stage import Luck, Stage, StageOutcome
from rankgauge.labelling.sampling.staged_estimate import StagedEstimate
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray, IndexArray

COUNTING = 3
"""How many judged queries a later stage needs to count: fewer show nothing of its error, nor can a line be fitted."""


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
        found = self._combined(outcomes, grades)
        return Estimate.around(
            found.value,
            found.error,
            draws=n,
            freedom=found.freedom if self.cautious else found.noise_freedom,
            level=level,
            labels=int(sum(outcome.labels.sum() for outcome in outcomes)),
            cost=float(sum(outcome.cost.sum() for outcome in outcomes)),
            method=self.method,
            interval=interval,
            basis=self.basis(found.queries, found.whole) if self.cautious else None,
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
        found = self._combined(outcomes, grades)
        return Repetitions.around(
            value=np.array([found.value]),
            error=np.array([found.error]),
            freedom=np.array([found.freedom]),
            basis=self.basis(np.array([found.queries]), np.array([found.whole])),
            cost=np.array([self.budget - left]),
            draws=np.array([float(sum(len(outcome.change) for outcome in outcomes))]),
            labels=np.array([float(sum(outcome.labels.sum() for outcome in outcomes))]),
        )

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

    def _combined(self, outcomes: Sequence[StageOutcome], grades: FloatArray) -> StagedEstimate:
        """What the stages say together; one that has judged too few queries says nothing, nor do those after it."""
        found = StagedEstimate(size=len(self.order), cautious=self.cautious)
        for number, outcome in enumerate(outcomes):
            few = self.cautious and number > 0 and outcome.queries < COUNTING
            if few or not len(outcome.change):
                break
            edge, end = self.edges[number], self.edges[number + 1]
            found = found.after(self._stage(number, grades), outcome, self.order[edge:], length=end - edge)
        return found
