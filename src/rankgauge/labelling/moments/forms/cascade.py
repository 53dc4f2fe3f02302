"""Cascade measures (ERR, RR, PFound, Success) of one list: L = Σ φ_i ℓ_i Π_{k<i} (1 − ℓ_k).

    V_{n+1} = 0,   V_i = φ_i E ℓ_i + (1 − E ℓ_i) V_{i+1};   E L = V_1
    Var L = Σ_i [Π_{k<i} E(1 − ℓ_k)²] · Var ℓ_i · (φ_i − V_{i+1})²

V_i is the value that a user who has come to rank i can still expect. What the label of rank i adds to L has mean 0
given the labels above it, so the variance is a plain sum. Nothing is divided, so that perfect documents and lists of
any length work: the form of Sawade et al. 2012, equation 23, divides by products that underflow.
"""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.moments.moments import CELLS, Lists, MomentForm, Moments, Worths, batches, worths
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray


def _cascade(pool: Pool, target: Target, samples: int, rng: np.random.Generator) -> Moments:
    weights = target.weights(pool)[:, 0]
    return list_moments(Lists.of(pool, 0, target.last(pool)), weights, worths(pool, target))


def list_moments(lists: Lists, weights: FloatArray, worth: Worths) -> Moments:
    """The moments of every query's list; `weights` (documents) are those of the places in it."""
    mean, variance = np.zeros((2, len(lists.lengths)))
    for queries in batches(lists.lengths, CELLS):
        documents, filled = lists.columns(queries)
        spread = worth.variance[documents] * filled
        stake, mean[queries] = stakes(weights[documents] * filled, worth.mean[documents] * filled)
        passing = np.where(filled > 0, worth.rest[documents] ** 2 + spread, 1.0)
        reached = np.cumprod(passing[:-1], axis=0)
        variance[queries] = spread[0] * stake[0] ** 2 + (reached * spread[1:] * stake[1:] ** 2).sum(axis=0)
    return Moments(mean=mean, variance=variance)


def stakes(weights: FloatArray, stops: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What a stop at each rank gains over going on, φ_i − V_{i+1} (ranks × queries), and the value V_1 of the list."""
    ahead, stake = np.zeros(weights.shape[1:]), np.empty_like(weights)
    for i in range(len(weights) - 1, -1, -1):
        stake[i] = weights[i] - ahead
        ahead = ahead + stops[i] * stake[i]
    return stake, ahead


CASCADE = MomentForm(
    name="cascade", title="cascades of one list, in closed form", shape=Shape.CASCADE, rankers=(1,), compute=_cascade
).register()
