"""table: text for people, with notes; colours only on a terminal."""

from __future__ import annotations

from rankgauge.render.format import Medium, ReportFormat
from rankgauge.render.terminal import show

TABLE = ReportFormat(
    name="table",
    title="a table for people, with notes",
    endings=(".txt",),
    needs="document",
    write=lambda report, stream: show(report.document(Medium.TERMINAL).passages, stream),
).register()
