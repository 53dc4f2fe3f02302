"""Covariance: how the errors of all runs' estimates vary together, and what follows for an estimate from a board's
stream or from a posterior: intervals, ranks, verdicts.

    C_ht = Σ_labelled (ψ_s·e)(ψ_t·e),   C_m = Σ_z ψ_s'Cov_P(Y_z)ψ_t (1 − p)/p,   C = (C_ht + C_m) / 2

Labels alone are dishonest: two runs that differ only in documents nobody has drawn would have no variance between them,
and any difference would be claimed. So the beliefs' covariance counts half, and no variance is below the labels' own.

Whoever looks several times and stops at what pleases needs wider intervals: with K planned looks each is at the level
1 − α/K, so that no look claims anything wrong with a chance of 1 − α.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling.board.beliefs import covariances
from rankgauge.labelling.board.design import Goal, GoalKind
from rankgauge.labelling.board.readings import Readings
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.board.values import Values
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

DRAWS, BEYOND = 1000, 20
"""How many joint errors are drawn for the quantile of the largest; more where fewer than that would lie beyond it."""

SAME = 1e-9
"""Two runs whose difference has a smaller share of their variances are the same run: what is left is rounding."""

FEWEST_FREEDOM = 3.0
"""Degrees of freedom are never taken as fewer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Covariance:
    """The covariance of the runs' errors, and the degrees of freedom of each run and each pair (runs × runs).

    `joint_freedom` is for intervals of all runs at once, whose quantiles lie so far out that single documents matter.
    `shown` (runs) is the part of the variance that the labels show by themselves.
    """

    matrix: FloatArray
    freedom: FloatArray
    joint_freedom: FloatArray
    pair_freedom: FloatArray
    shown: FloatArray

    @classmethod
    def of(cls, values: Values, readings: Readings) -> Covariance:
        """Return the covariance of these values' means over the queries."""
        moved = values.slopes.move(readings.error, readings.labelled)
        shown = moved @ moved.T
        spread = covariances(readings.beliefs.chance) * readings.inflation[:, np.newaxis, np.newaxis]
        both = (shown + values.slopes.gram(spread)) / 2
        first = np.maximum(np.diag(shown), np.diag(both))
        whole = first + values.further
        root = np.sqrt(over(whole, np.diag(both)))
        matrix = both * np.outer(root, root)
        matrix[np.diag_indices_from(matrix)] = whole
        shared = np.zeros(len(whole)) if values.shared is None else values.shared
        matrix += np.outer(shared, shared)
        pairs = _differences(both * np.outer(*[np.sqrt(over(first, np.diag(both)))] * 2))
        freedom = _freedom(np.diag(shown), ((moved * moved) ** 2).sum(axis=1), first, np.diag(both))
        return cls(
            matrix=matrix,
            freedom=freedom,
            joint_freedom=np.minimum(freedom, _lumpy_freedom(values, readings, whole + shared**2)),
            pair_freedom=_freedom(_differences(shown), _fourth_powers(moved), pairs, pairs),
            shown=np.diag(shown).copy(),
        )

    @classmethod
    def without_luck(cls, matrix: FloatArray) -> Covariance:
        """Return a covariance that is no estimate from labels, as one of a posterior's draws: errors are normal."""
        endless, pairs = np.full(len(matrix), np.inf), np.full(matrix.shape, np.inf)
        shown = np.diag(matrix).copy()
        return cls(matrix=matrix, freedom=endless, joint_freedom=endless, pair_freedom=pairs, shown=shown)

    @property
    def error(self) -> FloatArray:
        """The standard error of each run."""
        return np.asarray(np.sqrt(np.diag(self.matrix)))

    @cached_property
    def pair_error(self) -> FloatArray:
        """The standard error of the difference of each pair (runs × runs)."""
        variance, whole = _differences(self.matrix), np.add.outer(*[np.diag(self.matrix)] * 2)
        return np.asarray(np.sqrt(np.where(variance > SAME * whole, variance, 0.0)))

    def half_widths(self, level: float) -> FloatArray:
        """Return half the width of each run's own interval."""
        return half_width(self.error, draws=DRAWS, freedom=self.freedom, level=level)

    def joint_half_widths(self, level: float, rng: np.random.Generator) -> FloatArray:
        """Return half the widths of intervals that hold for all runs at once."""
        drawn = np.abs(self._draw_errors(level, rng)) / np.where(self.error > 0, self.error, np.inf)
        return _map_quantile(self.error, self.joint_freedom, float(np.quantile(drawn.max(axis=1), level)))

    def joint_pair_half_widths(self, level: float, rng: np.random.Generator) -> FloatArray:
        """Return half the widths of intervals for the differences of all pairs at once (runs × runs)."""
        drawn, least = self._draw_errors(level, rng), self._pair_divisor
        largest = np.zeros(len(drawn))
        for s in range(len(least) - 1):
            gaps = np.abs(drawn[:, [s]] - drawn[:, s + 1 :]) / least[s, s + 1 :]
            np.maximum(largest, gaps.max(axis=1), out=largest)
        return _map_quantile(self.pair_error, self.pair_freedom, float(np.quantile(largest, level)))

    def lead_half_widths(self, level: float, rng: np.random.Generator) -> FloatArray:
        """Return how far run s has to be ahead of run t to be better, for all s at once but each t by itself (runs ×
        runs)."""
        drawn, scale = np.ascontiguousarray(self._draw_errors(level, rng).T), 1.0 / self._pair_divisor
        largest = np.array([((drawn - one) * scale[:, [t]]).max(axis=0) for t, one in enumerate(drawn)])
        widths = np.zeros_like(scale)
        for t, quantile in enumerate(np.quantile(largest, level, axis=1).tolist()):
            widths[:, t] = _map_quantile(self.pair_error[:, t], self.pair_freedom[:, t], quantile)
        return widths

    def gap_half_widths(self, run: int, level: float, rng: np.random.Generator) -> FloatArray:
        """Return half the widths of intervals for the differences of all runs from one, at once (runs)."""
        drawn = self._draw_errors(level, rng)
        largest = (np.abs(drawn - drawn[:, [run]]) / self._pair_divisor[run]).max(axis=1)
        return _map_quantile(self.pair_error[run], self.pair_freedom[run], float(np.quantile(largest, level)))

    @property
    def _pair_divisor(self) -> FloatArray:
        return np.where(self.pair_error > 0, self.pair_error, np.inf)

    def _draw_errors(self, level: float, rng: np.random.Generator) -> FloatArray:
        values, vectors = np.linalg.eigh(self.matrix)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = max(DRAWS, int(np.ceil(BEYOND / (1.0 - level))))
        return np.asarray(rng.standard_normal((draws, len(values))) @ root.T)


