"""Values by query: their moments, effect sizes, and the queries that a test needs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.statistics.intervals import (
    column_means,
    moments,
    normal_cdf,
    normal_quantile,
    student_quantile,
    unit_nodes,
)

POWER = 0.8
"""The usual aim: a difference that is there is found four times out of five."""

MANY = 10_000
"""From this many queries on, Student's t equals the normal distribution to four digits."""

MARGIN = 64
"""At any usual level the t test needs fewer than this many queries more than the normal distribution says."""

LARGE = 1e6
"""An effect that needs no more than two queries."""

REACH = 8.5
"""How many times 1/√ν from its mode a sample's spread is looked at; further away its density is nothing to a double."""


class Outcomes(NamedTuple):
    """How many queries were won, tied and lost by the first run."""

    wins: IndexArray
    ties: IndexArray
    losses: IndexArray


def cohen_dz(differences: npt.ArrayLike) -> FloatArray:
    """Return the mean difference over the standard deviation of the differences.

    NaN for fewer than two queries, 0 if every difference is 0, ±∞ if all are the same. Cohen, Statistical
    power analysis for the behavioral sciences, 1988.
    """
    n, mean, _ = by_column = moments(np.asarray(differences, dtype=np.float64))
    spread = np.sqrt(by_column.variance)
    flat = spread <= 1e-14 * np.abs(mean)
    effect = mean / np.where(flat, 1.0, spread)
    constant = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.asarray(np.where(n < 2, np.nan, np.where(flat, constant, effect))[()])


def outcomes(differences: npt.ArrayLike) -> Outcomes:
    """Count wins, ties and losses; a query without a pair is none of them."""
    values = np.asarray(differences, dtype=np.float64)
    return Outcomes(*(np.asarray(side.sum(axis=0)) for side in (values > 0, values == 0, values < 0)))


def power(effect: npt.ArrayLike, queries: npt.ArrayLike, *, alpha: float = 0.05) -> FloatArray:
    """Return the chance that a paired t test separates two runs with this true effect (Cohen's d_z), by noncentral t.

    Cohen, Statistical power analysis for the behavioral sciences, 1988.
    """
    effects, n = np.broadcast_arrays(np.asarray(effect, dtype=np.float64), np.asarray(queries, dtype=np.float64))
    # Given the spread of the sample, the chance is one of a normal distribution; the mean over the spread is finite
    # for every shift, which SciPy's noncentral t is not.
    sizes, size = np.unique(n, return_inverse=True)
    freedom, (nodes, weights) = sizes[:, np.newaxis] - 1, unit_nodes()
    mode, reach = np.sqrt((freedom - 1) / freedom), REACH / np.sqrt(freedom)
    low = np.maximum(mode - reach, 0.0)
    spread = low + (mode + reach - low) * nodes  # the sample's standard deviation, in units of the true one
    density = weights * np.exp((freedom - 1) * np.log(spread) - freedom * (spread**2 - 1) / 2)
    weight = density / density.sum(axis=-1, keepdims=True)
    bound = (student_quantile(sizes - 1, 1 - alpha / 2)[:, np.newaxis] * spread)[size]
    shift = (np.abs(effects) * np.sqrt(n))[..., np.newaxis]
    return np.asarray(((normal_cdf(shift - bound) + normal_cdf(-shift - bound)) * weight[size]).sum(axis=-1))


def queries_needed(effect: npt.ArrayLike, *, aim: float = POWER, alpha: float = 0.05) -> FloatArray:
    """Return the least number of queries for which the power reaches the aim for this true effect (Cohen's d_z).

    ∞ without an effect, NaN for an unknown one, at least 2.
    """
    if not 0 < alpha < aim < 1:
        raise ParameterError("queries_needed", "aim", "between alpha and 1", aim)
    effects = np.abs(np.atleast_1d(np.asarray(effect, dtype=np.float64)))
    # What it would take if the spread were known: ((z_{1−α/2} + z_aim) / d)², rounded up.
    distance, tiny = normal_quantile(1 - alpha / 2) + normal_quantile(aim), effects < 1e-6
    needed = np.where(tiny, np.inf, np.ceil((distance / np.where(tiny, 1.0, effects)) ** 2))
    few = needed <= MANY
    needed[few] = _search(np.minimum(effects[few], LARGE), needed[few], aim, alpha)
    return np.asarray(needed.reshape(np.shape(effect))[()])


