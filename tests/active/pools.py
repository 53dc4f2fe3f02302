"""Random small pools, and the moments of a value by enumeration of every label vector."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from rankgauge import dialects
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.labelling.pool import Pool
from rankgauge.numeric import FloatArray

CHANCES = st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5, 1.0, 3.0])
"""Shares of belief before they are scaled: zeros are frequent, so that some grades are certain or impossible."""


@st.composite
def pools(draw: st.DrawFn, *, rankers: int | None = None, most: int = 6, scale: int = 4) -> Pool:
    """A pool of up to three queries; of two lists each may lack documents of the other."""
    count = draw(st.sampled_from([1, 2])) if rankers is None else rankers
    grades = np.arange(float(draw(st.integers(2, scale))))
    rows: list[dict[str, object]] = []
    beliefs = []
    for query in range(draw(st.integers(1, 3))):
        for document in range(draw(st.integers(1, most))):
            scores = draw(st.tuples(*[st.integers(0, 9)] * count))
            lacking = draw(st.sampled_from([None, *range(count)])) if count > 1 else None
            listed = {f"score_{r + 1}": None if r == lacking else float(s) for r, s in enumerate(scores)}
            rows.append({"query": f"q{query}", "document": f"d{document}", **listed})
            shares = np.array(draw(st.lists(CHANCES, min_size=len(grades), max_size=len(grades))))
            shares = shares if shares.sum() else np.eye(len(grades))[draw(st.integers(0, len(grades) - 1))]
            beliefs.append(shares / shares.sum())
    schema = {"query": pl.String, "document": pl.String, **{f"score_{r + 1}": pl.Float64 for r in range(count)}}
    return Pool.of(pl.DataFrame(rows, schema=schema), grades=grades, beliefs=np.array(beliefs))


def vectors(pool: Pool, query: int) -> tuple[FloatArray, FloatArray]:
    """Every label vector of a query (vectors × documents), and how likely it is."""
    documents = pool.starts[query] + np.arange(pool.sizes[query])
    index = np.array(list(itertools.product(range(len(pool.grades)), repeat=len(documents))))
    return pool.grades[index], np.prod(pool.beliefs[documents, index], axis=1)


def values(pool: Pool, query: int, grades: FloatArray, measure: str, **choices: Any) -> FloatArray:
    """The value of a query under each label vector (vectors × documents), by the measure's kernel."""
    spoken = dialects.get("standard").topped(float(pool.grades.max()))
    ranks = pool.ranks[pool.starts[query] + np.arange(pool.sizes[query])]
    lists = [
        score_arrays(
            grades,
            np.broadcast_to(-ranks[:, r], grades.shape),
            measure,
            unscored=True,
            dialect=spoken,
            ties="input",
            **choices,
        )
        for r in range(pool.rankers)
    ]
    return lists[0] if len(lists) == 1 else lists[0] - lists[1]


def enumerated(pool: Pool, query: int, measure: str, **choices: Any) -> tuple[float, float]:
    """The mean and the variance of a query's value over every label vector."""
    grades, chance = vectors(pool, query)
    found = values(pool, query, grades, measure, **choices)
    mean = float((chance * found).sum())
    return mean, float((chance * (found - mean) ** 2).sum())
