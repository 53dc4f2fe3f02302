"""auto: a pilot shows what the beliefs are worth; then the document level or the query level spends the rest.

In the pilot a few random queries are judged whole. With all their grades known, the variance and the cost that each
level would have had on them can be computed; the level with the smaller product of the two goes on. Nothing of the
pilot is wasted, as its values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.methods.document import STAGES, DocumentMethod
from rankgauge.labelling.methods.samples import GregMethod
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.plans import StagedEstimate, StagedPlan
from rankgauge.labelling.sampling.recalibration import Regression, recalibrate
from rankgauge.labelling.sampling.stages import QueryStage, Stage, StageOutcome, WorthTable, document_stage
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray

DOCUMENT, GREG = DocumentMethod(), GregMethod()
"""The two levels, with their default options."""

FEWEST = 5
"""The fewest queries in a pilot; the beliefs, once fitted to the pilot's grades, count for as many."""


class AutoPlan(StagedPlan):
    """A census of the pilot, then the level that its grades favour."""

    method = "auto"
    _choice: tuple[bytes, str] | None = None

    def build(self, number: int, rest: IndexArray, left: float, grades: FloatArray) -> Stage:
        if number == 0:
            return QueryStage(self.pool, self.target, rest, None, GREG.uniform)
        return self._levels(rest, left, grades)[self.choose_level(grades)]()

    def choose_level(self, grades: FloatArray) -> str:
        """Return the level that the pilot's grades favour: greg or document."""
        if self.target.shape is Shape.OTHER:
            return GREG.name
        key = grades[self._before(1)].tobytes()
        if self._choice is None or self._choice[0] != key:
            worth = self.merits(grades)
            self._choice = key, min(worth, key=lambda name: worth[name])
        return self._choice[1]

    def merits(self, grades: FloatArray) -> dict[str, float]:
        """Return variance times cost of each level by its name, a mean over the pilot's queries and what the beliefs
        predict: less is better."""
        pilot, rest = self.order[: self.edges[1]], self.order[self.edges[1] :]
        seen = np.where(np.isin(self.pool.query, pilot), grades, np.nan)
        left = max(self.budget - float(self.target.query_costs(self.pool)[pilot].sum()), 0.0)
        merits, n = {}, len(pilot) + FEWEST
        for name, make in self._levels(rest, left, seen).items():
            level = make()
            variance, cost = (float(variances.sum()) for variances in level.true_variance(pilot, seen))
            predicted = FEWEST * level.predicted_variance() / len(rest), FEWEST * left / len(rest)
            merits[name] = (variance + predicted[0]) / n * (cost + predicted[1]) / n
        return merits

    def _levels(self, rest: IndexArray, left: float, grades: FloatArray) -> dict[str, Callable[[], Stage]]:
        """Return what each level would do with the rest of the queries, by its name."""
        pool = recalibrate(self.pool, grades)
        levels: dict[str, Callable[[], Stage]] = {}
        if self.target.shape is not Shape.OTHER:
            table = WorthTable(pool=pool, target=self.target, floor=DOCUMENT.floor)
            levels["document"] = lambda: document_stage(table, rest, left, DOCUMENT.uniform)
        levels["greg"] = lambda: QueryStage(pool, self.target, rest, left, GREG.uniform)
        return levels

    def _combine(self, outcomes: Sequence[StageOutcome], grades: FloatArray) -> StagedEstimate:
        """Return what the queries of all stages say as one sample if all are judged whole: few may be judged after the
        pilot, or none.

        A query is as likely to be visited in a stage as any other, and is judged there with the stage's probability.
        """
        stages = [self._stage(number, grades) for number in range(len(outcomes))]
        whole = [stage for stage in stages if isinstance(stage, QueryStage)]
        if not self.cautious or not len(whole) == len(stages) > 1:
            return super()._combine(outcomes, grades)
        m, expected = len(self.order), whole[0].moments.mean
        visited = [len(outcome.change) for outcome in outcomes]
        chance = np.array(visited) / m @ np.stack([stage.chance for stage in whole])
        judged = self.order[: sum(visited)][np.concatenate([outcome.labels > 0 for outcome in outcomes])]
        weights, taken = 1 / chance[judged], np.ones(len(judged), dtype=bool)
        values = self.target.values(self.pool, grades)[judged]
        line = Regression.of(values, expected[judged], weights, taken, float(np.var(expected)))
        error, freedom = float(line.error(weights, chance[judged])), len(judged) - 2.0
        return StagedEstimate(
            size=m,
            value=float(line.at(expected.mean())),
            error=error,
            parts=((error**2, freedom),) if error > 0 else (),
            queries=len(judged),
        )


@dataclass(frozen=True, kw_only=True)
class AutoMethod(Method):
    """The document level, unless a pilot shows that the query level is worth more under these beliefs.

    `pilot` is the share of the budget that the pilot gets, at least what five queries cost.
    """

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "The level that a pilot favours"

    pilot: float = 0.15

    def __post_init__(self) -> None:
        if not 0 < self.pilot < 1:
            raise ParameterError("method auto", "pilot", "a share between 0 and 1", self.pilot)

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0, first: Stage | None = None) -> AutoPlan:
        m = len(pool.sizes)
        wanted = max(self.pilot * budget / float(target.query_costs(pool).mean()), FEWEST)
        edge = min(int(np.ceil(wanted)), m - 1)
        later = edge + int(STAGES[2][1] * (m - edge))
        edges = sorted({0, edge, later} - ({later} if later >= m else set()))
        return AutoPlan(pool, target, budget=budget, seed=rng, edges=edges, first=first)

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        first = QueryStage(pool, target, np.arange(len(pool.sizes)), None, GREG.uniform)
        first.prepare(grades)
        plans = (self.plan(pool, target, budget=budget, rng=int(seed), first=first) for seed in seeds)
        return Repetitions.join([plan.play(grades) for plan in plans])

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        errors = [GREG.expected_error(pool, target, budgets=budgets, rng=rng)]
        if target.shape is not Shape.OTHER:
            spent = np.asarray(budgets) * (1 - self.pilot)
            errors.append(DOCUMENT.expected_error(pool, target, budgets=spent, rng=rng))
        return np.asarray(np.minimum.reduce(errors))
