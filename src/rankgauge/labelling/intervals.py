"""Confidence intervals: Student's t for a budget that is fixed in advance, confidence sequences to stop at any time.

If you stop when the t interval looks narrow enough, its coverage falls to about 50 %. A confidence sequence holds at
all times at once, and is 1.55 times as wide.

Few queries say nothing about rare ones: where nine of ten have an AP of 1, a sample of six often looks certain. So an
interval reaches at least as far as unseen exceptions could move the mean, and there is none from fewer than five
queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray
from rankgauge.policies import Policy
from rankgauge.statistics.intervals import normal_quantile

FIRST = 100
"""The asymptotic sequence begins at this number of draws, and is narrowest there."""

FEWEST = 5
"""With fewer judged queries there is no interval, unless the pool has no more."""

ROUNDING = 1e-9


class IntervalKind(Policy):
    """Interval: when the interval holds."""

    T = "t", "valid for a budget that was fixed in advance"
    SEQUENCE = "sequence", f"valid whenever you stop after {FIRST} draws or more (asymptotically)"
    BERNSTEIN = "bernstein", "valid whenever you stop, after any number of draws, if values are bounded"


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What an interval depends on besides the standard error: the number of queries, and the range of their values."""

    queries: npt.ArrayLike
    """The number of different queries with judged documents."""
    size: int
    """The number of queries in the pool."""
    bounds: tuple[float, float]
    """The least and the largest value of a query."""
    whole: npt.ArrayLike = 1.0
    """The weight of queries that were judged whole; the rest is that of single documents, spread over all queries."""


def ends(
    value: npt.ArrayLike, half: npt.ArrayLike, *, basis: Basis | None, level: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of the interval that reaches this far to either side, and at least as far as unseen exceptions do.

    They are infinite where there is no interval: from too few queries, around a value that is out of bounds, or where
    nothing within the bounds would be ruled out. Without a basis only the reach counts.
    """
    at, reach = np.asarray(value, dtype=float), np.asarray(half, dtype=float)
    if basis is None:
        return at - reach, at + reach
    low, high = basis.bounds
    share = np.asarray(basis.whole) * unseen(basis.queries, basis.size, level) / basis.size
    with np.errstate(invalid="ignore"):
        bottom = np.maximum(at - np.maximum(reach, share * (at - low)), low)
        top = np.minimum(at + np.maximum(reach, share * (high - at)), high)
    room = ROUNDING * max(high - low, 1.0)
    known = np.isfinite(reach) & (at >= low - room) & (at <= high + room)
    known &= np.asarray(basis.queries) >= min(FEWEST, basis.size)
    known &= (bottom > low) | (top < high) | (low == high)
    return np.where(known, bottom, -np.inf), np.where(known, top, np.inf)


def unseen(queries: npt.ArrayLike, size: int, level: float) -> FloatArray:
    """Return the most exceptions that a pool may have if a random sample of its queries shows none of them.

    A sample of n queries without replacement misses all of x exceptions with probability Π (1 − n / (size − i)), i < x.
    More exceptions than this would all be missed with a probability below (1 − level) / 2, the share of one side.
    """
    counts, which = np.unique(np.asarray(queries, dtype=float), return_inverse=True)
    left = size - np.arange(size, dtype=float)
    with np.errstate(divide="ignore"):  # a sample that must contain one of them
        missed = [np.cumsum(np.log1p(-np.minimum(count / left, 1.0))) for count in counts]
    unseen = np.array([np.sum(chance >= np.log((1 - level) / 2)) for chance in missed], dtype=float)
    return unseen[which].reshape(np.shape(queries))


def half_width(
    error: npt.ArrayLike, *, draws: npt.ArrayLike, freedom: npt.ArrayLike, level: float, kind: str = IntervalKind.T
) -> FloatArray:
    """Return half the width of the interval around an estimate with this standard error."""
    if not 0 < level < 1:
        raise ParameterError("an interval", "level", "a share between 0 and 1", level)
    rule = IntervalKind.parse(kind)
    if rule is IntervalKind.BERNSTEIN:
        raise ParameterError("this method", "interval", "t or sequence: its draws are not bounded and alike", kind)
    widths = np.asarray(error, dtype=float)
    factor = _student(freedom, level)
    if rule is IntervalKind.SEQUENCE:  # it takes the error for known, so what Student's t adds for that comes on top
        factor = factor * _sequence(draws, level) / _student(np.inf, level)
    # Too few draws make the factor infinite, and the interval too, even if the error is 0.
    return np.where(np.isinf(factor), np.inf, widths * np.where(np.isinf(factor), 1.0, factor))


def _student(freedom: npt.ArrayLike, level: float) -> FloatArray:
    from scipy.special import stdtrit

    known, p = np.asarray(freedom, dtype=float), (1 + level) / 2
    # stdtrit has no limit for infinite degrees of freedom, which is the normal quantile.
    quantile = np.where(np.isinf(known), normal_quantile(p), stdtrit(np.clip(known, 1.0, 1e6), p))
    return np.where(known >= 1, quantile, np.inf)


def _sequence(draws: npt.ArrayLike, level: float) -> FloatArray:
    """Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, Time-uniform central limit theory, 2021, eq. 8, with the ρ that
    makes it narrowest at `FIRST` draws."""
    n, alpha = np.asarray(draws, dtype=float), 1 - level
    rho = (-2 * np.log(alpha) + np.log(1 - 2 * np.log(alpha))) / FIRST
    grown = np.maximum(n, 1.0) * rho
    return np.where(n >= FIRST, np.sqrt(2 * (grown + 1) / grown * np.log(np.sqrt(grown + 1) / alpha)), np.inf)


def bernstein(
    values: FloatArray, *, bounds: tuple[float, float], level: float, population: float = np.inf
) -> tuple[float, float]:
    """Return the empirical Bernstein confidence sequence of the mean of bounded draws after the last of them.

    Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting, JRSS B 2024, Theorem 2; for draws
    without replacement from a finite population their Confidence sequences for sampling without replacement, NeurIPS
    2020: a draw's mean is then that of what is left, μ·m/(m−i+1) less the share of what was drawn.
    """
    low, high = bounds
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ParameterError("an empirical Bernstein interval", "measure", "one with finite bounds", bounds)
    x, alpha = (np.asarray(values, dtype=float) - low) / (high - low), 1 - level
    i = np.arange(1.0, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (i + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2)) / (i + 1)
    # Bets are made before the draw: they depend on the mean and the spread of earlier draws only.
    before, known = np.append(0.5, mean[:-1]), np.append(0.25, spread[:-1])
    bet = np.minimum(0.5, np.sqrt(2 * np.log(2 / alpha) / (known * i * np.log(i + 1))))
    left = population - i + 1 if np.isfinite(population) else np.full(len(x), np.inf)
    drawn = np.cumsum(x) - x
    worth = np.sum(bet * (1 + (i - 1) / left))
    centre = np.sum(bet * (x + drawn / left)) / worth
    half = (np.log(2 / alpha) + np.sum((x - before) ** 2 * (-np.log1p(-bet) - bet))) / worth
    ends = np.clip([centre - half, centre + half], 0.0, 1.0) * (high - low) + low
    return float(ends[0]), float(ends[1])
