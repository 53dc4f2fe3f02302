"""Audits as reports: a table for a terminal, Markdown, JSON, and a page to read offline."""

from rankgauge.report.audit.formats import Format, find, registry

__all__ = ["Format", "find", "registry"]
