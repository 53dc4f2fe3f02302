"""RANKED LISTS → VALUES: what the kernels give (score), and what a dialect makes of it (settle)."""

from __future__ import annotations

from collections.abc import Sequence
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


def score(hits: Hits, wanted: Sequence[Measure], dialect: Dialect) -> tuple[FloatArray, FloatArray]:
    """The values of the kernels (judged queries × measures), NaN where undefined, and their standard errors."""
    spoken = dialect.topped(hits.highest)
    kernels = [spoken.read(measure) for measure in wanted]
    values, errors = np.full((2, len(hits.names), len(wanted)), np.nan)
    pools = [dialect.choice("ideal", measure) for measure in wanted]
    for pool in dict.fromkeys(pools):
        columns = [column for column, one in enumerate(pools) if one is pool]
        work = partial(_estimated, kernels=[kernels[column] for column in columns])
        for index, found in spread(work, hits.blocks(expected=dialect.ties is Ties.EXPECTED, ideal=pool)):
            for column, (value, error) in zip(columns, found, strict=True):
                values[index, column], errors[index, column] = value, error
    return values, errors


def settle(values: FloatArray, hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> FloatArray:
    """The values of the queries that count (queries × measures); NaN where a query is left out of a measure's mean.

    The dialect decides what empty queries, undefined values and short lists are worth.
    """
    choices = [dialect.choice("empty", measure) for measure in measures]
    leaves = np.array([choice == LEAVE_OUT for choice in choices], dtype=bool)
    numbers = np.array([np.nan if choice == LEAVE_OUT else float(choice) for choice in choices])
    keeps = np.array([measure.left_out for measure in measures], dtype=bool)
    settled = np.where(is_empty(hits, measures, dialect) & leaves, np.nan, values)
    settled = np.where(np.isnan(values) & ~keeps & ~leaves, numbers, settled)
    settled = np.where(is_zeroed(hits, measures, dialect), 0.0, settled)[counted(hits, dialect)]
    return to_single(settled) if dialect.single_arithmetic else settled


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


def is_empty(hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> BoolArray:
    """Where a query has no document that the measure counts as relevant (judged queries × measures)."""
    best = np.full(len(hits.names), -np.inf)
    counts = np.bincount(hits.pool_query, minlength=len(best))
    judged = counts > 0
    best[judged] = hits.pool_grade[(np.cumsum(counts) - counts)[judged]]  # the first of each query is the best
    levels = [getattr(dialect.read(measure), "rel", None) or ABOVE_ZERO for measure in measures]
    return best[:, np.newaxis] < np.array(levels)


def is_short(hits: Hits, measures: Sequence[Measure]) -> BoolArray:
    """Where a query's list is shorter than the measure's cutoff (judged queries × measures)."""
    return hits.retrieved[:, np.newaxis] < np.array([measure.depth for measure in measures])


def is_zeroed(hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> BoolArray:
    """Where a value is 0 because the list is shorter than the cutoff (judged queries × measures)."""
    zero = [dialect.choice("short", measure) is ShortList.ZERO for measure in measures]
    return np.asarray(is_short(hits, measures) & np.array(zero, dtype=bool))


def _estimated(block: Block, kernels: Sequence[Measure]) -> tuple[IndexArray, list[tuple[FloatArray, FloatArray]]]:
    return block.index, [kernel.estimate(block.lists) for kernel in kernels]
