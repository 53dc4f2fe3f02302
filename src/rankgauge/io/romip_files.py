"""ROMIP's files beyond judgments and runs: relevance tables with their type and assessors, and classifications."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankgauge.errors import InputError
from rankgauge.io.formats.romip import Reader, graded
from rankgauge.io.source import Source

__all__ = ["Labels", "Matrix", "is_markup", "read_labels", "read_matrix"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """A relevance table: its type as the file says it, and query, document, word, grade, assessor (null: not said)."""

    kind: str
    rows: pl.DataFrame


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """A classification: which documents belong to which category (query, document), and every document of the file."""

    pairs: pl.DataFrame
    documents: pl.Series


def is_markup(path: Path) -> bool:
    """Whether the file begins as XML does."""
    return Source.of(path).read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def read_matrix(path: Path) -> Matrix:
    """The relevance table in a file; one without any judgment in it is an error."""
    source = Source.of(path)
    reader = Reader(source)
    rows = graded(reader.parse(), source.name)
    if rows.is_empty():
        hint = 'Expected <taskDocumentMatrix><task id="…"><document id="…" relevance="…"/>.'
        raise InputError("has no judgments", path=path, hint=hint)
    return Matrix(kind=reader.kind, rows=rows.select("query", "document", "word", "grade", "assessor", "line"))


def read_labels(path: Path) -> Labels:
    """The classification in a file, of 2007 (a document and its topics) or 2008 (a topic and its documents)."""
    source = Source.of(path)
    reader = Reader(source)
    rows = reader.parse().filter(pl.col("word").is_null())
    unnamed = rows.filter((pl.col("query") == "") | (pl.col("document") == ""))
    if len(unnamed):
        problem = "there is no category" if unnamed["query"][0] == "" else "there is no document"
        raise InputError(problem, path=path, line=unnamed["line"][0])
    if not reader.documents:
        hint = 'Expected <result><document name="…"><topic>…, or <result><doclist topicID="…"><docID>….'
        raise InputError("has no documents", path=path, hint=hint)
    pairs = rows.select("query", "document").unique(maintain_order=True)
    return Labels(pairs=pairs, documents=pl.Series("document", reader.documents, dtype=pl.String).unique())
