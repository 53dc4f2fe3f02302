"""The lint of a data set: the contract of a check, what it looks at, what it found, and what that does to means.

A LETOR file's lines also show features that never change, torn queries and repeated documents: it is read in pieces, so
that its size does not matter.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge import files
from rankgauge.audit.tools.overview import Audit
from rankgauge.audit.tools.tables import contribution
from rankgauge.errors import InputError
from rankgauge.files.formats.trec import TREC, read_ranked
from rankgauge.files.letor_features import blocks
from rankgauge.files.source import Source
from rankgauge.numeric import FloatArray
from rankgauge.registry import Registered, Registry
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number, share
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage

PIECE = 1 << 24
"""How many bytes are read at a time."""

_NAMES = re.compile(rb"(\d+):")
_HEAD = rb"^[ \t]*(\S+)[ \t]+qid:(\S+)[^#\n]*(?:#[ \t]*(?:docid[ \t]*=[ \t]*)?(\S+))?"
_LINE = re.compile(_HEAD, re.MULTILINE)


@dataclass(frozen=True, kw_only=True, eq=False)
class LetorFile:
    """The lines of a LETOR file."""

    rows: pl.DataFrame
    """A row per line: grade as it is written, query, document (null if no comment names it)."""
    features: tuple[int, ...]
    constant: tuple[int, ...]
    """The features that have one value in the whole file."""
    idle: tuple[int, ...]
    """The features that differ between queries but never within one: they cannot rank."""

    @classmethod
    def of(cls, source: Source) -> LetorFile:
        """Return the lines of a file."""
        rows, ranges, columns = [], _Ranges(), dict.fromkeys(("grade", "query", "document"), pl.String)
        with source.open() as stream:
            for piece in blocks(stream, PIECE):
                found = [tuple(part.decode("utf-8", "replace") for part in match) for match in _LINE.findall(piece)]
                frame = pl.DataFrame(found, schema=columns, orient="row")
                rows.append(frame.with_columns(pl.col("document").replace("", None)))
                ranges.add(piece, frame["query"])
        return cls(
            rows=pl.concat(rows),
            features=tuple(ranges.low),
            constant=tuple(f for f in ranges.low if ranges.low[f] == ranges.high[f]),
            idle=tuple(f for f in ranges.low if ranges.low[f] < ranges.high[f] and f not in ranges.moving),
        )


class _Ranges:
    """The least and the highest value of each feature, and whether it moves within some query."""

    def __init__(self) -> None:
        self.low: dict[int, float] = {}
        self.high: dict[int, float] = {}
        self.moving: set[int] = set()

    def add(self, piece: bytes, queries: pl.Series) -> None:
        """Adds the lines of a piece."""
        names, values = _dense(piece)
        if not len(values):
            return
        changes = (queries != queries.shift(1)).fill_null(True).to_numpy()
        starts = np.flatnonzero(changes)
        least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        for column, name in enumerate(names):
            low, high = float(least[:, column].min()), float(most[:, column].max())
            self.low[name] = min(low, self.low.get(name, low))
            self.high[name] = max(high, self.high.get(name, high))
            if bool((least[:, column] < most[:, column]).any()):
                self.moving.add(name)


def _dense(piece: bytes) -> tuple[list[int], FloatArray]:
    """Return the features of the lines as rows; a feature that a line lacks is 0, as in SVM-rank."""
    bodies = [
        line.split(b"#", 1)[0].split(b"qid:", 1)[-1].split(None, 1)[1:]
        for line in piece.splitlines()
        if b"qid:" in line
    ]
    texts = [body[0] if body else b"" for body in bodies]
    named = [_NAMES.findall(text) for text in texts]
    if len({tuple(names) for names in named}) == 1:
        flat = np.fromstring(_NAMES.sub(b"", b" ".join(texts)).decode(), sep=" ")
        return [int(name) for name in named[0]], flat.reshape(len(texts), -1)
    names = sorted({int(name) for found in named for name in found})
    values, column = np.zeros((len(texts), len(names))), {name: place for place, name in enumerate(names)}
    for row, text in enumerate(texts):
        for pair in text.split():
            name, _, value = pair.partition(b":")
            values[row, column[int(name)]] = float(value)
    return names, values


CHECKS: Registry[Check] = Registry("check", "rankgauge.audit.tools.checks", order=lambda check: check.place)

LAST = 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """Judgments and perhaps a run."""

    judgments: pl.DataFrame
    run: pl.DataFrame | None = None
    ranked: pl.DataFrame | None = None
    """The run with the ranks that it states, if it does."""
    lines: LetorFile | None = None
    """What only the lines of a LETOR file show."""

    @classmethod
    def of(cls, judgments: Any, run: Any = None) -> Subject:
        """The subject in files, frames or dicts; a LETOR file is read leniently, because its faults are to be found."""
        if files.is_path(judgments) and files.detect(judgments).format.name == "letor":
            judged, ranked = _letor(judgments, run)
            return cls(judgments=judged, run=ranked, lines=LetorFile.of(Source.of(judgments)))
        if run is None:
            return cls(judgments=files.judgments_from(judgments))
        judged, ranked = files.pair_from(judgments, run)
        return cls(judgments=judged, run=ranked, ranked=_read_with_ranks(run, ranked))

    @cached_property
    def queries(self) -> pl.DataFrame:
        """A row per judged query: documents, relevant, lowest, highest, and how many documents its list has."""
        found = self.judgments.group_by("query", maintain_order=True).agg(
            documents=pl.len(),
            relevant=(pl.col("grade") > 0).sum(),
            lowest=pl.col("grade").min(),
            highest=pl.col("grade").max(),
        )
        if self.run is None:
            return found.with_columns(listed=pl.col("documents"))
        listed = self.run.group_by("query").agg(listed=pl.len())
        return found.join(listed, on="query", how="left", maintain_order="left")


def _read_with_ranks(run: Any, table: pl.DataFrame) -> pl.DataFrame | None:
    """A TREC file is read once more, with its ranks; a table has them as a column. A pipe can be read only once."""
    if files.is_path(run) and os.path.isfile(run) and files.detect(run).format is TREC:
        return read_ranked(Source.of(run))
    return table if "rank" in table.columns else None


def _letor(judgments: Any, run: Any) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    if run is not None and files.detect(run).kind is not files.Kind.COMPANION:
        return files.pair_from(judgments, run)
    try:
        return files.read_letor(judgments, run)
    except InputError:  # repeated documents are something to find, not to refuse
        return files.read_letor(judgments, run, duplicates="rows")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a check found."""

    count: int
    of: int
    things: str
    """What was counted: queries, documents, judgments, features."""
    examples: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    """The queries concerned, if leaving them out would show what they do to a mean."""

    @classmethod
    def of_queries(cls, names: Iterable[str], of: int) -> Finding:
        """Return a finding about queries."""
        listed = tuple(names)
        return cls(count=len(listed), of=of, things="queries", examples=listed[:3], queries=listed)


