"""The formats of a simulation's report."""

from __future__ import annotations

from rankgauge.report.simulate import data, markdown, page, text
from rankgauge.report.simulate.shown import Shown
from rankgauge.report.writers import Writer, Writers

__all__ = ["Format", "find", "registry"]


_FORMATS = Writers[Shown](
    Writer(name="table", title="tables for people, with notes", endings=(".txt",), write=text.write),
    Writer(name="html", title="one page with curves, readable offline", endings=(".html", ".htm"), write=page.write),
    Writer(name="md", title="Markdown tables", endings=(".md",), write=markdown.write),
    Writer(name="csv", title="a line per pool, method and budget", endings=(".csv",), write=data.write_csv),
    Writer(name="json", title="one object with everything in it", endings=(".json",), write=data.write_json),
)

Format = Writer[Shown]
registry, find = _FORMATS.registry, _FORMATS.find
