"""The lists of many runs over graded pairs, so that any grades of these pairs can be scored at once.

The ranking stage ranks the pairs' positions instead of their grades. Grades are put in afterwards: a board of runs is
then scored for hundreds of possible sets of judgments in one go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankgauge import dialects, files
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking import RankedLists, rank
from rankgauge.ranking.hits import Hits

CELLS = 1 << 22
"""How many cells are scored at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRuns:
    """For each query and run the judged hits: their ranks and the positions of their pairs, padded.

    `rank`, `pair`, `first` and `size` are queries × runs × hits, `retrieved` queries × runs; `pool` (queries × pairs)
    has the positions of each query's pairs. A place without a hit has the rank NaN and the pair −1.
    """

    runs: tuple[str, ...]
    rank: FloatArray
    pair: IndexArray
    first: FloatArray | None
    size: FloatArray | None
    retrieved: FloatArray
    pool: IndexArray
    dialect: Dialect

    @classmethod
    def of(
        cls, pairs: GradedPairs, runs: Mapping[str, Any], *, rel: float = 1.0, dialect: str = "standard"
    ) -> JudgedRuns:
        """The lists of runs (paths, frames, dicts; by name), to be scored as a dialect has it."""
        spoken = dialects.get(dialect, rel=rel)
        places = pairs.frame().with_columns(grade=np.arange(len(pairs.people), dtype=np.float64))
        found = []
        for source in runs.values():
            with files.traced(source):
                found.append(rank(files.run_from(source), places, spoken.ranking))
        width = max((int(_within(hits).max(initial=-1)) + 1 for hits in found), default=0)
        shape = (len(pairs.sizes), len(found), width)
        ranked, first, size = (np.full(shape, np.nan) for _ in range(3))
        pair = np.full(shape, -1, dtype=np.int64)
        retrieved = np.zeros(shape[:2])
        for number, hits in enumerate(found):
            at = (hits.query, number, _within(hits))
            ranked[at], first[at], size[at] = hits.rank, hits.first, hits.size
            pair[at] = hits.grade.astype(np.int64)
            retrieved[:, number] = hits.retrieved
        tied = bool((np.nan_to_num(size, nan=1.0) > 1).any())
        return cls(
            runs=tuple(runs),
            rank=ranked,
            pair=pair,
            first=first if tied else None,
            size=size if tied else None,
            retrieved=retrieved,
            pool=_padded(pairs),
            dialect=spoken,
        )

    def top(self, depth: int) -> JudgedRuns:
        """The lists without what no measure of that depth can need; 0 keeps all. A tie that begins above it stays."""
        if not depth:
            return self
        needed = (self.rank if self.first is None else self.first) <= depth
        width = int(needed.sum(axis=-1).max(initial=0))
        return replace(
            self,
            rank=self.rank[..., :width],
            pair=self.pair[..., :width],
            first=None if self.first is None else self.first[..., :width],
            size=None if self.size is None else self.size[..., :width],
        )

    def values(self, grades: FloatArray, measure: Measure) -> FloatArray:
        """The value of every list: queries × runs, or draws × queries × runs for grades of draws × pairs."""
        if grades.ndim == 1:
            return np.asarray(self.values(grades[np.newaxis], measure)[0])
        kernel = self.dialect.topped(float(grades.max(initial=0.0))).read(measure)
        step = max(1, CELLS // max(1, self.pair.size + self.pool.size))
        parts = [self._scored(grades[at : at + step], kernel) for at in range(0, len(grades), step)]
        return np.concatenate(parts) if parts else np.zeros((0, *self.retrieved.shape))

    def _scored(self, grades: FloatArray, kernel: Measure) -> FloatArray:
        draws = len(grades)
        padded = np.concatenate([grades, np.full((draws, 1), np.nan)], axis=1)  # what −1 points to
        ideal = -np.sort(-padded[:, self.pool], axis=-1)
        queries, runs, width = self.pair.shape
        shape = (draws, queries, runs)
        lists = RankedLists(
            ranks=np.broadcast_to(self.rank, (*shape, width)),
            grades=padded[:, self.pair],
            ideal=np.broadcast_to(ideal[:, :, np.newaxis], (*shape, ideal.shape[-1])),
            retrieved=np.broadcast_to(self.retrieved, shape),
            first=None if self.first is None else np.broadcast_to(self.first, (*shape, width)),
            size=None if self.size is None else np.broadcast_to(self.size, (*shape, width)),
        )
        return np.nan_to_num(kernel.score(lists), nan=float(self.dialect.empty))

    def tops(self, depth: int) -> list[IndexArray]:
        """For each run the positions of the pairs among its first documents."""
        near = self.rank <= depth
        return [np.unique(self.pair[:, run][near[:, run]]) for run in range(len(self.runs))]

    def best_ranks(self, pairs: int) -> FloatArray:
        """The best rank of each pair over the runs; infinite where no list has it."""
        best = np.full(pairs + 1, np.inf)
        np.minimum.at(best, self.pair.ravel(), np.where(np.isnan(self.rank), np.inf, self.rank).ravel())
        return best[:-1]


def _within(hits: Hits) -> IndexArray:
    """The place of each hit among those of its query."""
    counts = np.bincount(hits.query, minlength=len(hits.names))
    return np.asarray(np.arange(len(hits.query)) - (np.cumsum(counts) - counts)[hits.query])


def _padded(pairs: GradedPairs) -> IndexArray:
    columns = np.arange(int(pairs.sizes.max(initial=0)))
    return np.where(columns < pairs.sizes[:, np.newaxis], pairs.starts[:, np.newaxis] + columns, -1)
