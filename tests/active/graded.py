"""Small pools whose grades are known, with beliefs that are good, know nothing, or are wrong."""

from __future__ import annotations

import numpy as np
import polars as pl

from rankgauge.labelling.methods import Plan
from rankgauge.labelling.pool import Pool
from rankgauge.numeric import FloatArray

BELIEFS = ("good", "uniform", "reversed")
ERR, DCG, NDCG = "ERR(max_grade=2)", "DCG(gain='exp')", "nDCG@5"


def graded_pool(
    *, rankers: int = 1, beliefs: str = "good", queries: int = 60, overhead: float = 0.0, rng: int = 0
) -> tuple[Pool, FloatArray]:
    """A pool of lists of 4 to 10 documents, and their grades; some queries have more relevant documents than others.

    Grades are drawn from the good beliefs, sharpened or dulled by the query.
    """
    source = np.random.default_rng(rng)
    sizes = source.integers(4, 11, queries)
    query = np.repeat(np.arange(queries), sizes)
    quality = source.normal(-1.0, 1.0, len(query))
    chances = _chances(quality)
    grades = source.random(len(query))[:, None] > np.cumsum(_chances(quality + source.normal(0, 1, queries)[query]), 1)
    known = grades[:, :2].sum(axis=1).astype(float)
    shown = {"good": chances, "uniform": np.full((len(query), 3), 1 / 3), "reversed": chances[:, ::-1]}
    frame = pl.DataFrame(
        {
            "query": [f"q{number:03}" for number in query],
            "document": [f"d{number}" for number in range(len(query))],
            **{f"score_{r + 1}": quality + source.normal(0, r, len(query)) for r in range(rankers)},
            "cost": np.ones(len(query)),
        }
    )
    pool = Pool.of(frame, grades=[0, 1, 2], beliefs=shown[beliefs], overhead=overhead, cost="cost")
    return pool, pool.find(frame.select("query", "document", pl.Series("grade", known)))


def _chances(quality: FloatArray) -> FloatArray:
    above = 1 / (1 + np.exp(np.array([[0.0], [1.5]]) - quality)).T
    return np.column_stack([1 - above[:, 0], above[:, 0] - above[:, 1], above[:, 1]])


def play(plan: Plan, truth: FloatArray) -> tuple[int, FloatArray, float]:
    """Spends the budget as assessors would: the complete draws, the grades that came in, and what they cost."""
    grades, spent, j = np.full(len(truth), np.nan), 0.0, 0
    while plan.length is None or j < plan.length:
        before = grades.copy()
        opened = plan.count_open(grades)
        assert opened is None or j < opened
        while len(asked := plan.asks(j, grades)):
            assert np.isnan(grades[asked]).all()
            grades[asked] = truth[asked]
        price = plan.price(j, grades)
        if spent + price > plan.budget * (1 + 1e-12):
            return j, before, spent
        spent, j = spent + price, j + 1
    return j, grades, spent
