"""The judged queries of runs to fuse: their grades beside the documents of a stack."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import UnmatchedError
from rankgauge.fusion.lessons import Lessons
from rankgauge.fusion.run_pool import RunPool
from rankgauge.fusion.stack import Stack
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
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
        """The judged queries; an error if there are none."""
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
        """The grade of each document of the stack of these queries; NaN where nobody judged it."""
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
        """What the stack of these queries teaches; documents of the grade `rel` and above are relevant."""
        relevant = (self.grades(stack) >= rel).astype(np.float64)
        enough = self._whole.filter(pl.col("grade") >= rel)
        counts = enough.group_by("query").agg(pl.len().alias("n"))
        found = pl.DataFrame({"query": self.names}).join(counts, on="query", how="left", maintain_order="left")
        return Lessons(stack=stack, relevant=relevant, found=found["n"].fill_null(0).to_numpy().astype(np.float64))
