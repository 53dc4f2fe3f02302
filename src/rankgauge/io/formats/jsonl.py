"""jsonl: one JSON object per line, {"query": …, "document": …, "grade": …[, "assessor": …]} or with a "score"."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.format import Format, Head, Kind, kinds
from rankgauge.io.frames import batches_of, table_of
from rankgauge.io.source import DAMAGE, Source
from rankgauge.tables import ALIASES, JUDGMENTS, RUN, Table, find, raters
from rankgauge.tables.check import Place
from rankgauge.tables.columns import NUMBER, TEXT

__all__ = ["JSONL"]

_NUMBERS = ("grade", "score", "rank")


def _recognise(head: Head) -> tuple[Kind, ...]:
    if not head.lines or not head.lines[0].lstrip().startswith("{"):
        return ()
    names = _names(head)
    return kinds(names) or (Kind.JUDGMENTS, Kind.RUN)


def _names(head: Head) -> list[str]:
    """The keys of the first objects."""
    objects = [_parsed(line) for line in head.lines[:100]]
    return list(dict.fromkeys(name for row in objects if isinstance(row, dict) for name in row))


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _scan(source: Source) -> pl.LazyFrame:
    """The objects' known keys as columns, ids as text and numbers as numbers."""
    names = _names(Head(source=source))
    found = {name: column for name in ALIASES if (column := find(names, name)) is not None}
    schema = {column: NUMBER if name in _NUMBERS else TEXT for name, column in found.items()}
    schema |= dict.fromkeys(raters(names), NUMBER)
    if not schema:
        return _slowly(source)
    return pl.scan_ndjson(source.scannable(), schema=schema)


def _slowly(source: Source) -> pl.LazyFrame:
    """The same through Python's own parser, which accepts numbers as text and names the line that is no object."""
    rows = []
    for number, text in _lines(source):
        row = _parsed(text)
        if not isinstance(row, dict):
            raise InputError("expected one JSON object per line", path=source.name, line=number, text=text)
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [_text(row.get(name)) for row in rows] for name in names}
    return pl.LazyFrame(columns, schema=dict.fromkeys(names, TEXT))


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _lines(source: Source) -> Iterator[Place]:
    try:
        with source.open() as stream:
            for number, line in enumerate(stream, start=1):
                text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
                if text:
                    yield number, text
    except DAMAGE as error:
        raise source.damaged(error) from None


def _locate(source: Source, row: int) -> Place:
    return next(place for place in (place for n, place in enumerate(_lines(source)) if n == row))


def _read(source: Source, table: Table) -> pl.DataFrame:
    def locate(row: int) -> Place:
        return _locate(source, row)

    try:
        return table_of(_scan(source), table, source, locate)
    except (InputError, pl.exceptions.PolarsError):
        return table_of(_slowly(source), table, source, locate)


def _batches(source: Source, rows: int) -> Iterator[pl.DataFrame]:
    return batches_of(_scan(source), source, rows)


def _write_judgments(frame: pl.DataFrame, file: BinaryIO) -> None:
    _write(frame, file)


def _write_run(frame: pl.DataFrame, file: BinaryIO, tag: str) -> None:
    if frame["score"].is_infinite().any():
        raise InputError("JSON has no infinite numbers, and a score is infinite", hint="Write TREC, CSV or Parquet.")
    _write(frame, file)


def _write(frame: pl.DataFrame, file: BinaryIO) -> None:
    frame.write_ndjson(file)


JSONL = Format(
    name="jsonl",
    title="JSON lines",
    suffixes=(".jsonl", ".ndjson", ".json"),
    recognise=_recognise,
    sureness=2,
    keeps_assessors=True,
    read_judgments=lambda source: _read(source, JUDGMENTS),
    read_run=lambda source: _read(source, RUN),
    batches=_batches,
    locate=_locate,
    write_judgments=_write_judgments,
    write_run=_write_run,
).register()
