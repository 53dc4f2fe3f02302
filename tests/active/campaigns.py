"""A pool with known grades, and an assessor who knows them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import polars as pl

from rankgauge.labelling.campaign import LabelCampaign
from rankgauge.labelling.labels import Task
from rankgauge.labelling.pool import Pool
from rankgauge.numeric import FloatArray

Truth = dict[tuple[str, str], float]


@cache
def frame(queries: int = 24, documents: int = 4, seed: int = 0) -> pl.DataFrame:
    """Documents whose grades 0, 1, 2 are drawn from the beliefs about them, with texts to read."""
    rng = np.random.default_rng(seed)
    n = queries * documents
    beliefs = rng.dirichlet(np.ones(3), size=n)
    grades = (rng.random(n)[:, None] > np.cumsum(beliefs, axis=1)).sum(axis=1).clip(0, 2)
    query = [f"q{q:02}" for q in np.repeat(np.arange(queries), documents)]
    columns = {
        "query": query,
        "document": [f"d{d}" for d in np.tile(np.arange(documents), queries)],
        "score": beliefs @ [0.0, 1.0, 2.0] + rng.normal(0, 0.2, n),
        **{f"p_{y}": beliefs[:, y] for y in range(3)},
        "title": [f"title {row}" for row in range(n)],
        "grade": grades.astype(float),
    }
    return pl.DataFrame(columns)


def pool(**sizes: int) -> Pool:
    """The pool; each document costs 1."""
    return Pool.of(frame(**sizes).drop("grade"), cost="documents")


def truth(**sizes: int) -> Truth:
    """The grade of each document."""
    rows = frame(**sizes).select("query", "document", "grade").iter_rows()
    return {(query, document): grade for query, document, grade in rows}


def grades(found: Pool, known: Truth) -> FloatArray:
    """The grades in the order of the pool."""
    queries = found.queries.gather(found.query)
    return np.array([known[pair] for pair in zip(queries, found.documents, strict=True)])


def judged(tasks: Iterable[Task], known: Truth) -> list[tuple[str, str, float, str]]:
    """What an assessor who knows the grades says."""
    return [(task.query, task.document, known[task.query, task.document], task.assessor) for task in tasks]


def spend(campaign: LabelCampaign, known: Truth, *, n: int = 5, rounds: int | None = None) -> list[tuple[str, str]]:
    """The documents that are handed out and judged, round by round, until nothing more is."""
    found = []
    while rounds is None or rounds > 0:
        tasks = campaign.lease(n)
        if not tasks:
            break
        campaign.record(judged(tasks, known))
        found += [(task.query, task.document) for task in tasks]
        rounds = None if rounds is None else rounds - 1
    return found
