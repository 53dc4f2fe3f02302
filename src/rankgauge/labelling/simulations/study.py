"""Studies: how far off methods are over budgets, on a pool whose grades are all known, and what they save.

A saving is 1 − b/B, where B is what another method spends and b what this one needs for the same mean error. Between
budgets the error is interpolated linearly on logarithmic scales.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling import methods
from rankgauge.labelling.methods import Method, Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray

TINY = 1e-12
NONE = 1e12
"""The error that counts if there is no estimate."""
ARRAYS = ("values", "costs", "labels", "covered", "truth")
GROUPS = 25
"""The number of groups of repetitions in the jackknife of a saving, each left out once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorCurve:
    """The estimates of a method's repetitions at each budget (budgets × repetitions), and the true value of each
    repetition, which differs if there are several pools.

    `covered` is 1 where the interval contains the true value, 0 where it does not, and NaN where there is no interval.
    """

    method: str
    budgets: FloatArray
    values: FloatArray
    costs: FloatArray
    labels: FloatArray
    covered: FloatArray
    truth: FloatArray

    @classmethod
    def of(cls, method: str, found: Mapping[float, Repetitions], truth: float) -> ErrorCurve:
        """The curve of a method's repetitions at each budget."""
        budgets = sorted(found)
        parts = [found[budget] for budget in budgets]
        return cls(
            method=method,
            budgets=np.array(budgets),
            values=np.stack([part.value for part in parts]),
            costs=np.stack([part.cost for part in parts]),
            labels=np.stack([part.labels for part in parts]),
            covered=np.stack([_covers(part, truth) for part in parts]),
            truth=np.full(len(parts[0]), truth),
        )

    @classmethod
    def joined(cls, curves: Sequence[ErrorCurve]) -> ErrorCurve:
        """The curve of a method on several pools with the same budgets: the repetitions of one pool after another."""
        parts = {name: np.concatenate([getattr(curve, name) for curve in curves], axis=-1) for name in ARRAYS}
        return cls(method=curves[0].method, budgets=curves[0].budgets, **parts)

    def without(self, group: int) -> ErrorCurve:
        """The curve without one group of repetitions: number `group`, `group` + 25, `group` + 50 and so on."""
        kept = np.arange(self.values.shape[1]) % GROUPS != group
        return replace(self, **{name: getattr(self, name)[..., kept] for name in ARRAYS})

    @property
    def error(self) -> FloatArray:
        """How far off each estimate is."""
        return np.abs(self.values - self.truth)

    @property
    def wrong(self) -> FloatArray:
        """1 if an estimate takes the worse of two rankers for the better one, ½ if it cannot tell, else 0."""
        found = np.where(self.values * self.truth > 0, 0.0, np.where(self.values == 0, 0.5, 1.0))
        return np.where(np.isnan(self.values), np.nan, found)

    def to_frame(self) -> pl.DataFrame:
        """A row per budget: cost, absolute error, bias, coverage and selection error with their standard errors."""
        given = ~np.isnan(self.values)
        columns = {
            "method": [self.method] * len(self.budgets),
            "budget": self.budgets,
            "cost": self.costs.mean(axis=1),
            "labels": self.labels.mean(axis=1),
            "estimates": given.mean(axis=1),
            "bias": _mean(self.values - self.truth),
            "rmse": np.sqrt(_mean(self.error**2)),
        }
        for name, found in (("error", self.error), ("wrong", self.wrong), ("coverage", self.covered)):
            kept = np.where(given, found, np.nan)
            mean, count = _mean(kept), (~np.isnan(kept)).sum(axis=1)
            columns[name] = mean
            columns[f"{name}_se"] = np.sqrt(_mean((kept - mean[:, np.newaxis]) ** 2) / np.maximum(count - 1, 1))
        return pl.DataFrame(columns)


@dataclass(frozen=True, kw_only=True)
class Saving:
    """What a method saves against another one, with its standard error.

    `bound` is "≥" if the smallest budget is already enough, and "≤" if the largest is not.
    """

    method: str
    against: str
    budget: float
    value: float
    error: float
    bound: str = ""


def saving(curve: ErrorCurve, other: ErrorCurve, *, budget: float | None = None, loss: str = "error") -> Saving:
    """What a method saves against another one with the budget, by default its largest.

    `loss` says how bad an estimate is: by its `error`, or by whether it is `wrong` about the better ranker.
    The standard error is the jackknife's over groups of repetitions (Efron & Tibshirani 1993, chapter 11).
    """
    row = len(other.budgets) - 1 if budget is None else int(np.argmin(np.abs(other.budgets - budget)))
    _, bound = _saved(curve, other, row, loss)
    value, error = jackknife([curve, other], lambda curves: _saved(curves[0], curves[1], row, loss)[0])
    return Saving(
        method=curve.method,
        against=other.method,
        budget=float(other.budgets[row]),
        value=value,
        error=error,
        bound=bound,
    )


