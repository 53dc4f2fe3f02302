"""RankedLists: a block of queries as judged hits with explicit ranks.

Unjudged documents take part only through the ranks of the others, so a list of 1,000 documents of which 50 were
judged costs 50 columns. Every array has the hits on its last axis; one list and a block of thousands are the
same to a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.facets import FacetLists
from rankgauge.records import entity

Weight: TypeAlias = Callable[[FloatArray], FloatArray]
"""What a rank is worth: an array of ranks in, an array of weights out."""

Names: TypeAlias = Sequence[str] | Sequence[int]
"""The ids of queries; their numbers where they have no ids."""

Grade: TypeAlias = float | tuple[float, ...]
"""What a document was judged: one grade, or one for each facet of its query."""

UNJUDGED = -np.inf
"""The grade of a hit that was in the pool but never judged (a negative grade in TREC judgments)."""


@entity
class RankedLists:
    """A block of ranked lists.

    `ranks` and `grades` (queries × hits) are in rank order and padded with NaN; `ideal` (queries × judged) holds
    the grades of the ideal ranking, descending, padded with NaN; `retrieved` (queries) counts the documents of
    each list. `first` and `size` (queries × hits) are the first rank and the size of each hit's tie group; they are
    None where the order is strict. Where they are given, kernels average over all orders of the tied documents.
    `single` says that kernels divide and add in single precision. `names` (queries) are the queries' ids, where
    orders may have to be drawn, which ones then depends on the query alone, and where documents are judged by subtopic:
    `facets` are then the grades by facet. `copies` (queries × hits) marks hits that repeat a document above them and
    are judged documents of their own: they are in `ideal`, and `distinct` is the same without them.
    """

    ranks: FloatArray
    grades: FloatArray
    ideal: FloatArray
    retrieved: FloatArray
    first: FloatArray | None = None
    size: FloatArray | None = None
    single: bool = False
    names: Names | None = None
    facets: FacetLists | None = None
    copies: BoolArray | None = None
    distinct: FloatArray | None = None

    @classmethod
    def of(cls, grades: Iterable[Grade | None], *, missed: Iterable[Grade] = (), facets: int = 0) -> RankedLists:
        """Return one list from the grades of its documents in rank order (None: unjudged) and the grades it missed.

        A tuple has a grade for each facet of the query; a number beside tuples is the grade on every facet. `facets`
        is how many there are, if no tuple shows it.
        """
        listed, lacking = list(grades), list(missed)
        width = max((len(grade) for grade in (*listed, *lacking) if isinstance(grade, tuple)), default=facets)
        cells, past = _cells(listed, width), _cells(lacking, width)
        row = np.fmax.reduce(cells, axis=-1)
        hit = ~np.isnan(row)
        judged = np.concatenate([row[hit], np.fmax.reduce(past, axis=-1)])
        return cls(
            ranks=(np.flatnonzero(hit) + 1).astype(np.float64),
            grades=row[hit],
            ideal=np.sort(judged[judged > UNJUDGED])[::-1],
            retrieved=np.asarray(len(listed), dtype=np.float64),
            facets=FacetLists.of(cells[hit], past) if width else None,
        )

    @cached_property
    def hits(self) -> BoolArray:
        """Where there is a hit, not padding."""
        return ~np.isnan(self.ranks)

    @cached_property
    def judged(self) -> BoolArray:
        """Where there is a judged hit."""
        return self.grades > UNJUDGED

    @property
    def highest(self) -> float:
        """The highest grade of a judged document, 0 where there is none."""
        return float(max(np.max(grades, initial=0.0, where=grades > 0) for grades in (self.grades, self.ideal)))

    @property
    def tied(self) -> bool:
        """Whether kernels have to average over orders."""
        return self.first is not None

    def relevant(self, rel: float) -> BoolArray:
        """Return where a hit has at least the grade `rel`."""
        return self.grades >= rel

    def nonrelevant(self, rel: float) -> BoolArray:
        """Return where a hit was judged below the grade `rel`."""
        return self.judged & (self.grades < rel)

    def total_relevant(self, rel: float) -> FloatArray:
        """Return how many judged documents have at least the grade `rel`."""
        return np.asarray((self.ideal >= rel).sum(axis=-1), dtype=np.float64)

    def total_nonrelevant(self, rel: float) -> FloatArray:
        """Return how many documents were judged below the grade `rel`."""
        return np.asarray((self.ideal < rel).sum(axis=-1), dtype=np.float64)

    def count_found(self, rel: float) -> FloatArray:
        """Return how many documents of each list have at least the grade `rel`."""
        return np.asarray(self.relevant(rel).sum(axis=-1), dtype=np.float64)

    def shift_grades(self, lowest: float) -> RankedLists:
        """Return the same lists on a scale whose lowest grade is 0 instead of `lowest`."""
        if not lowest:
            return self
        distinct = None if self.distinct is None else self.distinct - lowest
        return replace(self, grades=self.grades - lowest, ideal=self.ideal - lowest, distinct=distinct)

    def top(self, cutoff: float | None) -> RankedLists:
        """Return the same lists without the columns that no rank up to `cutoff` can need.

        Ranks rise from left to right by at least one, so the first k columns hold every hit of the first k ranks; of
        tie groups, those that begin there are kept whole. The ideal stays whole: it says how much there is to find.
        """
        if cutoff is None or cutoff >= self.ranks.shape[-1]:
            return self
        if self.first is None or self.size is None:
            k = int(cutoff)
            facets = None if self.facets is None else self.facets.top(k)
            return replace(
                self,
                ranks=self.ranks[..., :k],
                grades=self.grades[..., :k],
                facets=facets,
                copies=None if self.copies is None else self.copies[..., :k],
            )
        k = int((self.first <= cutoff).sum(axis=-1).max(initial=0))
        return replace(
            self,
            ranks=self.ranks[..., :k],
            grades=self.grades[..., :k],
            first=self.first[..., :k],
            size=self.size[..., :k],
            facets=None if self.facets is None else self.facets.top(k),
            copies=None if self.copies is None else self.copies[..., :k],
        )

    def take(self, rows: IndexArray | None) -> RankedLists:
        """Return some lists of a block; None makes a block of a list that is alone."""
        names = self.names
        return replace(
            self,
            ranks=self.ranks[rows],
            grades=self.grades[rows],
            ideal=self.ideal[rows],
            retrieved=self.retrieved[rows],
            first=None if self.first is None else self.first[rows],
            size=None if self.size is None else self.size[rows],
            names=names if names is None or rows is None else [names[row] for row in rows.tolist()],
            facets=None if self.facets is None else self.facets.rows(rows),
            copies=None if self.copies is None else self.copies[rows],
            distinct=None if self.distinct is None else self.distinct[rows],
        )

    def with_copies(self, copies: BoolArray) -> RankedLists:
        """The lists with these hits as copies that are judged documents of their own, in the ideal ranking too."""
        return replace(self, copies=copies, distinct=self.ideal, ideal=_with(self.ideal, self.grades, copies))

    def without_copies_past(self, cutoff: int | None) -> RankedLists:
        """Return the lists without the copies past the cutoff in the ideal ranking, as MLflow cuts lists first.

        Of tied documents, those count that the cutoff may reach.
        """
        if cutoff is None or self.copies is None or self.distinct is None:
            return self
        place = self.ranks if self.first is None else self.first
        return replace(self, ideal=_with(self.distinct, self.grades, self.copies & (place <= cutoff)))

    def by_grade(self) -> RankedLists:
        """Return the lists with the hits of each tie group by grade, so that the order of the input decides nothing."""
        assert self.first is not None
        facets = self.facets
        further = () if facets is None else tuple(np.nan_to_num(np.moveaxis(facets.grades, -1, 0), nan=-1.0))
        order = np.lexsort((*further, self.grades, self.first), axis=-1)
        grades = np.take_along_axis(self.grades, order, axis=-1)
        copies = None if self.copies is None else np.take_along_axis(self.copies, order, axis=-1)
        return replace(self, grades=grades, copies=copies, facets=None if facets is None else facets.take(order))

    def at_ranks(self, ranks: FloatArray) -> RankedLists:
        """Return the lists with their hits at these ranks, and nothing tied."""
        order = np.argsort(ranks, axis=-1, kind="stable")
        return replace(
            self,
            ranks=np.take_along_axis(ranks, order, axis=-1),
            grades=np.take_along_axis(self.grades, order, axis=-1),
            first=None,
            size=None,
            names=None,
            facets=None if self.facets is None else self.facets.take(order),
            copies=None if self.copies is None else np.take_along_axis(self.copies, order, axis=-1),
        )

    def ideal_order(self, cutoff: float | None = None) -> RankedLists:
        """Return the ideal ranking of the same queries down to the cutoff: what a measure is normalised by."""
        grades = self.ideal if cutoff is None else self.ideal[..., : int(cutoff)]
        ranks = np.broadcast_to(np.arange(1.0, grades.shape[-1] + 1), grades.shape)
        order = ~np.isnan(grades)
        return RankedLists(
            ranks=np.where(order, ranks, np.nan),
            grades=grades,
            ideal=self.ideal,
            retrieved=order.sum(axis=-1).astype(np.float64),
        )

    def condense(self) -> RankedLists:
        """Return the same lists without their unjudged documents."""
        # A level of preferences may be below 0, which as a grade of the whole document may mean that nobody judged it.
        judged = self.judged if self.facets is None else (self.facets.grades > UNJUDGED).any(axis=-1)
        order = np.argsort(~judged, axis=-1, kind="stable")
        kept = np.take_along_axis(judged, order, axis=-1)
        grades = np.where(kept, np.take_along_axis(self.grades, order, axis=-1), np.nan)
        ranks = np.where(kept, np.cumsum(kept, axis=-1), np.nan)
        first, size = self.first, self.size
        if first is not None:
            first = np.where(kept, np.take_along_axis(first, order, axis=-1), np.nan)
            start, end = group_edges(first)
            first = np.where(kept, start + 1.0, np.nan)
            size = np.where(kept, end - start + 1.0, np.nan)
        retrieved = kept.sum(axis=-1).astype(np.float64)
        facets = None if self.facets is None else self.facets.take(order)
        copies = None if self.copies is None else np.take_along_axis(self.copies, order, axis=-1) & kept
        return replace(
            self, ranks=ranks, grades=grades, retrieved=retrieved, first=first, size=size, facets=facets, copies=copies
        )

    @cached_property
    def by_facet(self) -> RankedLists:
        """The same lists once for each facet (queries × facets × hits), with the grades on that facet alone.

        What a kernel makes of them is a value for each facet. A facet that a query lacks has no grades.
        """
        assert self.facets is not None
        grades, pool = (np.moveaxis(cells, -1, -2) for cells in (self.facets.grades, self.facets.pool))
        first, size = self.first, self.size

        def per_copy(cells: FloatArray) -> FloatArray:
            return np.broadcast_to(cells[..., np.newaxis, :], grades.shape)

        return RankedLists(
            ranks=per_copy(self.ranks),
            grades=grades,
            ideal=-np.sort(-np.where(pool > UNJUDGED, pool, np.nan), axis=-1),
            retrieved=np.broadcast_to(self.retrieved[..., np.newaxis], grades.shape[:-1]),
            first=None if first is None else per_copy(first),
            size=None if size is None else per_copy(size),
            single=self.single,
        )

    def weigh(self, weight: Weight, cutoff: float | FloatArray | None = None) -> FloatArray:
        """Return what each hit's place is worth: 0 past the cutoff and on padding, the group's mean where tied.

        `cutoff` is one number or one per query.
        """
        limit = np.asarray(np.inf if cutoff is None else cutoff, dtype=np.float64)[..., np.newaxis]
        strict = self._weights(weight, self.ranks <= limit)
        if self.first is None or self.size is None:
            return strict
        last = np.where(self.hits, self.first + self.size - 1, 0.0)
        before = np.where(self.hits, self.first - 1, 0.0)
        table = np.concatenate([[0.0], np.cumsum(weight(np.arange(1.0, float(last.max(initial=0.0)) + 1)))])
        low, high = (np.minimum(edge, limit).astype(np.intp) for edge in (before, last))
        shared = (table.take(high) - table.take(low)) / np.maximum(last - before, 1.0)
        return np.where(self.size > 1, shared, strict)

    def inside(self, cutoff: float | FloatArray | None) -> FloatArray:
        """1 for each hit among the first `cutoff` documents, else 0; where tied, the chance that it is there."""
        return self.weigh(np.ones_like, cutoff)

    def _weights(self, weight: Weight, inside: BoolArray) -> FloatArray:
        """The weight of each hit's own rank, 0 outside; there are fewer ranks than hits, so each is weighed once."""
        index = np.where(inside, self.ranks, 0.0).astype(np.intp)
        ranks = np.arange(1.0, int(index.max(initial=0)) + 1)
        if len(ranks) <= index.size:
            return np.concatenate([[0.0], weight(ranks)])[index]
        return np.where(inside, weight(np.maximum(index, 1).astype(np.float64)), 0.0)

    def round_quotients(self, quotients: FloatArray) -> FloatArray:
        """Return the quotients, in single precision if the tool divides so: its printed digits follow from it."""
        return to_single(quotients) if self.single else quotients

    def total(self, amounts: FloatArray, *, upwards: bool = False) -> FloatArray:
        """The sum over the last axis; if the tool adds in single precision, so here, `upwards` from the last on."""
        if not self.single:
            return total(amounts)
        return total(amounts[..., ::-1] if upwards else amounts, single=True)

    def earlier(self, amounts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return for each hit the sum of `amounts` before its tie group, and the sum over the group itself."""
        running = np.cumsum(amounts, axis=-1)
        if self.first is None:
            return running - amounts, amounts
        start, end = group_edges(self.first)
        before = np.take_along_axis(running - amounts, start, axis=-1)
        return before, np.take_along_axis(running, end, axis=-1) - before


def _with(ideal: FloatArray, grades: FloatArray, copies: BoolArray) -> FloatArray:
    """Return the grades of the ideal ranking with those of some copies, descending."""
    further = np.where(copies & (grades > UNJUDGED), grades, np.nan)
    return -np.sort(-np.concatenate([ideal, further], axis=-1), axis=-1)


def total(amounts: FloatArray, *, single: bool = False) -> FloatArray:
    """Return the sum over the last axis, added from left to right as a plain loop does; `single` keeps it in 32 bits.

    NumPy's own sum adds pairwise; the tools add in rank order, and their printed digits follow from it.
    """
    if amounts.shape[-1] == 0:
        return np.zeros(amounts.shape[:-1])
    if single:
        return reduce(lambda sum_, amount: to_single(sum_ + amount), np.moveaxis(amounts, -1, 0), np.zeros(()))
    return np.asarray(np.add.accumulate(amounts, axis=-1)[..., -1])


def _cells(grades: Sequence[Grade | None], width: int) -> FloatArray:
    """The grades of some documents (documents × facets), NaN for unjudged ones; without facets there is one column."""
    each = (np.nan if grade is None else grade for grade in grades)
    rows = [grade if isinstance(grade, tuple) else (grade,) * max(width, 1) for grade in each]
    return np.array(rows, dtype=np.float64).reshape(len(rows), max(width, 1))


def to_single(values: FloatArray) -> FloatArray:
    """Return the nearest numbers of 32 bits, in 64."""
    return np.asarray(values).astype(np.float32).astype(np.float64)


def group_edges(first: FloatArray) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the column of the first and of the last hit of each hit's tie group."""
    width = first.shape[-1]
    columns = np.broadcast_to(np.arange(width), first.shape)
    opens = np.ones(first.shape, dtype=bool)
    opens[..., 1:] = first[..., 1:] != first[..., :-1]
    closes = np.ones(first.shape, dtype=bool)
    closes[..., :-1] = opens[..., 1:]
    start = np.maximum.accumulate(np.where(opens, columns, 0), axis=-1)
    backwards = np.where(closes, columns, width - 1)[..., ::-1]
    end = np.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    return start, end
