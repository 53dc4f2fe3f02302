"""ROMIP's XML files: relevance tables, runs and classifications, read safely.

Namespaces may be missing. A file that declares no encoding and is not UTF-8 is taken for windows-1251. Document types
and entities are refused, and nothing is loaded from elsewhere.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import polars as pl

from rankgauge.errors import InputError
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
    """Whether the file begins like XML."""
    return Source.of(path).read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def read_relevance(path: Path) -> RelevanceFile:
    """The relevance table in a file; one without any judgment in it is an error."""
    reader = RomipReader(Source.of(path))
    rows = graded(reader.parse(), str(path))
    if rows.is_empty():
        hint = 'Expected <taskDocumentMatrix><task id="…"><document id="…" relevance="…"/>.'
        raise InputError("has no judgments", path=path, hint=hint)
    return RelevanceFile(kind=reader.kind, rows=rows.select("query", "document", "word", "grade", "assessor", "line"))


def read_classification(path: Path) -> Classification:
    """The classification in a file, of 2007 (a document and its topics) or 2008 (a topic and its documents)."""
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
        """Every document of the file, in order."""
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
    """The encoding to assume, if the file declares none and is not UTF-8."""
    declaration = content[:200].partition(b"?>")[0]
    if b"encoding" in declaration or content.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1251"
    return None
