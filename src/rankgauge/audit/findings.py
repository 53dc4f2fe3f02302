"""What was found, and what each tool's mean would be without the queries concerned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rankgauge.audit.check import CHECKS, Check, Finding, Subject
from rankgauge.audit.overview import Audit

__all__ = ["Lint", "Shift", "lint"]


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
    """By tool; nothing where there is no run, or no single queries to leave out."""


def lint(judgments: Any, run: Any = None, *, audit: Audit | None = None) -> list[Lint]:
    """What in the data bends scores; with an audit of the run, by how much for each of its tools."""
    subject = Subject.of(judgments, run)
    return list(_found(subject, audit))


def _found(subject: Subject, audit: Audit | None) -> Iterator[Lint]:
    for check in CHECKS.values():
        finding = check.find(subject)
        if finding is not None and finding.count:
            yield Lint(check=check, finding=finding, shifts=tuple(_shifts(finding, audit)))


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
