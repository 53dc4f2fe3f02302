"""The contract of a statistic of what a run shows, and the registry of them.

A statistic reads the first documents of every list of a run. It gives a value for each query (`per_query`), of which a
report shows the mean and its interval, or one value for all lists together. What it needs to know of items or judgments
it declares; where that is not known, it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.errors import UnknownNameError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.registry import Registered, Registry, plain

if TYPE_CHECKING:
    from rankgauge.catalogue.survey import Items

STATISTICS: Registry[CatalogueStatistic] = Registry(
    "statistic of a catalogue", "rankgauge.catalogue.statistics", lenient=True
)

NEEDS = {
    "popularity": "a column popularity in --items",
    "category": "a column category in --items",
    "users": "--users, how many users the popularity counts",
    "judgments": "--judgments",
}
"""What a statistic may need, and who says it."""


def describe_needs(needs: Iterable[str]) -> str:
    """Return what is needed, in words."""
    return " and ".join(NEEDS[need] for need in needs)


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """The first documents of each list of a run: `query` and `item` (rows) number the query and the document of each,
    query by query; `relevant` (rows) is None where nothing is judged."""

    queries: int
    query: IndexArray
    item: IndexArray
    items: Items
    depth: int
    users: float | None = None
    relevant: BoolArray | None = None

    @cached_property
    def lengths(self) -> FloatArray:
        """How many documents each list shows."""
        return np.bincount(self.query, minlength=self.queries).astype(np.float64)

    @cached_property
    def exposure(self) -> FloatArray:
        """How often each document of the catalogue is shown."""
        return np.bincount(self.item, minlength=len(self.items)).astype(np.float64)

    @property
    def popularity(self) -> FloatArray:
        """The popularity of every document of the catalogue."""
        assert self.items.popularity is not None
        return self.items.popularity

    def in_head(self, places: int) -> FloatArray:
        """How much of each document of the catalogue is among that many most popular ones: 1, 0, or where documents of
        one popularity compete for the last places, their share of them."""
        popularity, least = self.popularity, np.sort(self.popularity)[::-1][: max(places, 0)]
        if not len(least):
            return np.zeros(len(popularity))
        equal = popularity == least[-1]
        return np.asarray(np.where(equal, (least == least[-1]).sum() / equal.sum(), popularity > least[-1]))

    def mean(self, worth: FloatArray) -> FloatArray:
        """Return for each query the mean over its list of what each document shown is worth (rows)."""
        summed = np.bincount(self.query, weights=worth, minlength=self.queries)
        return np.asarray(summed / np.where(self.lengths, self.lengths, np.nan))


@dataclass(frozen=True, kw_only=True)
class CatalogueStatistic(Registered):
    """A statistic: `kernel` gives a value for each query, or an array of one value for all of them."""

    registry = STATISTICS

    name: str
    title: str
    words: str
    reference: str
    kernel: Callable[[Shown], FloatArray]
    bounds: tuple[float, float] = (0.0, 1.0)
    per_query: bool = True
    needs: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    """What other libraries call the same number."""
    unlike: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Names of other libraries for something near to it, and how that differs."""

    def lacks(self, shown: Shown) -> list[str]:
        """Return what it needs and nobody says."""
        known = {
            "popularity": shown.items.popularity,
            "category": shown.items.kind,
            "users": shown.users,
            "judgments": shown.relevant,
        }
        return [need for need in self.needs if known[need] is None]


def find(name: str) -> CatalogueStatistic:
    """The statistic of that name, ours or another library's; an error tells of one that is near, but not the same."""
    for statistic in () if name in STATISTICS else STATISTICS.values():
        if plain(name) in map(plain, statistic.same):
            return statistic
        for other, words in statistic.unlike.items():
            if plain(name) == plain(other):
                near = f"{statistic.name} is near, but not the same: {words}."
                raise UnknownNameError(STATISTICS.kind, name, STATISTICS, near=(), otherwise=near)
    return STATISTICS.find(name)
