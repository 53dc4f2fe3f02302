"""Two ranked lists side by side: where each list has its documents, and which documents both have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError
from rankgauge.numeric import FloatArray, IndexArray

Ranked: TypeAlias = Sequence[Hashable | AbstractSet[Hashable]]
"""Items from the best down; a set holds tied items."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TiedList:
    """A ranked list: for each item the first rank and the size of its tie group."""

    first: FloatArray
    size: FloatArray

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def scored(cls, scores: npt.ArrayLike) -> TiedList:
        """The list of items by falling score; equal scores are ties."""
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


@dataclass(frozen=True, kw_only=True, eq=False)
class RankedPair:
    """Two ranked lists, and where each has the items that both have."""

    one: TiedList
    other: TiedList
    shared: tuple[IndexArray, IndexArray]

    @classmethod
    def scored(cls, x: npt.ArrayLike, y: npt.ArrayLike) -> RankedPair:
        """The orders of the same items by two scores of each."""
        one, other = TiedList.scored(x), TiedList.scored(y)
        if len(one) != len(other):
            raise ParameterError("RankedPair", "y", f"as long as x, which has {len(one)}", len(other))
        return cls(one=one, other=other, shared=(np.arange(len(one)), np.arange(len(one))))

    @classmethod
    def listed(cls, a: Ranked, b: Ranked) -> RankedPair:
        """Two lists of items."""
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
        """The lists without the items that only one of them has."""
        left, right = self.shared
        return RankedPair.scored(-self.one.first[left], -self.other.first[right])

    def scores(self) -> tuple[FloatArray, FloatArray]:
        """What orders the items of either list: the negative ranks in each; items that a list lacks are tied below its
        last."""
        left, right = self.shared
        alone = [np.delete(np.arange(len(x)), at) for x, at in ((self.one, left), (self.other, right))]
        below = [np.full(len(at), -len(x) - 1.0) for x, at in ((self.one, alone[1]), (self.other, alone[0]))]
        x = np.concatenate([-self.one.first[left], -self.one.first[alone[0]], below[0]])
        y = np.concatenate([-self.other.first[right], below[1], -self.other.first[alone[1]]])
        return x, y


def _places(ranked: Ranked) -> dict[Hashable, tuple[int, int]]:
    """The first rank and the size of the tie group of each item, in the list's order."""
    places: dict[Hashable, tuple[int, int]] = {}
    length = 0
    for entry in ranked:
        group = entry if isinstance(entry, AbstractSet) else {entry}
        places |= {item: (length + 1, len(group)) for item in group}
        length += len(group)
    if not places or len(places) < length:
        raise ParameterError("rbo", "list", "items from the best down, each only once", ranked)
    return places
