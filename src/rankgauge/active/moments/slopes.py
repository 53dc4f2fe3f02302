"""Slopes: by how much a label moves the expected value.

Linear and cascade measures are linear in the worth of each single document, so a label that turns an expected worth
into a known one moves the expected value by exactly (worth − expected worth) · slope. For a cascade

    ∂M/∂ℓ_i = [Π_{k<i} (1 − ℓ_k)] · (φ_i − V_{i+1}),   with E ℓ in place of every ℓ that is not yet known

and for the difference of two lists the slope is that in the first minus that in the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.active.moments.forms.cascade import stakes
from rankgauge.active.moments.moments import CELLS, Lists, batches, net_weights, worths
from rankgauge.active.pool import Pool
from rankgauge.active.target import Target
from rankgauge.errors import ParameterError
from rankgauge.measures.forms import Shape
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Slopes:
    """The expected value M_S of each query given the labels seen, and its slope in each document's worth."""

    value: FloatArray
    slope: FloatArray


def slopes(pool: Pool, target: Target, grades: npt.ArrayLike | None = None) -> Slopes:
    """The expected values of all queries (queries) and the slopes of all documents (documents).

    `grades` (documents) are the labels seen so far, NaN for the others; None if nothing is judged.
    """
    worth = worths(pool, target).mean
    if grades is not None:
        seen = target.worths(grades)
        worth = np.where(np.isnan(seen), worth, seen)
    value, slope = np.zeros(len(pool.queries)), np.zeros(len(pool.documents))
    weights = target.weights(pool)
    for queries in batches(pool.sizes, CELLS):
        layout = Layout.of(pool, target, queries, weights=weights)
        found = layout.slopes(layout.spread(worth))
        value[queries] = found.value
        slope[layout.documents[layout.filled]] = found.slope[layout.filled]
    return Slopes(value=value, slope=slope)


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """Some queries of a pool as padded rows; a query may be there several times, with different labels.

    `documents` (rows × columns) are positions in the pool, meaningless where `filled` is False. `lists` has for each
    ranker the column of the document at each rank (ranks × rows; the number of columns on padding) and the weights of
    the ranks. `weights` (rows × columns × rankers) are the same weights by document.
    """

    shape: Shape
    queries: IndexArray
    documents: IndexArray
    filled: BoolArray
    weights: FloatArray
    lists: tuple[tuple[IndexArray, FloatArray], ...]

    @classmethod
    def of(cls, pool: Pool, target: Target, queries: npt.ArrayLike, *, weights: FloatArray | None = None) -> Layout:
        """The rows of these queries; `weights` are the target's, if they are known already."""
        if target.shape is Shape.OTHER:
            raise ParameterError("slopes", "measure", "linear or a cascade", str(target.measure))
        weights = target.weights(pool) if weights is None else weights
        wanted = np.asarray(queries, dtype=np.int64)
        columns = np.arange(int(pool.sizes[wanted].max(initial=0)))
        filled = columns < pool.sizes[wanted][:, np.newaxis]
        documents = np.where(filled, pool.starts[wanted][:, np.newaxis] + columns, 0)
        last = target.last(pool)
        lists = (
            _listed(pool, wanted, ranker, weights, last=last, width=len(columns)) for ranker in range(pool.rankers)
        )
        return cls(
            shape=target.shape,
            queries=wanted,
            documents=documents,
            filled=filled,
            weights=weights[documents] * filled[..., np.newaxis],
            lists=tuple(lists) if target.shape is Shape.CASCADE else (),
        )

    def spread(self, flat: FloatArray) -> FloatArray:
        """Flat values of the pool's documents as rows, 0 on padding."""
        return np.where(self.filled, flat[self.documents], 0.0)

    def slopes(self, worth: FloatArray) -> Slopes:
        """The value of each row under these worths (rows × columns), and its slope in each of them."""
        return _SLOPES[self.shape](self, worth)


def _listed(
    pool: Pool, queries: IndexArray, ranker: int, weights: FloatArray, *, last: int, width: int
) -> tuple[IndexArray, FloatArray]:
    """The column of the document at each rank (ranks × rows), and the weights of the ranks."""
    documents, filled = Lists.of(pool, ranker, last).columns(queries)
    columns = np.where(filled > 0, documents - pool.starts[queries], width)
    return columns, weights[documents, ranker] * filled


def _linear(layout: Layout, worth: FloatArray) -> Slopes:
    slope = net_weights(layout.weights)
    return Slopes(value=np.einsum("qz,qz->q", slope, worth), slope=slope)


def _cascade(layout: Layout, worth: FloatArray) -> Slopes:
    value, slope = np.zeros(len(worth)), np.zeros((len(worth), worth.shape[1] + 1))
    stops = np.concatenate([worth, np.zeros((len(worth), 1))], axis=1)  # padding stops nobody
    rows = np.arange(len(worth))
    for sign, (columns, weights) in zip((1.0, -1.0), layout.lists, strict=False):
        listed = stops[rows, columns]
        stake, found = stakes(weights, listed)
        reached = np.ones_like(listed)
        np.cumprod(1.0 - listed[:-1], axis=0, out=reached[1:])
        value += sign * found
        # No document is twice in a list; what padding collects in the last column is dropped.
        slope[rows, columns] += sign * reached * stake
    return Slopes(value=value, slope=slope[:, :-1])


_SLOPES: Mapping[Shape, Callable[[Layout, FloatArray], Slopes]] = {Shape.LINEAR: _linear, Shape.CASCADE: _cascade}
