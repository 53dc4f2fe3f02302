"""Sampling: the mean over random orders of tied documents, for measures that have no closed form for it.

Which orders are drawn for a query depends on the seed and on the query's id, not on the queries beside it: a query
has the same value in any block, in any batch of a stream and on any machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.lists import RankedLists, group_edges

Bits = npt.NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How many random orders of tied documents are drawn, and from which seed."""

    seed: int = 0
    orders: int = 64

    def __post_init__(self) -> None:
        if self.orders < 2:
            raise ParameterError("Sampling", "orders", "at least 2, so that there is a standard error", self.orders)

    def mean(self, kernel: Callable[[RankedLists], FloatArray], lists: RankedLists) -> tuple[FloatArray, FloatArray]:
        """The mean of a kernel's values over random orders of each list, and its standard error.

        Welford's running update: no order's values are kept, and equal values have the error 0 exactly.
        """
        orders = Orders(lists, self.seed)
        mean = kernel(orders.draw(1))
        spread = np.zeros_like(mean)
        for n in range(2, self.orders + 1):
            value = kernel(orders.draw(n))
            step = value - mean
            mean = mean + step / n
            spread = spread + step * (value - mean)
        return mean, np.sqrt(spread / (self.orders - 1) / self.orders)


SAMPLING = Sampling()
"""The default."""


class Orders:
    """Random orders of the documents of each tie group, every order equally likely.

    Each hit of a group draws a place among those of the group's documents. All places are alike, so if no two hits have
    the same place, every way to place them is equally likely. Where most of a group's documents
    are hits, all of them draw a number and are ordered by it; where few are, a hit that finds its place
    taken draws again.
    """

    def __init__(self, lists: RankedLists, seed: int) -> None:
        assert lists.first is not None
        assert lists.size is not None
        self.lists = _by_grade(lists)
        # A list by itself has no axis of queries: it is the first of one.
        self._first, size = (cells.reshape(-1, cells.shape[-1]) for cells in (lists.first, lists.size))
        names = range(len(size)) if lists.names is None else lists.names
        self._seeds = np.array([_hash(name, seed) for name in names], dtype=np.uint64)
        start, end = group_edges(self._first)
        crowded = 2 * (end - start + 1) > size
        self._groups: tuple[_Groups, ...] = (
            _Crowded(start, size, (size > 1) & crowded),
            _Sparse(start, size, (size > 1) & ~crowded),
        )

    def draw(self, number: int) -> RankedLists:
        """The lists in the order of that number."""
        ranks: FloatArray = self._first.copy()
        streams = _mixed(self._seeds + np.uint64(number))
        for groups in self._groups:
            ranks[groups.cells] += groups.places(streams[groups.rows])
        ranks = ranks.reshape(self.lists.ranks.shape)
        order = np.argsort(ranks, axis=-1, kind="stable")
        return replace(
            self.lists,
            ranks=np.take_along_axis(ranks, order, axis=-1),
            grades=np.take_along_axis(self.lists.grades, order, axis=-1),
            first=None,
            size=None,
            names=None,
            facets=None if self.lists.facets is None else self.lists.facets.taken(order),
        )


class _Groups(ABC):
    """The hits of some tie groups, flat: their cells, the number of each one's group, and its size."""

    def __init__(self, start: IndexArray, size: FloatArray, chosen: BoolArray) -> None:
        self.cells = np.nonzero(chosen)
        self.rows = self.cells[0]
        self.columns = self.cells[1].astype(np.uint64)
        self.size = size[self.cells].astype(np.int64)
        self.opens = np.diff(self.rows * start.shape[1] + start[self.cells], prepend=-1) != 0
        self.group = np.cumsum(self.opens) - 1

    @abstractmethod
    def places(self, streams: Bits) -> IndexArray:
        """The place of each hit among the documents of its group, from 0 on; no two of a group share one."""


class _Crowded(_Groups):
    """Groups most of whose documents are hits: the others draw too."""

    def __init__(self, start: IndexArray, size: FloatArray, chosen: BoolArray) -> None:
        super().__init__(start, size, chosen)
        sizes = self.size[self.opens]
        others = sizes - np.bincount(self.group, minlength=len(sizes))
        self.other = np.repeat(np.flatnonzero(self.opens), others)
        within = np.arange(len(self.other)) - np.repeat(np.cumsum(others) - others, others)
        self.numbers = np.concatenate([self.columns, _further(self.columns[self.other], within + 1)])
        self.groups = np.concatenate([self.group, self.group[self.other]])
        self.upper = self.groups.astype(np.uint64) << np.uint64(40)
        self.before = np.cumsum(sizes) - sizes

    def places(self, streams: Bits) -> IndexArray:
        luck = _mixed(np.concatenate([streams, streams[self.other]]) + self.numbers)
        # The group above, 40 bits of luck below: one key to sort by. A block has fewer groups than 2^24.
        order = np.argsort(self.upper | (luck >> np.uint64(24)))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) - self.before[self.groups[order]]
        return place[: len(self.group)]


class _Sparse(_Groups):
    """Groups few of whose documents are hits: a hit that finds its place taken draws again."""

    def places(self, streams: Bits) -> IndexArray:
        place, left, round_ = np.full(len(self.group), -1), np.arange(len(self.group)), 0
        while len(left):
            luck = _luck(streams[left], _further(self.columns[left], np.full(len(left), round_)))
            place[left] = luck * self.size[left]
            left, round_ = self._met(place, left), round_ + 1
        return place

    def _met(self, place: IndexArray, fresh: IndexArray) -> IndexArray:
        """The hits among the fresh ones whose places were taken before, or by an earlier one."""
        is_fresh = np.zeros(len(place), dtype=bool)
        is_fresh[fresh] = True
        concerned = np.zeros(int(self.group[-1]) + 1, dtype=bool)
        concerned[self.group[fresh]] = True
        near = np.flatnonzero(concerned[self.group])
        near = near[np.lexsort((is_fresh[near], place[near], self.group[near]))]
        same = (np.diff(place[near], prepend=-1) == 0) & (np.diff(self.group[near], prepend=-1) == 0)
        return np.sort(near[same])


def _by_grade(lists: RankedLists) -> RankedLists:
    """The lists with the hits of each tie group by grade, so that the order of the input decides nothing."""
    assert lists.first is not None
    facets = lists.facets
    further = () if facets is None else tuple(np.nan_to_num(np.moveaxis(facets.grades, -1, 0), nan=-1.0))
    order = np.lexsort((*further, lists.grades, lists.first), axis=-1)
    grades = np.take_along_axis(lists.grades, order, axis=-1)
    return replace(lists, grades=grades, facets=None if facets is None else facets.taken(order))


def _hash(name: str | int, seed: int) -> int:
    """64 bits that no version of a library changes."""
    from hashlib import blake2b  # few evaluations draw orders, and a small one takes not much longer than this import

    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=8).digest(), "little")


def _mixed(bits: Bits) -> Bits:
    """SplitMix64: neighbouring numbers become unlike ones (Steele, Lea & Flood 2014)."""
    mixed: Bits = bits * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _further(columns: Bits, number: IndexArray) -> Bits:
    """The numbers of columns past any that a list has, for a cell's further draws."""
    return columns + (number.astype(np.uint64) << np.uint64(40))


def _luck(streams: Bits, columns: Bits) -> FloatArray:
    """Numbers from 0 to below 1, one for each stream and column."""
    return np.asarray((_mixed(streams + columns) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)
