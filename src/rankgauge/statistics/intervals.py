"""Confidence intervals of a mean over queries, and the geometric mean.

Every function takes the values of one measure (queries) or of many (queries × measures); NaN marks a query that is left
out of a measure's mean.

`scipy.stats.bootstrap` gives the same BCa interval, but took 1.6 to 6 times as long and knows no NaN, and `scipy.stats`
takes four times as long to import as polars. `scipy.special` is imported inside the functions, so that a command
without bootstraps starts fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.numeric import FloatArray
from rankgauge.statistics.effects import alike, moments
from rankgauge.statistics.student import student_quantile

CELLS = 1 << 20
"""How many cells are worked on at once: 8 MB of doubles, which the cache of a core still holds."""


ROUNDING = 1e-6
"""How far beyond a bound a value may be that was rounded, or computed in single precision."""

MEAN_INTERVALS: Mapping[str, str] = {
    "t": "Student's t interval of the mean over queries",
    "bca": "bias-corrected and accelerated bootstrap over queries (Efron 1987)",
}


class Interval(NamedTuple):
    """The ends of an interval: a number each for one measure, an array each for many."""

    low: FloatArray
    high: FloatArray

    def within(self, least: npt.ArrayLike, most: npt.ArrayLike, mean: npt.ArrayLike) -> Interval:
        """The interval as far as a mean can lie, which is from `least` to `most`; it always holds the mean itself."""
        low = np.maximum(self.low, np.fmin(least, mean))
        return Interval(low, np.minimum(self.high, np.fmax(most, mean)))


def limits(bounds: tuple[float, float], values: npt.ArrayLike) -> tuple[float, float]:
    """How far a measure reaches: to its bounds, but to no end on a side where some of the values are beyond them.

    A tool may compute a measure in a way that its bounds do not hold for, and grades may be above the tool's scale.
    """
    found = np.asarray(values, dtype=np.float64)
    least = np.min(found, initial=np.inf, where=~np.isnan(found))
    most = np.max(found, initial=-np.inf, where=~np.isnan(found))
    low, high = bounds
    return -np.inf if least < low - ROUNDING else low, np.inf if most > high + ROUNDING else high


def mean_interval(values: FloatArray, kind: str, *, seed: int, level: float = 0.95) -> Interval:
    """Return the interval of that kind of each column's mean; the seed is that of a bootstrap."""
    if kind not in MEAN_INTERVALS:
        raise UnknownNameError("interval", kind, MEAN_INTERVALS)
    if kind == "t":
        return t_interval(values, level)
    return bca_interval(values, rng=np.random.default_rng(seed), level=level)


