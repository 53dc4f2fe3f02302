"""Units of a budget: what costs 1 on average."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from rankgauge.errors import UnknownNameError
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.pooled_documents import PooledDocuments

UNITS: dict[str, tuple[Callable[[PooledDocuments], float], str]] = {
    "document": (lambda pool: float(pool.costs.mean()), "a document costs 1 on average"),
    "query": (lambda pool: float(pool.query_costs.mean()), "a query costs 1 on average"),
    "none": (lambda pool: 1.0, "costs as given in the pool"),
}
"""By name the size of a unit in the pool's own costs, and what it is in words."""

P = TypeVar("P", Pool, BoardPool)


def in_units(pool: P, unit: str, overhead: float | None = None) -> tuple[P, str]:
    """The pool with its costs in the unit, and what they are in words; `overhead` is the cost of opening a query, in
    documents."""
    if unit not in UNITS:
        raise UnknownNameError("unit", unit, UNITS)
    if overhead is not None:
        opening = np.full(len(pool.queries), overhead * float(pool.costs.mean()))
        pool = pool.with_costs(pool.costs, opening)
    measured, words = UNITS[unit]
    size = measured(pool)
    return (pool if size == 1.0 else pool.with_costs(pool.costs / size, pool.overhead / size)), words
