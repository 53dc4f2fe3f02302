"""md: a Markdown table with the notes as a list, to paste into a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TextIO

import polars as pl

from rankgauge.report.base import Format, Report
from rankgauge.report.notes import notes
from rankgauge.report.numbers import interval, number, value

__all__ = ["MARKDOWN", "table"]


def write(report: Report, stream: TextIO) -> None:
    """The values where wanted, the summary, the notes."""
    if report.per_query:
        stream.write(table(_values_header(report), _values(report)) + "\n")
    if report.overall:
        header = ("run", "measure", "mean", "95 % interval", "queries")
        stream.write(table(header, _summary(report.summary), right=("mean", "queries")) + "\n")
        stream.writelines(f"- **{subject}**: {words}\n" for subject, words in notes(report))


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> str:
    """The rows as a Markdown table; columns named in `right` stand to the right."""
    rule = ["---:" if name in right else "---" for name in header]
    lines = [header, rule, *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _summary(summary: pl.DataFrame) -> Iterable[Sequence[str]]:
    for row in summary.iter_rows(named=True):
        ends = interval(row["low"], row["high"])
        yield row["run"], row["measure"], number(row["mean"]), ends, str(row["queries"])


def _values_header(report: Report) -> tuple[str, ...]:
    return ("run", "query", *(str(measure) for measure in report.measures))


def _values(report: Report) -> Iterable[Sequence[str]]:
    for run, result in report.results.items():
        for query, row in zip(result.queries, result.matrix, strict=True):
            yield run, query, *(value(m, v) for m, v in zip(report.measures, row.tolist(), strict=True))


MARKDOWN = Format(name="md", title="a Markdown table", endings=(".md",), write=write).register()
