"""The lint of a data set: the contract of a check, what it looks at, what it found, and what that does to means."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from rankgauge import files
from rankgauge.audit.tools.letor_file import LetorFile
from rankgauge.audit.tools.overview import Audit
from rankgauge.errors import InputError
from rankgauge.files.formats.trec import TREC, read_ranked
from rankgauge.files.source import Source
from rankgauge.registry import Registered, Registry

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
        return cls(judgments=judged, run=ranked, ranked=_ranked(run, ranked))

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


def _ranked(run: Any, table: pl.DataFrame) -> pl.DataFrame | None:
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
        """A finding about queries."""
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
    """What in the data distorts scores; with an audit of the run, by how much for each of its tools."""
    subject = Subject.of(judgments, run)
    found = ((check, check.find(subject)) for check in CHECKS.values())
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
