"""trec: line for line what trec_eval prints: its names where it has one, its order, its digits."""

from __future__ import annotations

from typing import TextIO

from rankgauge.evaluation.report import EvaluationReport
from rankgauge.evaluation.topic_lines import ALL, TrecLine, lines
from rankgauge.render.format import ReportFormat


def write(report: EvaluationReport, stream: TextIO) -> None:
    """Each run's lines under one another; of several runs each begins with its name, as trec_eval gives it."""
    for run, result in report.results.items():
        tag = None if report.several else report.tags.get(run)
        if report.several:
            stream.write(f"{TrecLine('runid', ALL, run)}\n")
        listed = lines(result, report.printed, per_query=report.per_query, overall=report.overall, tag=tag)
        stream.writelines(f"{line}\n" for line in listed)


TREC = ReportFormat(
    name="trec", title="line for line what trec_eval prints", endings=(".eval",), needs="rows", write=write, bare=True
).register()
