"""The standard error of anything that is computed from means over trials, by leaving out one trial at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankgauge.experiments.claims import Number
from rankgauge.numeric import FloatArray

__all__ = ["jackknife"]


def jackknife(values: FloatArray, statistic: Callable[[FloatArray], FloatArray]) -> Number:
    """The statistic of the means over the last axis, with its jackknife standard error.

    The statistic takes means with one more axis at the end and works on the axes before it. For the mean itself the
    error is the usual s/√n. Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11.
    """
    n = values.shape[-1]
    added = values.sum(axis=-1, keepdims=True)
    whole = statistic(added / n)
    without = statistic((added - values) / (n - 1))
    error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return Number(value=float(whole[0]), error=float(error))
