"""What a report is made of and how it is written: documents, tables as values, drawings, and the formats for them.

`table` holds columns and rows of plain values, `passages` the other parts of a document, `numbers` how figures read;
`terminal`, `html` and `svg` say how they look, and `formats/` writes them. Nothing here knows a feature.
"""

from rankgauge.render.format import FORMATS, Report, ReportFormat

__all__ = ["FORMATS", "Report", "ReportFormat"]