def jackknife(curves: Sequence[ErrorCurve], statistic: Callable[[Sequence[ErrorCurve]], float]) -> tuple[float, float]:
    """A statistic of several curves, and its standard error by leaving out each group of their repetitions."""
    parts = np.array([statistic([curve.without(group) for curve in curves]) for group in range(GROUPS)])
    spread = np.sqrt((GROUPS - 1) / GROUPS * ((parts - parts.mean()) ** 2).sum())
    return statistic(curves), float(spread)


def _saved(curve: ErrorCurve, other: ErrorCurve, row: int, loss: str) -> tuple[float, str]:
    wanted = float(_mean(getattr(other, loss)[row]))
    spent = float(other.costs[row].mean())
    costs = curve.costs.mean(axis=1)
    # More labels do not make an estimate worse: if they seem to, it is noise.
    losses = np.minimum.accumulate(np.nan_to_num(_mean(getattr(curve, loss)), nan=NONE))
    if wanted > losses[0]:
        return 1.0 - float(costs[0]) / spent, "≥"
    if wanted < losses[-1] * (1.0 - TINY):
        # Beyond the largest budget errors are taken to fall with the root of the cost.
        return 1.0 - float(costs[-1] * (losses[-1] / max(wanted, TINY)) ** 2) / spent, "≤"
    at = np.interp(-np.log(wanted + TINY), -np.log(losses + TINY), np.log(costs))
    return 1.0 - float(np.exp(at)) / spent, ""


def _mean(values: FloatArray) -> FloatArray:
    """The mean over the repetitions that gave an estimate; NaN if none did."""
    given = ~np.isnan(values)
    return np.asarray(
        np.where(given, values, 0.0).sum(axis=-1) / np.where(given.any(axis=-1), given.sum(axis=-1), np.nan)
    )


def _covers(found: Repetitions, truth: float) -> FloatArray:
    """Whether the interval of each repetition contains the true value; NaN where there is none."""
    room = TINY * max(abs(truth), 1.0)
    inside = (found.low <= truth + room) & (truth <= found.high + room)
    return np.where(np.isfinite(found.high - found.low), inside.astype(float), np.nan)


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """The curves of several methods on one pool."""

    title: str
    measure: str
    truth: float
    curves: Mapping[str, ErrorCurve]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def budgets(self) -> FloatArray:
        """The budgets."""
        return next(iter(self.curves.values())).budgets

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order in which they were asked for."""
        return tuple(self.curves)

    def to_frame(self) -> pl.DataFrame:
        """A row per method and budget."""
        named = pl.lit(self.title).alias("study"), pl.lit(self.measure).alias("measure")
        return pl.concat([curve.to_frame().select(*named, pl.all()) for curve in self.curves.values()])

    def savings(self, against: Sequence[str], *, budget: float | None = None, loss: str = "error") -> list[Saving]:
        """What each method saves against each of these."""
        return [
            saving(curve, self.curves[other], budget=budget, loss=loss)
            for other in against
            if other in self.curves
            for name, curve in self.curves.items()
            if name != other
        ]


Watch = Callable[[str, float], None]


def repetitions(
    method: str | Method, pool: Pool, target: Target, grades: npt.ArrayLike, *, budget: float, count: int, rng: int = 0
) -> Repetitions:
    """The estimates of `count` repetitions of a method; repetition r has the seed rng + r."""
    if count < 1:
        raise ParameterError("a simulation", "count", "a whole number, 1 or more", count)
    known = _known(pool, target, grades)
    return methods.get(method).repeat(pool, target, known, budget=budget, seeds=rng + np.arange(count))


def simulate(
    pool: Pool,
    target: Target,
    grades: npt.ArrayLike,
    *,
    methods_: Sequence[str | Method],
    budgets: Sequence[float],
    count: int,
    rng: int = 0,
    watch: Watch | None = None,
) -> Study:
    """The error, bias, coverage and cost of methods at each budget, and what each saves against the others."""
    known = _known(pool, target, grades)
    truth = float(target.values(pool, known).mean())
    curves = {}
    for method in methods_:
        found = {}
        for budget in budgets:
            found[float(budget)] = repetitions(method, pool, target, known, budget=budget, count=count, rng=rng)
            if watch is not None:
                watch(str(method), float(budget))
        curves[str(method)] = ErrorCurve.of(str(method), found, truth)
    measure = str(target.measure)
    return Study(title=measure, measure=measure, truth=truth, curves=curves, facts={"rng": rng, "repetitions": count})


def _known(pool: Pool, target: Target, grades: npt.ArrayLike) -> FloatArray:
    known = np.asarray(grades, dtype=np.float64)
    if known.shape != (len(pool.documents),):
        raise InputError(f"a simulation needs the grades of all {len(pool.documents)} documents, got {known.shape}")
    lacking = np.flatnonzero(np.isnan(known) & target.needed(pool))
    if len(lacking):
        query = pool.queries[int(pool.query[lacking[0]])]
        raise InputError(f"document {pool.documents[int(lacking[0])]} of query {query} has no grade")
    return known
