"""csv: a header line, then the report's main table with numbers in full."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.format import Report, ReportFormat


def write(report: Report, stream: TextIO) -> None:
    """The main table."""
    stream.write(report.frame().write_csv())


CSV = ReportFormat(
    name="csv", title="a spreadsheet: the summary, or the values", endings=(".csv",), needs="frame", write=write
).register()
