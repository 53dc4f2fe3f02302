"""Student's t distribution: its tail and its quantiles, to the last digits, without SciPy.

With t = √ν / tan ψ the tail beyond t is the integral of sin^(ν−1) from 0 to ψ over twice that from 0 to π/2. Sines are
smooth, so 64 nodes of Gauss and Legendre give all but the last bit or two, in the far tail as well.
`scipy.special.stdtr` and `stdtrit` give the same, but importing `scipy.special` takes longer than evaluating a small
run.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import FloatArray
from rankgauge.statistics.normal import normal_quantile

NODES = 64
NEGLIGIBLE = 42.0
"""Where an integrand is below e^−42 of its maximum, it adds nothing to a double."""


@cache
def unit_nodes(count: int = NODES) -> tuple[FloatArray, FloatArray]:
    """The nodes and the weights of an integral from 0 to 1 (Gauss and Legendre), by Newton's method."""
    x = np.cos(np.pi * (np.arange(1, count + 1) - 0.25) / (count + 0.5))
    for _ in range(8):
        value, slope = _legendre(x, count)
        x = x - value / slope
    _, slope = _legendre(x, count)
    return (1 - x) / 2, 1 / ((1 - x * x) * slope * slope)


def _legendre(x: FloatArray, degree: int) -> tuple[FloatArray, FloatArray]:
    """The Legendre polynomial and its slope."""
    before, value = np.ones_like(x), x
    for n in range(2, degree + 1):
        before, value = value, ((2 * n - 1) * x * value - (n - 1) * before) / n
    return value, degree * (x * value - before) / (x * x - 1)


def student_tail(freedom: npt.ArrayLike, t: npt.ArrayLike) -> FloatArray:
    """The chance of more than t."""
    degrees, values = np.broadcast_arrays(np.asarray(freedom, dtype=np.float64), np.asarray(t, dtype=np.float64))
    tail = _tail(degrees, np.arctan2(np.sqrt(degrees), np.abs(values)))
    return np.asarray(np.where(values < 0, 1 - tail, tail)[()])


def student_quantile(freedom: npt.ArrayLike, p: float) -> FloatArray:
    """What is exceeded with the chance 1 − p; NaN where the degrees of freedom are unknown."""
    degrees, place = np.unique(np.asarray(freedom, dtype=np.float64), return_inverse=True)
    found = degrees * 0.0
    known = ~np.isnan(degrees)
    if p != 0.5 and known.any():
        found[known] = math.copysign(1.0, p - 0.5) * _quantile(degrees[known], min(p, 1 - p))
    return np.asarray(found[place].reshape(np.shape(freedom))[()])


def _quantile(degrees: FloatArray, wanted: float) -> FloatArray:
    """What is exceeded with the wanted chance, which is less than a half."""
    angle = _first_guess(degrees, wanted)
    whole = 2 * _integral(degrees, np.full(len(degrees), np.pi / 2))
    # The integral is convex in the angle: after the first of Newton's steps the next come from one side.
    for _ in range(100):
        slope = np.exp((degrees - 1) * _log_sine(angle)) / whole
        step = (_integral(degrees, angle) / whole - wanted) / slope
        angle = np.where(step < angle, angle - step, angle / 2)
        if bool((np.abs(step) <= 1e-15 * angle).all()):
            break
    return np.asarray(np.sqrt(degrees) / np.tan(angle))


def _first_guess(degrees: FloatArray, wanted: float) -> FloatArray:
    """The angle by the normal distribution with three terms of Cornish and Fisher; π/2 where they are no good."""
    z = normal_quantile(1 - wanted)
    terms = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    t = z + terms[0] / degrees + terms[1] / degrees**2 + terms[2] / degrees**3
    return np.where(degrees > z * z + 4, np.arctan2(np.sqrt(degrees), t), np.pi / 2)


def _tail(degrees: FloatArray, angle: FloatArray) -> FloatArray:
    sizes, size = np.unique(degrees, return_inverse=True)
    whole = 2 * _integral(sizes, np.full(len(sizes), np.pi / 2))
    return np.asarray(_integral(degrees, angle) / whole[size].reshape(degrees.shape))


def _integral(degrees: FloatArray, angle: FloatArray) -> FloatArray:
    """The integral of sin^(ν−1) from 0 to the angle, from where it is more than nothing."""
    nodes, weights = unit_nodes()
    power = np.maximum(degrees - 1, 1e-300)
    start = np.arcsin(np.exp(np.minimum(_log_sine(angle) - NEGLIGIBLE / power, 0.0)))
    width = angle - start
    angles = start[..., np.newaxis] + width[..., np.newaxis] * nodes
    heights = np.exp((degrees - 1)[..., np.newaxis] * _log_sine(angles))
    return np.asarray(width * (heights * weights).sum(axis=-1))  # not @, whose last bit depends on the row


def _log_sine(angle: FloatArray) -> FloatArray:
    """log sin, exact near π/2 as well."""
    steep = np.log(np.sin(np.maximum(angle, 1e-300)))
    return np.asarray(np.where(angle < np.pi / 4, steep, 0.5 * np.log1p(-np.minimum(np.cos(angle) ** 2, 0.75))))
