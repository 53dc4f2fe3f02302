"""romip: the XML files of the ROMIP seminars, in UTF-8 or windows-1251, with or without namespaces.

    judgments   <taskDocumentMatrix><task id="1"><document id="d" relevance="vital"/>…
    run         <taskresult><doclist taskID="1"><docID>d</docID>…      or <taskID> inside the list, or topicID
                <result><document name="d"><topic>1</topic>…           classification, 2007

A run has no scores: its order is the ranking, so the r-th document of a list gets the score −r. The grades are those
of ROMIP 2010: vital 3, relevant-plus 2, relevant-minus 1, notrelevant and cantbejudged 0. `relevant`, in binary
tables, means that the table's own level was reached: 1. Files with a document type or entities are refused.

Files are read safely: one that declares no encoding and is not UTF-8 is taken for windows-1251, and nothing is loaded
from elsewhere.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, RUN, Table, check
from rankgauge.files.format import Format, Head, Kind, SampleFile, refuse_words
from rankgauge.files.source import Source

GRADES: Mapping[str, float] = {
    "vital": 3.0,
    "relevant-plus": 2.0,
    "relevant-minus": 1.0,
    "relevant": 1.0,
    "notrelevant": 0.0,
    "cantbejudged": 0.0,
}
_ROWS = {"query": pl.String, "document": pl.String, "word": pl.String, "assessor": pl.String, "line": pl.Int64}


@dataclass(frozen=True, kw_only=True, eq=False)
class RelevanceFile:
    """A relevance table: its declared type, and query, document, word, grade, assessor (null if unnamed)."""

    kind: str
    rows: pl.DataFrame


@dataclass(frozen=True, kw_only=True, eq=False)
class Classification:
    """A classification: each document's categories (query, document), and all documents of the file."""

    pairs: pl.DataFrame
    documents: pl.Series


def is_xml(path: Path) -> bool:
    """Say whether the file begins like XML."""
    return Source.of(path).read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def read_relevance(path: Path) -> RelevanceFile:
    """Return the relevance table in a file; one without any judgment in it is an error."""
    reader = RomipReader(Source.of(path))
    rows = read_relevances(reader.parse(), str(path))
    if rows.is_empty():
        hint = 'Expected <taskDocumentMatrix><task id="…"><document id="…" relevance="…"/>.'
        raise InputError("has no judgments", path=path, hint=hint)
    return RelevanceFile(kind=reader.kind, rows=rows.select("query", "document", "word", "grade", "assessor", "line"))


def read_classification(path: Path) -> Classification:
    """Return the classification in a file, of 2007 (a document and its topics) or 2008 (a topic and its documents)."""
    reader = RomipReader(Source.of(path))
    rows = reader.parse().filter(pl.col("word").is_null())
    unnamed = rows.filter((pl.col("query") == "") | (pl.col("document") == ""))
    if len(unnamed):
        problem = "there is no category" if unnamed["query"][0] == "" else "there is no document"
        raise InputError(problem, path=path, line=unnamed["line"][0])
    if not reader.documents:
        hint = 'Expected <result><document name="…"><topic>…, or <result><doclist topicID="…"><docID>….'
        raise InputError("has no documents", path=path, hint=hint)
    pairs = rows.select("query", "document").unique(maintain_order=True)
    return Classification(pairs=pairs, documents=pl.Series("document", reader.documents, dtype=pl.String).unique())


def read_relevances(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the rows that have a relevance, with its word spelt as in `GRADES` and its grade."""
    word = pl.col("word").str.to_lowercase().str.replace_all("_", "-", literal=True)
    known = rows.filter(pl.col("word").is_not_null()).with_columns(word)
    unknown = known.filter(~pl.col("word").is_in(list(GRADES)))
    if len(unknown):
        row = unknown.row(0, named=True)
        problem = f"there is no relevance called {row['word']!r}; known: {', '.join(GRADES)}"
        raise InputError(problem, path=name, line=row["line"])
    return known.with_columns(grade=pl.col("word").replace_strict(dict(GRADES), return_dtype=pl.Float64))


class RomipReader:
    """Reads a file element by element, and collects (query, document, word, assessor, line)."""

    def __init__(self, source: Source) -> None:
        self.kind = ""
        """The type that the table declares, such as `or (relevant-minus)`."""
        self.documents: list[str] = []
        """Every document of a classification, even without a category."""
        self._source, self._text = source, ""
        self._query = self._document = ""
        self._assessors: dict[str, str | None] = {}
        self._rows: list[tuple[str, str, str | None, str | None, int]] = []

    def parse(self) -> pl.DataFrame:
        """Return every document of the file, in order."""
        content = self._source.read()
        self._parser = parser = expat.ParserCreate(_assumed_encoding(content))
        parser.StartElementHandler, parser.EndElementHandler = self._open, self._close
        parser.CharacterDataHandler = self._collect
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = self._refuse
        try:
            parser.Parse(content, True)
        except expat.ExpatError as error:
            problem = f"is not well-formed XML: {expat.ErrorString(error.code)}"
            raise InputError(problem, path=self._source.name, line=error.lineno) from None
        except (LookupError, ValueError) as error:
            raise InputError(f"cannot be decoded: {error}", path=self._source.name) from None
        return pl.DataFrame(self._rows, schema=_ROWS, orient="row")

    def _refuse(self, *_: object) -> None:
        line = self._parser.CurrentLineNumber
        raise InputError("has a document type or entities, which are not read", path=self._source.name, line=line)

    def _collect(self, text: str) -> None:
        self._text += text

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._text = ""
        given = {_local(key): value for key, value in attributes.items()}
        match _local(name):
            case "taskdocumentmatrix":
                self.kind = given.get("type", "")
                self._assessors = {"table": given.get("assessor")}
            case "task" | "doclist":
                self._query = given.get("id") or given.get("taskid") or given.get("topicid") or ""
                self._assessors["list"] = given.get("assessor")
            case "document":
                self._document = given.get("id") or given.get("name") or ""
                self.documents.append(self._document)
                if "relevance" in given:
                    named = (given.get("assessor"), self._assessors.get("list"), self._assessors.get("table"))
                    self._add(self._query, self._document, given["relevance"], next(filter(None, named), None))

    def _close(self, name: str) -> None:
        text, self._text = self._text.strip(), ""
        match _local(name):
            case "taskid":
                self._query = text
            case "docid":
                self.documents.append(text)
                self._add(self._query, text)
            case "topic":
                self._add(text, self._document)

    def _add(self, query: str, document: str, word: str | None = None, assessor: str | None = None) -> None:
        self._rows.append((query, document, word, assessor, int(self._parser.CurrentLineNumber)))


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _assumed_encoding(content: bytes) -> str | None:
    """Return the encoding to assume, if the file declares none and is not UTF-8."""
    declaration = content[:200].partition(b"?>")[0]
    if b"encoding" in declaration or content.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1251"
    return None


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
    read_judgments=lambda source: _check(read_relevances(RomipReader(source).parse(), source.name), source, JUDGMENTS),
    read_run=_read_run,
    write_judgments=_write_judgments,
    write_run=_write_run,
    samples=(
        SampleFile(title="a relevance table of ROMIP", kind=Kind.JUDGMENTS, text=TABLE),
        SampleFile(title="results of ROMIP", kind=Kind.RUN, text=RESULTS),
    ),
).register()
