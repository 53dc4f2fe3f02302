"""romip: the XML files of the ROMIP seminars, in UTF-8 or windows-1251, with or without namespaces.

    judgments   <taskDocumentMatrix><task id="1"><document id="d" relevance="vital"/>…
    run         <taskresult><doclist taskID="1"><docID>d</docID>…      or <taskID> inside the list, or topicID
                <result><document name="d"><topic>1</topic>…           classification, 2007

A run has no scores: its order is the ranking, so the r-th document of a list gets the score −r. The grades are those
of ROMIP 2010: vital 3, relevant-plus 2, relevant-minus 1, notrelevant and cantbejudged 0. `relevant`, in binary
tables, means that the table's own level was reached: 1. Files with a document type or entities are refused.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, Table, check
from rankgauge.files.format import Format, Head, Kind, SampleFile, refuse_words
from rankgauge.files.romip_xml import RomipReader, graded
from rankgauge.files.source import Source

TABLE = """<taskDocumentMatrix><task id="1">
  <document id="d1" relevance="vital"/><document id="d7" relevance="notrelevant"/>
</task></taskDocumentMatrix>
"""
RESULTS = """<taskresult><doclist taskID="1">
  <docID>d7</docID><docID>d1</docID>
</doclist></taskresult>
"""

_NAMES = {3.0: "vital", 2.0: "relevant-plus", 1.0: "relevant-minus", 0.0: "notrelevant"}

_MARK = re.compile(rb"<(?:\w+:)?(?:taskdocumentmatrix|taskresult|result|task|doclist)\b")


def _recognise(head: Head) -> tuple[Kind, ...]:
    text = head.raw.removeprefix(BOM_UTF8).lstrip().lower()
    if not text.startswith(b"<") or not _MARK.search(text):
        return ()
    return (Kind.JUDGMENTS,) if b"relevance=" in text or b"taskdocumentmatrix" in text else (Kind.RUN,)


def _read_judgments(source: Source) -> pl.DataFrame:
    return _check(graded(RomipReader(source).parse(), source.name), source, JUDGMENTS)


def _read_run(source: Source) -> pl.DataFrame:
    rows = RomipReader(source).parse().filter(pl.col("word").is_null())
    place = pl.int_range(1, pl.len() + 1).over("query").cast(pl.Float64)
    return _check(rows.with_columns(score=-place), source, RUN)


def _check(rows: pl.DataFrame, source: Source, table: Table) -> pl.DataFrame:
    return check(
        rows.select(list(table.required)),
        table,
        path=source.name,
        locate=lambda row: (rows["line"][row], ""),
        spelling=source.spelling,
        whole=True,
    )


def _write_judgments(frame: pl.DataFrame, file: BinaryIO) -> None:
    _refuse(frame)
    other = frame.filter(~pl.col("grade").is_in(list(_NAMES)))
    if len(other):
        raise InputError(f"ROMIP has no name for the grade {other['grade'][0]:g}", hint="Its grades are 0, 1, 2 and 3.")
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<taskDocumentMatrix>']
    for (query,), rows in frame.group_by("query", maintain_order=True):
        parts.append(f"<task id={quoteattr(str(query))}>")
        pairs = zip(rows["document"], rows["grade"], strict=True)
        parts.extend(f"<document id={quoteattr(d)} relevance={quoteattr(_NAMES[g])}/>" for d, g in pairs)
        parts.append("</task>")
    file.write("\n".join([*parts, "</taskDocumentMatrix>\n"]).encode())


def _write_run(frame: pl.DataFrame, file: BinaryIO, tag: str) -> None:
    _refuse(frame)
    ordered = frame.sort("score", descending=True, maintain_order=True)
    parts = [f'<?xml version="1.0" encoding="UTF-8"?>\n<taskresult>\n<run><runID>{escape(tag)}</runID></run>']
    for query in frame["query"].unique(maintain_order=True):
        parts.append(f"<doclist taskID={quoteattr(query)}>")
        documents = ordered.filter(pl.col("query") == query)["document"]
        parts.extend(f"<docID>{escape(document)}</docID>" for document in documents)
        parts.append("</doclist>")
    file.write("\n".join([*parts, "</taskresult>\n"]).encode())


def _refuse(frame: pl.DataFrame) -> None:
    pattern = r"[\x00-\x1f\x{FFFE}\x{FFFF}]|^\s|\s$"
    refuse_words(frame, pattern, "holds a character that XML cannot keep", "Write CSV, JSONL or Parquet.")


ROMIP = Format(
    name="romip",
    title="ROMIP relevance tables and runs (XML)",
    suffixes=(".xml",),
    recognise=_recognise,
    sureness=3,
    read_judgments=_read_judgments,
    read_run=_read_run,
    write_judgments=_write_judgments,
    write_run=_write_run,
    samples=(
        SampleFile(title="a relevance table of ROMIP", kind=Kind.JUDGMENTS, text=TABLE),
        SampleFile(title="results of ROMIP", kind=Kind.RUN, text=RESULTS),
    ),
).register()
