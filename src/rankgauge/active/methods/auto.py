"""auto: a pilot shows what the beliefs are worth, then the document level or the query level spends the rest.

The guard: a few queries in random order are judged whole. With all their grades known, the variance that each level
would have on them, and what it would cost, can be computed instead of guessed: the level with the smaller product of
the two goes on. Nothing of the pilot is lost, for its values are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankgauge.active.methods.base import Method, Repetitions
from rankgauge.active.methods.document import STAGES, Document, document_stage
from rankgauge.active.methods.greg import Greg
from rankgauge.active.methods.querylevel import query_costs
from rankgauge.active.methods.recalibration import recalibrated
from rankgauge.active.methods.stages import Stage, StagedPlan
from rankgauge.active.methods.walk import Sheet
from rankgauge.active.methods.whole import CensusStage, WholeStage
from rankgauge.active.pool import Pool
from rankgauge.active.target import Shape, Target
from rankgauge.errors import ParameterError
from rankgauge.ranking.hits import IndexArray
from rankgauge.ranking.lists import FloatArray

__all__ = ["Auto", "AutoPlan"]

FEWEST = 5
"""With fewer pilot queries than this nothing is learnt from them."""


class AutoPlan(StagedPlan):
    """A census of the pilot, then the level that its grades speak for."""

    method = "auto"
    options: Auto

    def build(self, number: int, rest: IndexArray, left: float, grades: FloatArray) -> Stage:
        if number == 0:
            return CensusStage(self.pool, self.target, rest, left, self.options.query.uniform)
        pool = recalibrated(self.pool, grades)
        whole = WholeStage(pool, self.target, rest, left, self.options.query.uniform)
        if self.target.shape is Shape.OTHER or self.chosen(grades) == "greg":
            return whole
        return self._document(pool, rest, left)

    def chosen(self, grades: FloatArray) -> str:
        """The level that the pilot's grades speak for."""
        worth = self.merits(grades)
        return min(worth, key=lambda name: worth[name])

    def merits(self, grades: FloatArray) -> dict[str, float]:
        """Variance times cost of each level on the pilot's queries, by its name: less is better."""
        pilot, rest = self.order[: self.edges[1]], self.order[self.edges[1] :]
        seen = np.where(np.isin(self.pool.query, pilot), grades, np.nan)
        left = max(self.budget - float(query_costs(self.pool, self.target)[pilot].sum()), 0.0)
        pool = recalibrated(self.pool, seen)
        stages: dict[str, Any] = {"greg": WholeStage(pool, self.target, rest, left, self.options.query.uniform)}
        if self.target.shape is not Shape.OTHER:
            stages["document"] = self._document(pool, rest, left)
        found = {name: stage.true_variance(pilot, seen) for name, stage in stages.items()}
        return {name: float(variance.mean() * cost.mean()) for name, (variance, cost) in found.items()}

    def _document(self, pool: Pool, rest: IndexArray, left: float) -> Any:
        options = self.options.single
        return document_stage(Sheet(pool=pool, target=self.target, floor=options.floor), rest, left, options.uniform)


@dataclass(frozen=True, kw_only=True)
class Auto(Method):
    """The document level, unless a pilot shows that the query level is worth more under these beliefs.

    `pilot` is the share of the budget that the pilot gets, at least what five queries cost.
    """

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "The level that a pilot speaks for"

    pilot: float = 0.15

    def __post_init__(self) -> None:
        if not 0 < self.pilot < 1:
            raise ParameterError("method auto", "pilot", "a share between 0 and 1", self.pilot)

    @property
    def single(self) -> Document:
        """The document level's options."""
        return Document()

    @property
    def query(self) -> Greg:
        """The query level's options."""
        return Greg()

    def plan(self, pool: Pool, target: Target, *, budget: float, rng: int = 0) -> AutoPlan:
        m = len(pool.sizes)
        wanted = max(self.pilot * budget / float(query_costs(pool, target).mean()), FEWEST)
        edge = min(int(np.ceil(wanted)), m - 1)
        later = edge + int(STAGES[2][1] * (m - edge))
        edges = sorted({0, edge, later} - ({later} if later >= m else set()))
        plan = AutoPlan(pool, target, budget=budget, seed=rng, edges=edges)
        plan.options = self
        return plan

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        plans = (self.plan(pool, target, budget=budget, rng=int(seed)) for seed in seeds)
        return Repetitions.joined([plan.played(grades) for plan in plans])

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        found = [Greg().expected_error(pool, target, budgets=budgets, rng=rng)]
        if target.shape is not Shape.OTHER:
            spent = np.asarray(budgets) * (1 - self.pilot)
            found.append(Document().expected_error(pool, target, budgets=spent, rng=rng))
        return np.minimum.reduce(found)
