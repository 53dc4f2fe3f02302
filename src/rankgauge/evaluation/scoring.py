"""RANKED LISTS → VALUES: what the kernels give (score), and what a dialect makes of it (settle)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import (
    IdealPool,
    JudgmentKind,
    MissingQuery,
    NegativeGrade,
    QueryOrder,
    ShortList,
    Ties,
    Unjudged,
)
from rankgauge.ranking import Block, Hits
from rankgauge.ranking.hits import tally
from rankgauge.records import record
from rankgauge.threads import spread

BY_FACET = (JudgmentKind.SUBTOPICS, JudgmentKind.GROUPS, JudgmentKind.PREFERENCES)
"""The judgments by which no order of tied documents is the best for every measure."""

FEW = 1 << 16
"""Up to this many hits, one thread scores them sooner than two are started."""


def score(hits: Hits, wanted: Sequence[Measure], dialect: Dialect) -> tuple[FloatArray, FloatArray]:
    """Return the values of the kernels (judged queries × measures), NaN where undefined, and their standard errors."""
    spoken = dialect.topped(hits.highest)
    kernels = [spoken.read(measure) for measure in wanted]
    values, errors = np.full((2, len(hits.names), len(wanted)), np.nan)
    views = [_View.of(measure, kernel, dialect) for measure, kernel in zip(wanted, kernels, strict=True)]
    for view in dict.fromkeys(views):
        columns = [column for column, one in enumerate(views) if one == view]
        work = partial(_estimate_block, kernels=[kernels[column] for column in columns], view=view)
        blocks = view.of_hits(hits).blocks(expected=view.tied, ideal=view.ideal)
        for index, block_values in (map if len(hits.query) < FEW else spread)(work, blocks):
            for column, (value, error) in zip(columns, block_values, strict=True):
                values[index, column], errors[index, column] = value, error
    return values, errors


def settle(values: FloatArray, hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> FloatArray:
    """The values of the queries that count (queries × measures); NaN where a query is left out of a measure's mean.

    The dialect decides what empty queries, undefined values and short lists are worth.
    """
    best = best_grades(hits)
    settled = np.empty(values.shape)
    for column, measure in enumerate(measures):
        settled[:, column] = dialect.speak(measure).settle(values[:, column], best, hits.retrieved)
    return settled[find_counted(hits, dialect)]


def find_counted(hits: Hits, dialect: Dialect) -> IndexArray:
    """Return the positions among the judged queries of those that count, in the dialect's order."""
    counted = np.flatnonzero(hits.is_answered | (dialect.missing is MissingQuery.ZERO))
    match dialect.query_order:
        case QueryOrder.LEXICAL:
            # The order of characters is that of their bytes in UTF-8.
            return np.array(sorted(counted.tolist(), key=lambda row: str(hits.names[row])), dtype=np.int64)
        case QueryOrder.NUMERIC:
            # To Perl, a name that is not a number is 0.
            numbers = hits.queries.gather(counted).cast(pl.Float64, strict=False).fill_null(0.0)
            return np.asarray(counted[np.argsort(numbers.to_numpy(), kind="stable")])
    return counted


def best_grades(hits: Hits) -> FloatArray:
    """Return the best grade of each judged query, −∞ where no document is judged."""
    best = np.full(len(hits.names), -np.inf)
    counts = tally(hits.pool_query, len(best))
    judged = counts > 0
    best[judged] = hits.pool_grade[(np.cumsum(counts) - counts)[judged]]  # the first of each query is the best
    return best


def is_empty(hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> BoolArray:
    """Return where a query has no document that the measure counts as relevant (judged queries × measures)."""
    levels = [dialect.speak(measure).level for measure in measures]
    return best_grades(hits)[:, np.newaxis] < np.array(levels)


def is_short(hits: Hits, measures: Sequence[Measure]) -> BoolArray:
    """Return where a query's list is shorter than the measure's cutoff (judged queries × measures)."""
    return hits.retrieved[:, np.newaxis] < np.array([measure.depth for measure in measures])


def is_zeroed(hits: Hits, measures: Sequence[Measure], dialect: Dialect) -> BoolArray:
    """Return where a value is 0 because the list is shorter than the cutoff (judged queries × measures)."""
    zero = [dialect.choice("short", measure) is ShortList.ZERO for measure in measures]
    return np.asarray(is_short(hits, measures) & np.array(zero, dtype=bool))


@record
class _View:
    """How kernels look at hits: which documents the ideal order has, whether documents count as a whole, whether ties
    are averaged, whether documents that count as unjudged as a whole are left out, and, if ties are put in the best or
    the worst order, by which kernel.

    Kernels that look at documents as a whole share the order of their grades, in which the hits are already.
    """

    ideal: IdealPool
    plain: bool
    ties: Ties
    condensed: bool = False
    own: Measure | None = None

    @classmethod
    def of(cls, measure: Measure, kernel: Measure, dialect: Dialect) -> _View:
        """That of a measure, of which the dialect makes the kernel."""
        kind, ties = measure.facts.judgments, dialect.ties
        own = kernel if ties in (Ties.BEST, Ties.WORST) and kind in BY_FACET else None
        ideal, plain = dialect.choice("ideal", measure), kind is JudgmentKind.GRADES
        skips = dialect.unjudged is Unjudged.SKIP and dialect.negative is NegativeGrade.UNJUDGED
        return cls(ideal=ideal, plain=plain, ties=ties, condensed=plain and skips, own=own)

    @property
    def tied(self) -> bool:
        """Whether kernels have to know which documents are tied."""
        return self.ties is Ties.EXPECTED or self.own is not None

    def of_hits(self, hits: Hits) -> Hits:
        """Return the hits as the kernels see them; beside measures that ask for facets, others see whole documents."""
        if self.plain and hits.facets is not None:
            return hits.whole.condense() if self.condensed else hits.whole
        if self.own is None or hits.facets is None:
            return hits
        return hits.ordered(self.ties, hits.facets.worth(self.own.bound(DEFAULTS).facet_worth))


def _estimate_block(
    block: Block, kernels: Sequence[Measure], view: _View
) -> tuple[IndexArray, list[tuple[FloatArray, FloatArray]]]:
    if view.own is None or not block.lists.tied:
        return block.index, [kernel.estimate(block.lists) for kernel in kernels]
    extremes = [kernel.extreme(block.lists, best=view.ties is Ties.BEST) for kernel in kernels]
    return block.index, [(values, np.zeros_like(values)) for values in extremes]
