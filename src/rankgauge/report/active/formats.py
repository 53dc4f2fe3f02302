"""The formats of a campaign's report."""

from __future__ import annotations

from rankgauge.report.active import data, page, text
from rankgauge.report.active.shown import Shown
from rankgauge.report.writers import Writer, Writers

__all__ = ["Format", "find", "registry"]


_FORMATS = Writers[Shown](
    Writer(name="table", title="text for people", endings=(".txt",), write=text.write),
    Writer(name="html", title="one page with a chart, readable offline", endings=(".html", ".htm"), write=page.write),
    Writer(name="json", title="one object with everything in it", endings=(".json",), write=data.write),
)

Format = Writer[Shown]
registry, find = _FORMATS.registry, _FORMATS.find
