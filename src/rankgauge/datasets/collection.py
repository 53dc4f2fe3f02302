"""A small collection: queries, documents that several assessors graded, and runs of different quality.

It has on purpose what real data has by accident: assessors who disagree, tied scores, retrieved documents that nobody
judged, a query with nothing relevant, a short list, a query that one run does not answer, one that was never judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.datasets.pool import generate_pool
from rankgauge.numeric import FloatArray

__all__ = ["Collection", "generate"]

POOL, OUTSIDE = 20, 10
"""How many documents of a query were judged, and how many more a run can find."""

ASSESSORS: Mapping[str, tuple[float, float]] = {"ann": (0.0, 0.3), "bob": (-0.3, 0.5), "eve": (0.5, 0.7)}
"""Each assessor's leaning (bob is strict, eve is generous) and how unsteady the hand is."""

TOP = 3
"""The highest grade."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Collection:
    """What assessors said, the judgments made of it (their median), and the runs by name."""

    ratings: pl.DataFrame
    judgments: pl.DataFrame
    runs: Mapping[str, pl.DataFrame]
    pool: pl.DataFrame
    """Other queries, whose documents are still to be judged."""


def generate(*, rng: np.random.Generator, queries: int = 24) -> Collection:
    """A collection of that many judged queries, the last of which has nothing relevant, and one that nobody judged."""
    if queries < 4:
        raise ValueError("a collection needs at least 4 queries")
    names = [f"q{number:02d}" for number in range(1, queries + 2)]
    ease = rng.normal(-0.3, 0.5, size=queries + 1)
    ease[queries - 1] = -np.inf  # nothing relevant
    worth = ease[:, np.newaxis] + rng.normal(0.0, 1.2, size=(queries + 1, POOL + OUTSIDE))
    worth[:, POOL:] -= 1.0  # what the pool lacks is mostly not relevant
    found = pl.DataFrame(
        {
            "query": np.repeat(names, POOL + OUTSIDE),
            "document": _documents(rng, queries + 1),
            "worth": worth.ravel(),
            "pooled": np.tile(np.arange(POOL + OUTSIDE) < POOL, queries + 1),
        }
    )
    ratings = _ratings(found.filter(pl.col("pooled"), pl.col("query") != names[-1]), rng)
    judgments = ratings.group_by("query", "document", maintain_order=True).agg(pl.col("grade").median())
    runs = _runs(found, names, rng)
    return Collection(ratings=ratings, judgments=judgments, runs=runs, pool=generate_pool(rng=rng, queries=5 * queries))


def _documents(rng: np.random.Generator, queries: int) -> list[str]:
    """Ids that are unique within each query."""
    drawn = (rng.choice(900, size=POOL + OUTSIDE, replace=False) + 100 for _ in range(queries))
    return [f"d{number}" for numbers in drawn for number in numbers]


def _ratings(pool: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Each assessor's grade of each document of the pool."""
    frames = []
    for assessor, (leaning, unsteady) in ASSESSORS.items():
        felt = pool["worth"].to_numpy() + leaning + rng.normal(0.0, unsteady, size=len(pool))
        grade = np.clip(np.round(felt), 0, TOP) + 0.0  # not −0
        frames.append(pool.select("query", "document").with_columns(grade=grade, assessor=pl.lit(assessor)))
    return pl.concat(frames)


def _runs(found: pl.DataFrame, names: list[str], rng: np.random.Generator) -> dict[str, pl.DataFrame]:
    """Two runs: `bm25` has coarse scores, so ties, and misses a query; `dense` is better, with one short list."""
    bm25 = _run(found, _noisy(found, rng, spread=1.5, step=0.2), keep=15).filter(pl.col("query") != names[2])
    dense = _run(found, _noisy(found, rng, spread=0.8, step=1e-4), keep=20)
    short = (pl.col("query") == names[4]).and_(pl.int_range(pl.len()).over("query") >= 4)
    return {"bm25": bm25, "dense": dense.filter(~short)}


def _noisy(found: pl.DataFrame, rng: np.random.Generator, *, spread: float, step: float) -> FloatArray:
    """Scores that follow the documents' worth with an error of that spread, in steps of that size."""
    worth = np.maximum(found["worth"].to_numpy(), -4.0)
    score = 10.0 + worth + rng.normal(0.0, spread, size=len(found))
    return np.asarray(np.round(np.round(score / step) * step, 4))


def _run(found: pl.DataFrame, score: FloatArray, *, keep: int) -> pl.DataFrame:
    """The `keep` best documents of each query."""
    ranked = found.select("query", "document").with_columns(score=score)
    ranked = ranked.sort("query", "score", descending=[False, True], maintain_order=True)
    return ranked.filter(pl.int_range(pl.len()).over("query") < keep)
