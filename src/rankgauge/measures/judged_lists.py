"""Lists whose documents are judged once, and scored again and again: what a ranker is watched by while it learns.

Whatever depends on the judgments alone is kept: the codes of the grades, and the sums of the ideal order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.measures.forms import Shape
from rankgauge.measures.measure import Measure
from rankgauge.numeric import FloatArray, IndexArray, ratio
from rankgauge.policies import IdealPool, Ties
from rankgauge.ranking import RankedLists, Ranking
from rankgauge.ranking.keys import TOP, UNGRADED, KeyArray, TiedKeys, doubtful, first_keys, score_keys, settled_codes
from rankgauge.ranking.sorts import SORTS
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
        """Return the sum of each list from its codes in rank order (ranks × lists)."""
        return self._total(self.added, codes)

    def ideals(self, codes: KeyArray) -> FloatArray | None:
        """Return what the sums are divided by, from the codes in the ideal order (ranks × lists)."""
        return None if self.ideal is None else self._total(self.ideal, codes)

    def expect(self, codes: KeyArray, start: IndexArray, end: IndexArray) -> FloatArray:
        """Return the mean sum over the orders of tied documents, by codes (lists × documents) and their tie groups."""
        running = np.zeros((len(codes), codes.shape[1] + 1))
        np.cumsum(self.worth.take(codes), axis=1, out=running[:, 1:])
        before, after = (np.take_along_axis(running, edge, axis=1) for edge in (start, end))
        shared: FloatArray = (after - before) / (end - start) * self.weight[: start.shape[1]]
        return np.asarray(shared.sum(axis=1))

    def _total(self, table: FloatArray, codes: KeyArray) -> FloatArray:
        """Return the sums of a table's entries, added from rank to rank as kernels do."""
        rows = np.arange(0, self.added.size, UNGRADED + 1)[:, np.newaxis]  # where the entries of each rank begin
        entries = table.take(codes + rows[: len(codes)])
        # Many lists are added rank by rank; one alone would be added pairwise.
        added = np.add.reduce(entries, axis=0) if entries.shape[1] > 1 else np.add.accumulate(entries, axis=0)[-1]
        return np.asarray(added)


@lru_cache(maxsize=64)
def tabulate(kernel: Measure, depth: int) -> Tabulated | None:
    """Return the measure's tables down to a rank; None if its value is no such sum, or not to the last bit."""
    above, below = kernel.numerator(), kernel.ideal()
    if kernel.judged_only or above is None or above.shape is not Shape.LINEAR:
        return None
    grades = np.repeat(np.append(np.arange(TOP, -1.0, -1.0), np.nan)[:, np.newaxis], depth, axis=1)
    ranks = np.where(np.isnan(grades), np.nan, np.arange(1.0, depth + 1))
    lists = RankedLists(ranks=ranks, grades=grades, ideal=grades, retrieved=np.full(len(grades), float(depth)))
    amounts, divisor, expected = kernel.amounts(lists), kernel.divisor(lists), kernel.values(lists)
    summed_alike = below is not None and below.shape is Shape.LINEAR and below.cutoff == above.cutoff
    if divisor is not None and not summed_alike:
        return None
    codes = np.repeat(np.arange(UNGRADED + 1, dtype=np.int32)[np.newaxis], depth, axis=0)
    # The ideal order may go through a tool's own arithmetic, as the list does.
    for ideal in [amounts, below.contributions(lists)] if below is not None else [None]:
        tabulated = Tabulated(
            added=np.ascontiguousarray(amounts.T),
            ideal=None if ideal is None else np.ascontiguousarray(ideal.T),
            worth=above.worth(lists)[:, 0],
            weight=above.weight(np.arange(1.0, depth + 1)),
        )
        sums, ideals = tabulated.sums(codes), tabulated.ideals(codes)
        if np.array_equal(sums if ideals is None else ratio(sums, ideals), expected, equal_nan=True):
            return tabulated
    return None


Places: TypeAlias = slice | IndexArray
"""Which lists, or where their documents are in flat arrays."""

_NONE = np.zeros(0, dtype=np.int64)

_GRADES = np.append(np.arange(TOP, -1.0, -1.0), -np.inf)
"""The grades by their codes."""

CELLS = 1 << 16
"""How many documents are sorted at a time: what a core's own cache holds."""


