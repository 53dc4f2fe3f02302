"""json: one object with everything in it; jsonl: the main table, an object per line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TextIO

from rankgauge.plain_table import PlainTable
from rankgauge.render.format import Report, ReportFormat
from rankgauge.render.table import ReportTable


def write(report: Report, stream: TextIO) -> None:
    """The whole report; what is not defined is null."""
    json.dump(plain(report.data()), stream, ensure_ascii=False, indent=2, allow_nan=False)
    stream.write("\n")


def plain(value: Any) -> Any:
    """Return the value as JSON knows it: a frame or a table is a list of rows; numbers that are not finite are null."""
    if hasattr(value, "iter_rows"):
        return [plain(row) for row in value.iter_rows(named=True)]
    if isinstance(value, PlainTable):
        return [plain(row) for row in value.named()]
    if isinstance(value, ReportTable):
        return [plain(row) for row in value.records()]
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


JSON = ReportFormat(
    name="json", title="one object with everything in it", endings=(".json",), needs="data", write=write
).register()


def write_lines(report: Report, stream: TextIO) -> None:
    """The report's main table, a line per row; what is not defined is null."""
    stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in plain(report.frame()))


JSON_LINES = ReportFormat(
    name="jsonl", title="an object per line", endings=(".jsonl", ".ndjson"), needs="frame", write=write_lines, bare=True
).register()
