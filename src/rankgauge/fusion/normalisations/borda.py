"""borda: places among all documents that any run lists for the query; the others of a list share what is left."""

from __future__ import annotations

import numpy as np

from rankgauge.fusion.normalisation import Normalisation
from rankgauge.fusion.stack import Stack


def _apply(stack: Stack) -> Stack:
    pooled = stack.pooled.astype(np.float64)
    listed = stack.shared(1.0 - (stack.rank - 1) / pooled[stack.slot_query[stack.slot]])
    lengths = np.zeros((stack.queries, stack.runs))
    lengths[stack.list_query, stack.list_run] = stack.sizes
    return stack.completed(listed, 0.5 - (lengths - 1) / (2 * np.maximum(pooled, 1)[:, np.newaxis]))


Normalisation(
    name="borda",
    title="the share of all runs' documents that is not above the document; unlisted ones share the rest",
    formula="1 − (rank − 1) / documents; 1/2 − (length − 1) / (2 · documents) if not listed",
    ranx="borda",
    apply=_apply,
    by_rank=True,
).register()
