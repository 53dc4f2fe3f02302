"""RANKED LISTS → VALUES: what the kernels give (score), and what a dialect makes of it (settle)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import ABOVE_ZERO, LEAVE_OUT, MissingQuery, QueryOrder, ShortList, Ties
from rankgauge.ranking import Block, Hits
from rankgauge.ranking.lists import to_single
from rankgauge.threads import spread

FEW = 1 << 16
"""Up to this many hits, one thread scores them sooner than two are started."""


def score(hits: Hits, wanted: Sequence[Measure], dialect: Dialect) -> tuple[FloatArray, FloatArray]:
    """The values of the kernels (judged queries × measures), NaN where undefined, and their standard errors."""
    spoken = dialect.topped(hits.highest)
    kernels = [spoken.read(measure) for measure in wanted]
    values, errors = np.full((2, len(hits.names), len(wanted)), np.nan)
    pools = [dialect.choice("ideal", measure) for measure in wanted]
    for pool in dict.fromkeys(pools):
        columns = [column for column, one in enumerate(pools) if one is pool]
        work = partial(_estimated, kernels=[kernels[column] for column in columns])
        blocks = hits.blocks(expected=dialect.ties is Ties.EXPECTED, ideal=pool)
        for index, found in (map if len(hits.query) < FEW else spread)(work, blocks):
            for column, (value, error) in zip(columns, found, strict=True):
                values[index, column], errors[index, column] = value, error
    return values, errors


def settle(values: FloatArray, hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> FloatArray:
    """The values of the queries that count (queries × measures); NaN where a query is left out of a measure's mean.

    The dialect decides what empty queries, undefined values and short lists are worth.
    """
    best = best_grades(hits)
    settled = np.empty(values.shape)
    for column, measure in enumerate(measures):
        settled[:, column] = ValueRule.of(measure, dialect)(values[:, column], best, hits.retrieved)
    return settled[counted(hits, dialect)]


@dataclass(frozen=True, kw_only=True)
class ValueRule:
    """What a dialect makes of a measure's values: of empty queries, undefined values and short lists.

    `empty` is the number that an undefined value becomes, None if empty queries are left out; a query is empty if
    nothing in it has the grade `level`. Lists of fewer than `fewest` documents count 0.
    """

    empty: float | None
    keeps: bool
    level: float
    fewest: int
    single: bool

    @classmethod
    def of(cls, measure: Measure, dialect: Dialect) -> ValueRule:
        """What the dialect does with the measure."""
        empty = dialect.choice("empty", measure)
        return cls(
            empty=None if empty == LEAVE_OUT else float(empty),
            keeps=measure.left_out,
            level=_level(measure, dialect),
            fewest=measure.depth if dialect.choice("short", measure) is ShortList.ZERO else 0,
            single=dialect.single_arithmetic,
        )

    def __call__(self, values: FloatArray, best: FloatArray, retrieved: FloatArray) -> FloatArray:
        """The settled values of queries, from the best grade of each and the lengths of their lists."""
        if self.empty is None:
            values = np.where(best < self.level, np.nan, values)
        elif not self.keeps:
            values = np.where(np.isnan(values), self.empty, values)
        values = np.where(retrieved < self.fewest, 0.0, values) if self.fewest else values
        return to_single(values) if self.single else values


def counted(hits: Hits, dialect: Dialect) -> IndexArray:
    """The positions among the judged queries of those that count, in the dialect's order."""
    found = np.flatnonzero(hits.is_answered | (dialect.missing is MissingQuery.ZERO))
    match dialect.query_order:
        case QueryOrder.LEXICAL:
            # The order of characters is that of their bytes in UTF-8.
            return np.array(sorted(found.tolist(), key=lambda row: str(hits.names[row])), dtype=np.int64)
        case QueryOrder.NUMERIC:
            # To Perl, a name that is not a number is 0.
            numbers = hits.queries.gather(found).cast(pl.Float64, strict=False).fill_null(0.0)
            return np.asarray(found[np.argsort(numbers.to_numpy(), kind="stable")])
    return found


def best_grades(hits: Hits) -> FloatArray:
    """The best grade of each judged query, −∞ where no document is judged."""
    best = np.full(len(hits.names), -np.inf)
    counts = np.bincount(hits.pool_query, minlength=len(best))
    judged = counts > 0
    best[judged] = hits.pool_grade[(np.cumsum(counts) - counts)[judged]]  # the first of each query is the best
    return best


def is_empty(hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> BoolArray:
    """Where a query has no document that the measure counts as relevant (judged queries × measures)."""
    levels = [_level(measure, dialect) for measure in measures]
    return best_grades(hits)[:, np.newaxis] < np.array(levels)


def _level(measure: Measure, dialect: Dialect) -> float:
    """The least grade that the measure counts as relevant."""
    return getattr(dialect.read(measure), "rel", None) or ABOVE_ZERO


def is_short(hits: Hits, measures: Sequence[Measure]) -> BoolArray:
    """Where a query's list is shorter than the measure's cutoff (judged queries × measures)."""
    return hits.retrieved[:, np.newaxis] < np.array([measure.depth for measure in measures])


def is_zeroed(hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> BoolArray:
    """Where a value is 0 because the list is shorter than the cutoff (judged queries × measures)."""
    zero = [dialect.choice("short", measure) is ShortList.ZERO for measure in measures]
    return np.asarray(is_short(hits, measures) & np.array(zero, dtype=bool))


def _estimated(block: Block, kernels: Sequence[Measure]) -> tuple[IndexArray, list[tuple[FloatArray, FloatArray]]]:
    return block.index, [kernel.estimate(block.lists) for kernel in kernels]
