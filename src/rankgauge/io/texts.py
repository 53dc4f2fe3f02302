"""Numbers as text: digits that read back to the same double, and whole numbers without a point."""

from __future__ import annotations

import polars as pl

__all__ = ["numbers", "ranks"]


def numbers(name: str) -> pl.Expr:
    """The column as text; `1`, not `1.0`, since the Perl scripts of LETOR and gdeval refuse a grade with a point."""
    column = pl.col(name)
    whole = column.cast(pl.Int64, strict=False)
    exact = (column == whole) & (column.abs() < 2.0**53) & ((column != 0) | (1 / column > 0))
    return pl.when(exact).then(whole.cast(pl.String)).otherwise(column.cast(pl.String)).alias(name)


def ranks() -> pl.Expr:
    """The rank of each document in its query by falling score, from 1; tied ones in the order of the rows."""
    return pl.col("score").rank("ordinal", descending=True).over("query").alias("rank")
