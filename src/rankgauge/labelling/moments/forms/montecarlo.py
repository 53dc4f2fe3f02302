"""Any other measure (nDCG, AP, …): the mean and variance over label vectors drawn from the beliefs.

Each query gets its own independent labels; the kernels of the measures see one list for each vector.
"""

from __future__ import annotations

import numpy as np

from rankgauge.evaluation.arrays import score_arrays
from rankgauge.labelling.moments.moments import MomentForm, Moments, batches
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray

CELLS = 1 << 19
"""How many grades are drawn and scored at a time."""


def _sampled(pool: Pool, target: Target, samples: int, rng: np.random.Generator) -> Moments:
    mean, variance = np.zeros((2, len(pool.queries)))
    for queries in batches(pool.sizes, max(CELLS // samples, 1)):
        values = _values(pool, target, queries, samples, rng)
        mean[queries], variance[queries] = values.mean(axis=0), values.var(axis=0, ddof=1)
    return Moments(mean=mean, variance=variance)


def _values(pool: Pool, target: Target, queries: IndexArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """The value of each query under each of its label vectors (samples × queries)."""
    columns = np.arange(int(pool.sizes[queries].max()))
    filled = columns < pool.sizes[queries][:, np.newaxis]
    documents = np.where(filled, pool.starts[queries][:, np.newaxis] + columns, 0)
    grades = np.where(filled, _drawn(pool, documents, samples, rng), np.nan).reshape(-1, len(columns))
    lists = []
    for ranker in range(pool.rankers):
        scores = np.where(filled, -pool.ranks[documents, ranker], np.nan)
        rows = np.broadcast_to(scores, (samples, *scores.shape)).reshape(grades.shape)
        values = score_arrays(grades, rows, target.measure, unscored=True, dialect=target.dialect)
        lists.append(values.reshape(samples, len(queries)))
    return lists[0] if len(lists) == 1 else lists[0] - lists[1]


def _drawn(pool: Pool, documents: IndexArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Grades of the documents (samples × queries × documents), each as often as the beliefs say."""
    chance = np.cumsum(pool.beliefs[documents], axis=-1)
    drawn = rng.random((samples, *documents.shape))
    index = np.zeros(drawn.shape, dtype=np.intp)
    for y in range(len(pool.grades) - 1):
        index += drawn >= chance[..., y]
    return np.asarray(pool.grades[index])


MONTECARLO = MomentForm(
    name="montecarlo", title="any other measure, sampled", shape=Shape.OTHER, rankers=(1, 2), compute=_sampled
).register()
