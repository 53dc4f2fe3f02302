"""csv: a header line, then the report's main table with numbers in full; a cell without a value is empty."""

from __future__ import annotations

from rankgauge.render.format import ReportFormat

CSV = ReportFormat(
    name="csv",
    title="a spreadsheet: the summary, or the values",
    endings=(".csv",),
    needs="frame",
    write=lambda report, stream: stream.write(report.frame().fill_nan(None).write_csv()),
    bare=True,
).register()
