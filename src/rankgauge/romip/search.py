"""The search tracks and question answering: rankings under every binary table and the graded one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluation import scored
from rankgauge.evaluation.result import Result
from rankgauge.measures import parse
from rankgauge.ranking import rank
from rankgauge.romip import metrics
from rankgauge.romip.metrics import MACRO, Note, OfficialMetric, RecallCurve, Row, TrackResult
from rankgauge.romip.relevance_tables import GRADED, RelevanceTable, RelevanceTables


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sheet:
    """A relevance table with its metrics and curves."""

    table: RelevanceTable
    metrics: tuple[OfficialMetric, ...]
    curves: tuple[RecallCurve, ...] = ()


def search(
    tables: RelevanceTables, runs: Mapping[str, Any], *, cutoffs: Sequence[int] = metrics.CUTOFFS
) -> TrackResult:
    """Return every official metric of the search tracks, with accuracy, error and F, for runs (paths or frames) by
    name."""
    binary = metrics.binary(cutoffs)
    sheets = [_Sheet(table=table, metrics=binary, curves=metrics.CURVES) for table in tables.binary]
    notes = [Note(code="reconstruction"), Note(code="indexing")]
    if tables.graded is not None:
        graded = RelevanceTable(rule="", level=GRADED, judgments=tables.graded)
        sheets.append(_Sheet(table=graded, metrics=metrics.graded(cutoffs)))
    else:
        notes[1] = Note(code="no-graded")
    return _evaluate("search", sheets, runs, notes)


def qa(tables: RelevanceTables, runs: Mapping[str, Any]) -> TrackResult:
    """Return the metrics of the question-answering track: precision, and the mean reciprocal rank on both scoring
    scales."""
    sheets = [_Sheet(table=table, metrics=metrics.QA) for table in tables.binary]
    return _evaluate("qa", sheets, runs, [Note(code="rulers")])


def _evaluate(track: str, sheets: Sequence[_Sheet], runs: Mapping[str, Any], notes: Sequence[Note]) -> TrackResult:
    if not runs:
        raise InputError("there are no runs to evaluate")
    read = {run: files.run_from(source) for run, source in runs.items()}
    results = [(sheet, run, _result(sheet, ranked)) for sheet in sheets for run, ranked in read.items()]
    known = [(sheet, run, result) for sheet, run, result in results if result is not None]
    return TrackResult.of(
        track,
        runs=runs,
        metrics=dict.fromkeys(metric for sheet in sheets for metric in sheet.metrics),
        used=[sheet.table.counts for sheet in sheets],
        figures=[row for found in known for row in _figures(*found)],
        curves=[row for found in known for row in _curves(*found)],
        values=[row for found in known for row in _values(*found)],
        notes=(Note(code="left-out"), *notes),
    )


def _result(sheet: _Sheet, run: pl.DataFrame) -> Result | None:
    """Return the result of a run under the judgments; None if no query has anything relevant."""
    used = sheet.table.used
    if used.is_empty():
        return None
    wanted = [metric.measure for metric in sheet.metrics]
    wanted += [curve.at(level) for curve in sheet.curves for level in metrics.LEVELS]
    # A query that the run does not answer counts 0 in every metric, so that all are means over the same queries.
    dialect = dialects.get("romip").changed(empty=0.0)
    return scored(rank(run, dialect.prepare(used), dialect.ranking), dialect.select(wanted), dialect)


def _figures(sheet: _Sheet, run: str, result: Result) -> Iterator[Row]:
    for metric in sheet.metrics:
        yield sheet.table.name, MACRO, metric.key, run, result[metric.measure], len(result.queries)


def _curves(sheet: _Sheet, run: str, result: Result) -> Iterator[Row]:
    for curve in sheet.curves:
        for level in metrics.LEVELS:
            column = result.matrix[:, result.measures.index(parse(curve.at(level)))]
            reached = int((~np.isnan(column)).sum())
            yield sheet.table.name, curve.key, run, level, result[curve.at(level)], reached


def _values(sheet: _Sheet, run: str, result: Result) -> Iterator[Row]:
    for query, row in zip(result.queries, result.matrix.tolist(), strict=True):
        for metric, value in zip(sheet.metrics, row, strict=False):  # the curves' points follow the metrics
            yield sheet.table.name, run, query, metric.key, value
