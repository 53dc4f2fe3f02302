"""Forecasts: how wide the interval will be at each budget, before a single label is bought.

They rest on the beliefs alone. If these are poor, so is the forecast; the estimates themselves stay valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling import methods
from rankgauge.labelling.board import BoardPlan
from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.intervals import half_width
from rankgauge.labelling.methods import Method
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.posterior import GradePosterior
from rankgauge.labelling.posterior.choice import LabelChoice
from rankgauge.labelling.posterior.estimate import CHANCES
from rankgauge.labelling.posterior.plan import SURE, PosteriorPlan
from rankgauge.labelling.posterior.sampler import draw_grades
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray
from rankgauge.statistics.student import normal_quantile

SHARES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75)
"""The budgets of a forecast if none are named, as shares of what judging everything costs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecast:
    """The expected width of the interval by method, at each of the budgets."""

    budgets: FloatArray
    widths: Mapping[str, FloatArray]
    level: float

    def to_frame(self) -> pl.DataFrame:
        """A row per method and budget, with what the method saves against passive there."""
        rows = [
            {"method": method, "budget": budget, "width": width, "saving": self.saving(method, "passive", budget)}
            for method, widths in self.widths.items()
            for budget, width in zip(self.budgets.tolist(), widths.tolist(), strict=True)
        ]
        return pl.DataFrame(rows)

    def width(self, method: str, budget: float) -> float:
        """The width at a budget, by linear interpolation on logarithmic scales."""
        return float(np.exp(np.interp(np.log(budget), np.log(self.budgets), np.log(self._of(method)))))

    def budget(self, method: str, width: float) -> float:
        """The budget that a width takes; infinite if no budget of the forecast is enough."""
        widths = np.minimum.accumulate(self._of(method))
        if width < widths[-1]:
            return np.inf
        return float(np.exp(np.interp(-np.log(width), -np.log(widths), np.log(self.budgets))))

    def best(self, budget: float) -> str:
        """The method with the narrowest interval at the budget; among equals the first."""
        return min(self.widths, key=lambda method: self.width(method, budget))

    def saving(self, method: str, against: str, budget: float) -> float:
        """The share of the budget that a method saves if its interval need only be as narrow as another method's."""
        return 1.0 - self.budget(method, self.width(against, budget)) / budget if against in self.widths else np.nan

    def break_even(self, method: str, against: str) -> float:
        """The smallest budget from which a method is never worse than another; infinite if there is none."""
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
    """The expected width of the interval by method and budget; by default of all methods that fit the target."""
    total = float(target.query_costs(pool).sum())
    spent = np.sort(np.asarray([share * total for share in SHARES] if budgets is None else budgets, dtype=np.float64))
    if not len(spent) or not (spent > 0).all():
        raise ParameterError("a forecast", "budgets", "costs above 0", budgets)
    usable = [name for name in methods.METHODS if name != "document" or target.shape is not Shape.OTHER]
    errors = {
        str(method): methods.get(method).expected_error(pool, target, budgets=spent, rng=rng)
        for method in (usable if chosen is None else chosen)
    }
    widths = 2 * half_width(np.array([*errors.values()]), draws=np.inf, freedom=np.inf, level=level)
    return Forecast(budgets=spent, widths=dict(zip(errors, widths, strict=True)), level=level)


BEGUN, FACTOR, LOOKS = 100, 2, 4
"""The first number of labels that is looked at, and how many numbers are, each so many times the one before."""

ROUND = 50
"""To a multiple of how many labels a forecast is rounded: it is no better."""

