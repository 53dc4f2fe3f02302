"""The evaluation of a track: figures, curves, how many queries counted, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from rankgauge.romip.metrics import OfficialMetric

MACRO, MICRO = "macro", "micro"

Row = tuple[Any, ...]

_TEXT, _NUMBER, _COUNT = pl.String, pl.Float64, pl.Int64
_FIGURES = {"table": _TEXT, "average": _TEXT, "metric": _TEXT, "run": _TEXT, "value": _NUMBER, "n": _COUNT}
_CURVES = {"table": _TEXT, "curve": _TEXT, "run": _TEXT, "recall": _NUMBER, "precision": _NUMBER, "n": _COUNT}
_USED = {"table": _TEXT, "used": _COUNT, "left_out": _COUNT}
_VALUES = {"table": _TEXT, "run": _TEXT, "query": _TEXT, "metric": _TEXT, "value": _NUMBER}


@dataclass(frozen=True, kw_only=True)
class Note:
    """A remark for the reader: what it is about, and the numbers and names in it."""

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrackResult:
    """The evaluation of a track: every metric of every run under every table."""

    track: str
    runs: tuple[str, ...]
    metrics: tuple[OfficialMetric, ...]
    used: pl.DataFrame
    """How many queries or categories have something relevant under a table, and how many are left out."""
    figures: pl.DataFrame
    """One number per row: table, average (macro or micro), metric, run, value, and n, the queries or categories."""
    values: pl.DataFrame
    """A metric's value for one query or category."""
    curves: pl.DataFrame
    """One point of a curve per row; n is the number of queries that it is a mean of."""
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        track: str,
        *,
        runs: Iterable[str],
        metrics: Iterable[OfficialMetric],
        used: Iterable[Row],
        figures: Iterable[Row],
        values: Iterable[Row],
        curves: Iterable[Row] = (),
        notes: Iterable[Note] = (),
    ) -> TrackResult:
        """The result with its tables made of rows."""
        return cls(
            track=track,
            runs=tuple(runs),
            metrics=tuple(metrics),
            used=pl.DataFrame(list(used), schema=_USED, orient="row"),
            figures=pl.DataFrame(list(figures), schema=_FIGURES, orient="row"),
            values=pl.DataFrame(list(values), schema=_VALUES, orient="row"),
            curves=pl.DataFrame(list(curves), schema=_CURVES, orient="row"),
            notes=tuple(notes),
        )

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables by name, in the order of the report."""
        return tuple(self.used["table"])

    def value(self, table: str, metric: str, run: str, average: str = MACRO) -> float:
        """One number."""
        wanted = {"table": table, "average": average, "metric": metric, "run": run}
        (row,) = self.figures.filter(*(pl.col(name) == value for name, value in wanted.items())).rows(named=True)
        return float(row["value"])
