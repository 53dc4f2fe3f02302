"""parquet: Parquet files, and Arrow's own (IPC, Feather)."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.format import Format, Head, Kind, kinds
from rankgauge.io.frames import batches_of, table_of
from rankgauge.io.source import DAMAGE, Source
from rankgauge.tables import JUDGMENTS, RUN, Table

__all__ = ["ARROW", "PARQUET"]

_Scanner = Callable[[Source], pl.LazyFrame]


def _where(source: Source) -> Path | io.BytesIO:
    return io.BytesIO(source.read()) if source.packed else source.scannable()


def _scan_parquet(source: Source) -> pl.LazyFrame:
    return pl.scan_parquet(_where(source))


def _scan_arrow(source: Source) -> pl.LazyFrame:
    if source.read(4) == b"\xff\xff\xff\xff":
        return pl.read_ipc_stream(io.BytesIO(source.read())).lazy()
    return pl.scan_ipc(_where(source))


def _recognise(scan: _Scanner, starts: tuple[bytes, ...], head: Head) -> tuple[Kind, ...]:
    if not head.raw.startswith(starts):
        return ()
    try:
        return kinds(scan(head.source).collect_schema().names()) or (Kind.JUDGMENTS, Kind.RUN)
    except DAMAGE:
        return (Kind.JUDGMENTS, Kind.RUN)


def _read(scan: _Scanner, table: Table, source: Source) -> pl.DataFrame:
    try:
        return table_of(scan(source), table, source)
    except DAMAGE as error:
        raise InputError(f"cannot be read: {error}", path=source.name) from None


def _batches(scan: _Scanner, source: Source, rows: int) -> Iterator[pl.DataFrame]:
    try:
        yield from batches_of(scan(source), source, rows)
    except DAMAGE as error:
        raise InputError(f"cannot be read: {error}", path=source.name) from None


def _write_parquet(frame: pl.DataFrame, file: BinaryIO, tag: str = "") -> None:
    frame.write_parquet(file)


def _write_arrow(frame: pl.DataFrame, file: BinaryIO, tag: str = "") -> None:
    frame.write_ipc(file)


PARQUET = Format(
    name="parquet",
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    recognise=partial(_recognise, _scan_parquet, (b"PAR1",)),
    sureness=3,
    keeps_assessors=True,
    read_judgments=partial(_read, _scan_parquet, JUDGMENTS),
    read_run=partial(_read, _scan_parquet, RUN),
    batches=partial(_batches, _scan_parquet),
    write_judgments=_write_parquet,
    write_run=_write_parquet,
).register()

ARROW = Format(
    name="arrow",
    title="Arrow IPC and Feather",
    suffixes=(".arrow", ".feather", ".ipc"),
    recognise=partial(_recognise, _scan_arrow, (b"ARROW1", b"\xff\xff\xff\xff")),
    sureness=3,
    keeps_assessors=True,
    read_judgments=partial(_read, _scan_arrow, JUDGMENTS),
    read_run=partial(_read, _scan_arrow, RUN),
    batches=partial(_batches, _scan_arrow),
    write_judgments=_write_arrow,
    write_run=_write_arrow,
).register()