@dataclass(frozen=True, kw_only=True)
class Check(Registered):
    """Something in a data set that distorts scores."""

    registry = CHECKS

    name: str
    title: str
    effect: str
    """What it does to which tool's scores."""
    find: Callable[[Subject], Finding | None] = field(repr=False)
    needs: str = "judgments"
    """What of a subject it looks at: it is not tried where there is none."""
    place: int = LAST
    """Findings are listed by rising place: what matters most comes first."""


@dataclass(frozen=True, kw_only=True)
class Shift:
    """A tool's mean with and without the queries of a finding."""

    dialect: str
    whole: float
    without: float

    @property
    def amount(self) -> float:
        """How far the queries move the mean."""
        return self.whole - self.without


@dataclass(frozen=True, kw_only=True)
class Lint:
    """A check that found something."""

    check: Check
    finding: Finding
    shifts: tuple[Shift, ...] = ()
    """By tool; empty if there is no run, or no single queries to leave out."""


def lint(judgments: Any, run: Any = None, *, audit: Audit | None = None) -> list[Lint]:
    """Return what in the data distorts scores; with an audit of the run, by how much for each of its tools."""
    subject = Subject.of(judgments, run)
    tried = (check for check in CHECKS.values() if getattr(subject, check.needs) is not None)
    found = ((check, check.find(subject)) for check in tried)
    return [
        Lint(check=check, finding=finding, shifts=tuple(_shifts(finding, audit)))
        for check, finding in found
        if finding is not None and finding.count
    ]


def _shifts(finding: Finding, audit: Audit | None) -> Iterator[Shift]:
    if audit is None or not finding.queries:
        return
    (run,) = audit.scores
    concerned = audit.scores[run].queries.is_in(list(finding.queries)).to_numpy()
    if concerned.all():
        return
    for dialect in audit.dialects:
        values = audit.values(run, dialect)
        means = [audit.measure.facts.aggregate.over(some) for some in (values, values[~concerned])]
        yield Shift(dialect=dialect.name, whole=means[0], without=means[1])


@dataclass(frozen=True, kw_only=True, eq=False)
class FindingsReport(Report):
    """What a lint found, and the measure that its effect is shown by."""

    command = "audit lint"

    found: Sequence[Lint]
    measure: str

    def document(self, medium: Medium) -> ReportDocument:
        """Return each finding: how many, what it does to which tool, examples, and the means with and without."""
        passages = [passage for one in self.found for passage in self._finding(one)]
        return ReportDocument(passages=passages or [Paragraph("Nothing in this data distorts scores.")])

    def _finding(self, one: Lint) -> Iterator[Passage]:
        finding = one.finding
        part = share(finding.count, finding.of)
        title = one.check.title[0].upper() + one.check.title[1:]
        yield Heading(f"{title}:", words=f" {finding.count} of {finding.of} {finding.things} ({part})")
        more = finding.count - len(finding.examples)
        examples = ", ".join(finding.examples) + (f" and {more} more" if more > 0 else "")
        notes = [
            ("  effect", one.check.effect),
            ("  such as", examples),
            (f"  {self.measure}", "; ".join(_told_shifts(one))),
        ]
        yield Notes([(subject, words) for subject, words in notes if words])


def _told_shifts(one: Lint) -> list[str]:
    """Return the means with and without the queries; tools that agree share a line."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for shift in one.shifts:
        key = (number(shift.whole), number(shift.without), contribution(shift.amount) or "0")
        groups.setdefault(key, []).append(shift.dialect)
    return [
        f"{', '.join(names)} {whole}, without them {without} ({amount})"
        for (whole, without, amount), names in groups.items()
    ]
