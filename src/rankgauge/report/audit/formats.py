"""The formats of an audit's report."""

from __future__ import annotations

from rankgauge.audit import Audit
from rankgauge.report.audit import data, markdown, page, picture, text
from rankgauge.report.writers import Writer, Writers

__all__ = ["Format", "find", "registry"]


_FORMATS = Writers[Audit](
    Writer(name="table", title="tables for people", endings=(".txt",), write=text.write),
    Writer(name="html", title="one page with charts, readable offline", endings=(".html", ".htm"), write=page.write),
    Writer(name="svg", title="one picture, for slides and pages", endings=(".svg",), write=picture.write),
    Writer(name="md", title="Markdown tables", endings=(".md",), write=markdown.write),
    Writer(name="json", title="one object with everything in it", endings=(".json",), write=data.write),
)

Format = Writer[Audit]
registry, find = _FORMATS.registry, _FORMATS.find
