"""The values of runs by any measure that states its form, for any grades of the pool's documents.

They are sums over the hits of a board, so that leaving documents out is a matter of milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import BoardPool, BoardTarget
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.target import reached, taken_apart
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.policies import Ties


def subset(pool: BoardPool, *, runs: BoolArray, documents: BoolArray) -> BoardPool:
    """The pool of these runs and documents alone; queries that have none of the documents are left out."""
    sizes = np.add.reduceat(documents, pool.starts, dtype=np.int64)
    kept, hits = sizes > 0, runs[pool.run] & documents[pool.document]
    number = np.cumsum(runs) - 1
    place = np.cumsum(documents) - 1
    return replace(
        pool,
        runs=tuple(name for name, one in zip(pool.runs, runs, strict=True) if one),
        queries=pool.queries.filter(pl.Series(kept)),
        documents=pool.documents.filter(pl.Series(documents)),
        sizes=sizes[kept],
        run=number[pool.run[hits]],
        document=place[pool.document[hits]],
        rank=pool.rank[hits],
        lengths=pool.lengths[np.ix_(runs, kept)],
        known=pool.known[documents],
        costs=pool.costs[documents],
        overhead=pool.overhead[kept],
        facts=None,
        judges=(),
        texts=None,
    )


def targets_of(
    pool: BoardPool,
    grades: FloatArray,
    measures: Sequence[str],
    *,
    dialect: str | Dialect,
    levels: Sequence[float] = (),
) -> tuple[BoardTarget, ...]:
    """The measures as targets on the scale of these grades, and of `levels` that nobody gave."""
    scale = np.unique(np.maximum(np.append(grades[~np.isnan(grades)], 0.0), 0.0))
    if len(scale) < 2:
        raise InputError("no judged document has a grade above 0", hint="Are these the judgments of these runs?")
    scale = np.union1d(scale, np.maximum(np.asarray(levels, dtype=np.float64), 0.0))
    return tuple(_target(name, pool, scale, dialect) for name in measures)


def check_measures(measures: Sequence[str], *, dialect: str | Dialect) -> None:
    """An error for a measure that cannot be a target, whatever the runs and the grades are."""
    for name in measures:
        with _named(name):
            taken_apart(name, dialects.get(dialect).changed(ties=Ties.INPUT))


def _target(name: str, pool: BoardPool, scale: FloatArray, dialect: str | Dialect) -> BoardTarget:
    with _named(name):
        return BoardTarget.of(name, pool, grades=scale, dialect=dialect)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Errors have the name that the user wrote."""
    try:
        yield
    except ParameterError as error:
        got = name if error.parameter == "measure" else error.got
        raise ParameterError("pool reuse", error.parameter, error.expected, got) from None


@dataclass(frozen=True, kw_only=True, eq=False)
class RunValues:
    """The runs of a pool, and the measures by which they are valued; means are over `queries` queries.

    A query whose documents are not in the pool is worth 0 to every run.
    """

    pool: BoardPool
    targets: tuple[BoardTarget, ...]
    queries: int

    @cached_property
    def lists(self) -> tuple[RunLists, ...]:
        """The runs' lists as each measure reads them."""
        return tuple(RunLists.of(self.pool, target) for target in self.targets)

    def reached(self, grades: FloatArray) -> FloatArray:
        """Whether each document reaches each threshold of the scale; one without a grade reaches none."""
        return reached(np.nan_to_num(grades, nan=-np.inf), self.targets[0].grades)

    def by_query(self, at: int, known: FloatArray) -> FloatArray:
        """The values (runs × queries) by one measure, with these numbers in place of labels (documents ×
        thresholds)."""
        target, counts = self.targets[at], np.add.reduceat(known, self.pool.starts, axis=0)
        return target.over_ideal(self.lists[at].values(known @ target.steps), counts)

    def means(self, known: FloatArray) -> FloatArray:
        """The mean of each run by each measure (measures × runs)."""
        return np.array([self.by_query(at, known).sum(axis=1) / self.queries for at in range(len(self.targets))])
