"""Moments, and the parts that all ways to them share: worths under beliefs, and lists in blocks of like length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.active.pool import Pool
from rankgauge.active.target import Shape, Target
from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["CELLS", "Lists", "Moments", "Worths", "batches", "worths"]

CELLS = 1 << 16
"""How many cells are worked on at a time: what a core's own cache holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """The mean and the variance of each query's value under the beliefs."""

    mean: FloatArray
    variance: FloatArray

    @property
    def expected(self) -> float:
        """The mean over the pool: R_θ, for two rankers Δ_θ."""
        return float(np.mean(self.mean))

    def about(self, value: float | None = None) -> FloatArray:
        """E[(L − R)²] of each query: its mean squared distance from a value, by default from the pool's mean."""
        centre = self.expected if value is None else value
        return self.variance + (self.mean - centre) ** 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Worths:
    """What each document's grade is worth under the beliefs: its mean, its variance, and the mean of 1 − worth.

    The last is not taken from the first: where a worth of 1 is nearly certain, 1 − mean would be rounding alone.
    """

    mean: FloatArray
    variance: FloatArray
    rest: FloatArray


def worths(pool: Pool, target: Target) -> Worths:
    """The moments of every document's worth; measures that are neither linear nor a cascade have no worths."""
    if target.shape is Shape.OTHER:
        raise ParameterError("worths", "measure", "linear or a cascade", str(target.measure))
    mean, variance = pool.beliefs @ target.worth, np.empty(len(pool.documents))
    for start in range(0, len(mean), CELLS):
        part = slice(start, start + CELLS)
        # Squared distances are never negative, as E ℓ² − (E ℓ)² may be after rounding.
        distance = target.worth - mean[part, np.newaxis]
        variance[part] = np.einsum("ny,ny,ny->n", pool.beliefs[part], distance, distance)
    return Worths(mean=mean, variance=variance, rest=pool.beliefs @ (1.0 - target.worth))


def batches(sizes: IndexArray, cells: int) -> Iterator[IndexArray]:
    """The positions of queries with documents, those of like size together, about that many cells at a time."""
    order = np.argsort(sizes, kind="stable")
    order = order[np.searchsorted(sizes[order], 1) :]
    while len(order):
        sorted_ = sizes[order]
        # Past twice the length of a batch's first list a new batch begins: padding at most doubles the cells.
        most = int(np.searchsorted(sorted_, 2 * max(int(sorted_[0]), 8), side="right"))
        rows = np.arange(1, most + 1)
        fits = int(np.searchsorted(rows * sorted_[:most], cells, side="right"))
        taken = max(fits, 1)
        yield order[:taken]
        order = order[taken:]


@dataclass(frozen=True, kw_only=True, eq=False)
class Lists:
    """One ranker's lists down to the last rank that counts, as flat positions of documents in rank order."""

    order: IndexArray
    starts: IndexArray
    lengths: IndexArray

    @classmethod
    def of(cls, pool: Pool, ranker: int, last: int) -> Lists:
        """The lists of a ranker."""
        lengths = pool.lengths[:, ranker]
        return cls(
            order=pool.orders[ranker],
            starts=np.cumsum(lengths) - lengths,
            lengths=np.minimum(lengths, last),
        )

    def columns(self, queries: IndexArray) -> tuple[IndexArray, FloatArray]:
        """The documents of some queries' lists (ranks × queries), any one on padding, and 1 where one stands."""
        places = np.arange(int(self.lengths[queries].max(initial=0)))[:, np.newaxis]
        filled = places < self.lengths[queries]
        source = np.where(filled, self.starts[queries] + places, 0)
        # A ranker may have no list at all: then there is nothing to take from, and nothing filled.
        taken = self.order[source] if len(self.order) else source
        return taken, filled.astype(np.float64)
