"""Items: a query with a document, and how many judged it."""

from __future__ import annotations

import polars as pl

from rankgauge.tables import JUDGMENTS, check

__all__ = ["ITEM", "counts"]

ITEM = ("query", "document")
"""The columns that say what was judged."""


def counts(judgments: pl.DataFrame) -> pl.DataFrame:
    """How many assessors judged each item: query, document, assessors."""
    grouped = check(judgments, JUDGMENTS).group_by(ITEM, maintain_order=True)
    return grouped.agg(assessors=pl.len().cast(pl.Int64))
