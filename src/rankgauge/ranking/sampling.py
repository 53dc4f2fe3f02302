"""Sampling: the mean over orders of tied documents, for measures that have no closed form for it.

A list that allows only a few orders is scored in each of them, and its mean is exact. For other lists orders are drawn.
Which ones depends on the seed and on the query's id, not on the queries beside it: a query has the same value in any
block, in any batch of a stream and on any machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.lists import RankedLists, group_edges
from rankgauge.records import record

if TYPE_CHECKING:
    from rankgauge.ranking.every_order import EveryOrder

Bits = npt.NDArray[np.uint64]

ROUNDING = 1e-12
"""By how much sums of the same numbers in another order may differ."""

Kernel = Callable[[RankedLists], FloatArray]
"""What gives each list its value."""


@record
class Sampling:
    """How many random orders of tied documents are drawn, and from which seed.

    A list with at most `every` orders is scored in each of them.
    """

    seed: int = 0
    orders: int = 64
    every: int = 64

    def __post_init__(self) -> None:
        if self.orders < 2:
            raise ParameterError("Sampling", "orders", "at least 2, so that there is a standard error", self.orders)

    def mean(self, kernel: Kernel, lists: RankedLists) -> tuple[FloatArray, FloatArray]:
        """The mean of a kernel's values over the orders of each list, and its standard error: 0 if there are few."""
        block = _block(lists)
        values, errors = np.zeros((2, len(block.ranks)))
        every = self._every(block)
        for rows, orders in every:
            values[rows] = _mean(kernel, orders)[0]
        if len(every.rest):
            drawn = Orders(block.take(every.rest), self.seed)
            mean, squares = _mean(kernel, (drawn.draw(n) for n in range(1, self.orders + 1)))
            values[every.rest], errors[every.rest] = mean, np.sqrt(squares / (self.orders - 1) / self.orders)
        return values.reshape(lists.retrieved.shape), errors.reshape(lists.retrieved.shape)

    def extreme(self, kernel: Kernel, lists: RankedLists, *, best: bool) -> FloatArray:
        """Return the highest of a kernel's values over the orders of each list, or the lowest.

        Where there are more than a few, it is the value of the order in which the lists are, unless that is on the
        wrong side of the mean: then it is the most extreme one of random orders.
        """
        sign = 1.0 if best else -1.0
        block = _block(lists)
        values = sign * kernel(replace(block, first=None, size=None))
        every = self._every(block)
        for rows, orders in every:
            values[rows] = np.fmax.reduce([sign * kernel(order) for order in orders])
        if len(every.rest):
            mean = sign * kernel(block.take(every.rest))
            short = every.rest[values[every.rest] < mean - ROUNDING]
            drawn = Orders(block.take(short), self.seed)
            for number in range(1, self.orders + 1 if len(short) else 1):
                values[short] = np.fmax(values[short], sign * kernel(drawn.draw(number)))
        return sign * values.reshape(lists.retrieved.shape)

    def _every(self, block: RankedLists) -> EveryOrder:
        """Return the lists of a block that allow few orders."""
        from rankgauge.ranking.every_order import EveryOrder  # few evaluations look at orders, as with `_hash`

        return EveryOrder(block.by_grade(), self.every)


def _block(lists: RankedLists) -> RankedLists:
    """Return the lists with an axis of queries, and a name for each."""
    # A list by itself is the first of one.
    block = lists if lists.ranks.ndim > 1 else lists.take(np.newaxis)
    return block if block.names is not None else replace(block, names=range(len(block.ranks)))


def _mean(kernel: Kernel, orders: Iterator[RankedLists]) -> tuple[FloatArray, FloatArray]:
    """Return the mean of the values over the orders, and the sum of squared differences from it.

    Welford's running update: no order's values are kept, and equal values have the error 0 exactly.
    """
    mean = kernel(next(orders))
    spread = np.zeros_like(mean)
    for n, order in enumerate(orders, 2):
        value = kernel(order)
        step = value - mean
        mean = mean + step / n
        spread = spread + step * (value - mean)
    return mean, spread


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
        self.lists = lists.by_grade()
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
        """Return the lists in the order of that number."""
        ranks: FloatArray = self._first.copy()
        streams = _mix(self._seeds + np.uint64(number))
        for groups in self._groups:
            ranks[groups.cells] += groups.places(streams[groups.rows])
        return self.lists.at_ranks(ranks.reshape(self.lists.ranks.shape))


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
        """Return the place of each hit among the documents of its group, from 0 on; no two of a group share one."""


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
        luck = _mix(np.concatenate([streams, streams[self.other]]) + self.numbers)
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
        """Return the hits among the fresh ones whose places were taken before, or by an earlier one."""
        is_fresh = np.zeros(len(place), dtype=bool)
        is_fresh[fresh] = True
        concerned = np.zeros(int(self.group[-1]) + 1, dtype=bool)
        concerned[self.group[fresh]] = True
        near = np.flatnonzero(concerned[self.group])
        near = near[np.lexsort((is_fresh[near], place[near], self.group[near]))]
        same = (np.diff(place[near], prepend=-1) == 0) & (np.diff(self.group[near], prepend=-1) == 0)
        return np.sort(near[same])


def _hash(name: str | int, seed: int) -> int:
    """64 bits that no version of a library changes."""
    from hashlib import blake2b  # few evaluations draw orders, and a small one takes not much longer than this import

    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=8).digest(), "little")


def _mix(bits: Bits) -> Bits:
    """SplitMix64: neighbouring numbers become unlike ones (Steele, Lea & Flood 2014)."""
    mixed: Bits = bits * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _further(columns: Bits, number: IndexArray) -> Bits:
    """Return the numbers of columns past any that a list has, for a cell's further draws."""
    return columns + (number.astype(np.uint64) << np.uint64(40))


def _luck(streams: Bits, columns: Bits) -> FloatArray:
    """Return numbers from 0 to below 1, one for each stream and column."""
    return np.asarray((_mix(streams + columns) >> np.uint64(11)) * 2.0**-53, dtype=np.float64)
