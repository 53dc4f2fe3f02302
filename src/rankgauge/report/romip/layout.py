"""What every format of a ROMIP report shows: a section per relevance table, with metrics and curves as cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from rankgauge.report.numbers import number
from rankgauge.report.romip.words import Words
from rankgauge.romip import OfficialMetric, TrackResult
from rankgauge.romip.metrics import CURVES, LEVELS, RecallCurve
from rankgauge.romip.result import MACRO, MICRO

__all__ = ["Drawn", "Line", "Section", "sections"]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A metric's name, its values by run, and which of them are the best."""

    label: str
    cells: tuple[str, ...]
    best: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Drawn:
    """A curve of every run: precision and the number of queries at each recall level, by run."""

    curve: RecallCurve
    title: str
    points: dict[str, tuple[tuple[float, float, int], ...]]

    def cells(self, level: int) -> Iterator[str]:
        """The precision of each run at a level; with the number of queries where that differs from level to level."""
        for points in self.points.values():
            _, precision, n = points[level]
            yield number(precision) if self.curve.official else f"{number(precision)} ({n})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Section:
    """A relevance table: its name, what it means, how many queries counted, its metrics and curves."""

    name: str
    meaning: str
    counted: str
    lines: tuple[Line, ...]
    curves: tuple[Drawn, ...]


def sections(outcome: TrackResult, words: Words) -> list[Section]:
    """The sections of the report, in its order."""
    found = []
    for table, used, left_out in outcome.used.iter_rows():
        found.append(
            Section(
                name=table,
                meaning=words.meaning(table),
                counted=words.counted(outcome.track, used, left_out),
                lines=tuple(_lines(outcome, table, words)),
                curves=tuple(_curves(outcome, table, words)),
            )
        )
    return found


def _lines(outcome: TrackResult, table: str, words: Words) -> Iterator[Line]:
    inside = outcome.figures.filter(pl.col("table") == table)
    several = inside["average"].n_unique() > 1
    for average in (MICRO, MACRO):
        for metric in outcome.metrics:
            rows = inside.filter(pl.col("average") == average, pl.col("metric") == metric.key)
            if len(rows):
                mark = f", {words.average[average]}" if several else ""
                yield _line(
                    metric, words.name(metric) + mark, dict(zip(rows["run"], rows["value"], strict=True)), outcome
                )


def _line(metric: OfficialMetric, label: str, values: dict[str, float], outcome: TrackResult) -> Line:
    row = [values[run] for run in outcome.runs]
    top = min(row) if metric.lower else max(row)
    # Where all are equal, none is the best.
    best = tuple(value == top and len(set(row)) > 1 for value in row)
    return Line(label=label, cells=tuple(number(value) for value in row), best=best)


def _curves(outcome: TrackResult, table: str, words: Words) -> Iterator[Drawn]:
    inside = outcome.curves.filter(pl.col("table") == table)
    for curve in CURVES if len(inside) else ():
        rows = inside.filter(pl.col("curve") == curve.key)
        points = {
            run: tuple(rows.filter(pl.col("run") == run).select("recall", "precision", "n").iter_rows())
            for run in outcome.runs
        }
        assert all(len(line) == len(LEVELS) for line in points.values())
        yield Drawn(curve=curve, title=words.name(curve), points=points)
