"""png: the picture as dots, for programs that do not take SVG."""

from __future__ import annotations

from typing import TextIO

from rankgauge.render.format import Report, ReportFormat
from rankgauge.render.plots import require

SCALE = 2
"""Dots for each unit of the drawing."""


def write(report: Report, stream: TextIO) -> None:
    """The picture's bytes."""
    require()
    import vl_convert

    stream.flush()
    stream.buffer.write(vl_convert.svg_to_png(report.picture().file(), scale=SCALE))


PNG = ReportFormat(name="png", title="the picture as dots", endings=(".png",), needs="picture", write=write).register()
