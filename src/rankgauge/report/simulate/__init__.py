"""Simulations of active evaluation as reports: tables for a terminal, Markdown, CSV, JSON, and a page with curves."""

from rankgauge.report.simulate.formats import Format, find, registry
from rankgauge.report.simulate.shown import Shown

__all__ = ["Format", "Shown", "find", "registry"]
