"""The lists of all runs as one flat array of hits, and the value of each list for any worths of the documents.

Worths need not be those of grades: means under beliefs and unbiased pseudo-labels go through the same sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.moments import stakes
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray

BLOCK = 1 << 15
"""How many hits are worked on at a time: what a core's own cache holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunLists:
    """The hits of a pool that count for a target, list by list in rank order: their documents, runs and the weights of
    their ranks. `shape` is runs × queries.

    `values` and `slopes` are those of a linear measure; the other shapes override them.
    """

    pool: BoardPool
    target: BoardTarget
    shape: tuple[int, int]
    run: IndexArray
    document: IndexArray
    cell: IndexArray
    weight: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, target: BoardTarget) -> RunLists:
        """Return the lists of a pool's runs, as the target's shape reads them."""
        weight = target.weights[pool.rank - 1]
        counts = slice(None) if weight.all() else weight != 0  # a slice copies nothing
        return _KINDS[target.shape](
            pool=pool,
            target=target,
            shape=(len(pool.runs), len(pool.queries)),
            run=pool.run[counts],
            document=pool.document[counts],
            cell=pool.cell[counts],
            weight=weight[counts],
        )

    @cached_property
    def starts(self) -> IndexArray:
        """Where each list that has a hit begins."""
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @cached_property
    def counts(self) -> IndexArray:
        """How many hits each list that has one has."""
        return np.diff(self.starts, append=len(self.cell))

    def sums(self, amounts: FloatArray) -> FloatArray:
        """Return the sum over each list (runs × queries) of what its hits add."""
        sums = np.zeros(self.shape[0] * self.shape[1])
        if len(self.starts):
            sums[self.cell[self.starts]] = np.add.reduceat(amounts, self.starts)
        return sums.reshape(self.shape)

    def above(self, amounts: FloatArray) -> FloatArray:
        """Return for each hit the sum over the hits above it in its list."""
        before = np.cumsum(amounts) - amounts
        return np.asarray(before - np.repeat(before[self.starts], self.counts))

    def score(self, reached: FloatArray) -> FloatArray:
        """Return the value of each list (runs × queries), with numbers in place of labels (documents × thresholds)."""
        counts = np.add.reduceat(reached, self.pool.starts, axis=0)
        return self.target.over_ideal(self.values(reached @ self.target.steps), counts)

    def values(self, worth: FloatArray) -> FloatArray:
        """Return the value of each list (runs × queries) above the line, for these worths of the documents."""
        return self.sums(self.weight * worth[self.document])

    def slopes(self, worth: FloatArray) -> FloatArray:
        """Return by how much each hit's list gains per unit of the document's worth (hits)."""
        return self.weight


class CascadeLists(RunLists):
    """Lists that a user reads until a document stops them."""

    def values(self, worth: FloatArray) -> FloatArray:
        return self._stakes(worth)[1]

    def slopes(self, worth: FloatArray) -> FloatArray:
        return self._stakes(worth)[0]

    def _stakes(self, worth: FloatArray) -> tuple[FloatArray, FloatArray]:
        place = np.arange(len(self.cell)) - np.repeat(self.starts, self.counts)
        column = np.repeat(np.arange(len(self.starts)), self.counts)
        weights, stops = np.zeros((2, int(self.counts.max(initial=0)), len(self.starts)))
        weights[place, column], stops[place, column] = self.weight, worth[self.document]
        stake, value = stakes(weights, stops)
        reached = np.ones_like(stops)
        np.cumprod(1.0 - stops[:-1], axis=0, out=reached[1:])
        totals = np.zeros(self.shape[0] * self.shape[1])
        totals[self.cell[self.starts]] = value
        return (reached * stake)[place, column], totals.reshape(self.shape)


class PrecisionLists(RunLists):
    """Lists whose value is a sum of precisions: U = Σ_i b_i (1 + Σ_{j above i} b_j) / i.

    Worths and amounts may be those of one guess (documents) or of several (guesses × documents), which saves time.
    """

    def values(self, worth: FloatArray) -> FloatArray:
        return self._sum_by_rank(worth, own=1.0, power=1)

    def slopes(self, worth: FloatArray) -> FloatArray:
        slopes = np.empty(len(self.cell))
        for hits, starts, lengths in self._blocks:
            b, weight = worth[self.document[hits]], self.weight[hits]
            # One running sum of pairs takes half the time of two of numbers: each sum waits for the one before.
            pairs = np.empty(len(b), dtype=np.complex128)
            pairs.real, pairs.imag = b, b * weight
            pairs = np.cumsum(pairs)
            above, upto = pairs.real - b, pairs.imag
            above += 1.0 - np.repeat(above[starts], lengths)
            slopes[hits] = above * weight + (np.repeat(upto[starts + lengths - 1], lengths) - upto)
        return slopes

    def pairs(self, amounts: FloatArray, *, power: int = 1) -> FloatArray:
        """Σ_{j above i} x_i x_j / i^power of each list (runs × queries); `amounts` are the documents' x."""
        return self._sum_by_rank(amounts, own=0.0, power=power)

    def _sum_by_rank(self, amounts: FloatArray, *, own: float, power: int) -> FloatArray:
        """Σ_i x_i (own + Σ_{j above i} x_j) / i^power, hit by hit, for all lists and guesses at once."""
        rows = np.ascontiguousarray(amounts).reshape(-1, amounts.shape[-1])
        lists, edges, document, weight = self._by_place
        above, total = np.full((len(rows), len(lists)), own), np.zeros((len(rows), len(lists)))
        for start, end in pairwise(edges):
            x, n = rows.take(document[start:end], axis=1), end - start
            added = x * above[:, :n]
            added *= weight[start:end] ** power
            total[:, :n] += added
            above[:, :n] += x
        sums = np.zeros((len(rows), self.shape[0] * self.shape[1]))
        sums[:, lists] = total
        return sums.reshape(*amounts.shape[:-1], *self.shape)

    @cached_property
    def _by_place(self) -> tuple[IndexArray, list[int], IndexArray, FloatArray]:
        """The lists, longest first; where among all hits, ordered by their places in the lists, the first, the second …
        of each list begin; and the documents and weights of these hits."""
        order = np.argsort(-self.counts, kind="stable")
        places = np.arange(int(self.counts.max(initial=0)))
        reach = len(order) - np.searchsorted(self.counts[order][::-1], places, side="right")
        edges = np.append(0, np.cumsum(reach))
        first, hits = self.starts[order], np.empty(len(self.cell), dtype=np.int64)
        for place, (start, end) in enumerate(pairwise(edges.tolist())):
            np.add(first[: end - start], place, out=hits[start:end])
        return self.cell[first], edges.tolist(), self.document[hits], self.weight[hits]

    @cached_property
    def _blocks(self) -> list[tuple[slice, IndexArray, IndexArray]]:
        """Some whole lists each: their hits, where lists begin among them, and how many hits they have."""
        edges = np.append(self.starts, len(self.cell))
        cuts = np.unique(np.append(np.searchsorted(self.starts, np.arange(0, len(self.cell), BLOCK)), len(self.starts)))
        return [
            (slice(edges[first], edges[last]), self.starts[first:last] - edges[first], self.counts[first:last])
            for first, last in pairwise(cuts.tolist())
        ]


_KINDS: Mapping[Shape, type[RunLists]] = {
    Shape.LINEAR: RunLists,
    Shape.CASCADE: CascadeLists,
    Shape.PRECISION: PrecisionLists,
}
