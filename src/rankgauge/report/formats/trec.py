"""trec: line for line what trec_eval prints: its names where it has one, its order, its digits."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.evaluation import EvaluationReport
from rankgauge.report.format import ReportFormat
from rankgauge.report.trec_lines import lines


def write(report: EvaluationReport, stream: TextIO) -> None:
    """Each run's lines under one another."""
    for run, result in report.results.items():
        tag = report.tags.get(run)
        listed = lines(result, report.printed, per_query=report.per_query, overall=report.overall, tag=tag)
        stream.writelines(f"{line}\n" for line in listed)


TREC = ReportFormat(
    name="trec", title="line for line what trec_eval prints", endings=(".eval",), needs="rows", write=write
).register()
