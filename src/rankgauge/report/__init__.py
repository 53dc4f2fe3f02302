"""SUMMARY → REPORT: tables of results, explanations of measures and dialects, and the reference pages."""

from rankgauge.report.base import FORMATS, Format, Report, find

__all__ = ["FORMATS", "Format", "Report", "find"]
