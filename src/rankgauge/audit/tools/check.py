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
from typing import Any, NamedTuple

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


def read_lines(source: Source) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lines of a LETOR file and its features; one that a line lacks is 0, as in SVM-rank.

    Lines have the grade as it is written, query and document (null if no comment names it), features the least and the
    highest value and whether it moves within some query.
    """
    rows, ranges = [], []
    with source.open() as stream:
        for piece in blocks(stream, PIECE):
            matched = [tuple(part.decode("utf-8", "replace") for part in match) for match in _LINE.findall(piece)]
            lines = pl.DataFrame(matched, schema=["grade", "query", "features", "document"], orient="row")
            rows.append(lines.select("grade", "query", pl.col("document").replace("", None)))
            ranges.append(_ranges(lines))
    whole = pl.concat(ranges).group_by("feature")
    features = whole.agg(pl.min("low"), pl.max("high"), pl.any("moves"), pl.sum("lines")).sort("feature")
    return pl.concat(rows), _with_zeros(features, sum(map(len, rows)))


def _with_zeros(ends: pl.DataFrame, lines: int | pl.Expr) -> pl.DataFrame:
    """Return the ends of values with 0 among them where a feature has not as many lines as there are."""
    zero = pl.when(pl.col("lines") < lines).then(0.0)
    return ends.with_columns(low=pl.min_horizontal("low", zero), high=pl.max_horizontal("high", zero))


def _ranges(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the least and the highest value of each feature, whether it moves within some query, and its lines."""
    part = pl.col("query").rle_id()
    pairs = lines.select(part=part, size=pl.len().over(part), pair=pl.col("features").str.extract_all(r"\d+:\S+"))
    split = pl.col("pair").str.split_exact(":", 1).struct
    ranges = pairs.explode("pair").drop_nulls().select(
        "part", "size", feature=split.field("field_0").cast(pl.Int64), value=split.field("field_1").cast(pl.Float64)
    )  # fmt: skip
    ends = (pl.len().alias("lines"), pl.min("value").alias("low"), pl.max("value").alias("high"))
    within = _with_zeros(ranges.group_by("part", "feature").agg(pl.first("size"), *ends), pl.col("size"))
    moves = (pl.col("low") < pl.col("high")).any()
    return within.group_by("feature").agg(pl.min("low"), pl.max("high"), pl.sum("lines"), moves=moves)


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
    """The lines of a LETOR file, and its features: see `read_lines`."""
    features: Any = None

    @classmethod
    def of(cls, judgments: Any, run: Any = None) -> Subject:
        """The subject in files, frames or dicts; a LETOR file is read leniently, because its faults are to be found."""
        if files.is_path(judgments) and files.detect(judgments).format.name == "letor":
            judged, ranked = _letor(judgments, run)
            lines, features = read_lines(Source.of(judgments))
            return cls(judgments=judged, run=ranked, lines=lines, features=features)
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
        counts = self.judgments.group_by("query", maintain_order=True).agg(
            documents=pl.len(),
            relevant=(pl.col("grade") > 0).sum(),
            lowest=pl.col("grade").min(),
            highest=pl.col("grade").max(),
        )
        if self.run is None:
            return counts.with_columns(listed=pl.col("documents"))
        listed = self.run.group_by("query").agg(listed=pl.len())
        return counts.join(listed, on="query", how="left", maintain_order="left")


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


class Shift(NamedTuple):
    """A tool's mean with and without the queries of a finding."""

    dialect: str
    whole: float
    without: float


class Lint(NamedTuple):
    """A check that found something, and what that does to the means of tools where there is a run to see it in."""

    check: Check
    finding: Finding
    shifts: tuple[Shift, ...]


def lint(judgments: Any, run: Any = None, *, audit: Audit | None = None) -> list[Lint]:
    """Return what in the data distorts scores; with an audit of the run, by how much for each of its tools."""
    subject, lints = Subject.of(judgments, run), []
    for check in CHECKS.values():
        finding = None if getattr(subject, check.needs) is None else check.find(subject)
        if finding is not None and finding.count:
            lints.append(Lint(check, finding, tuple(_shifts(finding, audit))))
    return lints


def _shifts(finding: Finding, audit: Audit | None) -> Iterator[Shift]:
    if audit is None or not finding.queries:
        return
    (run,) = audit.scores
    others = ~audit.scores[run].queries.is_in(list(finding.queries)).to_numpy()
    for dialect in audit.dialects if others.any() else ():
        values, over = audit.values(run, dialect), audit.measure.facts.aggregate.over
        yield Shift(dialect.name, over(values), over(values[others]))


@dataclass(frozen=True, kw_only=True, eq=False)
class FindingsReport(Report):
    """What a lint found, and the measure that its effect is shown by."""

    command = "audit lint"

    found: Sequence[Lint]
    measure: str

    def document(self, medium: Medium) -> ReportDocument:
        """Return each finding: how many, what it does to which tool, examples, and the means with and without."""
        passages: list[Passage] = []
        for lint in self.found:
            finding, title = lint.finding, lint.check.title
            counted = f" {finding.count} of {finding.of} {finding.things} ({share(finding.count, finding.of)})"
            more = finding.count - len(finding.examples)
            examples = ", ".join(finding.examples) + (f" and {more} more" if more > 0 else "")
            notes = [
                ("  effect", lint.check.effect),
                ("  such as", examples),
                (f"  {self.measure}", _told_shifts(lint)),
            ]
            passages.append(Heading(f"{title[0].upper()}{title[1:]}:", words=counted))
            passages.append(Notes([(subject, words) for subject, words in notes if words]))
        return ReportDocument(passages=passages or [Paragraph("Nothing in this data distorts scores.")])


def _told_shifts(lint: Lint) -> str:
    """Return the means with and without the queries; tools that agree share a line."""
    groups: dict[str, list[str]] = {}
    for dialect, whole, without in lint.shifts:
        words = f"{number(whole)}, without them {number(without)} ({contribution(whole - without) or 0})"
        groups.setdefault(words, []).append(dialect)
    return "; ".join(f"{', '.join(names)} {words}" for words, names in groups.items())
