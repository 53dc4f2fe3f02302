"""Every order of tied documents, for lists that allow only a few.

Documents that were judged alike are interchangeable, and so are unjudged ones: a group of six of which one is relevant
and five are not has six orders, not 720.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, product
from math import comb, prod

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.lists import RankedLists
from rankgauge.records import tuple_record

CELLS = 1 << 22
"""How many ranks are kept at a time: 32 MB."""

Kinds = tuple[int, ...]
"""How many hits of a tie group are alike, kind by kind."""


@tuple_record
class _Group:
    """A tie group of a list: the column of its first hit, its kinds of hits, and how many documents are not judged."""

    column: int
    kinds: Kinds
    unjudged: int

    @property
    def orders(self) -> int:
        """How many orders there are."""
        left = sum(self.kinds) + self.unjudged
        return prod(comb(left - sum(self.kinds[:n]), kind) for n, kind in enumerate(self.kinds))

    @property
    def places(self) -> IndexArray:
        """The place of each hit in each of the orders, from 0 on (orders × hits)."""
        return _places(self.kinds, self.unjudged)


@dataclass(frozen=True, eq=False)
class EveryOrder:
    """The orders of the lists of a block (queries × hits) that allow at most so many.

    The hits of a group have to be in the order of their grades (`RankedLists.by_grade`), so that those judged alike are
    together.
    """

    lists: RankedLists
    most: int

    def __iter__(self) -> Iterator[tuple[IndexArray, Iterator[RankedLists]]]:
        """Yield rows of the block with equally many orders, and these lists in one order after another."""
        width = max(self.lists.ranks.shape[-1], 1)
        for count in sorted({count for count in self._counts if count <= self.most}):
            rows = np.flatnonzero(np.array(self._counts) == count)
            some = max(1, CELLS // (width * count))
            for start in range(0, len(rows), some):
                part = rows[start : start + some]
                yield part, self._order_rows(part)

    @property
    def rest(self) -> IndexArray:
        """The rows that allow more orders."""
        return np.flatnonzero(np.array(self._counts) > self.most)

    @cached_property
    def _counts(self) -> list[int]:
        return [prod(group.orders for group in groups) for groups in self._groups]

    @cached_property
    def _groups(self) -> list[list[_Group]]:
        """The tie groups of each row."""
        first, size = self.lists.first, self.lists.size
        assert first is not None
        assert size is not None
        tied = np.flatnonzero((size > 1).any(axis=-1))
        groups: list[list[_Group]] = [[] for _ in first]
        for row, opens, kinds in zip(tied.tolist(), self._opens[tied], self._kinds[tied], strict=True):
            groups[row] = list(_row_groups(size[row], np.flatnonzero(opens), kinds))
        return groups

    @cached_property
    def _opens(self) -> BoolArray:
        """Where a group of tied hits begins, and past the last of them."""
        first = self.lists.first
        assert first is not None
        return np.asarray(np.diff(first, prepend=np.nan, axis=-1) != 0)

    @cached_property
    def _kinds(self) -> BoolArray:
        """Where a hit was judged differently from the one before it, or begins a group."""
        changes = _differs(self.lists.grades)
        if self.lists.facets is not None:
            changes |= _differs(np.moveaxis(self.lists.facets.grades, -1, 0)).any(axis=0)
        return changes | self._opens

    def _order_rows(self, rows: IndexArray) -> Iterator[RankedLists]:
        """Return the lists of some rows, which have equally many orders, in one after another."""
        part = self.lists.take(rows)
        assert part.first is not None
        ranks = np.repeat(part.first[:, np.newaxis], self._counts[rows[0]], axis=1)
        for at, row in enumerate(rows.tolist()):
            for number, places in enumerate(product(*(group.places for group in self._groups[row]))):
                for group, place in zip(self._groups[row], places, strict=True):
                    ranks[at, number, group.column : group.column + len(place)] += place
        return (part.at_ranks(ranks[:, number]) for number in range(ranks.shape[1]))


def _row_groups(size: FloatArray, starts: IndexArray, kinds: BoolArray) -> Iterator[_Group]:
    """Yield the tie groups of a row that has some, of more than one document."""
    ends = np.append(starts[1:], len(size))
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if size[start] > 1:
            alike = np.diff(np.flatnonzero(kinds[start:end]), append=end - start)
            yield _Group(start, tuple(alike.tolist()), int(size[start]) - (end - start))


def _differs(cells: FloatArray) -> BoolArray:
    """Return where a cell differs from the one before it; NaN is like NaN, and −∞ like −∞."""
    changes = np.ones(cells.shape, dtype=bool)
    before, after = cells[..., :-1], cells[..., 1:]
    changes[..., 1:] = (before != after) & ~(np.isnan(before) & np.isnan(after))
    return changes


@lru_cache(maxsize=1024)
def _places(kinds: Kinds, unjudged: int) -> IndexArray:
    """Return the places of the hits of a group in each of its orders (orders × hits)."""
    return np.array(list(_fill_places(kinds, tuple(range(sum(kinds) + unjudged)))), dtype=np.int64)


def _fill_places(kinds: Kinds, free: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to give the hits places that are free, those of one kind in rising order."""
    if not kinds:
        yield ()
        return
    for taken in combinations(free, kinds[0]):
        left = tuple(place for place in free if place not in taken)
        for rest in _fill_places(kinds[1:], left):
            yield (*taken, *rest)
