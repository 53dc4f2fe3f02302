"""table: text for people, with notes; colours only on a terminal."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.document import Medium
from rankgauge.report.format import Report, ReportFormat
from rankgauge.report.terminal import show


def write(report: Report, stream: TextIO) -> None:
    """The document as text."""
    show(report.document(Medium.TERMINAL).passages, stream)


TABLE = ReportFormat(
    name="table", title="a table for people, with notes", endings=(".txt",), needs="document", write=write
).register()
