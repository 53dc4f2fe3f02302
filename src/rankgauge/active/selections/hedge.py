"""hedge: runs are experts whose weights follow what was found, and the document that they agree on most comes next.

A document at rank r of a list of Z is worth ½ ln(Z / r) to its run: about what it adds to the sum of precisions. Where
it is not relevant that is a loss, where it is, a gain; a run's weight is 0.1 to the power of its losses.
"""

from __future__ import annotations

import numpy as np

from rankgauge.active.board.pool import BoardPool
from rankgauge.active.selection import Selection, by_query
from rankgauge.numeric import FloatArray

BETA = 0.1
"""What a loss of 1 leaves of a run's weight, as in the paper."""


def _first(pool: BoardPool, relevant: FloatArray, query: int, most: int, rng: np.random.Generator) -> list[int]:
    """The documents of a query in the order of their judging."""
    start, size = pool.starts[query], pool.sizes[query]
    stakes = np.zeros((size, len(pool.runs)))
    for run, (documents, ranks) in enumerate(pool.run_lists(query)):
        stakes[documents - start, run] = 0.5 * np.log(pool.deepest / ranks)
    ties, losses, found = rng.random(size) * 1e-9, np.zeros(len(pool.runs)), list[int]()
    mixed = stakes.mean(axis=1) + ties
    for _ in range(min(most, size)):
        document = int(np.argmax(mixed))
        found.append(int(start) + document)
        ties[document] = mixed[document] = -np.inf
        grade = relevant[found[-1]]
        if not np.isnan(grade):
            losses += stakes[document] * (-1.0 if grade else 1.0)
            weights = BETA ** (losses - losses.min())
            mixed = stakes @ (weights / weights.sum()) + ties
    return found


HEDGE = Selection(
    name="hedge",
    title="Hedge: the document that the runs that did well so far rank highest",
    reference="Aslam, Pavlu & Savell, A unified model for metasearch, pooling, and system evaluation, CIKM 2003",
    order=by_query(_first),
    unjudged="changes no weight, so that without judgments all runs count the same",
).register()
