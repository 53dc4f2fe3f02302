"""Features: what the runs' ranks say of each document before anyone judges, and what is believed of their effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.errors import InputError
from rankgauge.labelling.board.columns import Columns, query_prior
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.numeric import FloatArray, Grouped, IndexArray, SingleArray

FUSION = 60.0
"""Reciprocal rank fusion adds 1 / (60 + rank) over the runs (Cormack, Clarke & Büttcher, SIGIR 2009)."""

UNSEEN = 200.0
"""The best rank that stands for "in no run's list"."""

TOP = 10
"""The first ranks of a run that count as its top."""

RUN_PRECISION = 20.0
"""The prior precision of a single run's effect: 4 overfits."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Features(Grouped):
    """The features of each document and the prior of their effects on the logits of the thresholds.

    `x` is documents × features, `w` documents × 2: what a query's own effect is multiplied by. `mean` is thresholds ×
    features; `precision` one number for each feature; `effects` the prior covariance of a query's effects, all
    thresholds' intercepts and slopes in turn.
    """

    sizes: IndexArray
    x: SingleArray
    w: FloatArray
    mean: FloatArray
    precision: FloatArray
    effects: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, thresholds: int, columns: Columns | None = None) -> Features:
        """The features of a pool, with a column for each run."""
        given = Columns(values=np.zeros((len(pool.documents), 0)), mean=np.zeros(0), precision=np.zeros(0))
        given = given if columns is None else columns
        if given.values.shape != (len(pool.documents), len(given.precision)):
            raise InputError(f"columns of shape {given.values.shape} for a pool of {len(pool.documents)} documents")
        ranks = _Ranks(pool=pool)
        shared, precision, slope = ranks.columns()
        x = np.empty((len(pool.documents), shared.shape[1] + len(given.precision) + len(pool.runs)), dtype=np.float32)
        x[:, : shared.shape[1]] = shared
        x[:, shared.shape[1] : -len(pool.runs)] = given.values
        ranks.write_runs(x[:, -len(pool.runs) :])
        intercepts, effects = query_prior(thresholds)
        effect = np.concatenate([slope, np.zeros(len(given.precision) + len(pool.runs))])
        mean = np.tile(effect, (thresholds, 1))
        mean[:, 0] = intercepts + given.shift
        mean[:, shared.shape[1] : -len(pool.runs)] = given.mean
        return cls(
            sizes=pool.sizes,
            x=x,
            w=np.column_stack([np.ones(len(x)), shared[:, 1]]),
            mean=mean,
            precision=np.concatenate([precision, given.precision, np.full(len(pool.runs), RUN_PRECISION)]),
            effects=effects,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Ranks:
    """Sums over the runs that retrieve a document."""

    pool: BoardPool

    def _sum(self, amounts: FloatArray | None = None) -> FloatArray:
        return np.bincount(self.pool.document, amounts, minlength=len(self.pool.documents)).astype(np.float64)

    @cached_property
    def nearness(self) -> FloatArray:
        """1 at the first rank, 0 at rank 1001, by the logarithm of the rank."""
        ranks = np.arange(1, self.pool.deepest + 1)
        return np.asarray(1.0 - np.log(np.minimum(ranks, 1001)) / np.log(1001.0))[self.pool.rank - 1]

    @cached_property
    def close(self) -> FloatArray:
        """The mean nearness of all runs to each document."""
        return self._sum(self.nearness) / len(self.pool.runs)

    def columns(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The shared features (documents × 10), their prior precisions, and their expected effects."""
        pool, runs = self.pool, len(self.pool.runs)
        fused = self._sum(np.asarray(1.0 / (FUSION + pool.rank), dtype=np.float64))
        best = np.full(len(pool.documents), UNSEEN)
        np.minimum.at(best, pool.document, pool.rank.astype(np.float64))  # of one type: several times as fast
        share, close = self._sum() / runs, self.close
        # By name: the column, its precision, its expected effect. The intercept's effect depends on the threshold.
        found: dict[str, tuple[FloatArray, float, float]] = {
            "intercept": (np.ones(len(best)), 0.25, 0.0),
            "fused rank": (np.log(_places(pool, fused)) - 3.5, 1.0, -0.5),
            "best rank": (np.log(best) - 2.0, 1.0, 0.0),
            "tops": (np.log1p(self._sum((pool.rank <= TOP).astype(np.float64))) - 1.0, 1.0, 0.0),
            "share": (share - 0.3, 2.0, 0.0),
            "nearness": (close - 0.3, 2.0, 0.0),
            "fusion squared": ((np.log(61 * fused / runs + 1e-4) + 3) ** 2 / 4 - 1, 2.0, 0.0),
            "share squared": (2 * (share - 0.3) ** 2, 2.0, 0.0),
            "in no list": ((share == 0).astype(np.float64), 1.0, 0.0),
        }
        values, precision, effect = zip(*found.values(), strict=True)
        return np.column_stack(values), np.array(precision), np.array(effect)

    def write_runs(self, out: SingleArray) -> None:
        """Each run's nearness to the document less the mean of all runs, into the columns of `out`."""
        out[:] = (-self.close)[:, np.newaxis]
        out[self.pool.document, self.pool.run] += self.nearness.astype(np.float32)  # a run has a document once


def _places(pool: BoardPool, fused: FloatArray) -> FloatArray:
    """The rank of each document in its query by the fused score, equal ones in the order of the pool."""
    order = np.lexsort((-fused, pool.query))
    places = np.empty(len(fused))
    places[order] = np.arange(len(fused)) - pool.starts[pool.query[order]] + 1.0
    return places
