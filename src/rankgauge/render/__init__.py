"""SUMMARY → REPORT: documents of results and the formats they are written in; explanations and reference pages.

`ls` shows where things are: a module per kind of report (evaluation, comparison, audit, simulation, campaign, romip …),
`formats/` for how they are written, `svg`, `html` and `terminal` for how they look.
"""

from rankgauge.render.format import FORMATS, Report, ReportFormat

__all__ = ["FORMATS", "Report", "ReportFormat"]
