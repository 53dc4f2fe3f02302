"""rrf: the documents that all runs together rank highest."""

from __future__ import annotations

import numpy as np

from rankgauge.active.board.pool import BoardPool
from rankgauge.active.selection import Selection, by_query
from rankgauge.numeric import FloatArray

K = 60
"""What a rank is raised by before it is inverted, as in the paper."""


def _first(pool: BoardPool, relevant: FloatArray, query: int, most: int, rng: np.random.Generator) -> list[int]:
    """The documents of a query by the sum over runs of 1 / (60 + rank), equal ones at random."""
    start, size = pool.starts[query], pool.sizes[query]
    fused = np.zeros(size)
    for documents, ranks in pool.run_lists(query):
        fused[documents - start] += 1.0 / (K + ranks)
    found: list[int] = (start + np.lexsort((rng.random(size), -fused))).tolist()
    return found


RRF = Selection(
    name="rrf",
    title="Reciprocal rank fusion: the documents that all runs together rank highest",
    reference="Cormack, Clarke & Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning "
    "methods, SIGIR 2009",
    order=by_query(_first),
).register()
