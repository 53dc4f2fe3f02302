"""The contract of a similarity of ranked lists, and the registry of them.

A similarity reads two ranked lists, which may have ties and different documents, and gives one number: 1 for lists that
agree fully. What it does with documents that only one list has, it says itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.records import entity, record
from rankgauge.registry import Registered, Registry

Ranked: TypeAlias = Sequence[Hashable | AbstractSet[Hashable]]
"""Items from the best down; a set holds tied items."""


@entity
class TiedList:
    """A ranked list: for each item the first rank and the size of its tie group."""

    first: FloatArray
    size: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def from_scores(cls, scores: npt.ArrayLike) -> TiedList:
        """Return the list of items by falling score; equal scores are ties."""
        falling = -np.asarray(scores, dtype=np.float64)
        _, group, counts = np.unique(falling, return_inverse=True, return_counts=True)
        starts = (np.cumsum(counts) - counts + 1).astype(np.float64)
        return cls(first=starts[group], size=counts[group].astype(np.float64))

    @property
    def last(self) -> FloatArray:
        """The last rank of each item's tie group."""
        return self.first + self.size - 1.0

    @cached_property
    def entered(self) -> FloatArray:
        """To each depth, how much of the tie group at that rank is among the first: 1 at the group's end."""
        order = np.argsort(self.first, kind="stable")
        depths = np.arange(1.0, len(self) + 1)
        return np.asarray((depths - self.first[order] + 1.0) / self.size[order])


@entity
class RankedPair:
    """Two ranked lists, and where each has the items that both have."""

    one: TiedList
    other: TiedList
    shared: tuple[IndexArray, IndexArray]

    @classmethod
    def from_scores(cls, x: npt.ArrayLike, y: npt.ArrayLike) -> RankedPair:
        """Return the orders of the same items by two scores of each."""
        one, other = TiedList.from_scores(x), TiedList.from_scores(y)
        if len(one) != len(other):
            raise ParameterError("RankedPair", "y", f"as long as x, which has {len(one)}", len(other))
        return cls(one=one, other=other, shared=(np.arange(len(one)), np.arange(len(one))))

    @classmethod
    def from_lists(cls, a: Ranked, b: Ranked) -> RankedPair:
        """Return two lists of items."""
        one, other = _places(a), _places(b)
        at = {item: place for place, item in enumerate(other)}
        pairs = [(place, at[item]) for place, item in enumerate(one) if item in at]
        left, right = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
        first, size = np.array([*one.values(), *other.values()], dtype=np.float64).T
        cut = len(one)
        return cls(
            one=TiedList(first=first[:cut], size=size[:cut]),
            other=TiedList(first=first[cut:], size=size[cut:]),
            shared=(left, right),
        )

    @property
    def is_empty(self) -> bool:
        """Whether one of the lists has no items."""
        return not (len(self.one) and len(self.other))

    @property
    def is_same(self) -> bool:
        """Whether both lists have the same items, in the same order and with the same ties."""
        left, right = self.shared
        whole = len(left) == len(self.one) == len(self.other)
        return whole and bool((self.one.first[left] == self.other.first[right]).all())

    @property
    def flipped(self) -> RankedPair:
        """The same lists, the other one first."""
        return RankedPair(one=self.other, other=self.one, shared=self.shared[::-1])

    @property
    def share(self) -> float:
        """The items that both lists have, as a share of all items of either."""
        both = len(self.shared[0])
        return both / (len(self.one) + len(self.other) - both)

    def of_shared(self) -> RankedPair:
        """Return the lists without the items that only one of them has."""
        left, right = self.shared
        return RankedPair.from_scores(-self.one.first[left], -self.other.first[right])

    def scores(self) -> tuple[FloatArray, FloatArray]:
        """Return what orders the items of either list: the negative ranks in each; items that a list lacks are tied
        below its last."""
        left, right = self.shared
        alone = [np.delete(np.arange(len(x)), at) for x, at in ((self.one, left), (self.other, right))]
        below = [np.full(len(at), -len(x) - 1.0) for x, at in ((self.one, alone[1]), (self.other, alone[0]))]
        x = np.concatenate([-self.one.first[left], -self.one.first[alone[0]], below[0]])
        y = np.concatenate([-self.other.first[right], below[1], -self.other.first[alone[1]]])
        return x, y


