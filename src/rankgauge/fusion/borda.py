"""Borda's count: a run gives its first document as many points as there are documents, the next one less, and so on.

The documents that a run does not list share the points that are left evenly.
"""

from __future__ import annotations

import numpy as np

from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


def borda_points(stack: Stack, weights: FloatArray) -> FloatArray:
    """The points of each document, weighted by run."""
    lengths = np.zeros((stack.queries, stack.runs))
    lengths[stack.list_query, stack.list_run] = stack.sizes
    shares = (stack.pooled[:, np.newaxis] - lengths + 1) / 2
    query = stack.slot_query.take(stack.slot)
    points = stack.shared((stack.pooled.take(query) - stack.rank + 1).astype(np.float64)) - shares[query, stack.run]
    return stack.sum(points * weights.take(stack.run)) + (shares @ weights).take(stack.slot_query)
