"""A board of runs that people judged throughout, made with a seed, and judges who see the same documents."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge import JudgeAudit, audit_judges

QUERIES, DOCUMENTS, RUNS = 30, 40, 8


@cache
def board() -> tuple[pl.DataFrame, dict[str, pl.DataFrame], pl.DataFrame]:
    """People's grades, runs of rising quality, and a fair judge that is generous."""
    rng = np.random.default_rng(3)
    query = np.repeat([f"q{number:02d}" for number in range(QUERIES)], DOCUMENTS)
    document = np.tile([f"d{number:02d}" for number in range(DOCUMENTS)], QUERIES)
    worth = rng.normal(-0.6, 1.3, size=len(query)) + np.repeat(rng.normal(0, 0.5, size=QUERIES), DOCUMENTS)
    keys = pl.DataFrame({"query": query, "document": document})
    people = keys.with_columns(grade=np.clip(np.round(worth), 0, 3) + 0.0)
    runs = {}
    for number in range(RUNS):
        scores = worth + rng.normal(0, 2.5 - 0.25 * number, size=len(query))
        ranked = keys.with_columns(score=scores).sort("query", "score", descending=[False, True])
        runs[f"run{number}"] = ranked.filter(pl.int_range(pl.len()).over("query") < 20)
    judge = keys.with_columns(grade=np.clip(np.round(worth + 0.6 + rng.normal(0, 0.7, size=len(query))), 0, 3) + 0.0)
    return people, runs, judge


def audited(people: pl.DataFrame | None = None, judge: Any = None, **settings: Any) -> JudgeAudit:
    """The audit of a judge on the board, by default that of the fair judge."""
    grades, runs, fair = board()
    settings = {"runs": runs, "draws": 40, **settings}
    return audit_judges(grades if people is None else people, {"judge": fair if judge is None else judge}, **settings)


def constant(grade: float = 1.0) -> pl.DataFrame:
    """A judge who gives every document the same grade."""
    return board()[0].with_columns(grade=pl.lit(grade))
