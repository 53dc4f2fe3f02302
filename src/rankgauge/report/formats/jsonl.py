"""jsonl: an object per line: the summary's rows, or with --per-query the values."""

from __future__ import annotations

import json
from typing import TextIO

from rankgauge.report.base import Format, Report
from rankgauge.report.formats.json import plain

__all__ = ["JSONL"]


def write(report: Report, stream: TextIO) -> None:
    """A line per run and measure, or per run, query and measure."""
    for row in plain(report.values if report.per_query else report.summary):
        stream.write(json.dumps(row, ensure_ascii=False) + "\n")


JSONL = Format(name="jsonl", title="an object per line", endings=(".jsonl", ".ndjson"), write=write).register()
