"""The contract of a file format, and the registry of formats.

A format is one constant in one file: how it is recognised, and its readers and writers. What it lacks is None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files import ALIASES, find, raters
from rankgauge.files.columns import UNSAID, is_number, ranked_columns
from rankgauge.files.json_text import first_value
from rankgauge.files.source import Source
from rankgauge.files.validation import Place
from rankgauge.policies import Duplicates, FractionalGrade, Grouping, JudgmentKind, RunOrder
from rankgauge.registry import Registered, Registry

FORMATS: Registry[Format] = Registry("file format", "rankgauge.files.formats", order=lambda one: -one.sureness)

Reader = Callable[[Source], pl.DataFrame]
JudgmentsWriter = Callable[[pl.DataFrame, BinaryIO], None]
RunWriter = Callable[[pl.DataFrame, BinaryIO, str], None]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a tool reads judgments and run: what it accepts, and what makes a list."""

    duplicates: Duplicates = Duplicates.REFUSE
    grouping: Grouping = Grouping.QUERY
    fractional: FractionalGrade = FractionalGrade.KEEP
    extra_scores: bool = False
    """Whether scores past the last document are ignored; otherwise they are an error."""
    order: RunOrder = RunOrder.SCORE


STRICT = Reading()
"""How files are read by default: whatever is unclear is an error."""

PairReader = Callable[[Source, Source, Reading], tuple[pl.DataFrame, pl.DataFrame]]


class Kind(Enum):
    """What a file holds."""

    JUDGMENTS = "judgments"
    RUN = "a run"
    COMPANION = "numbers that need their judgments beside them"


HEAD = 1 << 16
"""How many of a file's first bytes are looked at to recognise its format; JSON and long lines are read on."""

MAGIC = 3
"""How sure a format is that is known by its first bytes; see `Format.sureness`."""

_JSON = re.compile(r'\s*(?:\{\s*"|\[\s*\{)')

LINES: Mapping[Kind, str] = {
    Kind.RUN: "query Q0 document rank score tag",
    Kind.JUDGMENTS: "query 0 document grade",
}
"""What a line looks like in TREC's format, for error messages."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """The beginning of a file, by which its format is recognised."""

    source: Source

    @cached_property
    def raw(self) -> bytes:
        """The first bytes, unpacked."""
        return self.source.read(HEAD)

    @property
    def binary(self) -> bool:
        """Whether the file is not text."""
        return b"\0" in self.raw

    @cached_property
    def text(self) -> str:
        """The first bytes as text, without a byte order mark."""
        return self.raw.decode("utf-8", "replace").removeprefix("\ufeff")

    @cached_property
    def lines(self) -> list[str]:
        """The first whole lines that are neither blank nor comments; a first line that is longer is read to its end."""
        if self.binary:
            return []
        return [text for text in self._whole_lines().split("\n") if not re.match(r"[ \t\v\f\r]*(#|$)", text)]

    def _whole_lines(self) -> str:
        if len(self.raw) < HEAD:
            return self.text
        if "\n" in self.text.strip():
            return self.text[: self.text.rindex("\n")]
        with self.source.open() as stream:
            line = next((line for line in stream if line.strip()), b"")
        return line.decode("utf-8", "replace").removeprefix("\ufeff")

    @cached_property
    def fields(self) -> list[list[str]]:
        """The lines' fields, split at white space."""
        return [re.findall(r"[^ \t\v\f\r]+", line) for line in self.lines]

    @cached_property
    def document(self) -> Any:
        """The JSON object or list that the file begins with, to its end; None if it begins with neither."""
        return None if self.binary else first_value(self.source, HEAD)

    @property
    def is_json(self) -> bool:
        """Whether the file begins like a JSON object or a list of objects, even if the rest is not valid JSON."""
        first = self.document[0] if isinstance(self.document, list) and self.document else self.document
        return isinstance(first, dict) or _JSON.match(self.text) is not None

    @property
    def numeric(self) -> bool:
        """Whether the file holds nothing but numbers."""
        return bool(self.fields) and all(is_number(field) for fields in self.fields for field in fields)


@dataclass(frozen=True, kw_only=True)
class SampleFile:
    """A small file as a program writes it: what it is, what it holds, and its text."""

    title: str
    kind: Kind
    text: str


