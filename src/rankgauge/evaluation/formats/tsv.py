"""tsv: measure, query, value, as trec_eval lays them out, in full precision; several runs have a run column first.

There is no header line, so that `cut`, `awk` and trec_eval's own scripts read it as they read trec_eval. Where all that
a tool prints was asked for (-d letor4 -m all), names and digits are the tool's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from rankgauge.evaluation.report import EvaluationReport
from rankgauge.evaluation.topic_lines import lines
from rankgauge.render.format import ReportFormat
from rankgauge.render.numbers import shortest


def write(report: EvaluationReport, stream: TextIO) -> None:
    """A line per value; the mean's query is called `all`."""
    if report.dialect.printed and report.printed == report.dialect.printed:
        stream.writelines("\t".join(row) + "\n" for row in _as_printed(report))
    else:
        for run, *place, value in report.rows():
            stream.write("\t".join([*([run] if report.several else []), *place, shortest(value)]) + "\n")


def _as_printed(report: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """Yield the tool's own names and digits."""
    for run, result in report.results.items():
        for line in lines(result, report.printed, per_query=report.per_query, overall=report.overall):
            yield (run, *line) if report.several else tuple(line)


TSV = ReportFormat(
    name="tsv",
    title="measure, query, value, between tabs; no header",
    endings=(".tsv", ".tab"),
    needs="rows",
    write=write,
    bare=True,
).register()