def _places(ranked: Ranked) -> dict[Hashable, tuple[int, int]]:
    """Return the first rank and the size of the tie group of each item, in the list's order."""
    places: dict[Hashable, tuple[int, int]] = {}
    length = 0
    for entry in ranked:
        group = entry if isinstance(entry, AbstractSet) else {entry}
        places |= dict.fromkeys(group, (length + 1, len(group)))
        length += len(group)
    if not places or len(places) < length:
        raise ParameterError("rbo", "list", "items from the best down, each only once", ranked)
    return places


VARIANTS = ("a", "b", "w")
"""The ways to take ties."""


@record
class Overlap:
    """Rank-biased overlap: the least that it can be, what the unseen rest may add to that, and the extrapolation."""

    extrapolated: float
    minimum: float
    residual: float


def rbo(a: Ranked, b: Ranked, p: float = 0.9, ties: str = "a") -> Overlap:
    """Average the agreement of two lists' tops, for a reader who goes one rank deeper with probability p.

    >>> round(rbo(["a", "b", "c"], ["b", "a", "c"]).extrapolated, 4)
    0.9

    Tied items are given as a set; `ties` says how they count: a (every order), b (the same, corrected for what is
    unknown), w (they share a rank). Webber, Moffat & Zobel, A similarity measure for indefinite rankings, TOIS 2010;
    Corsi & Urbano 2024.
    """
    return overlap(RankedPair.from_lists(a, b), p, ties)


def overlap(pair: RankedPair, p: float, ties: str = "a") -> Overlap:
    """Return the rank-biased overlap of two lists whose items are known by their places."""
    if not 0 < p < 1:
        raise ParameterError("rbo", "p", "between 0 and 1", p)
    if ties not in VARIANTS:
        raise UnknownNameError("treatment of ties", ties, VARIANTS)
    pair = pair if len(pair.one) <= len(pair.other) else pair.flipped
    s, n = len(pair.one), len(pair.other)
    depths = np.arange(1.0, n + 1)
    # By depth of the longer list, before they are divided by `unit`: the overlap of what is seen; the overlap if unseen
    # items of the shorter list match as often as its seen ones; and the largest possible overlap.
    shares = ties == "w"
    short, long = _Entries.of(pair.one, n, shares=shares), _Entries.of(pair.other, n, shares=shares)
    seen, unit = _expected_overlap(pair, short, long), _unit(short, long, s, ties)
    full, partial = long.count_reached(np.delete(np.arange(n), pair.shared[1]))
    unseen = np.maximum(depths - s, 0.0)
    present = (full + partial * long.part) / np.maximum(full + partial, 1.0)
    guessed = seen + unseen * seen[s - 1] / unit[s - 1] * present
    greatest = seen + (np.minimum(unseen, full) + np.clip(unseen - full, 0.0, partial) * long.part)
    weights, scale, overlapping = p**depths, (1.0 - p) / p, seen[-1]
    beyond = overlapping * (math.log(1.0 / (1.0 - p)) - (weights / depths).sum())
    onwards = (overlapping + (n - s) * seen[s - 1] / unit[s - 1]) / n * p ** (n + 1) / (1.0 - p)
    # Past both ends the lists agree fastest by going on with what the other one has already.
    agreed = s + n - round(overlapping)
    rising = np.arange(n + 1.0, agreed + 1.0)
    fastest = ((2 * rising - agreed) / rising) @ p**rising + p ** (agreed + 1) / (1.0 - p)
    minimum = scale * ((seen / unit) @ weights + beyond)
    maximum = scale * ((greatest / unit) @ weights + fastest)
    extrapolated = scale * ((guessed / unit) @ weights + onwards)
    return Overlap(extrapolated=float(extrapolated), minimum=float(minimum), residual=float(maximum - minimum))


class _Entries(NamedTuple):
    """When the items of a list enter its top: the depth at which each begins to and at which it is there for good, and
    to each depth how likely those between are there."""

    begins: IndexArray
    ends: IndexArray
    part: FloatArray

    @classmethod
    def of(cls, listed: TiedList, depth: int, *, shares: bool) -> _Entries:
        """Return those of a list to that depth; tied items that share a rank enter together at the first."""
        first = listed.first.astype(np.intp)
        part = np.zeros(depth)
        part[: len(listed)] = listed.entered
        return cls(first, first if shares else listed.last.astype(np.intp), part)

    def count_reached(self, items: IndexArray) -> tuple[FloatArray, FloatArray]:
        """Count for each depth how many of the items are there for good, and how many may be."""
        full = _count_reached(self.ends[items], len(self.part))
        return full, _count_reached(self.begins[items], len(self.part)) - full