@dataclass(frozen=True, kw_only=True)
class Format(Registered):
    """A file format."""

    registry = FORMATS

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Head], tuple[Kind, ...]]
    """What a file with this beginning may hold, the likeliest first; nothing if it is not in this format."""
    sureness: int
    """How clear the format's marks are: 4 names of columns that one program alone uses, 3 magic bytes, 2 a mark in the
    line, 1 a number of fields, 0 none."""
    nearly: Callable[[Head], str | None] | None = None
    """A hint for a file that no format recognises but that is nearly in this one."""
    binary: bool = False
    """Whether its files are not text."""
    names_queries: bool = True
    """Whether its runs say which queries they answer; otherwise these are named for their files or positions."""
    holds_several: bool = False
    """Whether a file may hold several runs, of which FILE#NAME is one."""
    keeps_assessors: bool = False
    """Whether its judgments can name their assessors."""
    keeps_subtopics: bool = False
    """Whether its judgments can name the subtopics that they are for."""
    read_judgments: Reader | None = None
    readers: Mapping[JudgmentKind, Reader] = field(default_factory=dict, hash=False)
    """The readers of judgments that say more of a document than its grade, where such a file is read differently."""
    read_run: Reader | None = None
    read_ranked: Reader | None = None
    """A run with the ranks that it states, if `read_run` leaves them out: scores order most runs."""
    read_pair: PairReader | None = None
    """Judgments and their companion, if the two make sense only together."""
    read_table: Reader | None = None
    """All columns as they are called in the file, if the format is one of tables."""
    refuse_fractions: Callable[[Source], None] | None = None
    """An error at a grade that is not written as a whole number; formats with `read_pair` check this there."""
    batches: Callable[[Source, int], Iterator[pl.DataFrame]] | None = None
    """The run's rows in batches, if the format can be read in pieces."""
    words: Callable[[Source], tuple[dict[str, str], dict[str, str]]] | None = None
    """The texts of queries and the titles of documents, by id, where its runs have them."""
    locate: Callable[[Source, int], Place] | None = None
    """The line of the row with that number (from 0), if the format has lines."""
    write_judgments: JudgmentsWriter | None = None
    write_run: RunWriter | None = None
    samples: tuple[SampleFile, ...] = ()
    """Small files in the format, for the page of formats and for tests."""

    def reads(self, kind: Kind) -> bool:
        """Say whether it has a reader of judgments, or of runs."""
        return (
            self.read_judgments if kind is Kind.JUDGMENTS else self.read_run if kind is Kind.RUN else None
        ) is not None

    def run_reader(self, order: RunOrder) -> Reader:
        """Return the reader of runs, with their ranks if these order them."""
        assert self.read_run is not None
        return self.read_ranked or self.read_run if order is RunOrder.RANK else self.read_run


def get(name: str | Format) -> Format:
    """Return the format of that name."""
    return name if isinstance(name, Format) else FORMATS.find(name)


def kinds(columns: Iterable[str], said: Mapping[str, str] = UNSAID) -> tuple[Kind, ...]:
    """Return what a table with those columns may be; BEIR's judgments call the grade a score.

    `said` are our columns by the names that a user says they have.
    """
    columns = list(columns)
    has = {name: find(columns, name, said) is not None for name in ALIASES}
    if not (has["query"] and has["document"]):
        return (Kind.RUN,) if ranked_columns(columns, said) else ()
    judged, scored, ranked = has["grade"] or bool(raters(columns)), has["score"], has["rank"]
    marks = {Kind.JUDGMENTS: judged, Kind.RUN: scored or ranked}
    kinds = [kind for kind, holds in marks.items() if holds]
    return (*kinds, Kind.JUDGMENTS) if scored and not judged and not ranked else tuple(kinds)


def numbers(name: str) -> pl.Expr:
    """The column as text; `1`, not `1.0`, since the Perl scripts of LETOR and gdeval refuse a grade with a point."""
    column = pl.col(name)
    whole = column.cast(pl.Int64, strict=False)
    exact = (column == whole) & (column.abs() < 2.0**53) & ((column != 0) | (1 / column > 0))
    return pl.when(exact).then(whole.cast(pl.String)).otherwise(column.cast(pl.String)).alias(name)


def ranks() -> pl.Expr:
    """Return the rank of each document in its query by falling score, from 1; ties in the order of the rows."""
    return pl.col("score").rank("ordinal", descending=True).over("query").alias("rank")


def refuse_words(frame: pl.DataFrame, pattern: str, problem: str, hint: str) -> None:
    """Raise an error if an id would not survive in the format."""
    for name in ("query", "document"):
        bad = frame[name].filter(frame[name].str.contains(pattern))
        if len(bad):
            raise InputError(f"the {name} id {bad[0]!r} {problem}", hint=hint)
