"""The contract of a statistic of what a run shows, and the registry of them.

A statistic reads the first documents of every list of a run. It gives a value for each query (`per_query`), of which a
report shows the mean and its interval, or one value for all lists together. What it needs to know of items or judgments
it declares; where that is not known, it is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.catalogue.items import Items
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.registry import Registered, Registry

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

    def mean(self, worth: FloatArray) -> FloatArray:
        """For each query the mean over its list of what each document shown is worth (rows)."""
        summed = np.bincount(self.query, weights=worth, minlength=self.queries)
        return np.asarray(summed / np.where(self.lengths, self.lengths, np.nan))

    def knows(self, need: str) -> bool:
        """Whether it is known what a statistic needs."""
        known = {
            "popularity": self.items.popularity is not None,
            "category": self.items.category is not None,
            "users": self.users is not None,
            "judgments": self.relevant is not None,
        }
        return known[need]


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

    def lacks(self, shown: Shown) -> list[str]:
        """What it needs and nobody says."""
        return [need for need in self.needs if not shown.knows(need)]