def over(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the quotient, 1 where the divisor is not above 0."""
    return np.where(b > 0, a / np.where(b > 0, b, 1.0), 1.0)


def _differences(matrix: FloatArray) -> FloatArray:
    """Return the variance of the difference of each pair."""
    own = np.diag(matrix)
    return np.asarray(np.maximum(np.add.outer(own, own) - 2 * matrix, 0.0))


def _fourth_powers(moved: FloatArray) -> FloatArray:
    """Return Σ (a_s − a_t)⁴ of each pair of rows."""
    square = moved * moved
    squared, cubed = square @ square.T, (square * moved) @ moved.T
    fourth = np.diag(squared)
    return np.asarray(np.maximum(np.add.outer(fourth, fourth) - 4 * (cubed + cubed.T) + 6 * squared, 0.0))


def _freedom(shown: FloatArray, fourth: FloatArray, whole: FloatArray, both: FloatArray) -> FloatArray:
    """Return Satterthwaite's degrees of freedom: only what labels show is random, the beliefs' part is not.

    It counts in full where a variance is the labels' own, and half where it is the mean with the beliefs'.
    """
    own = over(shown**2, fourth)
    counted = np.where(whole > both, shown, shown / 2)
    return np.asarray(np.maximum(own * over(whole, counted) ** 2, FEWEST_FREEDOM))


def _lumpy_freedom(values: Values, readings: Readings, whole: FloatArray) -> FloatArray:
    """Return the degrees of freedom at which Student's t has the tails of an error that few documents make.

    Where all but a few documents of a run's top are judged, its error is nothing, or as large as a document that is
    relevant and was not drawn. The excess kurtosis of such errors is that of t with 4 + 6/κ degrees of freedom. Whole
    lists have too many documents for that.
    """
    if values.deep:
        return np.full(len(whole), np.inf)
    chance = readings.beliefs.chance
    odd = (1.0 - readings.chance) / (chance * (1.0 - chance))[:, 0]
    kurtosis = over(values.slopes.fourths(covariances(chance), odd), whole**2)
    return np.asarray(4.0 + 6.0 / np.maximum(kurtosis, 1e-9))


def _map_quantile(error: FloatArray, freedom: FloatArray, quantile: float) -> FloatArray:
    """Return a normal quantile as one of Student's t with the same chance beyond it, times the standard error."""
    from scipy.special import ndtr

    level = float(np.clip(1 - 2 * ndtr(-quantile), 0.5, 1 - 1e-12))
    return half_width(error, draws=DRAWS, freedom=freedom, level=level)


ROUNDING = 1e-9
"""No difference is claimed that rounding may have made."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Verdicts:
    """What the values of the runs and the covariance of their errors settle; `level` is that of this look."""

    runs: tuple[str, ...]
    values: FloatArray
    covariance: Covariance
    level: float = LEVEL
    seed: int = 0

    @cached_property
    def above(self) -> BoolArray:
        """Whether a run is settled as better than another (runs × runs), for all pairs at once."""
        widths = self.covariance.joint_pair_half_widths(self.level, self._rng())
        return np.asarray(self._gaps > widths + ROUNDING)

    @cached_property
    def best(self) -> BoolArray:
        """The confidence set of the best run: the runs that no other is settled to be better than.

        Each run is asked by itself whether it may be the best. The best run is one of them, and is left out with a
        chance of at most 1 − level, so that no allowance for their number is due.
        """
        widths = self.covariance.lead_half_widths(self.level, self._rng())
        return np.asarray(~(self._gaps > widths + ROUNDING).any(axis=0))

    @cached_property
    def ranges(self) -> IndexArray:
        """The lowest and the highest rank that each run may have (runs × 2), for all runs at once."""
        return np.column_stack([1 + self.above.sum(axis=0), len(self.runs) - self.above.sum(axis=1)])

    @property
    def range_texts(self) -> list[str]:
        """The ranges as they are written: `2`, or `2–4`."""
        return [f"{low}" if low == high else f"{low}–{high}" for low, high in self.ranges.tolist()]

    @property
    def settled(self) -> float:
        """The share of the pairs that are settled."""
        n = len(self.runs)
        return float(np.count_nonzero(self.above)) / max(n * (n - 1) // 2, 1)

    def top(self, k: int) -> BoolArray | None:
        """Return the first k runs, or None while it is open which they are.

        One run is settled once the confidence set has no other; more once all of them are settled above all others.
        """
        inside = self.leaders(k)
        if k == 1:
            return self.best if np.count_nonzero(self.best) == 1 else None
        return inside if bool(self.above[np.ix_(inside, ~inside)].all()) else None

    def leaders(self, k: int) -> BoolArray:
        """Return the k runs with the highest values, settled or not."""
        if not 1 <= k < max(len(self.runs), 2):
            raise ParameterError("a verdict", "k", f"1 or more, and fewer than the {len(self.runs)} runs", k)
        return np.isin(np.arange(len(self.runs)), np.argsort(-self.values, kind="stable")[:k])

    def against(self, baseline: str) -> IndexArray:
        """Return for each run 1 if it is settled to beat the baseline, −1 if to lose, 0 while open; for all at once."""
        if baseline not in self.runs:
            raise UnknownNameError("run", baseline, self.runs)
        place = self.runs.index(baseline)
        gaps = self._gaps[:, place]
        widths = self.covariance.gap_half_widths(place, self.level, self._rng())
        return np.asarray(np.where(np.abs(gaps) > widths + ROUNDING, np.sign(gaps), 0.0), dtype=np.int64)

    def is_reached(self, goal: Goal) -> bool:
        """Say whether the goal is settled, so that labels may stop: the best run or runs, or all against a baseline."""
        if goal.kind is GoalKind.BEST:
            return self.top(goal.top) is not None
        if goal.baseline is not None:
            return int(np.count_nonzero(self.against(goal.baseline) == 0)) == 1
        return goal.kind is GoalKind.RANK and self.settled == 1.0

    def race(self, goal: Goal) -> FloatArray:
        """Return the shares of attention for the next stage: half to the leaders that are not settled yet, half to the
        runs that may still overtake them."""
        if goal.baseline is not None:
            return goal.shares(self.runs, rest=self.against(goal.baseline) == 0)
        if goal.kind is not GoalKind.BEST:
            return goal.shares(self.runs)
        inside = self.leaders(goal.top)
        if goal.top == 1:
            return goal.shares(self.runs, inside, self.best & ~inside)
        open_ = ~self.above & ~self.above.T
        return goal.shares(self.runs, inside & open_[:, ~inside].any(axis=1), ~inside & open_[:, inside].any(axis=1))

    @cached_property
    def _gaps(self) -> FloatArray:
        return np.subtract.outer(self.values, self.values)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


Ends = tuple[FloatArray, FloatArray]
"""The lower and the upper ends of intervals."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunEstimate(ABC):
    """The estimates of all runs for one measure, for these queries and as if the whole pool were judged.

    `by_query` (runs × queries) are the values. `reason` says why there is no interval yet; then every interval is None.
    """

    by_model: ClassVar[bool] = False
    """Whether it conditions on the labels by a model, and so holds whenever somebody looks."""

    target: BoardTarget
    runs: tuple[str, ...]
    labels: int
    by_query: FloatArray
    seed: int
    covariance: Covariance = field(repr=False)
    reason: str | None = None

    @property
    def values(self) -> FloatArray:
        """The estimate of each run's mean over the queries."""
        return np.asarray(self.by_query.mean(axis=1))

    @property
    def bounded(self) -> FloatArray:
        """The estimates to show: where few labels lead beyond what the measure can be, its bound is nearer the truth.

        Which run is ahead is a matter of `values`, which err as often upwards as downwards.
        """
        return np.clip(self.values, *self.target.bounds)

    def half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Return half the width of each run's own interval, for these queries."""
        return None if self.reason else self.covariance.half_widths(level)

    def joint_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Return the same for intervals that hold for all runs at once."""
        if self.reason:
            return None
        return np.maximum(self.covariance.joint_half_widths(level, self._rng()), self.covariance.half_widths(level))

    def ends(self, level: float = LEVEL) -> Ends | None:
        """Return the ends of each run's own interval, within the bounds of the measure."""
        return self._ends(self.half_widths(level))

    def joint_ends(self, level: float = LEVEL) -> Ends | None:
        """Return the same for intervals that hold for all runs at once."""
        return self._ends(self.joint_half_widths(level))

    def pair_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Return half the widths for the differences of all pairs at once (runs × runs): beyond it one is settled."""
        return None if self.reason else self.covariance.joint_pair_half_widths(level, self._rng())

    def lead_half_widths(self, run: int, level: float = LEVEL) -> FloatArray:
        """Return half the widths of intervals for the differences of all runs from one (runs)."""
        return self.covariance.gap_half_widths(run, level, self._rng())

    @abstractmethod
    def like_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Return half the width of each run's interval for queries like these: the luck of the queries is included."""

    def like_pair_half_widths(self, level: float = LEVEL) -> FloatArray | None:
        """Return half the widths of all differences at once, for queries like these; None where not known."""
        return None

    def best_chances(self) -> FloatArray | None:
        """Return the chance that each run is the best; None where it is not known."""
        return None

    def verdicts(self, level: float = LEVEL, *, looks: int = 1) -> Verdicts | None:
        """Return what is settled: the best run, the top, rank ranges, who beats a baseline; None without an interval.

        `looks` is how many times the board is looked at in order to stop: each look is then at the level 1 − α/looks.
        """
        return None if self.reason else self.race(level, looks=looks)

    def race(self, level: float = LEVEL, *, looks: int = 1) -> Verdicts:
        """Return what seems settled, also while there is no interval: enough to say where the next labels should go."""
        if looks != int(looks) or looks < 1:
            raise ParameterError("a verdict", "looks", "a whole number, 1 or more", looks)
        level = 1.0 - (1.0 - level) / (1 if self.by_model else looks)
        return Verdicts(runs=self.runs, values=self.values, covariance=self.covariance, level=level, seed=self.seed)

    def _ends(self, half: FloatArray | None) -> Ends | None:
        low, high = self.target.bounds
        if half is None:
            return None
        return np.clip(self.values - half, low, high), np.clip(self.values + half, low, high)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)
