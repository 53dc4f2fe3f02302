"""Intervals and tests for pairs that are grouped by query: pairs of one query are alike, queries are independent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray

RESAMPLES = 2000

FEWEST = 5
"""With fewer queries no interval is shown."""


def resampled(
    counts: FloatArray,
    statistic: Callable[[FloatArray], FloatArray],
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """The bootstrap interval over queries of a statistic of counts (queries × …) that are added up.

    Percentiles are taken further out, as Student's t is wider than the normal distribution: with few queries plain ones
    are too narrow (Hesterberg, The American Statistician 2015). NaN for fewer than five queries.
    """
    queries = len(counts)
    if queries < FEWEST:
        return np.nan, np.nan
    times = rng.multinomial(queries, np.full(queries, 1 / queries), size=resamples).astype(np.float64)
    drawn = (times @ counts.reshape(queries, -1)).reshape(resamples, *counts.shape[1:])
    return percentiles(statistic(drawn), queries, level)


def percentiles(
    values: FloatArray, queries: int, level: float = 0.95, *, found: float | None = None
) -> tuple[float, float]:
    """The percentiles of resampled values that make an interval, for so many queries.

    `found` is the value itself, for a statistic that resampling alone lowers, such as a rank correlation: percentiles
    then move by as much (Efron's bias-corrected interval).
    """
    from scipy.special import ndtr, ndtri, stdtrit

    known = values[~np.isnan(values)]
    if len(known) < len(values) / 2 or queries < FEWEST:
        return np.nan, np.nan
    reach = np.sqrt(queries / (queries - 1)) * stdtrit(queries - 1, (1 - level) / 2)
    shift = 0.0
    if found is not None:
        below = ((known < found).sum() + (known == found).sum() / 2) / len(known)
        shift = float(ndtri(np.clip(below, 0.5 / len(known), 1 - 0.5 / len(known))))
    low, high = np.quantile(known, ndtr([2 * shift + reach, 2 * shift - reach]))
    return float(low), float(high)


class Contrast(NamedTuple):
    """A mean inside a part of the pairs with its interval, how far it is from that of the rest, and a p-value."""

    mean: float
    low: float
    high: float
    apart: float
    p: float


def contrast(
    values: FloatArray, weights: FloatArray, query: IndexArray, inside: FloatArray, level: float = 0.95
) -> Contrast:
    """The mean of a value inside a part, held against the rest, with errors that are summed by query.

    `inside` (pairs) is 1 inside and 0 outside. NaN where there are too few queries for an interval or a test.
    """
    from scipy.special import stdtr, stdtrit

    part, rest = weights * inside, weights * (1 - inside)
    if not part.any():
        return Contrast(*[np.nan] * 5)
    mean, other = (float(w @ values / w.sum()) if w.any() else np.nan for w in (part, rest))
    _, at = np.unique(query, return_inverse=True)
    pull = part * (values - mean) / part.sum()
    error, queries = _error(pull, at, len(np.unique(query[inside > 0])))
    half = float(stdtrit(max(queries - 1, 1), (1 + level) / 2)) * error
    if np.isnan(other):
        return Contrast(mean, mean - half, mean + half, np.nan, np.nan)
    both, _ = _error(pull - rest * (values - other) / rest.sum(), at, queries)
    p = 2 * stdtr(max(queries - 1, 1), -abs(mean - other) / both) if both > 0 else np.nan
    return Contrast(mean, mean - half, mean + half, mean - other, float(p))


def _error(pull: FloatArray, at: IndexArray, queries: int) -> tuple[float, int]:
    """The standard error of a sum of pulls, those of a query together; NaN with too few queries."""
    if queries < FEWEST:
        return np.nan, queries
    summed = np.bincount(at, pull)
    return float(np.sqrt(queries / (queries - 1) * (summed**2).sum())), queries
