"""How much a run risks against a baseline: losses weigh more than gains.

URisk is a mean, TRisk that mean in units of its standard error, GeoRisk holds a run against all runs at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import FloatArray
from rankgauge.statistics.effects import cohen_dz
from rankgauge.statistics.student import normal_cdf


def trade_off(differences: npt.ArrayLike, alpha: float) -> FloatArray:
    """The differences from the baseline, with losses 1 + alpha times as heavy."""
    values = np.asarray(differences, dtype=np.float64)
    return np.where(values < 0, (1.0 + alpha) * values, values)


def urisk(differences: npt.ArrayLike, alpha: float) -> FloatArray:
    """The mean over queries of what is won, less 1 + alpha times what is lost; NaN is a query without a pair.

    Wang, Bennett & Collins-Thompson, Robust ranking models via risk-sensitive optimization, SIGIR 2012.
    """
    weighed = trade_off(differences, alpha)
    known = ~np.isnan(weighed)
    count = known.sum(axis=0)
    return np.asarray(np.where(known, weighed, 0.0).sum(axis=0) / np.where(count, count, np.nan))


def trisk(differences: npt.ArrayLike, alpha: float) -> FloatArray:
    """URisk over its standard error: Student's t of the weighed differences. NaN for fewer than two queries, ±∞ if all
    are the same, 0 if all are 0.

    Dinçer, Macdonald & Ounis, Hypothesis testing for the risk-sensitive evaluation of retrieval systems, SIGIR 2014.
    """
    weighed = trade_off(differences, alpha)
    return np.asarray(cohen_dz(weighed) * np.sqrt((~np.isnan(weighed)).sum(axis=0)))


def georisk(values: npt.ArrayLike, alpha: float) -> FloatArray:
    """For each run (queries × runs), the geometric mean of its mean value and its risk against what its total and each
    query's total would let expect; a query that a run has no value for counts for none.

    Dinçer, Macdonald & Ounis, Risk-sensitive evaluation and learning to rank using multiple baselines, SIGIR 2016.
    """
    found = np.asarray(values, dtype=np.float64)
    found = found[~np.isnan(found).any(axis=1)]
    count = len(found)
    if not count or (found < 0).any():  # expected values below 0 have no root
        return np.full(found.shape[1], np.nan)
    whole = found.sum()
    expected = found.sum(axis=0) * found.sum(axis=1, keepdims=True) / (whole or 1.0)
    apart = (found - expected) / np.sqrt(np.where(expected > 0, expected, 1.0))
    share = normal_cdf(trade_off(apart, alpha).sum(axis=0) / count)
    return np.asarray(np.sqrt(found.sum(axis=0) / count * share))
