"""csv: a header line, then the summary, or with --per-query the values."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.base import Format, Report

__all__ = ["CSV"]


def write(report: Report, stream: TextIO) -> None:
    """The summary (a line per run and measure), or the values (a line per run, query and measure)."""
    stream.write((report.values if report.per_query else report.summary).write_csv())


CSV = Format(name="csv", title="a spreadsheet: the summary, or the values", endings=(".csv",), write=write).register()
