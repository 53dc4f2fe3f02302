"""Fisher's randomisation test: whether each difference might as well have the other sign."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.paired_test import SLACK, PairedTest, Tested, pieces, sampled

EXACT = 20
"""Up to this many queries with a difference, all signs are tried: a million choices."""


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """All signs for few queries, else random ones, which the pairs share."""
    matrix = np.nan_to_num(differences, nan=0.0)
    matrix = matrix[matrix.any(axis=1)]  # without a difference, the sign does not matter
    return every(matrix) if len(matrix) <= EXACT else _some(matrix, rng, draws)


def every(matrix: FloatArray) -> Tested:
    """The exact p-values: the sums of one half of the queries are looked up among those of the other half."""
    middle = len(matrix) // 2
    left, right = _signed_sums(matrix[:middle]), np.sort(_signed_sums(matrix[middle:]), axis=0)
    bounds = np.abs(matrix.sum(axis=0)) - (1 - SLACK) * np.abs(matrix).sum(axis=0)
    columns = zip(left.T, right.T, bounds.tolist(), strict=True)
    p = np.array([min(_beyond(one, other, bound) / 2 ** len(matrix), 1.0) for one, other, bound in columns])
    return Tested(p, np.zeros_like(p))


def _signed_sums(matrix: FloatArray) -> FloatArray:
    """The sums of the rows under each choice of signs (choices × pairs)."""
    sums = np.zeros((1, matrix.shape[1]))
    for row in matrix:
        sums = np.concatenate([sums + row, sums - row])
    return sums


def _beyond(left: FloatArray, right: FloatArray, bound: float) -> int:
    """How many sums of one of the left and one of the right (ascending) are at least `bound` away from 0."""
    above = len(left) * len(right) - np.searchsorted(right, bound - left).sum()
    return int(above + np.searchsorted(right, -bound - left, side="right").sum())


def _some(matrix: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    n, pairs = matrix.shape
    found = np.abs(matrix.sum(axis=0)) * SLACK
    extreme = np.zeros(pairs)
    for rows in pieces(draws, width=max(n, pairs)):
        signs = rng.integers(2, size=(rows, n), dtype=np.int8) * 2.0 - 1.0
        sums = signs @ matrix
        extreme += np.count_nonzero(np.abs(sums, out=sums) >= found, axis=0)
    return sampled(extreme, draws)


RANDOMISATION = PairedTest(
    name="randomisation",
    title="Fisher's randomisation test",
    words=f"how often random signs give a mean difference as far from 0; all signs for up to {EXACT} queries",
    reference="Smucker, Allan & Carterette, A comparison of statistical significance tests, CIKM 2007",
    kernel=_test,
    draws=True,
).register()
