"""The documents of a pool, query by query: what they are called, what judging them costs, what assessors read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.numeric import FloatArray, Grouped, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledDocuments(Grouped):
    """What a campaign needs to know of a pool, whatever it estimates.

    `sizes` says how many documents each query has, those of a query together. `costs` (documents) is the cost of
    judging a document, `overhead` (queries) that of opening a query, in the same unit. `texts` is what an assessor
    reads of each document.
    """

    queries: pl.Series
    documents: pl.Series
    sizes: IndexArray
    costs: FloatArray
    overhead: FloatArray
    texts: pl.DataFrame | None = None

    @cached_property
    def query_costs(self) -> FloatArray:
        """What judging all documents of each query costs."""
        return np.asarray(self.overhead + np.add.reduceat(self.costs, self.starts))

    @cached_property
    def positions(self) -> dict[str, dict[str, int]]:
        """The position of each document, by the ids of query and document."""
        names, found = self.documents.to_list(), dict[str, dict[str, int]]()
        for query, start, size in zip(self.queries, self.starts.tolist(), self.sizes.tolist(), strict=True):
            found[query] = {name: start + n for n, name in enumerate(names[start : start + size])}
        return found

    def query_of(self, row: int) -> str:
        """The id of a document's query."""
        return str(self.queries[int(self.query[row])])

    def check_costs(self) -> None:
        """Raises an error if a cost is not a number above 0, or an overhead below 0."""
        bad = ~((self.costs > 0) & np.isfinite(self.costs))
        if bad.any():
            row = int(np.argmax(bad))
            raise InputError(
                f"judging document {self.documents[row]} of query {self.query_of(row)} costs {self.costs[row]:g}",
                hint="The cost of a document is a number above 0.",
            )
        if not ((self.overhead >= 0) & np.isfinite(self.overhead)).all():
            raise InputError("the overhead of a query must be 0 or more")
