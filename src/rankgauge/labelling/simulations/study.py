"""Studies: how far off methods and yardsticks are over budgets, on a pool whose grades are all known.

A study of one value says what methods save: 1 − b/B, where B is what another method spends and b what this one needs
for the same mean error. Between budgets the error is interpolated linearly on logarithmic scales.

A study of a board says how good yardsticks are: every mark is a mean over repetitions with its standard error. Of
intervals only those count that are shown: where a yardstick says that labels are too few, there is nothing to cover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from rankgauge.labelling.yardstick import Standing
from rankgauge.numeric import FloatArray
from rankgauge.statistics.correlation import kendall_tau, tau_ap

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
    def of(cls, method: str, repetitions: Mapping[float, Repetitions], truth: float) -> ErrorCurve:
        """Return the curve of a method's repetitions at each budget."""
        budgets = sorted(repetitions)
        parts = [repetitions[budget] for budget in budgets]
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
    def join(cls, curves: Sequence[ErrorCurve]) -> ErrorCurve:
        """The curve of a method on several pools with the same budgets: the repetitions of one pool after another."""
        parts = {name: np.concatenate([getattr(curve, name) for curve in curves], axis=-1) for name in ARRAYS}
        return cls(method=curves[0].method, budgets=curves[0].budgets, **parts)

    def without(self, group: int) -> ErrorCurve:
        """Return the curve without one group of repetitions: number `group`, `group` + 25, `group` + 50 and so on."""
        kept = np.arange(self.values.shape[1]) % GROUPS != group
        return replace(self, **{name: getattr(self, name)[..., kept] for name in ARRAYS})

    @property
    def spent(self) -> FloatArray:
        """The mean cost at each budget."""
        return np.asarray(self.costs.mean(axis=1))

    def mark(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return the mean error, wrong choices or coverage at each budget, and its standard error; NaN where no
        repetition has an estimate."""
        marks = {"error": self.error, "wrong": self.wrong, "coverage": self.covered}[name]
        mean, error = mean_and_error(np.where(np.isnan(self.values), np.nan, marks))
        return mean, np.where(np.isnan(mean), np.nan, np.nan_to_num(error))

    @property
    def error(self) -> FloatArray:
        """How far off each estimate is."""
        return np.abs(self.values - self.truth)

    @property
    def wrong(self) -> FloatArray:
        """1 if an estimate takes the worse of two rankers for the better one, ½ if it cannot tell, else 0."""
        wrong = np.where(self.values * self.truth > 0, 0.0, np.where(self.values == 0, 0.5, 1.0))
        return np.where(np.isnan(self.values), np.nan, wrong)

    def to_frame(self) -> pl.DataFrame:
        """A row per budget: cost, absolute error, bias, coverage and selection error with their standard errors."""
        columns = {
            "method": [self.method] * len(self.budgets),
            "budget": self.budgets,
            "cost": self.spent,
            "labels": self.labels.mean(axis=1),
            "estimates": (~np.isnan(self.values)).mean(axis=1),
            "bias": mean_and_error(self.values - self.truth)[0],
            "rmse": np.sqrt(mean_and_error(self.error**2)[0]),
        }
        for name in ("error", "wrong", "coverage"):
            columns[name], columns[f"{name}_se"] = self.mark(name)
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
    """Return what a method saves against another one with the budget, by default its largest.

    `loss` says how bad an estimate is: by its `error`, or by whether it is `wrong` about the better ranker.
    The standard error is the jackknife's over groups of repetitions (Efron & Tibshirani 1993, chapter 11).
    """
    row = len(other.budgets) - 1 if budget is None else int(np.argmin(np.abs(other.budgets - budget)))
    _, bound = _find_saving(curve, other, row, loss)
    value, error = jackknife([curve, other], lambda curves: _find_saving(curves[0], curves[1], row, loss)[0])
    return Saving(
        method=curve.method,
        against=other.method,
        budget=float(other.budgets[row]),
        value=value,
        error=error,
        bound=bound,
    )


def jackknife(curves: Sequence[ErrorCurve], statistic: Callable[[Sequence[ErrorCurve]], float]) -> tuple[float, float]:
    """Return a statistic of several curves, and its standard error by leaving out each group of their repetitions."""
    parts = np.array([statistic([curve.without(group) for curve in curves]) for group in range(GROUPS)])
    spread = np.sqrt((GROUPS - 1) / GROUPS * ((parts - parts.mean()) ** 2).sum())
    return statistic(curves), float(spread)


def _find_saving(curve: ErrorCurve, other: ErrorCurve, row: int, loss: str) -> tuple[float, str]:
    wanted, spent, costs = float(other.mark(loss)[0][row]), float(other.spent[row]), curve.spent
    # More labels do not make an estimate worse: if they seem to, it is noise.
    losses = np.minimum.accumulate(np.nan_to_num(curve.mark(loss)[0], nan=NONE))
    if wanted > losses[0]:
        return 1.0 - float(costs[0]) / spent, "≥"
    if wanted < losses[-1] * (1.0 - TINY):
        # Beyond the largest budget errors are taken to fall with the root of the cost.
        return 1.0 - float(costs[-1] * (losses[-1] / max(wanted, TINY)) ** 2) / spent, "≤"
    at = np.interp(-np.log(wanted + TINY), -np.log(losses + TINY), np.log(costs))
    return 1.0 - float(np.exp(at)) / spent, ""


def mean_and_error(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean over the repetitions that have a number and its standard error; NaN where none has, or only one."""
    count = (~np.isnan(values)).sum(axis=-1)
    mean = np.where(count > 0, np.nansum(values, axis=-1) / np.maximum(count, 1), np.nan)
    squares = np.nansum((values - mean[..., np.newaxis]) ** 2, axis=-1)
    return mean, np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1) / np.maximum(count, 1)), np.nan)


