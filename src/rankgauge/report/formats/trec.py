"""trec: line for line what trec_eval prints: its names where it has one, its order, its digits."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.base import Format, Report
from rankgauge.report.lines import lines

__all__ = ["TREC"]


def write(report: Report, stream: TextIO) -> None:
    """Each run's lines under one another."""
    for run, result in report.results.items():
        told = lines(
            result,
            report.printed,
            per_query=report.per_query,
            overall=report.overall,
            tag=report.tags.get(run),
        )
        stream.writelines(f"{line}\n" for line in told)


TREC = Format(name="trec", title="line for line what trec_eval prints", endings=(".eval",), write=write).register()
