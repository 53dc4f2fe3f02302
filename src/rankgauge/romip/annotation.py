"""The annotation tracks: does an annotation look relevant exactly when its document is?

Assessors judge each annotation (the snippet of a search result) and, separately, its document. The 2×2 table compares
"annotation judged relevant" with "document judged relevant", over all pairs of query and document judged both ways. The
appendix names the metrics of these tracks without saying what the table counts, so this is our reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from rankgauge.errors import InputError
from rankgauge.romip import metrics
from rankgauge.romip.classification import Decisions, evaluated
from rankgauge.romip.metrics import Note, OfficialMetric, TrackResult
from rankgauge.romip.relevance_tables import RelevanceTable, RelevanceTables

METRICS: tuple[OfficialMetric, ...] = (metrics.PRECISION, metrics.ACCURACY, metrics.ERROR)


def annotation(documents: RelevanceTables, annotations: Mapping[str, RelevanceTables]) -> TrackResult:
    """Precision, accuracy and error of each system's annotations, under every table of the documents.

    Micro is the 2×2 table of all pairs, macro the mean over queries. The annotations' assessors are combined by the
    same rule and level as the documents'.
    """
    if not annotations:
        raise InputError("there are no annotations to evaluate")
    tables = _split(documents, annotations)
    decided = {
        (table.name, run): decide(table.used, _like(judged, table, run))
        for table in tables
        for run, judged in annotations.items()
    }
    used, notes = [table.counts for table in tables], (Note(code="left-out"), Note(code="annotations"))
    return evaluated("annotation", decided, METRICS, runs=annotations, used=used, notes=notes)


def decide(documents: pl.DataFrame, annotations: pl.DataFrame) -> dict[str, Decisions]:
    """The 2×2 table of each query: annotation relevant or not × document relevant or not."""
    pairs = documents.join(annotations, on=["query", "document"], suffix="_annotation", maintain_order="left")
    shown, relevant = pl.col("grade_annotation") > 0, pl.col("grade") > 0
    counts = pairs.group_by("query", maintain_order=True).agg(
        found=(shown & relevant).sum(),
        wrong=(shown & ~relevant).sum(),
        missed=(~shown & relevant).sum(),
        rejected=(~shown & ~relevant).sum(),
    )
    return {row.pop("query"): Decisions(**row) for row in counts.iter_rows(named=True)}


def _split(documents: RelevanceTables, annotations: Mapping[str, RelevanceTables]) -> list[RelevanceTable]:
    """The documents' tables; if one assessor judged them and several the annotations, one for each of the rules."""
    rules = {table.rule for judged in annotations.values() for table in judged.binary} - {""}
    return [
        replace(table, rule=rule)
        for table in documents.binary
        for rule in (sorted(rules) if rules and not table.rule else [table.rule])
    ]


def _like(annotations: RelevanceTables, table: RelevanceTable, run: str) -> pl.DataFrame:
    found = annotations.like(table)
    if found is None:
        have = ", ".join(other.name for other in annotations.binary) or "none"
        raise InputError(f"the annotations of {run} have no table {table.name}", hint=f"They have: {have}.")
    return found