def _covers(repetitions: Repetitions, truth: float) -> FloatArray:
    """Say whether the interval of each repetition contains the true value; NaN where there is none."""
    room = TINY * max(abs(truth), 1.0)
    inside = (repetitions.low <= truth + room) & (truth <= repetitions.high + room)
    return np.where(np.isfinite(repetitions.high - repetitions.low), inside.astype(float), np.nan)


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
    def measures(self) -> tuple[str, ...]:
        """The measure by itself: a study of one value has no other."""
        return (self.measure,)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order in which they were asked for."""
        return tuple(self.curves)

    def of(self, measure: str) -> Mapping[str, ErrorCurve]:
        """Return the curves, by method."""
        return self.curves

    def to_frame(self) -> pl.DataFrame:
        """Return a row per method and budget."""
        named = pl.lit(self.title).alias("study"), pl.lit(self.measure).alias("measure")
        return pl.concat([curve.to_frame().select(*named, pl.all()) for curve in self.curves.values()])

    def savings(self, against: Sequence[str], *, budget: float | None = None, loss: str = "error") -> list[Saving]:
        """Return what each method saves against each of these."""
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
    """Return the estimates of `count` repetitions of a method; repetition r has the seed rng + r."""
    if count < 1:
        raise ParameterError("a simulation", "count", "a whole number, 1 or more", count)
    known = _check_grades(pool, target, grades)
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
    """Return the error, bias, coverage and cost of methods at each budget, and what each saves against the others."""
    known = _check_grades(pool, target, grades)
    truth = float(target.values(pool, known).mean())
    curves = {}
    for method in methods_:
        by_method = {}
        for budget in budgets:
            by_method[float(budget)] = repetitions(method, pool, target, known, budget=budget, count=count, rng=rng)
            if watch is not None:
                watch(str(method), float(budget))
        curves[str(method)] = ErrorCurve.of(str(method), by_method, truth)
    measure = str(target.measure)
    return Study(title=measure, measure=measure, truth=truth, curves=curves, facts={"rng": rng, "repetitions": count})


def _check_grades(pool: Pool, target: Target, grades: npt.ArrayLike) -> FloatArray:
    known = np.asarray(grades, dtype=np.float64)
    if known.shape != (len(pool.documents),):
        raise InputError(f"a simulation needs the grades of all {len(pool.documents)} documents, got {known.shape}")
    lacking = np.flatnonzero(np.isnan(known) & target.needed_documents(pool))
    if len(lacking):
        query = pool.queries[int(pool.query[lacking[0]])]
        raise InputError(f"document {pool.documents[int(lacking[0])]} of query {query} has no grade")
    return known


EXACT = 1e-9
"""Errors up to this are those of sums in floating point: where everything is judged, an interval has no width."""

GOOD_ORDER = 0.9
"""The τ with the true order from which on an order counts as good."""

MARKS: dict[str, str] = {
    "tau": "Kendall's τ with the true order",
    "tau_ap": "τ_AP with the true order, in which the top counts more",
    "winner": "How often the best run is first",
    "rmse": "Root mean squared error over the runs",
    "bias": "Bias, the mean over the runs",
    "coverage": "Share of the runs' own intervals that hold the truth",
    "joint_coverage": "How often the joint intervals hold the truth of all runs",
    "family_error": "How often any settled pair is in the wrong order",
    "settled": "Share of the pairs that are settled",
    "half_width": "Half the width of a run's own interval, the mean over the runs",
}
"""What is told of a yardstick at a number of labels."""

INTERVALS = ("coverage", "joint_coverage", "family_error", "settled", "half_width")
"""The marks of yardsticks that have intervals."""


def mark_repetition(standing: Standing, truth: FloatArray) -> dict[str, float]:
    """Return the marks of one repetition; NaN where there is no value or no interval. Of `rmse` it is the square."""
    values = standing.values
    if np.isnan(values).any():
        return dict.fromkeys(MARKS, np.nan)
    off = values - truth
    miss = np.maximum(np.abs(off) - EXACT, 0.0)
    marks = {
        "tau": float(np.nan_to_num(kendall_tau(values, truth))) if len(truth) > 1 else np.nan,
        "tau_ap": tau_ap(truth, values) if len(truth) > 1 else np.nan,
        "winner": float(truth[np.argmax(values)] == truth.max()),
        "rmse": float(np.mean(off**2)),
        "bias": float(np.mean(off)),
    }
    return {**dict.fromkeys(MARKS, np.nan), **marks, **dict(_interval_marks(standing, truth, miss))}


def _interval_marks(standing: Standing, truth: FloatArray, miss: FloatArray) -> Iterator[tuple[str, float]]:
    if standing.own is not None:
        yield "coverage", float(np.mean(miss <= standing.own))
        yield "half_width", float(np.mean(standing.own))
    if standing.joint is not None:
        yield "joint_coverage", float(np.all(miss <= standing.joint))
    if standing.pairs is not None and len(truth) > 1:
        upper = np.triu_indices(len(truth), 1)
        gaps, true = (np.subtract.outer(x, x)[upper] for x in (standing.values, truth))
        settled = np.abs(gaps) > standing.pairs[upper]
        yield "settled", float(settled.mean())
        yield "family_error", float(np.any(settled & (gaps * true < 0)))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardCurve:
    """The marks of a yardstick by one measure: each mark is numbers of labels × repetitions."""

    method: str
    measure: str
    labels: tuple[int, ...]
    marks: Mapping[str, FloatArray]

    @property
    def budgets(self) -> FloatArray:
        """The numbers of labels."""
        return np.array(self.labels, dtype=np.float64)

    @property
    def spent(self) -> FloatArray:
        """The same: a label costs 1."""
        return self.budgets

    @property
    def repetitions(self) -> int:
        """How often it was tried."""
        return int(self.marks["tau"].shape[1])

    def mark(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return a mark at each number of labels, and its standard error; NaN where no repetition has it."""
        mean, error = mean_and_error(self.marks[name])
        if name != "rmse":
            return mean, error
        root = np.sqrt(mean)
        return root, np.where(root > 0, error / (2 * np.where(root > 0, root, 1.0)), error)

    @property
    def intervals(self) -> FloatArray:
        """The share of repetitions that show intervals."""
        return np.asarray(np.mean(~np.isnan(self.marks["coverage"]), axis=1))

    def labels_for(self, *, tau: float = GOOD_ORDER) -> Needed:
        """The labels from which on the mean τ is that, with the jackknife's standard error; NaN if there is no τ."""
        marks, n = self.marks["tau"], self.repetitions
        needed = self._reaching(marks.mean(axis=1), tau)
        if needed.bound or np.isnan(needed.labels):
            return needed
        without = (marks.sum(axis=1, keepdims=True) - marks) / max(n - 1, 1)
        others = np.array([_crossing(column, self.labels, tau) for column in without.T])
        return replace(needed, error=float(np.sqrt((n - 1) / n * np.sum((others - others.mean()) ** 2))))

    def enough(self, rmse: float) -> Needed:
        """The labels from which on the root mean squared error is at most that, on straight lines over logarithms."""
        return self._reaching(-np.log(np.maximum(self.mark("rmse")[0], 1e-12)), -np.log(rmse))

    def _reaching(self, values: FloatArray, level: float) -> Needed:
        """Return the labels from which on these values reach a level; NaN if a value is lacking."""
        if np.isnan(values).any():
            return Needed(labels=np.nan, error=np.nan)
        at = _crossing(values, self.labels, level)
        if np.isnan(at):
            return Needed(labels=float(self.labels[-1]), error=np.nan, bound=">")
        return Needed(labels=at, error=np.nan, bound="≤" if at <= self.labels[0] else "")

    def to_frame(self, documents: int) -> pl.DataFrame:
        """Return a row for each number of labels."""
        columns: dict[str, Any] = {
            "measure": [self.measure] * len(self.labels),
            "method": [self.method] * len(self.labels),
            "labels": list(self.labels),
            "share": [n / documents for n in self.labels],
            "repetitions": [self.repetitions] * len(self.labels),
            "intervals": self.intervals,
        }
        for name in MARKS:
            columns[name], columns[f"{name}_se"] = self.mark(name)
        return pl.DataFrame(columns)


