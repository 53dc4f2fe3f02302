"""html: one page with charts, readable offline."""

from __future__ import annotations

from rankgauge.render.format import Medium, ReportFormat
from rankgauge.render.html import page

HTML = ReportFormat(
    name="html",
    title="one page, readable offline",
    endings=(".html", ".htm"),
    needs="document",
    write=lambda report, stream: stream.write(page(report.document(Medium.PAGE))),
).register()
