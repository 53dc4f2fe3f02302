"""Forecasts: how wide the interval will be at each budget, before a single label is bought.

They rest on the beliefs alone. If these are poor, so is the forecast; the estimates themselves stay valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.methods import METHODS, Method, get
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray

SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75)
"""The budgets of a forecast if none are named, as shares of what judging everything costs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecast:
    """The expected width of the interval by method, at each of the budgets."""

    budgets: FloatArray
    widths: Mapping[str, FloatArray]
    level: float

    def to_frame(self) -> pl.DataFrame:
        """Return a row per method and budget, with what the method saves against passive there."""
        rows = [
            {"method": method, "budget": budget, "width": width, "saving": self.saving(method, "passive", budget)}
            for method, widths in self.widths.items()
            for budget, width in zip(self.budgets.tolist(), widths.tolist(), strict=True)
        ]
        return pl.DataFrame(rows)

    def width(self, method: str, budget: float) -> float:
        """Return the width at a budget, by linear interpolation on logarithmic scales."""
        return float(np.exp(np.interp(np.log(budget), np.log(self.budgets), np.log(self._of(method)))))

    def budget(self, method: str, width: float) -> float:
        """Return the budget that a width takes; infinite if no budget of the forecast is enough."""
        widths = np.minimum.accumulate(self._of(method))
        if width < widths[-1]:
            return np.inf
        return float(np.exp(np.interp(-np.log(width), -np.log(widths), np.log(self.budgets))))

    def best(self, budget: float) -> str:
        """Return the method with the narrowest interval at the budget; among equals the first."""
        return min(self.widths, key=lambda method: self.width(method, budget))

    def saving(self, method: str, against: str, budget: float) -> float:
        """The share of the budget that a method saves if its interval need only be as narrow as another method's."""
        return 1.0 - self.budget(method, self.width(against, budget)) / budget if against in self.widths else np.nan

    def break_even(self, method: str, against: str) -> float:
        """Return the smallest budget from which a method is never worse than another; infinite if there is none."""
        pays = self._of(method) <= self._of(against) * (1 + 1e-9)
        last = np.flatnonzero(~pays)
        first = int(last[-1]) + 1 if len(last) else 0
        return float(self.budgets[first]) if first < len(self.budgets) else np.inf

    def _of(self, method: str) -> FloatArray:
        if method not in self.widths:
            raise UnknownNameError("method in the forecast", method, self.widths)
        # If everything is judged the width is 0, which has no logarithm.
        return np.maximum(self.widths[method], np.finfo(float).tiny)


def forecast(
    pool: Pool,
    target: Target,
    *,
    budgets: Sequence[float] | None = None,
    chosen: Sequence[str | Method] | None = None,
    level: float = 0.95,
    rng: int = 0,
) -> Forecast:
    """Return the expected width of the interval by method and budget; by default of all methods that fit the target."""
    total = float(target.query_costs(pool).sum())
    spent = np.sort(np.asarray([share * total for share in SHARES] if budgets is None else budgets, dtype=np.float64))
    if not len(spent) or not (spent > 0).all():
        raise ParameterError("a forecast", "budgets", "costs above 0", budgets)
    kinds = [kind for kind in METHODS.values() if kind.name != "document" or target.shape is not Shape.OTHER]
    made = (kind() for kind in kinds) if chosen is None else map(get, chosen)
    errors = {str(method): method.expected_error(pool, target, budgets=spent, rng=rng) for method in made}
    widths = 2 * half_width(np.array([*errors.values()]), draws=np.inf, freedom=np.inf, level=level)
    return Forecast(budgets=spent, widths=dict(zip(errors, widths, strict=True)), level=level)
