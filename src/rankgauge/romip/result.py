"""What a track's evaluation gives: figures, curves, which queries counted, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from rankgauge.romip.metrics import OfficialMetric

__all__ = ["CURVES", "FIGURES", "MACRO", "MICRO", "USED", "VALUES", "Note", "TrackResult", "frame"]

MACRO, MICRO = "macro", "micro"

FIGURES: Mapping[str, Any] = {
    "table": pl.String,
    "average": pl.String,
    "metric": pl.String,
    "run": pl.String,
    "value": pl.Float64,
    "n": pl.Int64,
}
"""One number: under which table, averaged how, of which metric and run, and over how many queries or categories."""

CURVES: Mapping[str, Any] = {
    "table": pl.String,
    "curve": pl.String,
    "run": pl.String,
    "recall": pl.Float64,
    "precision": pl.Float64,
    "n": pl.Int64,
}
"""A point of a curve, and over how many queries it is a mean."""

USED: Mapping[str, Any] = {"table": pl.String, "used": pl.Int64, "left_out": pl.Int64}
"""How many queries or categories a table has with something relevant, and how many it leaves out."""

VALUES: Mapping[str, Any] = {
    "table": pl.String,
    "run": pl.String,
    "query": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
}
"""A metric's value of one query or category."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something to tell the reader: what it is about, and the numbers and names in it."""

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrackResult:
    """The evaluation of a track: every metric of every run under every table."""

    track: str
    runs: tuple[str, ...]
    metrics: tuple[OfficialMetric, ...]
    used: pl.DataFrame
    figures: pl.DataFrame
    values: pl.DataFrame
    curves: pl.DataFrame = field(default_factory=lambda: frame([], CURVES))
    notes: tuple[Note, ...] = ()

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables by name, in the order of the report."""
        return tuple(self.used["table"])

    def value(self, table: str, metric: str, run: str, average: str = MACRO) -> float:
        """One number."""
        wanted = {"table": table, "average": average, "metric": metric, "run": run}
        (row,) = self.figures.filter(*(pl.col(name) == value for name, value in wanted.items())).rows(named=True)
        return float(row["value"])


def frame(rows: Iterable[tuple[Any, ...]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """The rows as a frame of those columns."""
    return pl.DataFrame(list(rows), schema=dict(schema), orient="row")
