"""csv: comma- or tab-separated tables with a header, as ir-measures, PyTerrier, BEIR and Quepid write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO

import polars as pl

from rankgauge.io.format import Format, Head, Kind, kinds
from rankgauge.io.frames import batches_of, table_of
from rankgauge.io.lines import unreadable
from rankgauge.io.source import Source
from rankgauge.io.texts import numbers
from rankgauge.tables import JUDGMENTS, RUN, Table
from rankgauge.tables.check import Place

__all__ = ["CSV", "TSV"]

_SEPARATORS = (",", "\t", ";")


def _separator(head: Head) -> str:
    """The separator under which the header's names are known, or else the one that occurs most."""
    header = _first_line(head)
    known = [separator for separator in _SEPARATORS if kinds(_cells(header, separator))]
    return known[0] if known else max(_SEPARATORS, key=header.count)


def _first_line(head: Head) -> str:
    if head.binary:
        return ""
    text = head.raw.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.split("\n", 1)[0].replace("\r", "")


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _recognise(head: Head, only: str | None = None) -> tuple[Kind, ...]:
    header, separator = _first_line(head), _separator(head)
    return kinds(_cells(header, separator)) if only is None or only == separator else ()


def _nearly(head: Head) -> str | None:
    """That the first line should be a header, where there are as many cells on each."""
    cells = {line.count(_separator(head)) for line in head.lines}
    wanted = "A table begins with the names of its columns: query,document,score or query,document,grade"
    return wanted if len(cells) == 1 and min(cells) > 1 else None


def _scan(source: Source) -> pl.LazyFrame:
    # Every column as text: "007" is an id, not the number 7.
    separator = _separator(Head(source=source))
    return pl.scan_csv(source.scannable(), separator=separator, infer_schema=False, truncate_ragged_lines=False)


def _locate(source: Source, row: int) -> Place:
    """The line on which a record begins; a quoted field may run over several lines."""
    text = io.StringIO(source.read().decode("utf-8", "replace"), newline="")
    reader = csv.reader(text, delimiter=_separator(Head(source=source)))
    begins, seen = 1, -1
    for record in reader:
        if record and seen == row:
            return begins, ",".join(record)
        seen += bool(record)
        begins = reader.line_num + 1
    return begins, ""


def _read(source: Source, table: Table) -> pl.DataFrame:
    try:
        return table_of(_scan(source), table, source, partial(_locate, source))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise unreadable(source, error) from None


def _batches(source: Source, rows: int) -> Iterator[pl.DataFrame]:
    return batches_of(_scan(source), source, rows)


def _writer(separator: str) -> tuple[Callable[[pl.DataFrame, BinaryIO], None], Callable[..., None]]:
    def write_judgments(frame: pl.DataFrame, file: BinaryIO) -> None:
        frame.with_columns(numbers("grade")).write_csv(file, separator=separator)

    def write_run(frame: pl.DataFrame, file: BinaryIO, tag: str) -> None:
        frame.write_csv(file, separator=separator)

    return write_judgments, write_run


def _format(name: str, title: str, suffixes: tuple[str, ...], separator: str) -> Format:
    write_judgments, write_run = _writer(separator)
    return Format(
        name=name,
        title=title,
        suffixes=suffixes,
        recognise=partial(_recognise, only=None if name == "csv" else separator),
        sureness=2,
        nearly=_nearly if name == "csv" else None,
        keeps_assessors=True,
        read_judgments=lambda source: _read(source, JUDGMENTS),
        read_run=lambda source: _read(source, RUN),
        batches=_batches,
        locate=_locate,
        write_judgments=write_judgments,
        write_run=write_run,
    )


CSV = _format("csv", "comma-separated tables with a header", (".csv",), ",").register()
TSV = _format("tsv", "tab-separated tables with a header", (".tsv",), "\t").register()
