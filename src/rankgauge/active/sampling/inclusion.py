"""How far the budget reaches: the κ that turns scores into probabilities, set by the predicted cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.numeric import FloatArray

__all__ = ["InclusionRule"]

HALVINGS = 40


@dataclass(frozen=True, kw_only=True)
class InclusionRule:
    """Probabilities S = min(1, max(κ · score, floor)) of being judged."""

    kappa: float
    floor: float

    @classmethod
    def meeting(
        cls, budget: float, cost: Callable[[InclusionRule], float], *, total: float, uniform: float
    ) -> InclusionRule:
        """The rule whose predicted cost is the budget.

        `uniform` is the share of the budget that all documents get alike; `total` is what judging everything costs.
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

    def chances(self, scores: FloatArray) -> FloatArray:
        """The probability of each score, 0 where it is NaN: there is no document."""
        if self.floor >= 1.0:
            return np.where(np.isnan(scores), 0.0, 1.0)
        return np.where(np.isnan(scores), 0.0, np.minimum(1.0, np.maximum(self.kappa * scores, self.floor)))

    def least(self, luck: FloatArray) -> FloatArray:
        """The least score at which a query with that luck is judged; 0 where it is judged to the end."""
        if self.floor >= 1.0:
            return np.zeros(len(luck))
        # A hair below, since rounding must not end a walk that `chances` would go on with.
        return np.where(luck < self.floor, 0.0, luck / max(self.kappa, 1e-200) * (1 - 1e-9))
