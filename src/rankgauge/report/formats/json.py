"""json: one object with the dialect, the notes, and each run's summary and values."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any, TextIO

import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.report.base import Format, Report
from rankgauge.report.notes import notes

__all__ = ["JSON", "plain"]


def write(report: Report, stream: TextIO) -> None:
    """The whole report; what is not defined is null."""
    document = {
        "dialect": _settings(report.dialect),
        "interval": {"kind": report.interval, "level": 0.95, "seed": report.seed},
        "runs": [_run(report, run) for run in report.results],
        "notes": [{"subject": subject, "words": words} for subject, words in notes(report)],
    }
    json.dump(document, stream, ensure_ascii=False, indent=2)
    stream.write("\n")


def plain(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows as JSON knows them: numbers that are not finite become null."""
    return [{name: _plain(value) for name, value in row.items()} for row in rows.iter_rows(named=True)]


def _run(report: Report, run: str) -> dict[str, Any]:
    described: dict[str, Any] = {"run": run}
    if report.overall:
        described["summary"] = plain(report.summaries[run])
    if report.per_query:
        described["values"] = plain(report.results[run].values)
    return described | {"unjudged_queries": list(report.unjudged.get(run, ()))}


def _settings(dialect: Dialect) -> dict[str, Any]:
    """The dialect's choices that are a word or a number."""
    values = {f.name: getattr(dialect, f.name) for f in fields(dialect)}
    return {name: _plain(value) for name, value in values.items() if isinstance(value, str | int | float | None)}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


JSON = Format(name="json", title="one object with everything in it", endings=(".json",), write=write).register()
