"""The usual costs: per document, per query, by the length of a document."""

from __future__ import annotations

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.labelling.pool_rows import Cost, PoolRows, numbers
from rankgauge.numeric import FloatArray

DOCUMENTS = Cost(name="documents", title="every document costs 1", of=lambda rows: np.ones(len(rows.frame))).register()
ONE = Cost(name="one", title="every query costs 1", of=lambda rows: np.repeat(1.0 / rows.sizes, rows.sizes)).register()


SHORTEST = 2.0
"""Shorter documents count as this long: even an empty page has to be looked at, and log 1 is 0."""


def _costs(rows: PoolRows) -> FloatArray:
    known = "length" in rows.frame.columns
    length = numbers(rows.frame, "length", "the length of documents") if known else _words(rows)
    bad = ~(length >= 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"document {rows.frame['document'][row]} has a length of {length[row]:g}")
    return np.log(np.maximum(length, SHORTEST))


def _words(rows: PoolRows) -> FloatArray:
    """Return the number of words in each document's title and text."""
    names = [name for name in ("title", "text") if name in rows.frame.columns]
    if not names:
        raise InputError(
            f"no column 'length' or 'text' for costs by length among {', '.join(rows.frame.columns)}",
            hint="Add the documents' lengths, or choose cost='documents'.",
        )
    joined = pl.concat_str(pl.col(names).cast(pl.String), separator=" ", ignore_nulls=True)
    words = rows.frame.select(joined.str.count_matches(r"\S+")).to_series()
    return np.asarray(words.cast(pl.Float64).fill_null(0.0).to_numpy())


LOG_LENGTH = Cost(name="log-length", title="the logarithm of a document's length", of=_costs).register()
