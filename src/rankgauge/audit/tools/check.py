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

import polars as pl

from rankgauge import files
from rankgauge.audit.tools.overview import Audit
from rankgauge.audit.tools.report import contribution
from rankgauge.errors import InputError
from rankgauge.files.formats.trec import TREC, read_ranked
from rankgauge.files.letor_features import blocks
from rankgauge.files.source import Source
from rankgauge.registry import Registered, Registry
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number, share
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage

PIECE = 1 << 24
"""How many bytes are read at a time."""

_LINE = re.compile(rb"^[ \t]*(\S+)[ \t]+qid:(\S+)([^#\n]*)(?:#[ \t]*(?:docid[ \t]*=[ \t]*)?(\S+))?", re.MULTILINE)


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
        """Return the lines of a file; a feature that a line lacks is 0, as in SVM-rank."""
        rows, ranges = [], []
        with source.open() as stream:
            for piece in blocks(stream, PIECE):
                found = [tuple(part.decode("utf-8", "replace") for part in match) for match in _LINE.findall(piece)]
                lines = pl.DataFrame(found, schema=["grade", "query", "features", "document"], orient="row")
                rows.append(lines.select("grade", "query", pl.col("document").replace("", None)))
                ranges.append(_ranges(lines))
        least, most = (pl.when(pl.col("lines") < sum(map(len, rows))).then(0.0) for _ in range(2))
        whole = (
            pl.concat(ranges)
            .group_by("feature")
            .agg(pl.min("low"), pl.max("high"), pl.any("moves"), pl.sum("lines"))
            .select("feature", "moves", low=pl.min_horizontal("low", least), high=pl.max_horizontal("high", most))
            .sort("feature")
        )
        same = pl.col("low") == pl.col("high")
        every, constant, idle = (
            tuple(whole.filter(kept)["feature"]) for kept in (pl.lit(True), same, ~same & ~pl.col("moves"))
        )
        return cls(rows=pl.concat(rows), features=every, constant=constant, idle=idle)


def _ranges(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the least and the highest value of each feature, whether it moves within some query, and its lines."""
    part = pl.col("query").rle_id()
    pairs = lines.select(part=part, size=pl.len().over(part), pair=pl.col("features").str.extract_all(r"\d+:\S+"))
    split = pl.col("pair").str.split_exact(":", 1).struct
    found = pairs.explode("pair").drop_nulls().select(
        "part", "size", feature=split.field("field_0").cast(pl.Int64), value=split.field("field_1").cast(pl.Float64)
    )  # fmt: skip
    within = found.group_by("part", "feature").agg(
        pl.first("size"), lines=pl.len(), low=pl.min("value"), high=pl.max("value")
    )
    lacking = pl.when(pl.col("lines") < pl.col("size")).then(0.0)
    ends = within.with_columns(low=pl.min_horizontal("low", lacking), high=pl.max_horizontal("high", lacking))
    moves = (pl.col("low") < pl.col("high")).any()
    return ends.group_by("feature").agg(pl.min("low"), pl.max("high"), pl.sum("lines"), moves=moves)


CHECKS: Registry[Check] = Registry("check", "rankgauge.audit.tools.checks", order=lambda check: check.place)

LAST = 1000


@dataclass(frozen=True, kw_only=True, eq=False)
class Subject:
    """Judgments and perhaps a run."""

    judgments: pl.DataFrame
    run: Any = None
    """A frame, or None; a check that needs one is tried only where there is one."""
    ranked: Any = None
    """The run with the ranks that it states, if it does."""
    lines: Any = None
    """What only the lines of a LETOR file show: a `LetorFile`."""

    @classmethod
    def of(cls, judgments: Any, run: Any = None) -> Subject:
        """The subject in files, frames or dicts; a LETOR file is read leniently, because its faults are to be found."""
        if files.is_path(judgments) and files.detect(judgments).format.name == "letor":
            judged, ranked = _letor(judgments, run)
            return cls(judgments=judged, run=ranked, lines=LetorFile.of(Source.of(judgments)))
        if run is None:
            return cls(judgments=files.judgments_from(judgments))
        judged, ranked = files.pair_from(judgments, run)
        # A TREC file is read once more, with its ranks; a table has them as a column. A pipe can be read only once.
        if files.is_path(run) and os.path.isfile(run) and files.detect(run).format is TREC:
            return cls(judgments=judged, run=ranked, ranked=read_ranked(Source.of(run)))
        return cls(judgments=judged, run=ranked, ranked=ranked if "rank" in ranked.columns else None)

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

    @classmethod
    def of_rows(cls, rows: pl.DataFrame, of: int, things: str, example: str, *, moves: bool = True) -> Finding:
        """Return a finding about rows; `example` writes one of them, and `moves` says that its query moves a mean."""
        shown = tuple(example.format(**row) for row in rows[:3].iter_rows(named=True))
        queries = tuple(rows["query"].unique(maintain_order=True)) if moves else ()
        return cls(count=len(rows), of=of, things=things, examples=shown, queries=queries)


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


@dataclass(frozen=True, kw_only=True)
class Lint:
    """A check that found something."""

    check: Check
    finding: Finding
    shifts: tuple[Shift, ...] = ()
    """By tool; empty if there is no run, or no single queries to leave out."""


def lint(judgments: Any, run: Any = None, *, audit: Audit | None = None) -> list[Lint]:
    """Return what in the data distorts scores; with an audit of the run, by how much for each of its tools."""
    subject, found = Subject.of(judgments, run), []
    for check in CHECKS.values():
        finding = None if getattr(subject, check.needs) is None else check.find(subject)
        if finding is not None and finding.count:
            found.append(Lint(check=check, finding=finding, shifts=tuple(_shifts(finding, audit))))
    return found


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
        passages: list[Passage] = []
        for one in self.found:
            finding, title = one.finding, one.check.title
            counted = f" {finding.count} of {finding.of} {finding.things} ({share(finding.count, finding.of)})"
            more = finding.count - len(finding.examples)
            examples = ", ".join(finding.examples) + (f" and {more} more" if more > 0 else "")
            notes = [("  effect", one.check.effect), ("  such as", examples), (f"  {self.measure}", _told_shifts(one))]
            passages.append(Heading(f"{title[0].upper()}{title[1:]}:", words=counted))
            passages.append(Notes([(subject, words) for subject, words in notes if words]))
        return ReportDocument(passages=passages or [Paragraph("Nothing in this data distorts scores.")])


def _told_shifts(one: Lint) -> str:
    """Return the means with and without the queries; tools that agree share a line."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for shift in one.shifts:
        key = (number(shift.whole), number(shift.without), contribution(shift.whole - shift.without) or "0")
        groups.setdefault(key, []).append(shift.dialect)
    told = (f"{', '.join(names)} {key[0]}, without them {key[1]} ({key[2]})" for key, names in groups.items())
    return "; ".join(told)