def t_interval(values: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Return the mean ± t · s / √n (Student 1908): NaN for fewer than two queries, a point if all values are equal."""
    matrix, shape = _columns("t_interval", values, level)
    found = moments(matrix)
    n = np.where(found.n > 1, found.n, np.nan)
    half = student_quantile(n - 1, (1 + level) / 2) * np.sqrt(found.variance / n)
    return _shape(_settle(Interval(found.mean - half, found.mean + half), matrix, found.n), shape)


def bca_interval(
    values: npt.ArrayLike, *, rng: np.random.Generator, level: float = 0.95, resamples: int = 5000
) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval of the mean.

    Measures that leave out the same queries share their resamples. NaN for fewer than two queries, a point if all
    values are equal. Efron, Better bootstrap confidence intervals, JASA 1987.
    """
    matrix, shape = _columns("bca_interval", values, level)
    if resamples < 1:
        raise ParameterError("bca_interval", "resamples", "a whole number, 1 or more", resamples)
    n = moments(matrix).n
    ends = Interval(np.full(len(n), np.nan), np.full(len(n), np.nan))
    for rows, columns in alike(matrix):
        if rows.sum() > 1:
            ends.low[columns], ends.high[columns] = _bca(matrix[np.ix_(rows, columns)], rng, level, resamples)
    return _shape(_settle(ends, matrix, n), shape)


def geometric_mean(values: npt.ArrayLike, floor: float = 1e-5) -> FloatArray:
    """exp of the mean logarithm, values below `floor` counted as `floor`; trec_eval's MIN_GEO_MEAN is 0.00001."""
    matrix, shape = _columns("geometric_mean", values)
    n = (~np.isnan(matrix)).sum(axis=0)
    logs = np.where(np.isnan(matrix), 0.0, np.log(np.maximum(matrix, floor)))
    means: FloatArray = np.exp(logs.sum(axis=0) / np.where(n > 0, n, np.nan)).reshape(shape)[()]
    return means


def _columns(owner: str, values: npt.ArrayLike, level: float = 0.5) -> tuple[FloatArray, tuple[int, ...]]:
    """Return the values as queries × measures, and the shape of an answer."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise ParameterError(owner, "values", "a vector, or a matrix of queries × measures", array.shape)
    if not 0 < level < 1:
        raise ParameterError(owner, "level", "between 0 and 1", level)
    return array.reshape(len(array), -1) if array.size else array.reshape(0, *array.shape[1:] or (1,)), array.shape[1:]


def _settle(interval: Interval, matrix: FloatArray, n: FloatArray) -> Interval:
    """The interval, shrunk to one value if all queries have that value: their mean may be off in the last bit."""
    least = np.min(matrix, axis=0, initial=np.inf, where=~np.isnan(matrix))
    most = np.max(matrix, axis=0, initial=-np.inf, where=~np.isnan(matrix))
    point = (least == most) & (n > 1)
    return Interval(np.where(point, least, interval.low), np.where(point, most, interval.high))


def _shape(interval: Interval, shape: tuple[int, ...]) -> Interval:
    return Interval(*(end.reshape(shape)[()] for end in interval))


def _bca(matrix: FloatArray, rng: np.random.Generator, level: float, resamples: int) -> Interval:
    """Return the interval of each measure, with no value missing."""
    from scipy.special import ndtr, ndtri

    _, mean, centred = moments(matrix)
    means = np.concatenate(list(_resample(matrix, rng, resamples)))
    bias = ndtri(_share_below(means, mean))
    # Leaving out query i moves the mean by (mean − x_i) / (n − 1), so the jackknife needs no second round.
    # Measured in units of the largest distance, so that the cube of a tiny one is not lost.
    unit = np.abs(centred).max(axis=0)
    scaled = centred / np.where(unit > 0, unit, 1.0)
    spread = (scaled**2).sum(axis=0)
    skew = (scaled**3).sum(axis=0) / np.where(spread > 0, 6 * spread**1.5, 1.0)
    ordered = np.sort(means, axis=0)
    ends = []
    for side in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(side)
        ends.append(_quantile(ordered, ndtr(bias + shifted / (1 - skew * shifted))))
    return Interval(*ends)


def _resample(matrix: FloatArray, rng: np.random.Generator, resamples: int) -> Iterator[FloatArray]:
    """Yield the means of resampled queries (resamples × measures), in pieces that fit into the cache."""
    n = len(matrix)
    step = max(1, CELLS // n)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = rng.integers(n, size=(rows, n), dtype=np.int32) + n * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        yield times.astype(np.float64) @ matrix / n


def _share_below(means: FloatArray, mean: FloatArray) -> FloatArray:
    """Return the share of resampled means below the mean itself, those equal to it counted by half.

    Measures like P@10 have few values and many resamples with the very same mean; in doubles it is off in the last
    bits, by chance to one side, so equal is taken with a tolerance. The share stays off 0 and 1, which have no normal
    score.
    """
    apart, equal = means - mean, 1e-12 * np.maximum(np.abs(means).max(axis=0), 1e-300)
    share = ((apart < -equal).sum(axis=0) + (np.abs(apart) <= equal).sum(axis=0) / 2) / len(means)
    return np.asarray(np.clip(share, 0.5 / len(means), 1 - 0.5 / len(means)))


def _quantile(ordered: FloatArray, share: FloatArray) -> FloatArray:
    """Return the quantile of each column at its own share, between two neighbours by their distance."""
    place = share * (len(ordered) - 1)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    low, high = ordered[below, columns], ordered[above, columns]
    return np.asarray(low + (place - below) * (high - low))
