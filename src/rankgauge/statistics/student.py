"""The distributions of Student and Gauss, and the interval of a share."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import FloatArray

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
    tail = _tail(degrees, np.arctan2(np.sqrt(degrees), np.abs(values)))
    return np.asarray(np.where(values < 0, 1 - tail, tail)[()])


def student_quantile(freedom: npt.ArrayLike, p: float) -> FloatArray:
    """Return what is exceeded with the chance 1 − p; NaN where the degrees of freedom are unknown."""
    degrees, place = np.unique(np.asarray(freedom, dtype=np.float64), return_inverse=True)
    found = degrees * 0.0
    known = ~np.isnan(degrees)
    if p != 0.5 and known.any():
        found[known] = math.copysign(1.0, p - 0.5) * _quantile(degrees[known], min(p, 1 - p))
    return np.asarray(found[place].reshape(np.shape(freedom))[()])


def _quantile(degrees: FloatArray, wanted: float) -> FloatArray:
    """Return what is exceeded with the wanted chance, which is less than a half."""
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
    """Return the integral of sin^(ν−1) from 0 to the angle, from where it is more than nothing."""
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
