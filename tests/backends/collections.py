"""Random collections: judgments and a run that have everything that policies speak of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.policies import HighGrade, MissingQuery, NegativeGrade

__all__ = ["Collection", "collection"]


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Judgments and a run."""

    judgments: pl.DataFrame
    run: pl.DataFrame


def collection(dialect: Dialect, *, queries: int = 40, seed: int = 8) -> Collection:
    """Tied scores, unjudged documents, negative grades, empty queries, and queries that only one side has, as far as
    the dialect takes them; the rows of both in random order."""
    rng = np.random.default_rng(seed)
    top = 4 if dialect.high is HighGrade.ZERO else int(min(dialect.top(4.0), 4))
    low = 0 if dialect.negative is NegativeGrade.REFUSE else -1
    judged, lines = [], []
    for number in range(queries):
        documents = [f"d{n}" for n in rng.permutation(60)]
        shown = rng.choice(documents, rng.integers(1, 30), replace=False)
        best = 0 if number % 9 == 0 else top
        grades = rng.integers(low, best + 1, len(shown))
        listed = documents[: int(rng.integers(max(dialect.fewest, 1), 41))]
        scores = rng.integers(-3, 9, len(listed)) / 4
        if number % 7:
            judged += [(f"q{number}", str(d), float(g)) for d, g in zip(shown, grades, strict=True)]
        if number % 11 or dialect.missing is MissingQuery.REFUSE:
            lines += [(f"q{number}", d, float(s)) for d, s in zip(listed, scores, strict=True)]
    return Collection(
        judgments=pl.DataFrame(judged, schema=["query", "document", "grade"], orient="row").sample(
            fraction=1.0, shuffle=True, seed=seed
        ),
        run=pl.DataFrame(lines, schema=["query", "document", "score"], orient="row").sample(
            fraction=1.0, shuffle=True, seed=seed + 1
        ),
    )
