"""Items: a query with a document, and who judged it."""

from __future__ import annotations

import polars as pl

from rankgauge.errors import InputError
from rankgauge.tables import JUDGMENTS, check

__all__ = ["ITEM", "checked", "counts"]

ITEM = ("query", "document")


def checked(judgments: pl.DataFrame) -> pl.DataFrame:
    """The judgments in the table's types, each assessor's grade for an item stated once."""
    try:
        frame = check(judgments, JUDGMENTS)
    except pl.exceptions.InvalidOperationError:
        raise InputError(
            "judgments hold grades that are no numbers",
            hint="Name their scale first: rankgauge.judgments.scale('romip').apply(judgments).",
        ) from None
    _refuse_holes(frame)
    _refuse_repeats(frame)
    return frame


def counts(judgments: pl.DataFrame) -> pl.DataFrame:
    """How many assessors judged each item: query, document, assessors."""
    grouped = checked(judgments).group_by(ITEM, maintain_order=True)
    return grouped.agg(assessors=pl.len().cast(pl.Int64))


def _refuse_holes(frame: pl.DataFrame) -> None:
    """A grade that is missing says nothing: its row should not be there."""
    hole = pl.any_horizontal(pl.all().is_null(), pl.col("grade").is_nan())
    row = frame.with_row_index("row").filter(hole).head(1)
    if len(row):
        raise InputError(
            f"judgments have an empty cell in row {row['row'][0] + 1}",
            text=str(row.drop("row").row(0, named=True)),
            hint="Leave out the rows of items that an assessor did not judge.",
        )


def _refuse_repeats(frame: pl.DataFrame) -> None:
    """Which of two grades of one assessor counts is not ours to choose."""
    keys = [name for name in frame.columns if name != "grade"]
    repeated = frame.filter(frame.select(keys).is_duplicated())
    if not len(repeated):
        return
    first = repeated.row(0, named=True)
    times = len(repeated.filter(pl.all_horizontal(pl.col(key) == first[key] for key in keys)))
    who = f" by assessor '{first['assessor']}'" if "assessor" in first else ""
    raise InputError(
        f"query '{first['query']}', document '{first['document']}' is judged {times} times{who}",
        hint="Keep one of the grades." if who else "Name who judged in a column 'assessor', or keep one of the grades.",
    )
