"""A fusion beside the best single run on judged queries, and what it gains there."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankgauge.comparison import Comparison
from rankgauge.comparison.tables import verdicts
from rankgauge.fusion.fusing import Fusion, FusionPlan
from rankgauge.fusion.method import FusionMethod, WeightedMethod
from rankgauge.fusion.run_pool import RunPool, Watch, silent
from rankgauge.numeric import FloatArray
from rankgauge.plain_table import PlainTable
from rankgauge.statistics.effects import cohen_dz, queries_needed
from rankgauge.statistics.intervals import moments

if TYPE_CHECKING:
    from rankgauge.fusion.tuning import TuningTask

SINGLE, FUSED, UNTUNED, TUNED = "best single run", "fused", "untuned", "tuned"
"""The names of what is compared."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldChoice:
    """What was chosen for one fold from the others."""

    fold: int
    queries: int
    method: FusionMethod
    single: str
    """The run that was best on the other folds."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class JudgedFusion:
    """A fusion as it is, and the best single run, which is chosen for each fold on the others."""

    name: ClassVar[str] = FUSED
    """What the fusion is called where it is compared."""

    plan: FusionPlan
    """The plan, with what the method learned from all judged queries."""
    pool: RunPool
    task: TuningTask
    choices: tuple[FoldChoice, ...]
    comparison: Comparison
    """The best single run and the fusion on queries that no choice has seen."""
    queries: int
    unjudged: int
    """How many queries of the runs nobody judged."""

    def __repr__(self) -> str:
        gains = ", ".join(f"{row['difference']:+.4f} over {row['other']}" for row in self.gains.named())
        what = f"{self.method.name}, {self.name}, by {self.comparison.measures[0]}"
        return f"<{what} on {self.queries} queries: {gains}>"

    @property
    def method(self) -> FusionMethod:
        """The method, with its parameters."""
        return self.plan.method

    @property
    def folds(self) -> int:
        """How many folds the judged queries were dealt into."""
        return len(self.choices)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters."""
        return self.method.parameters

    @cached_property
    def gains(self) -> PlainTable:
        """What the fusion gains over what it is compared with, on unseen queries."""
        return self.pairs.where("run", self.name)

    @cached_property
    def pairs(self) -> PlainTable:
        """The difference of each two that are compared; intervals and tests know that folds share queries."""
        return held_out_gains(self.comparison, self.folds)

    @property
    def over_single(self) -> dict[str, Any]:
        """What the fusion gains over the best single run."""
        return next(row for row in self.gains.named() if row["other"] == SINGLE)

    @cached_property
    def fusion(self) -> Fusion:
        """All queries of the runs, fused."""
        return self.fused()

    def fused(self, watch: Watch = silent) -> Fusion:
        """Fuse all queries of the runs; `watch` hears how far the work is."""
        return self.plan.run(self.pool, watch=watch)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TunedFusion(JudgedFusion):
    """A tuned fusion: its parameters from all judged queries, and how those of each fold did on the fold."""

    name: ClassVar[str] = TUNED

    untuned: FusionMethod
    in_sample: float
    """The value of the tuned fusion on the very queries that it was tuned on."""


REFERENCE = "Nadeau & Bengio, Inference for the generalization error, Machine Learning 2003"


FEWEST = 5
"""Fewer queries that tell two apart carry no interval: in simulations it missed too often."""


def widening(folds: int) -> float:
    """Return the factor on the standard error of a mean over that many folds."""
    return math.sqrt(1 + folds / (folds - 1))


def held_out_gains(comparison: Comparison, folds: int) -> PlainTable:
    """Return the pairs of a comparison of one measure, with the variance of values that were held out by fold.

    Low and high are NaN where too few queries tell two apart.
    """
    pairs, settings = comparison.pair_table, comparison.settings
    found = _stretch(comparison.differences[0], widening(folds))
    tested, effect, mean = comparison.tested(0, found), cohen_dz(found), np.array(pairs["difference"])
    reach, decided = np.ptp(comparison.limits(0)), np.array(pairs["wins"]) + np.array(pairs["losses"])
    ends, few = comparison.interval(found).within(-reach, reach, mean), decided < FEWEST
    separated = (tested["corrected"] < settings.alpha) & ~few
    changed = tested | {
        "low": np.where(few, np.nan, ends.low),
        "high": np.where(few, np.nan, ends.high),
        "verdict": verdicts(comparison.measures[0], mean, separated, decided == 0),
        "effect": effect,
        "needed": queries_needed(effect, alpha=settings.alpha),
    }
    return PlainTable.of(pairs.kinds, {**pairs.columns, **changed})


def _stretch(differences: FloatArray, factor: float) -> FloatArray:
    """The differences, spread about their mean by the factor: whatever is made of them has that much more error."""
    mean = moments(differences).mean
    return np.asarray(mean + factor * (differences - mean))


STEPS = {2: 20, 3: 10, 4: 6}
"""Into how many steps the weight of one is cut, by the number of runs: all ways to deal them out are tried."""

FACTORS = (0.0, 0.25, 0.5, 2.0, 4.0)
"""By what a weight is multiplied where runs are many."""

ROUNDS = 10
"""How often all weights are gone through at most."""

Worth = Callable[[FusionMethod], float]
"""What a method is worth on the queries to learn from."""


def best_of(method: FusionMethod, runs: int, worth: Worth, *, fixed: Collection[str] = ()) -> FusionMethod:
    """Return the method with the best parameters; of equally good ones the first that was tried, its own before all.

    Parameters that are `fixed` keep their values.
    """
    if not isinstance(method, WeightedMethod):
        return max([method, *_combinations(method, fixed)], key=worth)  # of equals, max gives the first
    begun = replace(method, weights=tuple(method.weighing(runs).tolist()))
    if runs in STEPS:
        return max([begun, *(replace(method, weights=one) for one in deal_weights(runs, STEPS[runs]))], key=worth)
    alone = [replace(method, weights=tuple(row)) for row in np.eye(runs).tolist()]
    return _climb(max([begun, *alone], key=worth), worth)


def deal_weights(runs: int, steps: int) -> Iterator[tuple[float, ...]]:
    """Yield all weights that are multiples of 1 / steps and add up to 1."""
    for rest in product(range(steps + 1), repeat=runs - 1):
        if sum(rest) <= steps:
            yield tuple(part / steps for part in (*rest, steps - sum(rest)))


def _combinations(method: FusionMethod, fixed: Collection[str]) -> Iterator[FusionMethod]:
    tries = {name: values for name, values in method.tries().items() if name not in fixed}
    for values in product(*tries.values()):
        yield replace(method, **dict(zip(tries, values, strict=True)))


def _climb(method: FusionMethod, worth: Worth) -> FusionMethod:
    """Return the method after its weights were changed one at a time, as long as that helps."""
    assert isinstance(method, WeightedMethod)
    best, reached = method, worth(method)
    for _ in range(ROUNDS):
        before = reached
        for run in range(len(best.weights)):
            for tried in list(_move(best, run)):
                if (found := worth(tried)) > reached:
                    best, reached = tried, found
        if not reached > before:
            break
    return best


def _move(method: WeightedMethod, run: int) -> Iterator[WeightedMethod]:
    """Yield the method with other weights of one run; they add up to 1."""
    weights = np.array(method.weights)
    others = np.delete(weights, run)
    begun = weights[run] or float(others[others > 0].mean())
    for factor in FACTORS if weights[run] else (1.0, *FACTORS[1:]):
        weights[run] = begun * factor
        if weights.sum() > 0:
            yield replace(method, weights=tuple((weights / weights.sum()).round(6).tolist()))
