"""Campaigns as reports: what was planned, and what is known so far."""

from rankgauge.report.active.formats import Format, find, registry
from rankgauge.report.active.planned import write_plan
from rankgauge.report.active.shown import Shown

__all__ = ["Format", "Shown", "find", "registry", "write_plan"]
