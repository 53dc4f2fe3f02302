"""Confidence intervals of a mean over queries, the geometric mean, and the distributions of Student and Gauss.

Every function takes the values of one measure (queries) or of many (queries × measures); NaN marks a query that is left
out of a measure's mean.

`scipy.stats.bootstrap` gives the same BCa interval, but took 1.6 to 6 times as long and knows no NaN, and `scipy.stats`
takes four times as long to import as polars. `scipy.special` is imported inside the functions, so that a command
without bootstraps starts fast.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

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
        """Cut the interval to where a mean can lie, from `least` to `most`; it always holds the mean itself."""
        low = np.maximum(self.low, np.fmin(least, mean))
        return Interval(low, np.minimum(self.high, np.fmax(most, mean)))


def limits(bounds: tuple[float, float], values: npt.ArrayLike) -> tuple[float, float]:
    """Return how far a measure reaches: to its bounds, or to no end on a side where some values are beyond them.

    A tool may compute a measure in a way that its bounds do not hold for, and grades may be above the tool's scale.
    """
    known = np.asarray(values, dtype=np.float64)
    least = np.min(known, initial=np.inf, where=~np.isnan(known))
    most = np.max(known, initial=-np.inf, where=~np.isnan(known))
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
    queries, mean, _ = by_column = moments(matrix)
    n = np.where(queries > 1, queries, np.nan)
    half = student_quantile(n - 1, (1 + level) / 2) * np.sqrt(by_column.variance / n)
    return _settle(Interval(mean - half, mean + half), matrix, queries, shape)


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
    return _settle(ends, matrix, n, shape)


def geometric_mean(values: npt.ArrayLike, floor: float = 1e-5) -> FloatArray:
    """Return exp of the mean logarithm, with values of `floor` at least; trec_eval's MIN_GEO_MEAN is 0.00001."""
    matrix, shape = _columns("geometric_mean", values)
    n = (~np.isnan(matrix)).sum(axis=0)
    logs = np.where(np.isnan(matrix), 0.0, np.log(np.maximum(matrix, floor)))
    means: FloatArray = np.exp(logs.sum(axis=0) / np.where(n > 0, n, np.nan)).reshape(shape)[()]
    return means


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
    """Return the moments of each column; the mean of no query is 0."""
    known = ~np.isnan(matrix)
    n = known.sum(axis=0).astype(np.float64)
    mean = np.where(known, matrix, 0.0).sum(axis=0) / np.maximum(n, 1)
    return ColumnMoments(n, mean, np.where(known, matrix - mean, 0.0))


