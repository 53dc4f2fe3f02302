"""Linear measures (DCG, CG, P, RBP): L = Σ w_i g_i, for one list or the difference of two.

    E L = Σ w_z E g_z,   Var L = Σ w_z² Var g_z,   with w_z = w1(z) − w2(z) for two lists

A document that both lists have counts once, with the difference of its weights.
"""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.moments.moments import MomentForm, Moments, net_weights, worths
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape


def _linear(pool: Pool, target: Target, samples: int, rng: np.random.Generator) -> Moments:
    weights, worth = net_weights(target.weights(pool)), worths(pool, target)
    return Moments(
        mean=np.add.reduceat(weights * worth.mean, pool.starts),
        variance=np.add.reduceat(weights**2 * worth.variance, pool.starts),
    )


LINEAR = MomentForm(
    name="linear", title="linear measures, in closed form", shape=Shape.LINEAR, rankers=(1, 2), compute=_linear
).register()
