"""document: single documents are judged, each with a probability that follows what its grade may change.

    D(x) = L_θ(x) + Σ_k ΔM_k / S_k

L_θ is the expected value of the query, ΔM_k what the k-th judged grade moves it by, S_k the probability that the query
is judged that far. D is unbiased: its mean is the query's value, whatever the beliefs are worth. S_k follows the score
|∂M/∂ℓ| · sd(ℓ) / √cost, with the κ for which the predicted cost is the budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.labelling.method import Method, Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.plans import StagedPlan
from rankgauge.labelling.sampling.recalibration import recalibrate
from rankgauge.labelling.sampling.stages import Stage, WorthTable, document_stage
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray, IndexArray

STAGES = {1: (0.0,), 2: (0.0, 0.3), 3: (0.0, 0.2, 0.5)}
"""Where stages begin, as shares of the queries, by the number of stages."""


class DocumentPlan(StagedPlan):
    """The draws of the document level."""

    method = "document"
    options: DocumentMethod

    def build(self, number: int, rest: IndexArray, left: float, grades: FloatArray) -> Stage:
        pool = recalibrate(self.pool, grades) if number else self.pool
        return self.options.stage(pool, self.target, left, rest)


@dataclass(frozen=True, kw_only=True)
class DocumentMethod(Method):
    """Documents are judged if their grades may change the value, and weighed by how likely they were judged.

    `stages` (1, 2 or 3): between stages beliefs are fitted to the labels so far. `floor`: the share of the variance
    that does not trust the beliefs. `uniform`: the share of the budget that is spread evenly over all documents.
    """

    name: ClassVar[str] = "document"
    title: ClassVar[str] = "Single documents, unbiased for any beliefs"

    stages: int = 3
    floor: float = 0.1
    uniform: float = 0.05

    def __post_init__(self) -> None:
        if self.stages not in STAGES:
            raise ParameterError("method document", "stages", "1, 2 or 3", self.stages)
        for option in ("floor", "uniform"):
            if not 0 < getattr(self, option) <= 1:
                raise ParameterError("method document", option, "a share above 0, up to 1", getattr(self, option))

    def stage(self, pool: Pool, target: Target, left: float, rest: IndexArray | None = None) -> Stage:
        """Return the stage that spends what is left on the rest of the queries; the first one, of all, serves any
        seed."""
        table = WorthTable(pool=pool, target=target, floor=self.floor)
        return document_stage(table, np.arange(len(pool.sizes)) if rest is None else rest, left, self.uniform)

    def plan(
        self, pool: Pool, target: Target, *, budget: float, rng: int = 0, first: Stage | None = None
    ) -> DocumentPlan:
        edges = sorted({int(share * len(pool.sizes)) for share in STAGES[self.stages]})
        first = self.stage(pool, target, budget) if first is None else first
        plan = DocumentPlan(pool, target, budget=budget, seed=rng, edges=edges, first=first)
        plan.options = self
        return plan

    def repeat(
        self, pool: Pool, target: Target, grades: FloatArray, *, budget: float, seeds: IndexArray
    ) -> Repetitions:
        first = self.stage(pool, target, budget)
        first.prepare(grades)
        plans = (self.plan(pool, target, budget=budget, rng=int(seed), first=first) for seed in seeds)
        return Repetitions.join([plan.play(grades) for plan in plans])

    def expected_error(self, pool: Pool, target: Target, *, budgets: FloatArray, rng: int = 0) -> FloatArray:
        table, every = WorthTable(pool=pool, target=target, floor=self.floor), np.arange(len(pool.sizes))
        stages = [document_stage(table, every, float(budget), self.uniform) for budget in budgets]
        return np.array([np.sqrt(stage.predicted_variance()) for stage in stages]) / len(pool.sizes)