@dataclass(frozen=True, kw_only=True)
class Needed:
    """Labels that are needed; `bound` is "≤" if the fewest that were tried are enough, ">" if the most are not."""

    labels: float
    error: float
    bound: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardStudy:
    """Yardsticks on one judged board: the true values of the runs by each measure, and a curve for each yardstick and
    measure."""

    title: str
    runs: tuple[str, ...]
    queries: int
    documents: int
    truth: Mapping[str, FloatArray]
    curves: Sequence[BoardCurve]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order in which they were asked for."""
        return tuple(self.truth)

    @property
    def methods(self) -> tuple[str, ...]:
        """The yardsticks, in the order in which they were asked for."""
        return tuple(dict.fromkeys(curve.method for curve in self.curves))

    def of(self, measure: str) -> dict[str, BoardCurve]:
        """Return the curves by one measure, by yardstick."""
        return {curve.method: curve for curve in self.curves if curve.measure == measure}

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each measure, yardstick and number of labels."""
        rows = pl.concat([curve.to_frame(self.documents) for curve in self.curves])
        return rows.select(pl.lit(self.title).alias("collection"), pl.all())


def _crossing(values: FloatArray, labels: Sequence[int], level: float) -> float:
    """Where values reach a level for good, on straight lines over the logarithm of the labels; NaN if they do not."""
    if not values[-1] >= level:
        return np.nan
    below = np.flatnonzero(~(values >= level))
    if not len(below):
        return float(labels[0])
    last = int(below[-1])
    share = (level - values[last]) / (values[last + 1] - values[last])
    low, high = np.log(labels[last]), np.log(labels[last + 1])
    return float(np.exp(low + share * (high - low)))
