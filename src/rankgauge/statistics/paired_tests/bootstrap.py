"""The bootstrap test: resampled queries under the hypothesis that the mean difference is 0."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.columns import alike
from rankgauge.statistics.paired_test import SLACK, PairedTest, Tested, pieces, sampled


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """The share of resamples of the centred differences whose t is as far from 0 as the one found."""
    p, error = np.ones(differences.shape[1]), np.zeros(differences.shape[1])
    for rows, columns in alike(differences):
        p[columns], error[columns] = sampled(_extreme(differences[np.ix_(rows, columns)], rng, draws), draws)
    moot = ~np.nan_to_num(differences).any(axis=0)
    return Tested(np.where(moot, 1.0, p), np.where(moot, 0.0, error))


def _extreme(matrix: FloatArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """How many resamples are at least as extreme as what was found.

    With the sum S and the sum of squares Q of n differences, t² = (n − 1) S² / (nQ − S²), so t² is as large as the one
    found if and only if S² / Q is: a resample needs neither a root nor a quotient.
    """
    n, pairs = matrix.shape
    centred, squares = matrix - matrix.mean(axis=0), (matrix**2).sum(axis=0)
    found = matrix.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0) * SLACK
    spread = centred**2
    extreme = np.zeros(pairs)
    for rows in pieces(draws, width=max(n, 2 * pairs)):
        drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        sums, bounds = times @ centred, times @ spread
        np.multiply(sums, sums, out=sums)
        np.multiply(bounds, found, out=bounds)
        extreme += np.count_nonzero(sums >= bounds, axis=0)
    same = spread.sum(axis=0) <= 1e-24 * squares  # all differences are the same: no resample is extreme
    return np.where(same, 0.0, extreme)


BOOTSTRAP = PairedTest(
    name="bootstrap",
    title="paired bootstrap test",
    words="how often queries drawn with replacement, their mean difference set to 0, give a t as far from 0",
    reference="Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006",
    kernel=_test,
    draws=True,
).register()
