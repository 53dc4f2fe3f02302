"""Linear measures (DCG, CG, P, RBP): L = Σ w_i g_i, for one list or the difference of two.

    E L = Σ w_z E g_z,   Var L = Σ w_z² Var g_z,   with w_z = w1(z) − w2(z) for two lists

A document that both lists have counts once, with the difference of its weights.
"""

from __future__ import annotations

import numpy as np

from rankgauge.active.moments.moments import Moments, worths
from rankgauge.active.pool import Pool
from rankgauge.active.target import Target
from rankgauge.numeric import FloatArray

__all__ = ["linear", "net_weights"]


def linear(pool: Pool, target: Target) -> Moments:
    """The moments of a linear measure in closed form."""
    weights, worth = net_weights(target.weights(pool)), worths(pool, target)
    return Moments(
        mean=np.add.reduceat(weights * worth.mean, pool.starts),
        variance=np.add.reduceat(weights**2 * worth.variance, pool.starts),
    )


def net_weights(weights: FloatArray) -> FloatArray:
    """The weight of each document in the value: for two lists, that in the first minus that in the second."""
    return weights[..., 0] if weights.shape[-1] == 1 else weights[..., 0] - weights[..., 1]
