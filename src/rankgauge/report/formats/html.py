"""html: one page with charts, readable offline."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.document import Medium
from rankgauge.report.format import Report, ReportFormat
from rankgauge.report.html import page


def write(report: Report, stream: TextIO) -> None:
    """The page."""
    stream.write(page(report.document(Medium.PAGE)))


HTML = ReportFormat(
    name="html", title="one page, readable offline", endings=(".html", ".htm"), needs="document", write=write
).register()