@entity
class ListPart:
    """Some lists of like length among flat arrays.

    `source` is where their documents are: a slice if the lists follow one another and are of one length, else the
    place of each (lists × documents), one past the end in padding.
    """

    index: Places
    source: Places
    width: int

    def rows(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the flat values by list (lists × documents); where lists are padded, `flat` ends with the padding."""
        if isinstance(self.source, slice):
            return flat[self.source].reshape(-1, self.width)
        return flat.take(self.source)

    def numbers(self, rows: IndexArray) -> IndexArray:
        """Return the numbers of some of the lists."""
        return self.index.start + rows if isinstance(self.index, slice) else self.index[rows]


class Layout:
    """Which documents of flat arrays make a list: consecutive ones, so many as the sizes say.

    `width` is the length of the lists if they have the same, else None; `longest` that of the longest.
    """

    def __init__(self, sizes: IndexArray) -> None:
        self.sizes, self.count = sizes, len(sizes)
        self.longest = int(sizes.max(initial=0))
        self.width = self.longest if int(sizes.min(initial=self.longest)) == self.longest else None

    def parts(self) -> Iterator[ListPart]:
        """Yield the lists in parts of like length; padding adds a quarter at most, but for the shortest."""
        if self.width is not None:
            step = max(1, CELLS // max(self.width, 1))
            for at in range(0, self.count, step):
                stop = min(at + step, self.count)
                source = slice(at * self.width, stop * self.width)
                yield ListPart(index=slice(at, stop), source=source, width=self.width)
            return
        order = np.argsort(self.sizes, kind="stable")
        sizes, end = self.sizes[order], int(self.sizes.sum())
        starts = (np.cumsum(self.sizes) - self.sizes)[order]
        at = int(np.searchsorted(sizes, 0, side="right"))  # lists without documents are in no part
        while at < self.count:
            limit = int(sizes[at]) + max(int(sizes[at]) // 4, 8)
            stop = min(int(np.searchsorted(sizes, limit, side="right")), at + max(1, CELLS // limit))
            columns = np.arange(int(sizes[stop - 1]))
            filled = columns < sizes[at:stop, np.newaxis]
            places = np.where(filled, starts[at:stop, np.newaxis] + columns, end)
            yield ListPart(index=order[at:stop], source=places, width=len(columns))
            at = stop

    def pad(self, flat: npt.NDArray[Any], padding: float) -> npt.NDArray[Any]:
        """Return the flat values as parts take their rows from them."""
        return flat if self.width is not None else np.append(flat, flat.dtype.type(padding))


@entity
class JudgedLists:
    """A part's lists with all that a measure needs of their judgments.

    `best` (lists) is the best grade of each list, −∞ where nothing is judged.
    """

    part: ListPart
    table: Tabulated
    depth: int
    codes: KeyArray
    divisor: FloatArray | None
    best: FloatArray

    @classmethod
    def of(cls, part: ListPart, codes: KeyArray | None, table: Tabulated) -> JudgedLists | None:
        """Return the lists, from the codes of their grades; None if there are none."""
        if codes is None:
            return None
        depth = min(len(table.weight), part.width)
        ideal = first_keys(codes.copy(), depth)
        best = _GRADES.take(ideal[0])
        return cls(part=part, table=table, depth=depth, codes=codes, divisor=table.ideals(ideal), best=best)

    def score(self, flat: npt.NDArray[Any], how: Ranking) -> Scored:
        """Return the values of the lists by the scores of all documents."""
        scores = self.part.rows(flat)
        keys, absent = score_keys(scores)
        keys |= self.codes
        retrieved, unsure = np.full(len(self.codes), float(self.part.width)), _NONE
        if absent is not None:
            retrieved -= absent.sum(axis=1, dtype=np.float64)
            if how.ideal is IdealPool.RETRIEVED:  # the ideal order depends on which documents a list has
                unsure = np.flatnonzero((absent & (self.codes != UNGRADED)).any(axis=1))
        first = first_keys(keys, min(self.depth + 1, self.part.width))
        sums = self.table.sums(first[: self.depth] & UNGRADED)
        tied = np.flatnonzero(doubtful(first, self.depth))
        if len(tied) and how.ties not in SORTS:
            groups = TiedKeys.of(keys[tied], scores[tied], self.depth)
            if how.ties is Ties.EXPECTED:
                sums[tied] = self.table.expect(groups.codes, groups.start, groups.end)
            else:
                given = score_keys(scores[tied])[0] | self.codes[tied]
                sums[tied] = self.table.sums(settled_codes(given, how.ties, self.depth))
            tied = tied[~groups.sure]
        values = sums if self.divisor is None else ratio(sums, self.divisor)
        return Scored(values=values, retrieved=retrieved, doubtful=np.union1d(tied, unsure) if len(unsure) else tied)


@entity
class Scored:
    """The values of some lists before a dialect settles them, NaN where undefined, and how many documents they have.

    The values of the `doubtful` lists are not known: their keys do not tell the order of their documents.
    """

    values: FloatArray
    retrieved: FloatArray
    doubtful: IndexArray
