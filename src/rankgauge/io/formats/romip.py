"""romip: the XML files of the ROMIP seminars, in UTF-8 or windows-1251, with or without namespaces.

    judgments   <taskDocumentMatrix><task id="1"><document id="d" relevance="vital"/>…
    run         <taskresult><doclist taskID="1"><docID>d</docID>…      or <taskID> inside the list, or topicID
                <result><document name="d"><topic>1</topic>…           classification, 2007

A run has no scores: its order is the ranking, so the r-th document of a list gets the score −r. The grades are those
of ROMIP 2010: vital 3, relevant-plus 2, relevant-minus 1, notrelevant and cantbejudged 0. The `relevant` of its binary
tables says only that the table's own level was reached: 1. Files with a document type or entities are refused.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.format import Format, Head, Kind, refuse_words
from rankgauge.io.markup import Walker
from rankgauge.io.source import Source
from rankgauge.tables import JUDGMENTS, RUN, check

__all__ = ["GRADES", "ROMIP", "Reader", "graded"]

GRADES: Mapping[str, float] = {
    "vital": 3.0,
    "relevant-plus": 2.0,
    "relevant-minus": 1.0,
    "relevant": 1.0,
    "notrelevant": 0.0,
    "cantbejudged": 0.0,
}
_NAMES = {3.0: "vital", 2.0: "relevant-plus", 1.0: "relevant-minus", 0.0: "notrelevant"}
_ROWS = {"query": pl.String, "document": pl.String, "word": pl.String, "assessor": pl.String, "line": pl.Int64}

_MARK = re.compile(rb"<(?:\?xml\b|(?:\w+:)?(?:taskdocumentmatrix|taskresult|result|task|doclist)\b)")


def _recognise(head: Head) -> tuple[Kind, ...]:
    text = head.raw.removeprefix(BOM_UTF8).lstrip().lower()
    if not text.startswith(b"<") or not _MARK.search(text):
        return ()
    return (Kind.JUDGMENTS,) if b"relevance=" in text or b"taskdocumentmatrix" in text else (Kind.RUN,)


class Reader(Walker):
    """Collects (query, document, word, assessor, line) while the parser walks through the file."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.rows: list[tuple[str, str, str | None, str | None, int]] = []
        self.kind = ""
        """What the table says of itself, such as `or (relevant-minus)`."""
        self.documents: list[str] = []
        """Every document of a classification's file, also one that belongs nowhere."""
        self.query = self.document = ""
        self.assessors: dict[str, str | None] = {}

    def parse(self) -> pl.DataFrame:
        """Every document of the file, in its order."""
        self.walk()
        return pl.DataFrame(self.rows, schema=_ROWS, orient="row")

    def open_table(self, given: Mapping[str, str]) -> None:
        self.kind = given.get("type", "")
        self.assessors = {"table": given.get("assessor")}

    def open_list(self, given: Mapping[str, str]) -> None:
        self.query = given.get("id") or given.get("taskid") or given.get("topicid") or ""
        self.assessors["list"] = given.get("assessor")

    def open_document(self, given: Mapping[str, str]) -> None:
        self.document = given.get("id") or given.get("name") or ""
        self.documents.append(self.document)
        if "relevance" in given:
            named = (given.get("assessor"), self.assessors.get("list"), self.assessors.get("table"))
            self.add(self.query, self.document, given["relevance"], next(filter(None, named), None))

    def close_query(self, text: str) -> None:
        self.query = text

    def close_document(self, text: str) -> None:
        self.documents.append(text)
        self.add(self.query, text, None)

    def close_topic(self, text: str) -> None:
        self.add(text, self.document, None)

    def add(self, query: str, document: str, word: str | None, assessor: str | None = None) -> None:
        self.rows.append((query, document, word, assessor, self.line))

    OPENS = {
        "taskdocumentmatrix": open_table,
        "task": open_list,
        "doclist": open_list,
        "document": open_document,
    }
    CLOSES = {
        "taskid": close_query,
        "docid": close_document,
        "topic": close_topic,
    }


def graded(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """The rows that have a relevance, with its word spelt as in `GRADES` and its grade."""
    word = pl.col("word").str.to_lowercase().str.replace_all("_", "-", literal=True)
    known = rows.filter(pl.col("word").is_not_null()).with_columns(word)
    unknown = known.filter(~pl.col("word").is_in(list(GRADES)))
    if len(unknown):
        row = unknown.row(0, named=True)
        problem = f"there is no relevance called {row['word']!r}; known: {', '.join(GRADES)}"
        raise InputError(problem, path=name, line=row["line"])
    return known.with_columns(grade=pl.col("word").replace_strict(dict(GRADES), return_dtype=pl.Float64))


def _read_judgments(source: Source) -> pl.DataFrame:
    return _checked(graded(Reader(source).parse(), source.name), source, JUDGMENTS.required)


def _read_run(source: Source) -> pl.DataFrame:
    rows = Reader(source).parse().filter(pl.col("word").is_null())
    place = pl.int_range(1, pl.len() + 1).over("query").cast(pl.Float64)
    return _checked(rows.with_columns(score=-place), source, RUN.required)


def _checked(rows: pl.DataFrame, source: Source, columns: Mapping[str, pl.DataType]) -> pl.DataFrame:
    table = JUDGMENTS if "grade" in columns else RUN
    return check(rows.select(list(columns)), table, path=source.name, locate=lambda row: (rows["line"][row], ""))


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
).register()
