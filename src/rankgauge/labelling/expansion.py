"""Expansion: a sampled label stands for 1/π documents, π being the chance with which it was sampled.

Sums of labels have no bias then (Horvitz & Thompson, JASA 1952). A ratio of two such sums has one, which vanishes as
the sample grows. Cascades such as ERR are products of many labels, and these sums explode there: they are not given.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.labelling.board.lists import PrecisionLists
from rankgauge.labelling.yardstick import JudgedBoard, Standing
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray


def expanded(judged: JudgedBoard, sample: IndexArray, chance: FloatArray, *, apart: float = 1.0) -> Iterator[Standing]:
    """The values of the runs by each measure from a sample, whose documents were drawn with these chances.

    Sums of precisions hold products of two labels: a document's own with itself counts 1/π, that of two documents
    `apart`/(π_i π_j), so that `apart` is π_i π_j over the chance that both are sampled.
    """
    labels = np.zeros_like(judged.reached)
    labels[sample] = judged.reached[sample] / chance[:, np.newaxis]
    counts = np.add.reduceat(labels, judged.board.pool.starts, axis=0)
    for target, lists in judged.measured():
        worth = labels @ target.steps
        if target.shape is Shape.CASCADE:
            yield Standing(values=np.full(lists.shape[0], np.nan))
            continue
        sums = lists.values(worth)
        if isinstance(lists, PrecisionLists) and apart != 1.0:
            sums = sums + (apart - 1.0) * lists.pairs(worth)
        yield Standing(values=target.over_ideal(sums, counts).mean(axis=1))


def shares(sizes: IndexArray, labels: int) -> IndexArray:
    """That number of labels dealt out in proportion to the sizes, the largest remainders rounded up."""
    exact = labels * sizes / max(int(sizes.sum()), 1)
    counts = np.floor(exact).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: labels - int(counts.sum())]] += 1
    return np.minimum(counts, sizes)
