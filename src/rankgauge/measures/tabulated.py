"""A measure as a table: what a document adds by the code of its grade and by its rank."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import Measure
from rankgauge.numeric import FloatArray, IndexArray, ratio
from rankgauge.ranking import RankedLists
from rankgauge.ranking.keys import TOP, UNGRADED, KeyArray
from rankgauge.records import entity


@entity
class Tabulated:
    """A measure that is a sum over the first ranks, or such a sum divided by that of the ideal order.

    `added` and `ideal` (ranks × codes) are what a document of that code adds there; `ideal` is None if nothing is
    divided by. `worth` (codes) and `weight` (ranks) are the factors of `added`.
    """

    added: FloatArray
    ideal: FloatArray | None
    worth: FloatArray
    weight: FloatArray

    def sums(self, codes: KeyArray) -> FloatArray:
        """The sum of each list from its codes in rank order (ranks × lists)."""
        return self._total(self.added, codes)

    def ideals(self, codes: KeyArray) -> FloatArray | None:
        """What the sums are divided by, from the codes in the ideal order (ranks × lists)."""
        return None if self.ideal is None else self._total(self.ideal, codes)

    def expected(self, codes: KeyArray, start: IndexArray, end: IndexArray) -> FloatArray:
        """The mean sum over the orders of tied documents, from the codes (lists × documents) and their tie groups."""
        running = np.zeros((len(codes), codes.shape[1] + 1))
        np.cumsum(self.worth.take(codes), axis=1, out=running[:, 1:])
        before, after = (np.take_along_axis(running, edge, axis=1) for edge in (start, end))
        shared: FloatArray = (after - before) / (end - start) * self.weight[: start.shape[1]]
        return np.asarray(shared.sum(axis=1))

    @cached_property
    def _rows(self) -> IndexArray:
        """Where the entries of each rank begin."""
        return np.arange(0, self.added.size, UNGRADED + 1)[:, np.newaxis]

    def _total(self, table: FloatArray, codes: KeyArray) -> FloatArray:
        """The sums of a table's entries, added from rank to rank as kernels do."""
        found = table.take(codes + self._rows[: len(codes)])
        # Many lists are added rank by rank; one alone would be added pairwise.
        return np.asarray(np.add.reduce(found, axis=0) if found.shape[1] > 1 else np.add.accumulate(found, axis=0)[-1])


@lru_cache(maxsize=64)
def tabulated(kernel: Measure, depth: int) -> Tabulated | None:
    """The measure's tables down to a rank; None if its value is no such sum, or not to the last bit."""
    above, below = kernel.numerator(), kernel.ideal()
    if kernel.judged_only or above is None or above.shape is not Shape.LINEAR:
        return None
    grades = np.repeat(np.append(np.arange(TOP, -1.0, -1.0), np.nan)[:, np.newaxis], depth, axis=1)
    ranks = np.where(np.isnan(grades), np.nan, np.arange(1.0, depth + 1))
    lists = RankedLists(ranks=ranks, grades=grades, ideal=grades, retrieved=np.full(len(grades), float(depth)))
    amounts, divisor, expected = kernel.amounts(lists), kernel.divisor(lists), kernel.values(lists)
    if divisor is not None and not _is_like(below, above):
        return None
    codes = np.repeat(np.arange(UNGRADED + 1, dtype=np.int32)[np.newaxis], depth, axis=0)
    # The ideal order may go through a tool's own arithmetic, as the list does.
    for ideal in [amounts, below.contributions(lists)] if below is not None else [None]:
        found = Tabulated(
            added=np.ascontiguousarray(amounts.T),
            ideal=None if ideal is None else np.ascontiguousarray(ideal.T),
            worth=above.worth(lists)[:, 0],
            weight=above.weight(np.arange(1.0, depth + 1)),
        )
        sums, ideals = found.sums(codes), found.ideals(codes)
        if np.array_equal(sums if ideals is None else ratio(sums, ideals), expected, equal_nan=True):
            return found
    return None


def _is_like(below: Form | None, above: Form) -> bool:
    """Whether the ideal order is summed as the list is, to the same rank."""
    return below is not None and below.shape is Shape.LINEAR and below.cutoff == above.cutoff
