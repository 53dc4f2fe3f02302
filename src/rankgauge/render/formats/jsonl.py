"""jsonl: the report's main table, an object per line."""

from __future__ import annotations

import json
from typing import TextIO

from rankgauge.render.format import Report, ReportFormat
from rankgauge.render.formats.json import plain


def write(report: Report, stream: TextIO) -> None:
    """A line per row; what is not defined is null."""
    stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in plain(report.frame()))


JSONL = ReportFormat(
    name="jsonl", title="an object per line", endings=(".jsonl", ".ndjson"), needs="frame", write=write, bare=True
).register()
