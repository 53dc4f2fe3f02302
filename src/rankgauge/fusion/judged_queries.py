"""The judged queries of runs to fuse: their grades beside the documents of a stack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import UnmatchedError
from rankgauge.fusion.run_pool import RunPool
from rankgauge.fusion.stack import Stack
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray, ratio
from rankgauge.ranking.facets import whole


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedQueries:
    """The queries that runs and judgments share, by their positions in the pool, and the judgments.

    The dialect says what their grades mean.
    """

    pool: RunPool
    positions: IndexArray
    judgments: pl.DataFrame
    dialect: Dialect

    @classmethod
    def of(cls, pool: RunPool, judgments: pl.DataFrame, dialect: str | Dialect = "standard") -> JudgedQueries:
        """Return the judged queries; an error if there are none."""
        judged = set(judgments["query"].unique())
        places = {name: at for at, name in enumerate(pool.queries) if name in judged}
        if not places:
            ours, theirs = ", ".join(pool.queries[:3]), ", ".join(sorted(judged)[:3])
            raise UnmatchedError(
                f"no query of the runs is judged: the runs have {ours} …, the judgments {theirs} …",
                hint="Are both from the same collection, with query ids written alike?",
            )
        # By name: folds are dealt in this order, which must not depend on that of the runs.
        positions = np.array([places[name] for name in sorted(places)], dtype=np.int64)
        return cls(pool=pool, positions=positions, judgments=judgments, dialect=dialects.get(dialect))

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def names(self) -> list[str]:
        """The names of the queries."""
        return [self.pool.queries[at] for at in self.positions.tolist()]

    @cached_property
    def _whole(self) -> pl.DataFrame:
        """The judgments with one grade for each document: the highest of its subtopics."""
        return whole(self.dialect.prepare(self.judgments))

    def grades(self, stack: Stack) -> FloatArray:
        """Return the grade of each document of the stack of these queries; NaN where nobody judged it."""
        rows = pl.DataFrame(
            {
                "query": pl.Series(self.names).gather(stack.slot_query),
                "document": self.pool.spelled(stack.documents[stack.heads]),
            }
        )
        known = self._whole.select("query", "document", "grade")
        found = rows.join(known, on=["query", "document"], how="left", maintain_order="left")
        return found["grade"].fill_null(np.nan).to_numpy()

    def lessons(self, stack: Stack, rel: float) -> Lessons:
        """Return what the stack of these queries teaches; documents of the grade `rel` and above are relevant."""
        relevant = (self.grades(stack) >= rel).astype(np.float64)
        enough = self._whole.filter(pl.col("grade") >= rel)
        counts = enough.group_by("query").agg(pl.len().alias("n"))
        found = pl.DataFrame({"query": self.names}).join(counts, on="query", how="left", maintain_order="left")
        return Lessons(stack=stack, relevant=relevant, found=found["n"].fill_null(0).to_numpy().astype(np.float64))


@dataclass(frozen=True, kw_only=True, eq=False)
class Lessons:
    """The lists of judged queries, which of their documents are relevant, and how many relevant ones each query has."""

    stack: Stack
    relevant: FloatArray
    """1 for each relevant document (slots), else 0."""
    found: FloatArray
    """How many relevant documents the judgments of each query have."""

    @cached_property
    def hits(self) -> FloatArray:
        """1 for each entry that is relevant; tied entries share theirs."""
        return self.stack.shared(self.relevant.take(self.stack.slot))

    def chances(self) -> FloatArray:
        """Return the share of relevant documents at each rank, among the lists that reach it (runs × ranks)."""
        reached = self._count(np.ones(len(self.hits)))
        return np.nan_to_num(ratio(self._count(self.hits), reached))

    def shares(self, cuts: tuple[int, ...]) -> FloatArray:
        """Return the mean share of relevant documents between cuts, in segments that all lists are taken to fill."""
        by_rank = self._count(self.hits, width=cuts[-1])
        sums = np.add.reduceat(by_rank, cuts[:-1], axis=1)
        return np.asarray(sums / np.diff(cuts) / max(self.stack.queries, 1))

    def segment_chances(self, segments: int) -> FloatArray:
        """Return the mean share of relevant documents in each of equal segments of the lists (runs × segments)."""
        stack = self.stack
        size = -(-stack.length // segments)
        segment = (stack.rank - 1) // size
        # The last segment that has documents may not be full.
        filled = np.minimum(stack.length - segment * size, size)
        return self._table(segment, self.hits / filled, segments) / max(stack.queries, 1)

    def average_precision(self) -> FloatArray:
        """Return the mean average precision of each run; of tied documents, the mean over their orders.

        McSherry & Najork, Computing information retrieval performance measures efficiently in the presence of tied
        scores, ECIR 2008: at place i of a group of m with k relevant, k / m · (before + 1 + (i − 1)(k − 1) / (m − 1)).
        """
        stack = self.stack
        hits, groups = self.relevant.take(stack.slot), stack.tie_groups
        sizes = np.diff(groups, append=len(hits))
        inside, sums = np.add.reduceat(hits, groups), np.cumsum(hits) - hits
        before = np.repeat(sums[groups], sizes) - np.repeat(sums[stack.starts], stack.sizes)
        number = np.arange(len(hits)) - np.repeat(groups, sizes)
        others = np.repeat((inside - 1) / np.maximum(sizes - 1, 1), sizes)
        gains = np.repeat(inside / sizes, sizes) * (before + 1 + number * others) / stack.rank
        values = np.nan_to_num(ratio(np.add.reduceat(gains, stack.starts), self.found[stack.list_query]))
        return np.bincount(stack.list_run, weights=values, minlength=self.stack.runs) / max(stack.queries, 1)

    def _count(self, values: FloatArray, *, width: int | None = None) -> FloatArray:
        ranks = self.stack.rank - 1
        width = int(self.stack.sizes.max(initial=1)) if width is None else width
        kept = ranks < width
        return self._table(ranks[kept], values[kept], width, self.stack.run[kept])

    def _table(self, column: IndexArray, values: FloatArray, width: int, run: IndexArray | None = None) -> FloatArray:
        rows = self.stack.run if run is None else run
        flat = np.bincount(rows * width + column, weights=values, minlength=self.stack.runs * width)
        return np.asarray(flat.reshape(self.stack.runs, width), dtype=np.float64)
