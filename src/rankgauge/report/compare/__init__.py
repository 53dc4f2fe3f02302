"""Comparisons as reports: tables for a terminal, Markdown, LaTeX, CSV, JSON, and a page to read offline."""

from rankgauge.report.compare.formats import Format, Shown, find, registry

__all__ = ["Format", "Shown", "find", "registry"]
