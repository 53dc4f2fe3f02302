"""A simulated collection: runs that rank documents by noisy views of their grades, and queries that differ."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl

from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import FloatArray

RUNS = 5


def noisy_judge(seed: int = 8) -> pl.DataFrame:
    """A judge that is a grade too high or too low now and then."""
    judgments = tables()[0]
    off = np.random.default_rng(seed).choice([-1, 0, 0, 1], size=len(judgments))
    return judgments.with_columns(grade=(pl.col("grade") + pl.Series(off)).clip(0, 3))


@cache
def tables(
    queries: int = 10, documents: int = 40, seed: int = 3
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame], FloatArray]:
    """The judgments, the runs by name, and the grades in the order of the pool.

    Runs retrieve the better part of the documents; some are in no run's list. The last query has no relevant document.
    """
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), documents)
    worth = rng.normal(size=len(query)) + rng.normal(size=queries)[query] - 0.5
    grade = np.where(query == queries - 1, 0, np.searchsorted([0.3, 1.2, 2.2], worth)).astype(float)
    ids = pl.DataFrame(
        {
            "query": [f"q{n}" for n in query],
            "document": [f"d{n}" for n in range(len(query))],
        }
    )
    runs = {}
    for n in range(RUNS):
        score = worth + rng.normal(size=len(query)) * (0.5 + 0.4 * n)
        run = ids.with_columns(pl.Series("score", score))
        runs[f"run {n}"] = run.filter(pl.col("score").rank(descending=True).over("query") <= documents // 2)
    judgments = ids.with_columns(pl.Series("grade", grade))
    pool = BoardPool.from_runs(runs, also=judgments)
    return judgments, runs, pool.grades(judgments)


@cache
def pooled(queries: int = 10, documents: int = 40, seed: int = 3) -> tuple[BoardPool, FloatArray]:
    """The pool of the collection and its true grades."""
    judgments, runs, grades = tables(queries, documents, seed)
    return BoardPool.from_runs(runs, also=judgments), grades
