"""Where a document stands twice in a file: looked for only once a ranking has refused the run."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl

from rankgauge.errors import RepeatedError
from rankgauge.io.files import detect, is_path
from rankgauge.io.format import Format, get
from rankgauge.io.source import STANDARD_STREAM, Source

__all__ = ["traced"]

ROWS = 200_000
"""How many rows are looked through at a time."""


@contextmanager
def traced(run: Any, format: str | Format | None = None) -> Iterator[None]:
    """For what runs inside, the error at a document that stands twice in the run names the file and both lines."""
    try:
        yield
    except RepeatedError as error:
        if error.path is not None or not is_path(run):
            raise
        raise _placed(error, os.fspath(run), format) from None


def _placed(error: RepeatedError, path: str, format: str | Format | None) -> RepeatedError:
    named = "standard input" if path == STANDARD_STREAM else path
    if not os.path.isfile(path):  # a pipe can be read only once
        return RepeatedError(error.query, error.document, path=named)
    source, form = Source.of(path), detect(path).format if format is None else get(format)
    rows = list(itertools.islice(_rows(source, form, error), 2))
    if form.locate is None or len(rows) < 2:
        return RepeatedError(error.query, error.document, path=named)
    (first, _), (line, text) = (form.locate(source, row) for row in rows)
    return RepeatedError(error.query, error.document, path=named, line=line, text=text, first=first)


def _rows(source: Source, form: Format, error: RepeatedError) -> Iterator[int]:
    """The numbers of the rows, from 0, in which the document stands for the query."""
    whole = [] if form.read_run is None else [form.read_run]
    batches = form.batches(source, ROWS) if form.batches else (read(source) for read in whole)
    seen = 0
    for batch in batches:
        same = (pl.col("query") == error.query) & (pl.col("document") == error.document)
        yield from (seen + row for row in batch.select(same.arg_true()).to_series().to_list())
        seen += len(batch)
