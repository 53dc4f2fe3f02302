"""The bootstrap test: resampled queries under the hypothesis that the mean difference is 0."""

from __future__ import annotations

import numpy as np

from rankgauge.stats.paired_tests.base import SLACK, FloatArray, PairedTest, Tested, pieces, sampled

__all__ = ["BOOTSTRAP"]


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    """The share of resamples of the centred differences whose t is as far from 0 as the one found."""
    n, pairs = differences.shape
    known = ~np.isnan(differences)
    filled = np.where(known, differences, 0.0)
    mean = filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, differences - mean, 0.0)
    once = np.ones((1, n))
    found = _studentised(once, filled, known.astype(np.float64))[0] * SLACK
    extreme = np.zeros(pairs)
    for rows in pieces(draws, width=max(n, 4 * pairs)):
        drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        extreme += (_studentised(times, centred, known.astype(np.float64)) >= found).sum(axis=0)
    tested = sampled(extreme, draws)
    moot = ~filled.any(axis=0)
    return Tested(np.where(moot, 1.0, tested.p), np.where(moot, 0.0, tested.error))


def _studentised(times: FloatArray, values: FloatArray, known: FloatArray) -> FloatArray:
    """|mean| / its standard error (resamples × pairs): 0 where all drawn values are 0, ∞ where they are all the same."""
    n = np.maximum(times @ known, 1.0)
    mean = times @ values / n
    variance = times @ values**2 / n - mean**2
    flat = variance <= 1e-14 * mean**2
    t = np.abs(mean) * np.sqrt(n / np.where(flat, 1.0, variance))
    return np.where(flat, np.where(mean == 0, 0.0, np.inf), t)


BOOTSTRAP = PairedTest(
    name="bootstrap",
    title="paired bootstrap test",
    words="how often queries drawn with replacement, their mean difference set to 0, give a t as far from 0",
    reference="Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR 2006",
    kernel=_test,
).register()
