"""How many queries a comparison needs: the power of the two-sided paired t test."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray

__all__ = ["POWER", "power", "queries_needed"]


POWER = 0.8
"""The usual aim: a difference that is there is found four times out of five."""

MANY = 10_000
"""From so many queries on Student's t is the normal distribution to four digits."""

MARGIN = 64
"""The t test needs fewer queries than that beyond what the normal distribution says, at any usual level."""

LARGE = 1e6
"""Two queries are enough for effects long before that."""

QUANTILES, WEIGHTS = (np.polynomial.legendre.leggauss(64)[0] + 1) / 2, np.polynomial.legendre.leggauss(64)[1] / 2
"""Where an integral from 0 to 1 looks, and how much each place counts (Gauss and Legendre)."""


def power(effect: npt.ArrayLike, queries: npt.ArrayLike, *, alpha: float = 0.05) -> FloatArray:
    """The chance that a paired t test separates two runs whose true effect (Cohen's d_z) is that, by the noncentral t.

    Cohen, Statistical power analysis for the behavioral sciences, 1988.
    """
    from scipy.special import gammaincinv, ndtr, stdtrit

    effects, n = np.broadcast_arrays(np.asarray(effect, dtype=np.float64), np.asarray(queries, dtype=np.float64))
    # Given the spread of the sample, the chance is one of a normal distribution; the mean over the spread's quantiles
    # is finite for every shift, which SciPy's noncentral t is not.
    sizes, size = np.unique(n, return_inverse=True)
    freedom = sizes[:, np.newaxis] - 1
    spread = np.sqrt(2 * gammaincinv(freedom / 2, QUANTILES) / freedom)
    bound = (stdtrit(freedom, 1 - alpha / 2) * spread)[size]
    shift = (np.abs(effects) * np.sqrt(n))[..., np.newaxis]
    return np.asarray((ndtr(shift - bound) + ndtr(-shift - bound)) @ WEIGHTS)


def queries_needed(effect: npt.ArrayLike, *, aim: float = POWER, alpha: float = 0.05) -> FloatArray:
    """The least number of queries for which the power reaches the aim if the effect (Cohen's d_z) is the true one.

    ∞ where there is no effect, NaN where it is not known, 2 at least.
    """
    if not 0 < alpha < aim < 1:
        raise ParameterError("queries_needed", "aim", "between alpha and 1", aim)
    effects = np.abs(np.atleast_1d(np.asarray(effect, dtype=np.float64)))
    needed = _normal(effects, aim, alpha)
    few = needed <= MANY
    needed[few] = _searched(np.minimum(effects[few], LARGE), needed[few], aim, alpha)
    return np.asarray(needed.reshape(np.shape(effect))[()])


def _normal(effects: FloatArray, aim: float, alpha: float) -> FloatArray:
    """((z_{1−α/2} + z_aim) / d)², rounded up: what is needed if the spread were known."""
    from scipy.special import ndtri

    tiny = effects < 1e-6
    found = np.ceil(((ndtri(1 - alpha / 2) + ndtri(aim)) / np.where(tiny, 1.0, effects)) ** 2)
    return np.asarray(np.where(np.isnan(effects), np.nan, np.where(tiny, np.inf, found)))


def _searched(effects: FloatArray, start: FloatArray, aim: float, alpha: float) -> FloatArray:
    """The least number by halving, from the normal distribution's on: the power grows with the number of queries."""
    low, high = np.maximum(start - 1, 1), start + MARGIN
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = power(effects, np.maximum(middle, 2), alpha=alpha) >= aim
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.maximum(high, 2.0)
