"""The means of an evaluation by segments of queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.evaluation.segments import NONE
from rankgauge.render.numbers import count, interval, number
from rankgauge.render.passages import ReportTable

if TYPE_CHECKING:
    from rankgauge.evaluation.report import EvaluationReport


def means(report: EvaluationReport) -> Iterator[ReportTable]:
    """By segmentation, a row per measure, segment and run."""
    found = report.segments
    for name in dict.fromkeys(found["by"]):
        rows = []
        for measure in report.measures:
            part = found.where("by", name).where("measure", str(measure))
            order = list(dict.fromkeys(part["segment"]))
            for place, row in enumerate(sorted(part.named(), key=lambda row: order.index(row["segment"]))):
                run = (row["run"],) if report.several else ()
                ends, queries = interval(row["low"], row["high"]), str(row["queries"])
                rows.append(("" if place else str(measure), row["segment"], *run, number(row["mean"]), ends, queries))
        header = ("measure", name, *(("run",) if report.several else ()), "mean", "95 % interval", "queries")
        yield ReportTable(title=f"By {name}", header=header, rows=rows, numbers=("mean", "queries"))


def mean_notes(report: EvaluationReport) -> Iterator[tuple[str, str]]:
    """How many queries have no segment."""
    result = next(iter(report.results.values()))
    for one in result.by:
        missing = len(one.rows(result.names).get(NONE, ()))
        if missing:
            yield NONE, f"{count(missing, 'query has', 'queries have')} no {one.name}"