def column_means(matrix: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Return the mean of each column, NaN where it has no value, and how many values it has."""
    known = ~np.isnan(matrix)
    count = known.sum(axis=0)
    return np.asarray(np.where(known, matrix, 0.0).sum(axis=0) / np.where(count, count, np.nan)), count


def alike(matrix: FloatArray) -> Iterator[tuple[BoolArray, IndexArray]]:
    """Yield the columns that have the same queries: those queries, and the columns' positions; none without queries."""
    patterns, pattern = np.unique(~np.isnan(matrix), axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        if rows.any():
            yield rows, np.flatnonzero(pattern == number)


def _columns(owner: str, values: npt.ArrayLike, level: float = 0.5) -> tuple[FloatArray, tuple[int, ...]]:
    """Return the values as queries × measures, and the shape of an answer."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim not in (1, 2):
        raise ParameterError(owner, "values", "a vector, or a matrix of queries × measures", array.shape)
    if not 0 < level < 1:
        raise ParameterError(owner, "level", "between 0 and 1", level)
    return array.reshape(len(array), -1) if array.size else array.reshape(0, *array.shape[1:] or (1,)), array.shape[1:]


def _settle(interval: Interval, matrix: FloatArray, n: FloatArray, shape: tuple[int, ...]) -> Interval:
    """Shrink the interval to one value if all queries have it, as their mean may be off in the last bit; shape it."""
    least = np.min(matrix, axis=0, initial=np.inf, where=~np.isnan(matrix))
    most = np.max(matrix, axis=0, initial=-np.inf, where=~np.isnan(matrix))
    point = (least == most) & (n > 1)
    ends = np.where(point, least, interval.low), np.where(point, most, interval.high)
    return Interval(*(end.reshape(shape)[()] for end in ends))


def _bca(matrix: FloatArray, rng: np.random.Generator, level: float, resamples: int) -> Interval:
    """Return the interval of each measure, with no value missing."""
    from scipy.special import ndtr, ndtri

    _, mean, centred = moments(matrix)
    n, step, pieces = len(matrix), max(1, CELLS // len(matrix)), []
    for start in range(0, resamples, step):  # in pieces that fit into the cache
        rows = min(step, resamples - start)
        drawn = rng.integers(n, size=(rows, n), dtype=np.int32) + n * np.arange(rows)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        pieces.append(times.astype(np.float64) @ matrix / n)
    means = np.concatenate(pieces)
    # Resampled means that equal the mean itself are counted by half: measures like P@10 have few values and many
    # resamples with the very same mean. In doubles it is off in the last bits, by chance to one side, so equal is taken
    # with a tolerance. The share stays off 0 and 1, which have no normal score.
    apart, equal = means - mean, 1e-12 * np.maximum(np.abs(means).max(axis=0), 1e-300)
    below = ((apart < -equal).sum(axis=0) + (np.abs(apart) <= equal).sum(axis=0) / 2) / resamples
    bias = ndtri(np.clip(below, 0.5 / resamples, 1 - 0.5 / resamples))
    # Leaving out query i moves the mean by (mean − x_i) / (n − 1), so the jackknife needs no second round.
    # Measured in units of the largest distance, so that the cube of a tiny one is not lost.
    unit = np.abs(centred).max(axis=0)
    scaled = centred / np.where(unit > 0, unit, 1.0)
    spread = (scaled**2).sum(axis=0)
    skew = (scaled**3).sum(axis=0) / np.where(spread > 0, 6 * spread**1.5, 1.0)
    means.sort(axis=0)
    columns, ends = np.arange(means.shape[1]), []
    for side in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + ndtri(side)
        # The quantile of each column at its own share, between two neighbours by their distance.
        place = ndtr(bias + shifted / (1 - skew * shifted)) * (resamples - 1)
        under = np.floor(place).astype(np.intp)
        low, high = means[under, columns], means[np.minimum(under + 1, resamples - 1), columns]
        ends.append(low + (place - under) * (high - low))
    return Interval(*ends)


MANY = 100_000
"""For more values than this, importing `scipy.special` pays."""

_ROOT = math.sqrt(0.5)
_normal_tail = np.frompyfunc(math.erfc, 1, 1)


def normal_cdf(x: FloatArray) -> FloatArray:
    """Return the chance of less than x."""
    if x.size > MANY:
        from scipy.special import ndtr

        return np.asarray(ndtr(x))
    return np.asarray(0.5 * np.asarray(_normal_tail(-_ROOT * x), dtype=np.float64))


def normal_quantile(p: float) -> float:
    """Return what is exceeded with the chance 1 − p, for 0 < p < 1."""
    wanted, x = min(p, 1 - p), 0.0
    # The tail is convex right of 0, so Newton's steps from there never pass the solution.
    for _ in range(100):
        step = (0.5 * math.erfc(_ROOT * x) - wanted) * math.sqrt(2 * math.pi) * math.exp(0.5 * x * x)
        x += step
        if abs(step) <= 1e-16 * x:
            break
    return math.copysign(x, p - 0.5)


NODES = 64
NEGLIGIBLE = 42.0
"""Where an integrand is below e^−42 of its maximum, it adds nothing to a double."""


@cache
def unit_nodes(count: int = NODES) -> tuple[FloatArray, FloatArray]:
    """Return the nodes and the weights of an integral from 0 to 1 (Gauss and Legendre), by Newton's method."""
    x = np.cos(np.pi * (np.arange(1, count + 1) - 0.25) / (count + 0.5))
    for _ in range(8):
        value, slope = _legendre(x, count)
        x = x - value / slope
    _, slope = _legendre(x, count)
    return (1 - x) / 2, 1 / ((1 - x * x) * slope * slope)


def _legendre(x: FloatArray, degree: int) -> tuple[FloatArray, FloatArray]:
    before, value = np.ones_like(x), x
    for n in range(2, degree + 1):
        before, value = value, ((2 * n - 1) * x * value - (n - 1) * before) / n
    return value, degree * (x * value - before) / (x * x - 1)


def student_tail(freedom: npt.ArrayLike, t: npt.ArrayLike) -> FloatArray:
    """Return the chance of more than t."""
    degrees, values = np.broadcast_arrays(np.asarray(freedom, dtype=np.float64), np.asarray(t, dtype=np.float64))
    sizes, size = np.unique(degrees, return_inverse=True)
    whole = 2 * _integral(sizes, np.full(len(sizes), np.pi / 2))
    tail = _integral(degrees, np.arctan2(np.sqrt(degrees), np.abs(values))) / whole[size].reshape(degrees.shape)
    return np.asarray(np.where(values < 0, 1 - tail, tail)[()])


def student_quantile(freedom: npt.ArrayLike, p: float) -> FloatArray:
    """Return what is exceeded with the chance 1 − p; NaN where the degrees of freedom are unknown."""
    degrees, place = np.unique(np.asarray(freedom, dtype=np.float64), return_inverse=True)
    quantile = degrees * 0.0
    known = ~np.isnan(degrees)
    if p != 0.5 and known.any():
        quantile[known] = math.copysign(1.0, p - 0.5) * _student_quantile(degrees[known], min(p, 1 - p))
    return np.asarray(quantile[place].reshape(np.shape(freedom))[()])


def _student_quantile(degrees: FloatArray, wanted: float) -> FloatArray:
    """Return what is exceeded with the wanted chance, which is less than a half."""
    # At first the angle by the normal distribution with three terms of Cornish and Fisher; π/2 where they are no good.
    z = normal_quantile(1 - wanted)
    terms = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    t = z + terms[0] / degrees + terms[1] / degrees**2 + terms[2] / degrees**3
    angle = np.where(degrees > z * z + 4, np.arctan2(np.sqrt(degrees), t), np.pi / 2)
    whole = 2 * _integral(degrees, np.full(len(degrees), np.pi / 2))
    # The integral is convex in the angle: after the first of Newton's steps the next come from one side.
    for _ in range(100):
        slope = np.exp((degrees - 1) * _log_sine(angle)) / whole
        step = (_integral(degrees, angle) / whole - wanted) / slope
        angle = np.where(step < angle, angle - step, angle / 2)
        if bool((np.abs(step) <= 1e-15 * angle).all()):
            break
    return np.asarray(np.sqrt(degrees) / np.tan(angle))


def _integral(degrees: FloatArray, angle: FloatArray) -> FloatArray:
    """Return the integral of sin^(ν−1) from 0 to the angle, from where it is more than nothing."""
    nodes, weights = unit_nodes()
    power = np.maximum(degrees - 1, 1e-300)
    start = np.arcsin(np.exp(np.minimum(_log_sine(angle) - NEGLIGIBLE / power, 0.0)))
    width = angle - start
    angles = start[..., np.newaxis] + width[..., np.newaxis] * nodes
    heights = np.exp((degrees - 1)[..., np.newaxis] * _log_sine(angles))
    return np.asarray(width * (heights * weights).sum(axis=-1))  # not @, whose last bit depends on the row


def _log_sine(angle: FloatArray) -> FloatArray:
    """Return log sin, exact near π/2 as well."""
    steep = np.log(np.sin(np.maximum(angle, 1e-300)))
    return np.asarray(np.where(angle < np.pi / 4, steep, 0.5 * np.log1p(-np.minimum(np.cos(angle) ** 2, 0.75))))


STEPS = 60
"""Halvings of an interval: more than a double can tell apart."""


def largest_share(seen: int, n: int, *, alpha: float = 0.025) -> float:
    """Return the largest share of which `seen` or fewer of `n` cases are seen with a chance of at least `alpha`.

    Clopper & Pearson, The use of confidence or fiducial limits, Biometrika 1934.
    """
    if seen >= n:
        return 1.0
    low, high = seen / n, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if _at_most(seen, n, middle) >= alpha else (low, middle)
    return low


def _at_most(seen: int, n: int, share: float) -> float:
    if share >= 1:
        return 0.0
    logs = math.lgamma(n + 1), math.log(share) if share > 0 else -math.inf, math.log1p(-share)
    return sum(
        math.exp(
            logs[0] - math.lgamma(k + 1) - math.lgamma(n - k + 1) + (k * logs[1] if k else 0.0) + (n - k) * logs[2]
        )
        for k in range(seen + 1)
    )
