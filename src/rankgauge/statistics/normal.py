"""The normal distribution without SciPy, whose import takes longer than a comparison of a few runs."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.numeric import FloatArray

MANY = 100_000
"""For more values than this, importing `scipy.special` pays."""

_ROOT = math.sqrt(0.5)
_tail = np.frompyfunc(math.erfc, 1, 1)


def normal_cdf(x: FloatArray) -> FloatArray:
    """The chance of less than x."""
    if x.size > MANY:
        from scipy.special import ndtr

        return np.asarray(ndtr(x))
    return np.asarray(0.5 * np.asarray(_tail(-_ROOT * x), dtype=np.float64))


def normal_quantile(p: float) -> float:
    """What is exceeded with the chance 1 − p, for 0 < p < 1."""
    wanted, x = min(p, 1 - p), 0.0
    # The tail is convex right of 0, so Newton's steps from there never pass the solution.
    for _ in range(100):
        step = (0.5 * math.erfc(_ROOT * x) - wanted) * math.sqrt(2 * math.pi) * math.exp(0.5 * x * x)
        x += step
        if abs(step) <= 1e-16 * x:
            break
    return math.copysign(x, p - 0.5)
