"""svg: the main point as one picture, for slides and pages; it needs nothing from outside."""

from __future__ import annotations

from rankgauge.render.format import ReportFormat

SVG = ReportFormat(
    name="svg",
    title="one picture, for slides and pages",
    endings=(".svg",),
    needs="picture",
    write=lambda report, stream: stream.write(report.picture().file() + "\n"),
).register()
