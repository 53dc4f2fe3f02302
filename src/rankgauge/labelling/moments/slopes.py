"""Slopes: by how much a label moves the expected value.

Linear and cascade measures are linear in the worth of each single document, so a label that turns an expected worth
into a known one moves the expected value by exactly (worth − expected worth) · slope. For a cascade

    ∂M/∂ℓ_i = [Π_{k<i} (1 − ℓ_k)] · (φ_i − V_{i+1}),   with E ℓ in place of every ℓ that is not yet known

and for the difference of two lists the slope is that in the first minus that in the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.labelling.moments.forms.cascade import stakes
from rankgauge.labelling.moments.moments import CELLS, Lists, batches, net_weights, worths
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueSlopes:
    """The expected value M_S of each query given the labels seen, and its slope in each document's worth."""

    value: FloatArray
    slope: FloatArray


def slopes(pool: Pool, target: Target, grades: npt.ArrayLike | None = None) -> ValueSlopes:
    """The expected values of all queries (queries) and the slopes of all documents (documents).

    `grades` (documents) are the labels seen so far, NaN for the others; None if nothing is judged.
    """
    worth = worths(pool, target).mean
    if grades is not None:
        seen = target.worths(grades)
        worth = np.where(np.isnan(seen), worth, seen)
    return (_linear if target.shape is Shape.LINEAR else _cascade)(pool, target, worth)


def _linear(pool: Pool, target: Target, worth: FloatArray) -> ValueSlopes:
    slope = net_weights(target.weights(pool))
    return ValueSlopes(value=np.add.reduceat(slope * worth, pool.starts), slope=slope)


def _cascade(pool: Pool, target: Target, worth: FloatArray) -> ValueSlopes:
    value, slope = np.zeros(len(pool.queries)), np.zeros(len(pool.documents))
    weights, last = target.weights(pool), target.last(pool)
    for ranker, sign in zip(range(pool.rankers), (1.0, -1.0), strict=False):
        lists = Lists.of(pool, ranker, last)
        for queries in batches(lists.lengths, CELLS):
            documents, filled = lists.columns(queries)
            stops = worth[documents] * filled
            stake, found = stakes(weights[documents, ranker] * filled, stops)
            reached = np.ones_like(stops)
            np.cumprod(1.0 - stops[:-1], axis=0, out=reached[1:])
            value[queries] += sign * found
            listed = filled > 0
            slope[documents[listed]] += sign * (reached * stake)[listed]  # no document is twice in a list
    return ValueSlopes(value=value, slope=slope)
