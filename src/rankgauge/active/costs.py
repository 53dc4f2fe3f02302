"""Costs: what judging a document costs, and what opening a query costs besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from rankgauge.active.sources import Rows
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.numeric import FloatArray

__all__ = ["COSTS", "costs_of", "overhead_of"]

SHORTEST = 2.0
"""The length that a shorter document counts for: an empty page has to be looked at as well, and log 1 is 0."""


def _documents(rows: Rows) -> FloatArray:
    return np.ones(len(rows.frame))


def _one(rows: Rows) -> FloatArray:
    return np.repeat(1.0 / rows.sizes, rows.sizes)


def _log_length(rows: Rows) -> FloatArray:
    length = rows.column("length", "the length of documents") if "length" in rows.frame.columns else _words(rows)
    bad = ~(length >= 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"document {rows.frame['document'][row]} has a length of {length[row]:g}")
    return np.log(np.maximum(length, SHORTEST))


COSTS: Mapping[str, Callable[[Rows], FloatArray]] = {
    "documents": _documents,  # every document costs 1
    "one": _one,  # every query costs 1, whatever it holds
    "log-length": _log_length,  # Sawade et al. 2012: the logarithm of a document's length
}
"""What judging a document costs, by name."""


def costs_of(rows: Rows, cost: str | None) -> FloatArray:
    """The costs of a pool's documents: a rule by its name, or a column; by default the column cost if there is one."""
    if cost is None:
        cost = "cost" if "cost" in rows.frame.columns else "documents"
    if cost in rows.frame.columns:
        return rows.column(cost, "costs")
    if cost not in COSTS:
        raise UnknownNameError("cost or column", cost, [*COSTS, *rows.frame.columns])
    return COSTS[cost](rows)


def overhead_of(rows: Rows, overhead: str | float | None) -> FloatArray:
    """The cost of opening each query: a number for all, or a column with the same number throughout a query."""
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


def _words(rows: Rows) -> FloatArray:
    """The number of words of each document's title and text."""
    names = [name for name in ("title", "text") if name in rows.frame.columns]
    if not names:
        raise InputError(
            f"no column 'length' or 'text' for costs by length among {', '.join(rows.frame.columns)}",
            hint="Add the documents' lengths, or choose cost='documents'.",
        )
    joined = pl.concat_str(pl.col(names).cast(pl.String), separator=" ", ignore_nulls=True)
    words = rows.frame.select(joined.str.count_matches(r"\S+")).to_series()
    return np.asarray(words.cast(pl.Float64).fill_null(0.0).to_numpy())
