"""svg: the main point as one picture, for slides and pages."""

from __future__ import annotations

from typing import TextIO

from rankgauge.report.format import Report, ReportFormat


def write(report: Report, stream: TextIO) -> None:
    """The picture, which needs nothing from outside."""
    stream.write(report.picture().file() + "\n")


SVG = ReportFormat(
    name="svg", title="one picture, for slides and pages", endings=(".svg",), needs="picture", write=write
).register()
