"""What is expected of queries before the first label: how likely their documents reach each threshold, and how far
queries differ in that."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray

INTERCEPTS, DEVIATIONS = (0.3, -1.2, -3.2), (1.3, 1.4, 2.2)
"""For three thresholds: the mean logit of reaching them, and how far queries deviate from it."""

CORRELATIONS = ((1.0, 0.75, 0.50), (0.75, 1.0, 0.62), (0.50, 0.62, 1.0))
"""How alike a query's deviations are from threshold to threshold."""

_AS = {1: np.array([1.0]), 2: np.array([0.0, 1.0]), 3: np.array([0.0, 1.0, 2.0])}
"""Which of the three thresholds those of a coarser scale are like."""

SLOPE_DEVIATION = 0.5
"""How far queries deviate in the slope of the logarithm of the fused rank."""


def query_prior(thresholds: int) -> tuple[FloatArray, FloatArray]:
    """The intercepts, and the prior covariance of a query's effects: (intercept, slope) for each threshold in turn.

    One threshold is like the second of three, two like the first two. More than three divide the same range of logits
    evenly, and their correlation falls to one half from the first to the last: scales differ in how finely they are
    cut more than in where they begin and end.
    """
    known, last = np.arange(len(INTERCEPTS)), len(INTERCEPTS) - 1
    at = _AS.get(thresholds, np.linspace(0.0, last, thresholds))
    means, spread = (np.interp(at, known, values) for values in (INTERCEPTS, DEVIATIONS))
    places = at.astype(np.int64)
    stated = np.array(CORRELATIONS)[np.ix_(places, places)]
    alike = stated if thresholds in _AS else 0.5 ** (np.abs(np.subtract.outer(at, at)) / last)
    effects = np.zeros((2 * thresholds, 2 * thresholds))
    effects[::2, ::2] = alike * np.outer(spread, spread)
    effects[1::2, 1::2] = np.eye(thresholds) * SLOPE_DEVIATION**2
    return means, effects