def detectable_effect(queries: int, *, aim: float = POWER, alpha: float = 0.05) -> float:
    """Return the least effect (Cohen's d_z) for which a paired t test on so many queries reaches the power."""
    if queries < 2:
        return math.inf
    low, high = 0.0, 1.0
    while power(high, queries, alpha=alpha) < aim:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle, queries, alpha=alpha) >= aim else (middle, high)
    return high


def separated_share(p: npt.ArrayLike, *, alpha: float = 0.05) -> float:
    """Return the share of pairs of runs that a test separates at the level: a measure's discriminative power.

    NaN without pairs. It tells how steady a measure is over queries, not whether it measures the right thing. Sakai,
    Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
    """
    if not 0 < alpha < 1:
        raise ParameterError("separated_share", "alpha", "between 0 and 1", alpha)
    values = np.asarray(p, dtype=np.float64)
    return float((values < alpha).mean()) if values.size else float("nan")


def _search(effects: FloatArray, start: FloatArray, aim: float, alpha: float) -> FloatArray:
    """Return the least number, found by bisection from the normal distribution's on: power grows with the queries."""
    low, high = np.maximum(start - 1, 1), start + MARGIN
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = power(effects, np.maximum(middle, 2), alpha=alpha) >= aim
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.maximum(high, 2.0)


def trade_off(differences: npt.ArrayLike, alpha: float) -> FloatArray:
    """Return the differences from the baseline, with losses 1 + alpha times as heavy."""
    values = np.asarray(differences, dtype=np.float64)
    return np.where(values < 0, (1.0 + alpha) * values, values)


def urisk(differences: npt.ArrayLike, alpha: float) -> FloatArray:
    """Return the mean over queries of what is won, less 1 + alpha times what is lost; NaN is a query without a pair.

    Wang, Bennett & Collins-Thompson, Robust ranking models via risk-sensitive optimization, SIGIR 2012.
    """
    return column_means(trade_off(differences, alpha))[0]


def trisk(differences: npt.ArrayLike, alpha: float) -> FloatArray:
    """Return URisk over its standard error: Student's t of the weighed differences. NaN for fewer than two queries, ±∞
    if all are the same, 0 if all are 0.

    Dinçer, Macdonald & Ounis, Hypothesis testing for the risk-sensitive evaluation of retrieval systems, SIGIR 2014.
    """
    weighed = trade_off(differences, alpha)
    return np.asarray(cohen_dz(weighed) * np.sqrt((~np.isnan(weighed)).sum(axis=0)))


def georisk(values: npt.ArrayLike, alpha: float) -> FloatArray:
    """For each run (queries × runs), the geometric mean of its mean value and its risk against what its total and each
    query's total would let expect; a query that a run has no value for counts for none.

    Dinçer, Macdonald & Ounis, Risk-sensitive evaluation and learning to rank using multiple baselines, SIGIR 2016.
    """
    matrix = np.asarray(values, dtype=np.float64)
    matrix = matrix[~np.isnan(matrix).any(axis=1)]
    count = len(matrix)
    if not count or (matrix < 0).any():  # expected values below 0 have no root
        return np.full(matrix.shape[1], np.nan)
    whole = matrix.sum()
    expected = matrix.sum(axis=0) * matrix.sum(axis=1, keepdims=True) / (whole or 1.0)
    apart = (matrix - expected) / np.sqrt(np.where(expected > 0, expected, 1.0))
    share = normal_cdf(trade_off(apart, alpha).sum(axis=0) / count)
    return np.asarray(np.sqrt(matrix.sum(axis=0) / count * share))
