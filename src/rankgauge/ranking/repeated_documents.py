"""Documents that a list holds more than once: which of their lines stay, and what these count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankgauge.errors import RepeatedError
from rankgauge.lazy_polars import pl
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import Duplicates
from rankgauge.records import entity

WORTHLESS = (Duplicates.FIRST_HOLE, Duplicates.COUNT_ONCE)
"""The choices by which a copy keeps its place and adds nothing."""

ROWS = (Duplicates.ROWS, Duplicates.ROWS_RELEVANT)
"""The choices by which a copy is a judged document of its own."""


@entity
class RepeatedDocuments:
    """The rows of lists in rank order, and those among them that repeat a document above them.

    `later` marks these, None if there are none or they were taken out; `number` counts them in both cases.
    """

    rows: pl.DataFrame
    how: Duplicates
    later: BoolArray | None = None
    number: int = 0

    @classmethod
    def among(
        cls, rows: pl.DataFrame, how: Duplicates, sort: Callable[[pl.DataFrame], pl.DataFrame]
    ) -> RepeatedDocuments:
        """Put the rows in order and find the copies among them; take these out where the choice says so."""
        twice = rows.select("code", "document").is_duplicated()
        if not twice.any():
            return cls(rows=sort(rows), how=how)
        if how is Duplicates.REFUSE:
            row = rows.filter(twice).row(0, named=True)
            raise RepeatedError(row["query"], row["document"])
        key = pl.struct("code", "document")
        if how is Duplicates.LAST:  # of the file, as in a table of scores by document
            kept = rows.filter(key.is_last_distinct())
            return cls(rows=sort(kept), how=how, number=len(rows) - len(kept))
        rows = sort(rows)
        later = rows.select(~key.is_first_distinct()).to_series().to_numpy()
        if how is Duplicates.FIRST:
            return cls(rows=rows.filter(~later), how=how, number=int(later.sum()))
        return cls(rows=rows, how=how, later=later, number=int(later.sum()))

    @property
    def holes(self) -> BoolArray:
        """Which rows are places that stay empty."""
        hole = self.how is Duplicates.FIRST_HOLE and self.later is not None
        return self.later if hole and self.later is not None else np.zeros(len(self.rows), dtype=bool)

    def retrieved(self, code: IndexArray) -> IndexArray:
        """Count the documents of each list; an empty place holds none."""
        counts = np.bincount(code)
        return counts if self.later is None else counts - np.bincount(code[self.holes], minlength=len(counts))

    def credited(self, grades: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the grades that rows count with, from those of their documents, and which of the rows are hits."""
        if self.later is not None and self.how in WORTHLESS:
            grades = np.where(self.later, np.nan, grades)
        if self.later is not None and self.how is Duplicates.ROWS_RELEVANT:
            grades = np.where(self.later, np.fmax(grades, 1.0), grades)
        return grades, ~np.isnan(grades)

    def again(self, hit: BoolArray) -> BoolArray | None:
        """Which of the hits are copies that count as documents of their own; None if copies do not."""
        return self.later[hit] if self.later is not None and self.how in ROWS else None


def name_copies(rows: pl.DataFrame, how: Duplicates) -> pl.DataFrame:
    """Give copies among rows of query, document and score names of their own; leave out copies that do not count."""
    key = pl.struct("query", "document")
    if not rows.select("query", "document").is_duplicated().any():
        return rows
    if how is Duplicates.LAST:
        return rows.filter(key.is_last_distinct())
    ranked = rows.sort("score", descending=True, maintain_order=True).with_columns(again=~key.is_first_distinct())
    if how is Duplicates.FIRST:
        return ranked.filter(~pl.col("again")).drop("again")
    number = pl.int_range(1, pl.len() + 1).over("query", "document").cast(pl.String)
    copy = pl.concat_str("document", pl.lit(" (copy "), number, pl.lit(")"))
    return ranked.with_columns(document=pl.when("again").then(copy).otherwise("document")).drop("again")
