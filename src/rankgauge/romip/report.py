"""The report of `rankgauge romip`: the tracks of the seminars by their official metrics, in English or Russian."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number
from rankgauge.render.passages import Bullets, Figure, Heading, Legend, Paragraph, Passage, ReportTable
from rankgauge.render.svg import COLOURS, DASHES, Axis, Drawing, Plot, colour, sheet
from rankgauge.romip import OfficialMetric, TrackResult
from rankgauge.romip.metrics import CURVES, LEVELS, RecallCurve
from rankgauge.romip.result import MACRO, MICRO
from rankgauge.romip.words import LANGUAGES, Words

CurvePoints = dict[str, list[tuple[float, float, int]]]
"""By run, the recall levels, the precision there, and the number of queries."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RomipReport(Report):
    """What a track found, and the language to say it in."""

    command = "romip"

    outcome: TrackResult
    words: Words = LANGUAGES["en"]

    def frame(self) -> pl.DataFrame:
        """A row per figure and per point of a curve: track, table, average, metric, run, value, n."""
        outcome = self.outcome
        points = outcome.curves.select(
            "table",
            pl.lit(MACRO).alias("average"),
            pl.format("{}@{}", "curve", pl.col("recall").round(1).cast(pl.String)).alias("metric"),
            "run",
            pl.col("precision").alias("value"),
            "n",
        )
        rows = pl.concat([outcome.figures, points])
        return rows.select(pl.lit(outcome.track).alias("track"), pl.all())

    def data(self) -> dict[str, Any]:
        """Which queries counted, figures, curves, values per query or category, notes."""
        outcome = self.outcome
        return {
            "track": outcome.track,
            "runs": list(outcome.runs),
            "metrics": {metric.key: self.words.name(metric) for metric in outcome.metrics},
            "tables": outcome.used,
            "figures": outcome.figures,
            "curves": outcome.curves,
            "values": outcome.values,
            "notes": self._notes(),
        }

    def picture(self) -> Drawing:
        """The curves of every relevance table."""
        charts = {
            f"{table}: {self.words.name(curve)}": self._plot(curve, self._points(table, curve))
            for table, _, _ in self.outcome.used.iter_rows()
            for curve in self._curves(table)
        }
        return sheet(self._title, charts, self._hues)

    def document(self, medium: Medium) -> ReportDocument:
        """A section per relevance table with its metrics and curves, then the notes."""
        return ReportDocument(
            title=self._title,
            headline=self._title,
            passages=tuple(self._passages(medium)),
            contents=self.words.contents if len(self.outcome.used) > 1 else "",
            language=self.words.language,
        )

    @property
    def _title(self) -> str:
        return self.words.tracks[self.outcome.track]

    @property
    def _hues(self) -> dict[str, str]:
        return {run: colour(place) for place, run in enumerate(self.outcome.runs)}

    def _passages(self, medium: Medium) -> Iterator[Passage]:
        words, text = self.words, medium is Medium.TERMINAL
        if medium is not Medium.PAGE:
            yield Heading(self._title, level=1)
        for table, used, left_out in self.outcome.used.iter_rows():
            meaning, counted = words.meaning(table), words.counted(self.outcome.track, used, left_out)
            yield Heading(table, words=f": {meaning}\n{counted}" if text else "", hint=f"{meaning}; {counted}")
            if medium in (Medium.MARKDOWN, Medium.LATEX):
                yield Paragraph(f"{meaning}; {counted}")
            metrics = self._metrics(table, text=text)
            yield metrics if metrics.rows else Paragraph(words.nothing)
            for curve in self._curves(table) if metrics.rows else ():
                yield from self._curve(curve, self._points(table, curve), medium)
        if not text:
            yield Heading(words.remarks)
        best = [f"* {words.best}"] if text and len(self.outcome.runs) > 1 else []
        yield Bullets([*best, *self._notes()])

    def _notes(self) -> list[str]:
        return [self.words.note(note) for note in self.outcome.notes]

    def _metrics(self, table: str, *, text: bool) -> ReportTable:
        """A row per metric, with the best run marked."""
        runs, inside = self.outcome.runs, self.outcome.figures.filter(pl.col("table") == table)
        rows, strong = list[list[str]](), set[tuple[int, int]]()
        several = inside["average"].n_unique() > 1
        for average in (MICRO, MACRO):
            for metric in self.outcome.metrics:
                found = inside.filter(pl.col("average") == average, pl.col("metric") == metric.key)
                if len(found):
                    by_run = dict(zip(found["run"], found["value"], strict=True))
                    values = [by_run[run] for run in runs]
                    strong |= {(len(rows), 1 + place) for place in _best(metric, values)}
                    label = self.words.name(metric) + (f", {self.words.average[average]}" if several else "")
                    rows.append([label, *map(number, values)])
        if text and strong:
            rows = [
                [row[0], *(cell + (" *" if (n, place) in strong else "  ") for place, cell in enumerate(row[1:], 1))]
                for n, row in enumerate(rows)
            ]
        return ReportTable(header=(self.words.metric, *runs), rows=rows, numbers=runs, strong=frozenset(strong))

    def _curves(self, table: str) -> Iterator[RecallCurve]:
        """The curves that a table has."""
        if len(self.outcome.curves.filter(pl.col("table") == table)):
            yield from CURVES

    def _points(self, table: str, curve: RecallCurve) -> CurvePoints:
        rows = self.outcome.curves.filter(pl.col("table") == table, pl.col("curve") == curve.key)
        found: CurvePoints = {
            run: rows.filter(pl.col("run") == run).select("recall", "precision", "n").rows()
            for run in self.outcome.runs
        }
        assert all(len(line) == len(LEVELS) for line in found.values())
        return found

    def _curve(self, curve: RecallCurve, points: CurvePoints, medium: Medium) -> Iterator[Passage]:
        """Precision at each recall level as a table, with the number of queries if it varies, and on a page a plot."""
        title = self.words.name(curve)
        rows = []
        for place, level in enumerate(LEVELS):
            cells = [(number(precision), n) for _, precision, n in (line[place] for line in points.values())]
            rows.append((f"{level:.1f}", *(cell if curve.official else f"{cell} ({n})" for cell, n in cells)))
        header = (self.words.recall, *points)
        table = ReportTable(header=header, rows=rows, numbers=header)
        if medium is Medium.PAGE:
            yield Figure(title, self._plot(curve, points), [Legend(self._hues), table])
        else:
            yield Heading("", words=title) if medium is Medium.TERMINAL else Paragraph(title)
            yield table

    def _plot(self, curve: RecallCurve, points: CurvePoints) -> Drawing:
        """Precision over recall, a line per run."""
        x, y = Axis(low=0.0, high=1.0, start=52, end=450), Axis(low=0.0, high=1.0, start=278, end=12)
        plot = Plot(self.words.name(curve), x, y, (460, 326))
        plot.grid()
        plot.caption(self.words.recall)
        plot.add(
            "text",
            self.words.precision,
            kind="tick",
            text_anchor="middle",
            transform="translate(14 145) rotate(-90)",
        )
        for place, (run, line) in enumerate(points.items()):
            hue, dash = colour(place), DASHES[place // len(COLOURS) % len(DASHES)]
            known = [(recall, precision) for recall, precision, _ in line if math.isfinite(precision)]
            plot.curve(known, title=run, stroke=hue, stroke_dasharray=dash)
            for point in known:
                plot.dot(plot.at(point), fill=hue, r=2.8)
        return plot


def _best(metric: OfficialMetric, values: list[float]) -> list[int]:
    """The places of the best values; none if all are equal."""
    top = min(values) if metric.lower else max(values)
    return [place for place, value in enumerate(values) if value == top and len(set(values)) > 1]
