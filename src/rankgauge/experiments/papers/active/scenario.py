"""A scenario: whose ranking is to be judged, or which two are to be compared, and with which beliefs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.active.pool import Pool
from rankgauge.experiments.papers.active.material import Material, Split
from rankgauge.numeric import FloatArray

__all__ = ["Scenario", "graded", "pool_of"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Scenario:
    """The scores of one or two rankers for a pool's documents (NaN: not in its list), and the beliefs."""

    title: str
    figure: str
    scores: tuple[FloatArray, ...]
    beliefs: FloatArray
    scale: FloatArray

    @property
    def pair(self) -> bool:
        """Whether two rankers are compared."""
        return len(self.scores) == 2


def pool_of(scenario: Scenario, split: Split, material: Material) -> Pool:
    """The pool of a scenario, with costs in units of a query's mean cost."""
    names = ("score",) if not scenario.pair else ("score_1", "score_2")
    columns = {name: pl.Series(scores).fill_nan(None) for name, scores in zip(names, scenario.scores, strict=True)}
    frame = pl.DataFrame({"query": split.pool.queries, "document": split.pool.documents, **columns})
    if split.lengths is not None:
        frame = frame.with_columns(pl.Series("length", split.lengths))
    return Pool.of(
        frame, grades=scenario.scale, beliefs=scenario.beliefs, cost=material.cost, depth=material.depth
    ).scaled()


def graded(pool: Pool, split: Split) -> FloatArray:
    """The grades of the pool's documents."""
    known = pl.DataFrame(
        {"query": split.pool.queries, "document": split.pool.documents, "grade": np.asarray(split.pool.grades)}
    )
    return pool.find(known)
