"""Values as queries × columns (measures, or pairs of runs); NaN marks a query that a column leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray


class ColumnMoments(NamedTuple):
    """For each column the number of queries, their mean, and each value's distance from it (0 if left out)."""

    n: FloatArray
    mean: FloatArray
    centred: FloatArray

    @property
    def variance(self) -> FloatArray:
        """The variance of the sample; 0 for fewer than two queries."""
        return np.asarray((self.centred**2).sum(axis=0) / np.maximum(self.n - 1, 1))


def moments(matrix: FloatArray) -> ColumnMoments:
    """The moments of each column; the mean of no query is 0."""
    known = ~np.isnan(matrix)
    n = known.sum(axis=0).astype(np.float64)
    mean = np.where(known, matrix, 0.0).sum(axis=0) / np.maximum(n, 1)
    return ColumnMoments(n, mean, np.where(known, matrix - mean, 0.0))


def alike(matrix: FloatArray) -> Iterator[tuple[BoolArray, IndexArray]]:
    """The columns that have the same queries: those queries, and the columns' positions; none without queries."""
    patterns, pattern = np.unique(~np.isnan(matrix), axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        if rows.any():
            yield rows, np.flatnonzero(pattern == number)
