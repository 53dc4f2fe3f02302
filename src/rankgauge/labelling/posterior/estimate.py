"""The estimate of a posterior: values, differences and ranks from the values of all drawn gradings.

A model is surer than it may be, so intervals are wider than the draws by a factor that was chosen on TREC DL19 and then
tried on TREC DL21 and TREC-8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from rankgauge.labelling.board.covariance import Covariance
from rankgauge.labelling.board.run_estimate import RunEstimate
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.intervals import half_width
from rankgauge.numeric import BoolArray, FloatArray

WIDER, CHANCES = 1.25, 1.15
"""By how much intervals are wider than the draws, and by how much draws are widened where chances are counted."""

ROUNDING = 1e-9
"""Differences in a draw that are smaller are none."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorEstimate(RunEstimate):
    """An estimate from drawn gradings.

    `drawn` (draws × runs) are the means over the queries in each draw, `by_query` (runs × queries) the means over the
    draws. `spread` (runs × runs) is the mean over the draws of the variance over the queries: of a run's values on the
    diagonal, of the differences of a pair elsewhere.
    """

    by_model: ClassVar[bool] = True

    drawn: FloatArray
    spread: FloatArray
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
        whole = np.atleast_2d(np.cov(drawn.T)) * WIDER**2
        return cls(
            target=target,
            runs=runs,
            labels=labels,
            drawn=drawn,
            by_query=values.mean(axis=0),
            spread=_query_spread(values),
            seed=seed,
            learnt=learnt,
            covariance=Covariance.known(np.where(np.abs(whole) < ROUNDING**2, 0.0, whole)),
        )

    def half_widths(self, level: float = LEVEL) -> FloatArray:
        return self.covariance.half_widths(level)

    def gap_half_widths(self, level: float = LEVEL) -> FloatArray:
        """Half the width of the interval of each difference by itself (runs × runs)."""
        return half_width(self.covariance.pair_error, draws=len(self.drawn), freedom=np.inf, level=level)

    def lead_half_widths(self, run: int, level: float = LEVEL) -> FloatArray:
        return np.asarray(self.gap_half_widths(level)[run])

    def pair_half_widths(self, level: float = LEVEL) -> FloatArray:
        joint = self.covariance.joint_pair_half_widths(level, self._rng())
        return np.maximum(joint, self.gap_half_widths(level))

    def like_half_widths(self, level: float = LEVEL) -> FloatArray:
        return self._like(np.diag(self.covariance.matrix), np.diag(self.spread), level)

    def like_gap_half_widths(self, level: float = LEVEL) -> FloatArray:
        """The same for the difference of each pair (runs × runs)."""
        apart = np.where(np.eye(len(self.runs), dtype=bool), 0.0, self.spread)
        return self._like(self.covariance.pair_error**2, apart, level)

    def like_pair_half_widths(self, level: float = LEVEL) -> FloatArray:
        # As much wider as those of all pairs at once are on these queries.
        own = np.maximum(self.gap_half_widths(level), ROUNDING)
        return self.like_gap_half_widths(level) * np.maximum(self.pair_half_widths(level) / own, 1.0)

    def best_chances(self, within: float = 0.0) -> FloatArray:
        """Return the chance that each run is the best, or less than `within` below it; draws are widened about their
        mean. Equal runs share it."""
        middle = self.drawn.mean(axis=0)
        wide = middle + (self.drawn - middle) * CHANCES
        near = wide >= wide.max(axis=1, keepdims=True) - max(within, ROUNDING)
        return np.asarray((near if within else near / near.sum(axis=1, keepdims=True)).mean(axis=0))

    def _like(self, variance: FloatArray, spread: FloatArray, level: float) -> FloatArray:
        queries = self.by_query.shape[1]
        error = np.sqrt(variance + spread / queries)
        return half_width(error, draws=queries, freedom=queries - 1, level=level)


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
