"""SUMMARY → REPORT: tables of results, explanations of measures and dialects, and the reference pages."""

from rankgauge.report.base import Format, Report
from rankgauge.report.formats import find, registry

__all__ = ["Format", "Report", "find", "registry"]
