"""Inclusion probabilities: scores times the κ for which the predicted cost is the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.numeric import FloatArray

HALVINGS = 40


@dataclass(frozen=True, kw_only=True)
class InclusionRule:
    """The probability of being judged, S = min(1, max(κ · score, floor))."""

    kappa: float
    floor: float

    @classmethod
    def meeting(
        cls, budget: float, cost: Callable[[InclusionRule], float], *, total: float, uniform: float
    ) -> InclusionRule:
        """The rule whose predicted cost is the budget.

        `uniform` is the share of the budget that is spread evenly; `total` is what judging everything costs.
        """
        if budget >= total:
            return cls(kappa=np.inf, floor=1.0)
        floor = uniform * budget / total
        low, high = 0.0, 1.0
        while cost(cls(kappa=high, floor=floor)) < budget and high < 1e200:
            high *= 4.0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if cost(cls(kappa=middle, floor=floor)) < budget else (low, middle)
        return cls(kappa=low, floor=floor)

    @classmethod
    def spending(
        cls, budget: float, scores: FloatArray, costs: FloatArray, *, total: float, uniform: float
    ) -> InclusionRule:
        """The rule that spends the budget on average if each score has its own cost; NaN scores cost nothing."""
        flat, paid = scores.ravel(), costs.ravel()
        return cls.meeting(budget, lambda rule: float(rule.chances(flat) @ paid), total=total, uniform=uniform)

    def chances(self, scores: FloatArray) -> FloatArray:
        """The probability of each score; 0 for NaN, which means that there is no document."""
        if self.floor >= 1.0:
            return np.where(np.isnan(scores), 0.0, 1.0)
        return np.where(np.isnan(scores), 0.0, np.minimum(1.0, np.maximum(self.kappa * scores, self.floor)))

    def least(self, luck: FloatArray) -> FloatArray:
        """The lowest score that is still judged with that luck; 0 if the query is judged to the end."""
        if self.floor >= 1.0:
            return np.zeros(len(luck))
        # A hair below, since rounding must not end a walk that `chances` would go on with.
        return np.where(luck < self.floor, 0.0, luck / max(self.kappa, 1e-200) * (1 - 1e-9))
