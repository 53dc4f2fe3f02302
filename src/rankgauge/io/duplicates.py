"""The lines of a document that a run lists twice, searched only after a ranking has refused the run."""

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
"""How many rows are searched at a time."""


@contextmanager
def traced(run: Any, format: str | Format | None = None) -> Iterator[None]:
    """Within the block, an error at a document listed twice in the run names the file and both lines."""
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
    """The numbers, from 0, of the rows with that query and document."""
    assert form.read_run is not None
    batches = form.batches(source, ROWS) if form.batches else iter([form.read_run(source)])
    seen = 0
    for batch in batches:
        same = (pl.col("query") == error.query) & (pl.col("document") == error.document)
        yield from (seen + row for row in batch.select(same.arg_true()).to_series().to_list())
        seen += len(batch)
