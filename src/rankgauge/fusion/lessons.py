"""What judged queries teach about runs: how often documents at each rank were relevant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray, IndexArray, ratio


@dataclass(frozen=True, kw_only=True, eq=False)
class Lessons:
    """The lists of judged queries, which of their documents are relevant, and how many relevant ones each query has."""

    stack: Stack
    relevant: FloatArray
    """1 for each relevant document (slots), else 0."""
    found: FloatArray
    """How many relevant documents the judgments of each query have."""

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return self.stack.runs

    @cached_property
    def hits(self) -> FloatArray:
        """1 for each entry that is relevant; tied entries share theirs."""
        return self.stack.shared(self.relevant.take(self.stack.slot))

    def chances(self) -> FloatArray:
        """The share of relevant documents at each rank, among the lists that reach it (runs × ranks)."""
        reached = self._counted(np.ones(len(self.hits)))
        return np.nan_to_num(ratio(self._counted(self.hits), reached))

    def shares(self, cuts: tuple[int, ...]) -> FloatArray:
        """The mean share of relevant documents between cuts, in segments that all lists are taken to fill."""
        by_rank = self._counted(self.hits, width=cuts[-1])
        sums = np.add.reduceat(by_rank, cuts[:-1], axis=1)
        return np.asarray(sums / np.diff(cuts) / max(self.stack.queries, 1))

    def segment_chances(self, segments: int) -> FloatArray:
        """The mean share of relevant documents in each of equal segments of the lists (runs × segments)."""
        stack = self.stack
        size = -(-stack.length // segments)
        segment = (stack.rank - 1) // size
        # The last segment that has documents may not be full.
        filled = np.minimum(stack.length - segment * size, size)
        return self._table(segment, self.hits / filled, segments) / max(stack.queries, 1)

    def average_precision(self) -> FloatArray:
        """The mean average precision of each run; of tied documents, the mean over their orders.

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
        return np.bincount(stack.list_run, weights=values, minlength=self.runs) / max(stack.queries, 1)

    def _counted(self, values: FloatArray, *, width: int | None = None) -> FloatArray:
        """The sum of the entries' values by run and rank."""
        ranks = self.stack.rank - 1
        if width is None:
            width = int(self.stack.sizes.max(initial=1))
        kept = ranks < width
        return self._table(ranks[kept], values[kept], width, self.stack.run[kept])

    def _table(self, column: IndexArray, values: FloatArray, width: int, run: IndexArray | None = None) -> FloatArray:
        rows = self.stack.run if run is None else run
        flat = np.bincount(rows * width + column, weights=values, minlength=self.runs * width)
        return np.asarray(flat.reshape(self.runs, width), dtype=np.float64)