def _count_reached(at: IndexArray, depth: int) -> FloatArray:
    """Count for each depth how many of these depths are reached."""
    return np.cumsum(np.bincount(at, minlength=depth + 1)[1 : depth + 1]).astype(np.float64)


def _expected_overlap(pair: RankedPair, short: _Entries, long: _Entries) -> FloatArray:
    """Return the expected number of items in both tops: at a depth only one tie group of each list is cut."""
    left, right = pair.shared
    depth = len(long.part)
    begins = (short.begins[left], long.begins[right])
    ends = (short.ends[left], long.ends[right])
    both = _count_reached(np.maximum(*ends), depth)
    one = _count_reached(np.maximum(begins[0], ends[1]), depth) - both
    other = _count_reached(np.maximum(ends[0], begins[1]), depth) - both
    neither = _count_reached(np.maximum(*begins), depth) - both - one - other
    return both + one * short.part + other * long.part + neither * short.part * long.part


def _unit(short: _Entries, long: _Entries, s: int, ties: str) -> FloatArray:
    """Return what an overlap is divided by at each depth, so that it becomes an agreement."""
    depths = np.arange(1.0, len(long.part) + 1)
    if ties == "a":
        return depths
    sizes = []
    for entries in (short, long):
        full, partial = entries.count_reached(np.arange(len(entries.begins)))
        sizes.append(full + partial * entries.part**2)
    # Past its end the shorter list is taken to go on without ties.
    sizes[0] = np.where(depths > s, depths, sizes[0])
    return np.asarray((sizes[0] + sizes[1]) / 2.0 if ties == "w" else np.sqrt(sizes[0]) * np.sqrt(sizes[1]))


PERSISTENCE = 0.9
"""The chance that the reader of a list goes on to the next rank, unless it is given."""

SIMILARITIES: Registry[Similarity] = Registry("similarity", "rankgauge.statistics.similarities", lenient=True)


class SimilarityValue(NamedTuple):
    """How alike two lists are; where lists are cut off, the least that it can be and what the rest may add to that."""

    value: float
    minimum: float = math.nan
    residual: float = math.nan


Kernel = Callable[[RankedPair, float], SimilarityValue]


@record
class Similarity(Registered):
    """A similarity: `kernel` takes two lists that are not empty and the reader's persistence p."""

    registry = SIMILARITIES

    name: str
    title: str
    words: str
    reference: str
    kernel: Kernel
    lowest: float = -1.0
    """The value of lists that disagree fully; the highest is 1."""
    persistent: bool = False
    """Whether it depends on p."""

    def __call__(self, pair: RankedPair, p: float = PERSISTENCE) -> SimilarityValue:
        """Return how alike the lists are; NaN where one is empty, or too short or too tied to have an order."""
        if not 0 < p < 1:
            raise ParameterError(self.name, "p", "between 0 and 1", p)
        return SimilarityValue(math.nan) if pair.is_empty else self.kernel(pair, p)

    def label(self, p: float = PERSISTENCE) -> str:
        """Return the name as a report shows it, with the persistence where it matters."""
        return f"{self.title} (p = {p:g})" if self.persistent else self.title


UNSHARED = "a document that a list lacks is tied below its last one"
"""What coefficients of one order of the same documents do with others."""


def correlation(coefficient: Callable[..., float]) -> Kernel:
    """Return the kernel of a coefficient of two scorings of the same documents; documents that a list lacks are tied
    below its last one."""

    def kernel(pair: RankedPair, p: float) -> SimilarityValue:
        x, y = pair.scores()
        return SimilarityValue(coefficient(x, y) if len(x) > 1 else math.nan)

    return kernel


def rank_biased(ties: str) -> Kernel:
    """Return the kernel of rank-biased overlap with that treatment of ties."""

    def kernel(pair: RankedPair, p: float) -> SimilarityValue:
        agreement = overlap(pair, p, ties)
        return SimilarityValue(agreement.extrapolated, agreement.minimum, agreement.residual)

    return kernel
