"""Files that are tables already, under any names that the columns have: CSV, JSONL, Parquet, Arrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.source import Source
from rankgauge.tables import RUN, Table, check, find, raters, recognise
from rankgauge.tables.check import Place

__all__ = ["batches_of", "table_of"]


def table_of(
    frame: pl.LazyFrame,
    table: Table,
    source: Source,
    locate: Callable[[int], Place] | None = None,
) -> pl.DataFrame:
    """The table that the frame holds, with an error that names the file and, where it is known, the line."""
    columns = frame.collect_schema().names()
    named = _named(frame, table, source, columns)
    # A row of a wide table is several judgments, so that their count says nothing of the line.
    wide = find(columns, "grade") is None and bool(raters(columns))
    collected = named.collect(engine="streaming")
    return check(collected, table, path=source.name, locate=None if wide else locate).rechunk()


def batches_of(frame: pl.LazyFrame, source: Source, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a run, about that many at a time."""
    named = _named(frame, RUN, source, frame.collect_schema().names())
    for batch in named.collect_batches(chunk_size=rows, maintain_order=True):
        if len(batch):
            yield check(batch, RUN, path=source.name)


def _named(frame: pl.LazyFrame, table: Table, source: Source, columns: list[str]) -> pl.LazyFrame:
    named = recognise(frame, table, columns)
    present = named.collect_schema()
    missing = [name for name in table.required if name not in present]
    if missing:
        raise InputError(
            f"no column for {', '.join(missing)} among {', '.join(columns) or 'no columns'}",
            path=source.name,
            hint=f"Expected the columns {', '.join(table.required)}: rename yours, or name them in a first line.",
        )
    return named
