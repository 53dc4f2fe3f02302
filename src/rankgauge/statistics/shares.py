"""How large a share may be of which few cases were seen."""

from __future__ import annotations

import math

STEPS = 60
"""Halvings of an interval: more than a double can tell apart."""


def largest_share(seen: int, n: int, *, alpha: float = 0.025) -> float:
    """The largest share of which `seen` or fewer of `n` cases are seen with a chance of at least `alpha`.

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
    """The chance of `seen` cases or fewer."""
    if share >= 1:
        return 0.0
    logs = math.lgamma(n + 1), math.log(share) if share > 0 else -math.inf, math.log1p(-share)
    return sum(
        math.exp(
            logs[0] - math.lgamma(k + 1) - math.lgamma(n - k + 1) + (k * logs[1] if k else 0.0) + (n - k) * logs[2]
        )
        for k in range(seen + 1)
    )
