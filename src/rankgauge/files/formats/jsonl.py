"""jsonl: one JSON object per line, {"query": …, "document": …, "grade": …[, "assessor": …]} or with a "score"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import ALIASES, find, raters
from rankgauge.files.columns import NUMBER, TEXT
from rankgauge.files.format import Head, Kind, SampleFile, kinds
from rankgauge.files.json_text import as_text
from rankgauge.files.source import Source
from rankgauge.files.tabular import locate_object, objects, tabular

ROWS = '{"query": "q1", "document": "d1", "grade": 2}\n{"query": "q1", "document": "d7", "grade": 0}\n'
_NUMBERS = ("grade", "score", "rank", "probability")


def _recognise(head: Head) -> tuple[Kind, ...]:
    if not head.lines or not head.lines[0].lstrip().startswith("{"):
        return ()
    first, names, said = _parse(head.lines[0]), _names(head), head.source.said
    if isinstance(first, dict) and _is_nested(first, names, said):
        return ()
    return kinds(names, said) or ((Kind.JUDGMENTS, Kind.RUN) if isinstance(first, dict) else ())


def _is_nested(row: dict[str, Any], names: list[str], said: Mapping[str, str]) -> bool:
    """Say whether it is no row of a table: an id is an object or a list, or without known columns any cell is."""
    ids = [find(names, name, said) for name in ("query", "document")] if kinds(names, said) else list(row)
    return any(isinstance(row.get(name), dict | list) for name in ids if name is not None)


def _names(head: Head) -> list[str]:
    """Return the keys of the first objects."""
    rows = [_parse(line) for line in head.lines[:100]]
    return list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))


def _parse(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _scan(source: Source) -> pl.LazyFrame:
    """Return the objects' keys as columns, ids as text and numbers as numbers."""
    names = _names(Head(source=source))
    columns = {name: column for name in ALIASES if (column := find(names, name, source.said)) is not None}
    known = {column: NUMBER if name in _NUMBERS else TEXT for name, column in columns.items()}
    known |= dict.fromkeys(raters(names), NUMBER)
    return pl.scan_ndjson(source.scannable(), schema_overrides=known)


def _scan_slowly(source: Source) -> pl.LazyFrame:
    """Read by Python's own parser, which accepts numbers as text and names the line that is no object."""
    rows = [row for _, _, row in objects(source)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [as_text(row.get(name)) for row in rows] for name in names}
    return pl.LazyFrame(columns, schema=dict.fromkeys(names, TEXT))


def _write(frame: pl.DataFrame, file: BinaryIO, tag: str = "") -> None:
    if "score" in frame.columns and frame["score"].is_infinite().any():
        raise InputError("JSON has no infinite numbers, and a score is infinite", hint="Write TREC, CSV or Parquet.")
    frame.write_ndjson(file)


JSONL = tabular(
    scan=_scan,
    careful=_scan_slowly,
    locate=locate_object,
    name="jsonl",
    title="JSON lines",
    suffixes=(".jsonl", ".ndjson", ".json"),
    recognise=_recognise,
    sureness=2,
    write_judgments=_write,
    write_run=_write,
    samples=(SampleFile(title="a row per line", kind=Kind.JUDGMENTS, text=ROWS),),
).register()
