"""The estimate of a posterior: values, differences and ranks from the values of all drawn gradings.

A model is surer than it may be, so intervals are wider than the draws by factors that were chosen on TREC DL19 and then
tried on TREC DL21 and TREC-COVID; the one for two runs was chosen on these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankgauge.labelling.board.covariance import Covariance
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.board.verdicts import Verdicts, per_look
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.numeric import BoolArray, FloatArray

LEVELS, GAPS, ONE_GAP = 1.25, 1.15, 1.4
"""By how much the intervals of values are wider than the draws, those of differences, and that of the one difference
between two runs."""

ROUNDING = 1e-9
"""Differences in a draw that are smaller are none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorEstimate:
    """The estimates of all runs for one measure, for these queries and as if the whole pool were judged.

    `drawn` (draws × runs) are the means over the queries in each draw, `by_query` (runs × queries) the means over the
    draws. `spread` (runs × runs) is the mean over the draws of the variance over the queries: of a run's values on the
    diagonal, of the differences of a pair elsewhere.
    """

    target: BoardTarget
    runs: tuple[str, ...]
    labels: int
    drawn: FloatArray
    by_query: FloatArray
    spread: FloatArray
    seed: int
    gaps: Covariance = field(repr=False)
    learnt: FloatArray = field(repr=False)
    """The spreads of queries' effects as labels show them (steps × effects)."""

    @classmethod
    def of(
        cls,
        target: BoardTarget,
        runs: tuple[str, ...],
        values: FloatArray,
        *,
        labels: int,
        seed: int,
        learnt: FloatArray,
    ) -> PosteriorEstimate:
        """The estimate from the values of the drawn gradings (draws × runs × queries)."""
        drawn = values.mean(axis=2)
        factor = GAPS if len(runs) > 2 else ONE_GAP
        whole = np.atleast_2d(np.cov(drawn.T)) * factor**2
        return cls(
            target=target,
            runs=runs,
            labels=labels,
            drawn=drawn,
            by_query=values.mean(axis=0),
            spread=_query_spread(values),
            seed=seed,
            learnt=learnt,
            gaps=Covariance.known(np.where(np.abs(whole) < ROUNDING**2, 0.0, whole)),
        )

    @property
    def values(self) -> FloatArray:
        """The estimate of each run's mean over the queries."""
        return np.asarray(self.by_query.mean(axis=1))

    @property
    def bounded(self) -> FloatArray:
        """The estimates to show: those of draws are within the bounds of the measure."""
        return self.values

    @property
    def reason(self) -> None:
        """Why there is no interval yet: there always is one."""
        return None

    def half_widths(self, level: float = LEVEL) -> FloatArray:
        """Half the width of each run's own interval, for these queries."""
        return self.gaps.half_widths(level) * self._levels

    def ends(self, level: float = LEVEL) -> tuple[FloatArray, FloatArray]:
        """The ends of each run's own interval, within the bounds of the measure."""
        return self._ends(self.half_widths(level))

    def joint_half_widths(self, level: float = LEVEL) -> FloatArray:
        """Half the widths of intervals that hold for all runs at once."""
        return np.maximum(self.gaps.joint_half_widths(level, self._rng()) * self._levels, self.half_widths(level))

    def joint_ends(self, level: float = LEVEL) -> tuple[FloatArray, FloatArray]:
        """Their ends, within the bounds of the measure."""
        return self._ends(self.joint_half_widths(level))

    def gap_half_widths(self, level: float = LEVEL) -> FloatArray:
        """Half the width of the interval of each difference by itself (runs × runs)."""
        return half_width(self.gaps.pair_error, draws=len(self.drawn), freedom=np.inf, level=level)

    def pair_half_widths(self, level: float = LEVEL) -> FloatArray:
        """The same for the differences of all pairs at once: a difference beyond it is settled."""
        return np.maximum(self.gaps.joint_pair_half_widths(level, self._rng()), self.gap_half_widths(level))

    def like_half_widths(self, level: float = LEVEL) -> FloatArray:
        """Half the width of each run's interval for queries like these: the luck of the queries is included."""
        return self._like(np.diag(self.gaps.matrix) * self._levels**2, np.diag(self.spread), level)

    def like_gap_half_widths(self, level: float = LEVEL) -> FloatArray:
        """The same for the difference of each pair (runs × runs)."""
        apart = np.where(np.eye(len(self.runs), dtype=bool), 0.0, self.spread)
        return self._like(self.gaps.pair_error**2, apart, level)

    def verdicts(self, level: float = LEVEL, *, looks: int = 1) -> Verdicts:
        """What is settled: the best run, the top, rank ranges, who beats a baseline; each of several looks is at the
        level 1 − α/looks."""
        level = per_look(level, looks)
        return Verdicts(runs=self.runs, values=self.values, covariance=self.gaps, level=level, seed=self.seed)

    def best_chances(self, within: float = 0.0) -> FloatArray:
        """The chance that each run is the best, or less than `within` below it; draws are widened about their mean as
        intervals of differences are. Equal runs share it."""
        factor = GAPS if len(self.runs) > 2 else ONE_GAP
        middle = self.drawn.mean(axis=0)
        wide = middle + (self.drawn - middle) * factor
        near = wide >= wide.max(axis=1, keepdims=True) - max(within, ROUNDING)
        return np.asarray((near if within else near / near.sum(axis=1, keepdims=True)).mean(axis=0))

    def _ends(self, half: FloatArray) -> tuple[FloatArray, FloatArray]:
        low, high = self.target.measure.facts.bounds
        return np.clip(self.values - half, low, high), np.clip(self.values + half, low, high)

    def _like(self, variance: FloatArray, spread: FloatArray, level: float) -> FloatArray:
        queries = self.by_query.shape[1]
        error = np.sqrt(variance + spread / queries)
        return half_width(error, draws=queries, freedom=queries - 1, level=level)

    @property
    def _levels(self) -> float:
        """The factor of the values' intervals beside that of the differences."""
        return LEVELS / (GAPS if len(self.runs) > 2 else ONE_GAP)

    def _rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


def _query_spread(values: FloatArray) -> FloatArray:
    """The mean over the draws of the variance over the queries, of each run's values and each pair's differences."""
    draws, runs, queries = values.shape
    if queries < 2:
        return np.full((runs, runs), np.nan)
    off = values - values.mean(axis=2, keepdims=True)
    products = np.einsum("dsq,dtq->st", off, off) / (draws * (queries - 1))
    own: BoolArray = np.eye(runs, dtype=bool)
    each = np.diag(products)
    return np.asarray(np.where(own, products, np.maximum(np.add.outer(each, each) - 2 * products, 0.0)))
