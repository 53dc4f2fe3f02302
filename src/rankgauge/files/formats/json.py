"""json: a table as one JSON document, as pandas and other libraries of frames write it.

    records   [{"qid": "q1", "docno": "d1", "label": 2}, …]
    columns   {"qid": {"0": "q1", …}, "docno": {"0": "d1", …}, …}      or lists in place of the inner objects
    index     {"0": {"qid": "q1", "docno": "d1", "label": 2}, …}
    split     {"columns": ["qid", …], "index": [0, …], "data": [["q1", …], …]}
    table     {"schema": {…}, "data": [{"qid": "q1", …}, …]}

Columns may have any name that tables in other formats may have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.columns import TEXT
from rankgauge.files.format import Head, Kind, SampleFile, kinds
from rankgauge.files.json_text import as_text, values
from rankgauge.files.source import Source
from rankgauge.files.tabular import tabular

RECORDS = """[
  {"qid": "q1", "docno": "d1", "label": 2},
  {"qid": "q1", "docno": "d7", "label": 0}
]
"""
COLUMNS = '{"qid": {"0": "q1", "1": "q1"}, "docno": {"0": "d7", "1": "d1"}, "score": {"0": 1.5, "1": 0.5}}\n'

Columns = dict[str, list[Any]]


def _recognise(head: Head) -> tuple[Kind, ...]:
    said = head.source.said
    columns = _columns(head.document, said)
    if find(columns, "query", said) is None or find(columns, "document", said) is None:
        return ()
    return kinds(columns, said) or (Kind.JUDGMENTS, Kind.RUN)


def _columns(document: Any, said: Mapping[str, str]) -> Columns:
    """Return the columns of a table in any of the shapes; none if the document is in none of them."""
    if isinstance(document, list):
        return _from_records(document)
    if not isinstance(document, dict) or not document:
        return {}
    data = document.get("data")
    if isinstance(data, list) and isinstance(document.get("columns"), list):
        rows = [row for row in data if isinstance(row, list) and len(row) == len(document["columns"])]
        return {str(name): [row[at] for row in rows] for at, name in enumerate(document["columns"])}
    if isinstance(data, list) and "schema" in document:
        return _from_records(data)
    if find(document, "query", said) is None or find(document, "document", said) is None:
        return _from_records(list(document.values()))
    return _from_columns(document)


def _from_records(records: list[Any]) -> Columns:
    if not records or not all(isinstance(record, dict) for record in records):
        return {}
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}


def _from_columns(document: dict[str, Any]) -> Columns:
    columns = {name: list(cells.values()) if isinstance(cells, dict) else cells for name, cells in document.items()}
    return columns if all(isinstance(cells, list) for cells in columns.values()) else {}


def _scan(source: Source) -> pl.LazyFrame:
    """The columns, every cell as text: polars would make one type of an id that is once a text and once a number."""
    documents = values(source)
    columns = _columns(documents[0], source.said) if documents else {}
    if len(documents) != 1 or len({len(cells) for cells in columns.values()}) != 1:
        raise InputError("is not a table: its columns are of different lengths", path=source.name)
    texts = {name: [as_text(cell) for cell in cells] for name, cells in columns.items()}
    return pl.LazyFrame(texts, schema=dict.fromkeys(texts, TEXT))


JSON = tabular(
    scan=_scan,
    name="json",
    title="tables as one JSON document, as pandas writes them",
    suffixes=(".json",),
    recognise=_recognise,
    sureness=3,
    samples=(
        SampleFile(title="records of pandas (orient='records')", kind=Kind.JUDGMENTS, text=RECORDS),
        SampleFile(title="columns of pandas", kind=Kind.RUN, text=COLUMNS),
    ),
).register()
