"""The order of the labels: documents by chance and by what they may move, in rounds over the queries.

Every prefix is a sample, so that any number of labels that is fixed in advance will do, and no label is needed to plan.
Balance over the queries matters because each query has effects of its own.
"""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.posterior.model import TOP
from rankgauge.numeric import FloatArray, IndexArray

LEAST = 0.1
"""The least score of a document, as a share of the mean."""


def label_order(pool: BoardPool, seed: int) -> IndexArray:
    """The documents that were not judged before, in the order in which they are handed out.

    In each query documents follow one another with chances in proportion to their scores, where noise of Gumbel's kind
    on the logarithm does the drawing; then each round takes the next one of every query, the queries in random order.
    """
    rng = np.random.default_rng(seed)
    open_ = np.flatnonzero(np.isnan(pool.known))
    key = np.log(label_scores(pool)) + rng.gumbel(size=len(pool.documents))
    falling = open_[np.lexsort((-key[open_], pool.query[open_]))]
    sizes = np.bincount(pool.query[open_], minlength=len(pool.queries))
    turn = np.arange(len(falling)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(falling[np.lexsort((rng.random(len(falling)), turn))])


def label_scores(pool: BoardPool) -> FloatArray:
    """How much each document may move the runs' values or move them apart: √(mean ω² + var ω), with ω = 1 / log2(r + 1)
    among a run's first ten."""
    weight = np.zeros((len(pool.documents), len(pool.runs)))
    top = pool.rank <= TOP
    weight[pool.document[top], pool.run[top]] = 1.0 / np.log2(pool.rank[top] + 1.0)
    score = np.sqrt((weight**2).mean(axis=1) + weight.var(axis=1))
    return np.asarray(np.maximum(score, LEAST * score.mean()))