STEP = 50
"""How many labels are taken at a time along a grading."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SettlingForecast:
    """The share of the gradings in which the best run is settled after each number of labels."""

    labels: tuple[int, ...]
    shares: tuple[float, ...]

    def labels_for(self, share: float) -> int | None:
        """About how many labels settle the best run in that share of the cases; None if more than were looked at."""
        if share > self.shares[-1]:
            return None
        at = np.interp(share, np.maximum.accumulate(self.shares), np.log(self.labels))
        return int(round(np.exp(at) / ROUND) * ROUND)

    def words(self) -> str:
        """Return the forecast as a sentence."""
        half, most = self.labels_for(0.5), self.labels_for(0.75)
        if half is None:
            return f"more than {self.labels[-1]:,} labels in half of such pools"
        first = f"{half:,} labels or fewer" if half <= self.labels[0] else f"about {half:,} labels"
        if most is not None and most <= self.labels[0]:
            return f"{most:,} labels or fewer in three of four such pools"
        rest = f"more than {self.labels[-1]:,}" if most is None else f"{most:,}"
        return f"{first} in half of such pools, {rest} in three of four"


def settling_words(plan: BoardPlan | PosteriorPlan) -> str:
    """Return how many labels would settle the best run, in words; nothing where that is not known."""
    told = settling_forecast(plan.posterior, seed=plan.seed) if isinstance(plan, PosteriorPlan) else None
    return "" if told is None else told.words()


def settling_forecast(posterior: GradePosterior, *, seed: int) -> SettlingForecast | None:
    """Return how many labels would settle the best run by the first measure; None if labels cannot be chosen for it."""
    from scipy.special import ndtr

    open_ = int(np.count_nonzero(np.isnan(posterior.pool.known)))
    labels = sorted({min(BEGUN * FACTOR**look, open_) for look in range(LOOKS)})
    if 0 not in posterior.aimed or len(posterior.pool.runs) < 2:
        return None
    rng = np.random.default_rng(seed)
    drawn = draw_grades(posterior.model, posterior.grades, posterior.pool.known, rng)
    values = posterior.scorers[0].values(drawn.grades).mean(axis=2)
    ahead = np.sort(values, axis=1)
    by_gap = np.argsort(ahead[:, -1] - ahead[:, -2])
    truths = [by_gap[len(values) * part // 3] for part in (1, 2)]
    errors = np.mean([_gap_errors(posterior, drawn.grades[n], values[n], labels, seed) for n in truths], axis=0)
    gaps = (ahead[:, -1] - ahead[:, -2])[:, np.newaxis] / np.maximum(CHANCES * errors, 1e-12)
    shares = ndtr(gaps - normal_quantile(SURE)).mean(axis=0)
    return SettlingForecast(labels=tuple(labels), shares=tuple(shares.tolist()))


def _gap_errors(
    posterior: GradePosterior, truth: FloatArray, values: FloatArray, labels: Sequence[int], seed: int
) -> FloatArray:
    """The standard error of the gap between the first two runs after each number of labels, if that is the truth."""
    known, order = posterior.pool.known.copy(), posterior.order(seed)
    rng, spent, errors = np.random.default_rng(seed), 0, []
    first, second = np.argsort(-values)[:2]
    for wanted in labels:
        while spent < min(wanted, len(order)):
            begun = spent >= posterior.first
            size = min(wanted - spent, max(STEP, spent // 2) if begun else posterior.first - spent)
            if begun:
                places = _choice(posterior, known, values).choose(size, order, rng)
            else:
                places = order[np.isnan(known[order])][:size]
            known[places] = truth[places]
            spent += size
        choice = _choice(posterior, known, values)
        whole = np.sum([step.covariance(choice.open_) for step in choice.steps], axis=0)
        variance = whole[first, first] + whole[second, second] - 2 * whole[first, second]
        errors.append(np.sqrt(max(float(variance), 0.0)))
    return np.array(errors)


def _choice(posterior: GradePosterior, known: FloatArray, values: FloatArray) -> LabelChoice:
    model = posterior.model
    goal = Goal(kind=GoalKind.BEST)
    return LabelChoice.of(
        posterior.pool, model, posterior.targets[:1], known, spread=model.query_spread, goal=goal, values=[values]
    )
