"""The contract of a cost, and what judging a document and opening a query of a pool cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling.pool_rows import PoolRows
from rankgauge.numeric import FloatArray
from rankgauge.registry import Registered, Registry

COSTS: Registry[Cost] = Registry("cost", "rankgauge.labelling.costs")


@dataclass(frozen=True, kw_only=True)
class Cost(Registered):
    """A rule for the cost of judging each document of a pool."""

    registry: ClassVar[Registry[Cost]] = COSTS

    name: str
    title: str
    of: Callable[[PoolRows], FloatArray]


def document_costs(rows: PoolRows, cost: str | None) -> FloatArray:
    """The cost of each document: a registered cost or a column of the pool; by default the column cost, or 1 each."""
    if cost is None:
        cost = "cost" if "cost" in rows.frame.columns else "documents"
    if cost in rows.frame.columns:
        return rows.column(cost, "costs")
    if cost not in COSTS:
        raise UnknownNameError("cost or column", cost, [*COSTS, *rows.frame.columns])
    return COSTS[cost].of(rows)


def query_overheads(rows: PoolRows, overhead: str | float | None) -> FloatArray:
    """The cost of opening each query: one number for all, or a column that has the same number throughout a query."""
    if overhead is None:
        overhead = "overhead" if "overhead" in rows.frame.columns else 0.0
    if not isinstance(overhead, str):
        return np.full(len(rows.sizes), float(overhead))
    column = rows.column(overhead, "the overhead of queries")
    first = column[np.cumsum(rows.sizes) - rows.sizes]
    odd = column != np.repeat(first, rows.sizes)
    if odd.any():
        query = rows.frame["query"][int(np.argmax(odd))]
        raise InputError(f"query {query} has more than one overhead in the column '{overhead}'")
    return np.asarray(first)
