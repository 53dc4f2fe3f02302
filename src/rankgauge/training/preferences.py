"""Preferences: which documents of a query should rank above which, without listing the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.numeric import IndexArray
from rankgauge.training.documents import Documents


@dataclass(frozen=True, kw_only=True, eq=False)
class Preferences:
    """The documents of all queries in which some are preferred to others.

    A document is preferred to every document of its query with a lower grade. A query whose documents all have one
    grade says nothing and is left out. The pairs are never listed: a query of n documents has up to n² / 2 of them.
    """

    rows: IndexArray
    """The row of each of these documents among all; those of a query are together."""
    levels: IndexArray
    """For each document, how many lower grades its query has."""
    sizes: IndexArray
    """How many documents each query has."""

    @classmethod
    def of(cls, documents: Documents) -> Preferences:
        """The preferences that grades express."""
        low, high = (at.reduceat(documents.grades, documents.starts) for at in (np.minimum, np.maximum))
        mixed = low < high
        rows = np.flatnonzero(mixed[documents.query])
        sizes = documents.sizes[mixed]
        return cls(rows=rows, levels=_levels(documents.grades[rows], sizes), sizes=sizes)

    @cached_property
    def query(self) -> IndexArray:
        """The number of each document's query, among those that are not left out."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def ends(self) -> IndexArray:
        """The place after each document's query."""
        return np.repeat(np.cumsum(self.sizes), self.sizes)

    @cached_property
    def starts(self) -> IndexArray:
        """The place at which each document's query begins."""
        return self.ends - np.repeat(self.sizes, self.sizes)

    @cached_property
    def height(self) -> int:
        """The largest number of grades in a query."""
        return int(self.levels.max(initial=-1)) + 1

    @cached_property
    def cells(self) -> IndexArray:
        """The cell of each document in a table with a row for each query and a column for each level."""
        return self.query * self.height + self.levels

    @property
    def shape(self) -> tuple[int, int]:
        """Of that table."""
        return len(self.sizes), self.height


def _levels(grades: np.ndarray[tuple[int], np.dtype[np.float64]], sizes: IndexArray) -> IndexArray:
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((grades, query))
    rises = np.zeros(len(grades), dtype=np.int64)
    rises[1:] = grades[order[1:]] != grades[order[:-1]]
    rises[np.cumsum(sizes) - sizes] = 0
    steps = np.cumsum(rises)
    levels = np.empty_like(steps)
    levels[order] = steps - np.repeat(steps[np.cumsum(sizes) - sizes], sizes)
    return levels
