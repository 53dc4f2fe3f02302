"""Random lists as learning-to-rank packages have them: flat grades and scores, and the sizes of the lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

__all__ = ["SEEDS", "Lists", "random_lists"]

SEEDS = range(12)
PER_SEED = 60
"""720 lists in all, in batches: a mean over 60 lists shows the smallest fault in one of them."""


class Lists(NamedTuple):
    """A batch of lists."""

    grades: np.ndarray
    scores: np.ndarray
    sizes: np.ndarray

    @property
    def queries(self) -> np.ndarray:
        """The number of each document's list."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The same as judgments and run."""
        names = pl.DataFrame({"query": self.queries, "document": np.arange(len(self.grades))}).cast(pl.String)
        return names.with_columns(grade=pl.Series(self.grades)), names.with_columns(score=pl.Series(self.scores))


def random_lists(seed: int, *, shortest: int = 1, grades: tuple[float, ...] = (0, 1, 2, 3, 4)) -> Lists:
    """Lists of up to 30 documents, many tied and some with nothing relevant.

    Scores are eighths, which a number of 32 bits holds exactly.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(shortest, rng.choice([6, 31], PER_SEED))
    n = int(sizes.sum())
    relevant = np.repeat(rng.random(PER_SEED) < 0.8, sizes)
    spread = np.repeat(rng.choice([2, 8, 80], PER_SEED), sizes)
    return Lists(rng.choice(grades, n) * relevant, np.round(rng.normal(size=n) * spread) / 8, sizes)
