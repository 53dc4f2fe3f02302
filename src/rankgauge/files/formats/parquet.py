"""parquet: Parquet files, and Arrow's own (IPC, Feather)."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import polars as pl

from rankgauge.files.compression import refuse_bomb
from rankgauge.files.format import Head, Kind, kinds
from rankgauge.files.source import Source, damage
from rankgauge.files.tabular import Scan, tabular


def _where(source: Source) -> Path | io.BytesIO:
    return io.BytesIO(source.read()) if source.packed else source.scannable()


def _scan_parquet(source: Source) -> pl.LazyFrame:
    return _unpack(pl.scan_parquet, source)


def _scan_arrow(source: Source) -> pl.LazyFrame:
    if source.read(4) == b"\xff\xff\xff\xff":
        return pl.read_ipc_stream(io.BytesIO(source.read())).lazy()
    return _unpack(pl.scan_ipc, source)


def _unpack(scan: Callable[[Path | io.BytesIO], pl.LazyFrame], source: Source) -> pl.LazyFrame:
    where = _where(source)
    size = where.stat().st_size if isinstance(where, Path) else where.getbuffer().nbytes
    return refuse_bomb(scan(where), size, source.name)


def _recognise(scan: Scan, starts: tuple[bytes, ...], head: Head) -> tuple[Kind, ...]:
    if not head.raw.startswith(starts):
        return ()
    try:
        return kinds(scan(head.source).collect_schema().names(), head.source.said) or (Kind.JUDGMENTS, Kind.RUN)
    except damage():
        return (Kind.JUDGMENTS, Kind.RUN)


def _write_parquet(frame: pl.DataFrame, file: BinaryIO, tag: str = "") -> None:
    frame.write_parquet(file)


def _write_arrow(frame: pl.DataFrame, file: BinaryIO, tag: str = "") -> None:
    frame.write_ipc(file)


PARQUET = tabular(
    scan=_scan_parquet,
    name="parquet",
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    recognise=partial(_recognise, _scan_parquet, (b"PAR1",)),
    sureness=3,
    binary=True,
    write_judgments=_write_parquet,
    write_run=_write_parquet,
).register()

ARROW = tabular(
    scan=_scan_arrow,
    name="arrow",
    title="Arrow IPC and Feather",
    suffixes=(".arrow", ".feather", ".ipc"),
    recognise=partial(_recognise, _scan_arrow, (b"ARROW1", b"\xff\xff\xff\xff")),
    sureness=3,
    binary=True,
    write_judgments=_write_arrow,
    write_run=_write_arrow,
).register()
