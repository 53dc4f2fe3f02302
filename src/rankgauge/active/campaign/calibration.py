"""Calibration: beliefs made sharper or flatter, and shifted between grades, as the labels so far suggest."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from rankgauge.ranking.hits import IndexArray
from rankgauge.ranking.lists import FloatArray

__all__ = ["calibrated"]

FLOOR = 1e-6
"""No grade is held for impossible: a belief of 0 could not be corrected."""

PRIOR = 4.0
"""How many labels the beliefs as they are weigh against each parameter."""


def calibrated(beliefs: FloatArray, places: IndexArray, levels: IndexArray) -> FloatArray:
    """The beliefs p ∝ exp(s·log p + b) with the s ≥ 0 and b under which the labels are likeliest.

    `places` are the documents that were judged, `levels` the position of their grade on the scale. A pull towards
    s = 1 and b = 0 leaves the beliefs alone while labels are few (Guo, Pleiss, Sun & Weinberger, On calibration of
    modern neural networks, ICML 2017: vector scaling, with one s).
    """
    logs = np.log(np.maximum(beliefs, FLOOR))
    seen, hit = logs[places], np.arange(len(places))

    def loss(parameters: FloatArray) -> float:
        found = log_softmax(_moved(seen, parameters), axis=1)[hit, levels]
        pull = (parameters[0] - 1.0) ** 2 + float(np.sum(parameters[1:] ** 2))
        return float(PRIOR / 2 * pull - found.sum())

    start = np.zeros(1 + beliefs.shape[1])
    start[0] = 1.0
    bounds = [(0.0, None), *[(None, None)] * beliefs.shape[1]]
    best = minimize(loss, start, bounds=bounds, method="L-BFGS-B")
    return np.asarray(softmax(_moved(logs, np.asarray(best.x)), axis=1))


def _moved(logs: FloatArray, parameters: FloatArray) -> FloatArray:
    return np.asarray(parameters[0] * logs + parameters[1:])
