"""The moments of any target: in closed form where its shape has one, sampled otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from rankgauge.active.moments.forms.cascade import cascade
from rankgauge.active.moments.forms.linear import linear
from rankgauge.active.moments.forms.montecarlo import montecarlo
from rankgauge.active.moments.forms.pairs import pairs
from rankgauge.active.moments.moments import Moments
from rankgauge.active.pool import Pool
from rankgauge.active.target import Shape, Target
from rankgauge.errors import ParameterError

__all__ = ["SAMPLES", "moments"]

SAMPLES = 128
"""How many label vectors are drawn for each query: fewer cost efficiency (16 would waste the gain), more cost time."""

CLOSED: Mapping[tuple[Shape, int], Callable[[Pool, Target], Moments]] = {
    (Shape.LINEAR, 1): linear,
    (Shape.LINEAR, 2): linear,
    (Shape.CASCADE, 1): cascade,
    (Shape.CASCADE, 2): pairs,
}
"""The closed forms, by shape and number of rankers."""


def moments(pool: Pool, target: Target, *, rng: int | np.random.Generator = 0, samples: int = SAMPLES) -> Moments:
    """The mean and variance of each query's value under the beliefs; for two rankers, of the difference."""
    if samples < 2:
        raise ParameterError("moments", "samples", "a whole number from 2 on", samples)
    closed = CLOSED.get((target.shape, pool.rankers))
    if closed is not None:
        return closed(pool, target)
    return montecarlo(pool, target, samples=samples, rng=np.random.default_rng(rng))
