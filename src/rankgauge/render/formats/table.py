"""table: the formats that a report writes by itself: text and sentences for people, a page, a picture, a table."""

from __future__ import annotations

from typing import TextIO

from rankgauge.render.format import Medium, Report, ReportFormat
from rankgauge.render.terminal import show


def write_page(report: Report, stream: TextIO) -> None:
    """Write the report as a page."""
    from rankgauge.render.html import page

    stream.write(page(report.document(Medium.PAGE)))


TABLE = ReportFormat(
    name="table",
    title="a table for people, with notes",
    endings=(".txt",),
    needs="document",
    write=lambda report, stream: show(report.document(Medium.TERMINAL).passages, stream),
).register()
PARAGRAPH = ReportFormat(
    name="paragraph",
    title="a paragraph to publish, in whole sentences",
    needs="paragraph",
    write=lambda report, stream: stream.write(report.paragraph() + "\n"),
).register()
HTML = ReportFormat(
    name="html",
    title="one page, readable offline",
    endings=(".html", ".htm"),
    needs="document",
    write=write_page,
).register()
CSV = ReportFormat(
    name="csv",
    title="a spreadsheet: the summary, or the values",
    endings=(".csv",),
    needs="frame",
    write=lambda report, stream: stream.write(report.frame().fill_nan(None).write_csv()),
    bare=True,
).register()

SCALE = 2
"""Dots for each unit of the drawing."""


def write_dots(report: Report, stream: TextIO) -> None:
    """The picture's bytes."""
    from rankgauge.render.plots import require

    require()
    import vl_convert

    stream.flush()
    stream.buffer.write(vl_convert.svg_to_png(report.picture().file(), scale=SCALE))


SVG = ReportFormat(
    name="svg",
    title="one picture, for slides and pages",
    endings=(".svg",),
    needs="picture",
    write=lambda report, stream: stream.write(report.picture().file() + "\n"),
).register()
PNG = ReportFormat(
    name="png", title="the picture as dots", endings=(".png",), needs="picture", write=write_dots
).register()
