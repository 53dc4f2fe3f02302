"""The whole flow: tables → ranked lists → values per query → summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects, measures, ranking
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.policies import LEAVE_OUT, MissingQuery, QueryOrder, ShortList, Ties
from rankgauge.ranking import Hits
from rankgauge.ranking.lists import BoolArray, FloatArray

__all__ = ["Result", "evaluate"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """The values of some measures on the queries of one run."""

    dialect: Dialect
    measures: tuple[Measure, ...]
    queries: pl.Series
    matrix: FloatArray
    """Queries × measures; NaN where a query is left out of a measure's mean."""
    answered: BoolArray
    """For which of the queries the run has documents."""

    @cached_property
    def values(self) -> pl.DataFrame:
        """One row per query and measure: query, measure, value."""
        n, m = self.matrix.shape
        names = pl.Series("measure", [str(measure) for measure in self.measures])
        return pl.DataFrame(
            {
                "query": self.queries.gather(np.repeat(np.arange(n), m)),
                "measure": names.gather(np.tile(np.arange(m), n)),
                "value": self.matrix.ravel(),
            }
        ).filter(pl.col("value").is_not_nan())

    def __getitem__(self, measure: str | Measure) -> float:
        """The measure's value over all queries: their mean, sum or geometric mean."""
        (wanted,) = measures.parse_all([measure])
        return wanted.facts.aggregate.over(self.matrix[:, self.measures.index(wanted)])


def evaluate(
    judgments: pl.DataFrame,
    run: pl.DataFrame,
    measures: Iterable[str | Measure],
    *,
    dialect: str | Dialect = "standard",
    **overrides: Any,
) -> Result:
    """How good a run is, by each of the measures."""
    spoken = dialects.get(dialect).changed(**overrides)
    wanted = tuple(_parse_all(measures))
    hits = ranking.rank(run, judgments, spoken.ranking)
    matrix = settle(score(hits, wanted, spoken), hits, wanted, spoken)
    order = _query_order(hits, spoken)
    return Result(
        dialect=spoken,
        measures=wanted,
        queries=hits.queries.gather(order),
        matrix=matrix[order],
        answered=_answered(hits)[order],
    )


_parse_all = measures.parse_all


def score(hits: Hits, wanted: tuple[Measure, ...], dialect: Dialect) -> FloatArray:
    """The kernels' values (queries × measures); NaN where a measure is not defined."""
    matrix = np.full((len(hits.queries), len(wanted)), np.nan)
    for block in hits.blocks(expected=dialect.ties is Ties.EXPECTED, ideal=dialect.ideal):
        for column, measure in enumerate(wanted):
            matrix[block.index, column] = dialect.read(measure).score(block.lists)
    return matrix


def settle(matrix: FloatArray, hits: Hits, wanted: tuple[Measure, ...], dialect: Dialect) -> FloatArray:
    """The values after the dialect's word on undefined values and short lists."""
    if dialect.empty != LEAVE_OUT:
        matrix = np.where(np.isnan(matrix), float(dialect.empty), matrix)
    if dialect.short is ShortList.ZERO:
        cutoffs = np.array([getattr(measure, "cutoff", None) or 0 for measure in wanted])
        matrix = np.where(hits.retrieved[:, np.newaxis] < cutoffs, 0.0, matrix)
    return matrix


def _answered(hits: Hits) -> BoolArray:
    return hits.retrieved > 0 if hits.answered is None else hits.answered


def _query_order(hits: Hits, dialect: Dialect) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The positions of the queries that count, in the dialect's order."""
    counted = np.flatnonzero(_answered(hits) | (dialect.missing is MissingQuery.ZERO))
    if dialect.query_order is QueryOrder.LEXICAL:
        return np.asarray(counted[hits.queries.gather(counted).arg_sort().to_numpy()])
    return counted
