"""What the tracks found, in words of English or Russian, with plots of the curves."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import polars as pl

from rankgauge.errors import UnknownNameError
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number
from rankgauge.render.passages import Bullets, Figure, Heading, Legend, Paragraph, Passage
from rankgauge.render.svg import COLOURS, DASHES, Axis, Drawing, Plot, colour, sheet
from rankgauge.render.table import Column, ReportTable
from rankgauge.romip import TrackResult
from rankgauge.romip.metrics import CURVES, LEVELS, MACRO, MICRO, OfficialMetric

Words = Mapping[str, Any]
"""What a report says in one language, as in `words.toml`."""

LANGUAGES: Mapping[str, Words] = {
    language: {**said, "language": language}
    for language, said in tomllib.loads((files("rankgauge.romip") / "words.toml").read_text(encoding="utf-8")).items()
}


def words(language: str) -> Words:
    """Return the words of that language."""
    if language not in LANGUAGES:
        raise UnknownNameError("language", language, LANGUAGES)
    return LANGUAGES[language]


CurvePoints = dict[str, list[tuple[float, float, int]]]
"""By run, the recall levels, the precision there, and the number of queries."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RomipReport(Report):
    """What a track found, and the language to say it in."""

    command = "romip"

    outcome: TrackResult
    words: Words = field(default_factory=lambda: LANGUAGES["en"])

    def frame(self) -> pl.DataFrame:
        """Return a row per figure and per point of a curve: track, table, average, metric, run, value, n."""
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
        """Return which queries counted, figures, curves, values per query or category, notes."""
        outcome = self.outcome
        return {
            "track": outcome.track,
            "runs": list(outcome.runs),
            "metrics": {metric.key: self._name(metric) for metric in outcome.metrics},
            "tables": outcome.used,
            "figures": outcome.figures,
            "curves": outcome.curves,
            "values": outcome.values,
            "notes": self._notes(),
        }

    def picture(self) -> Drawing:
        """Draw the curves of every relevance table."""
        charts = {
            f"{table}: {self._name(curve)}": self._plot(curve, points)
            for table in self.outcome.tables
            for curve, points in self._curves(table).items()
        }
        return sheet(self._title, charts, self._hues)

    def document(self, medium: Medium) -> ReportDocument:
        """Return a section per relevance table with its metrics and curves, then the notes."""
        return ReportDocument(
            title=self._title,
            headline=self._title,
            passages=tuple(self._passages(medium)),
            contents=self.words["contents"] if len(self.outcome.used) > 1 else "",
            language=self.words["language"],
        )

    @property
    def _title(self) -> str:
        return str(self.words["tracks"][self.outcome.track])

    def _name(self, metric: OfficialMetric) -> str:
        return metric.russian if self.words["language"] == "ru" else metric.english

    @property
    def _hues(self) -> dict[str, str]:
        return {run: colour(place) for place, run in enumerate(self.outcome.runs)}

    def _passages(self, medium: Medium) -> Iterator[Passage]:
        words, text = self.words, medium is Medium.TERMINAL
        if medium is not Medium.PAGE:
            yield Heading(self._title, level=1)
        for table, used, left_out in self.outcome.used.iter_rows():
            rule, _, level = table.rpartition("_")
            meaning = words.get(table) or words["rules"][rule].format(level=level)  # a graded table has no rule
            kind = "categories" if self.outcome.track == "classification" else "queries"
            counted = words[kind].format(used=used, left_out=left_out)
            yield Heading(table, words=f": {meaning}\n{counted}" if text else "", hint=f"{meaning}; {counted}")
            if medium in (Medium.MARKDOWN, Medium.LATEX):
                yield Paragraph(f"{meaning}; {counted}")
            metrics = self._metrics(table, text=text)
            yield metrics if metrics.rows else Paragraph(words["nothing"])
            for curve, points in self._curves(table).items():
                yield from self._curve(curve, points, medium)
        if not text:
            yield Heading(words["remarks"])
        best = [f"* {words['best']}"] if text and len(self.outcome.runs) > 1 else []
        yield Bullets([*best, *self._notes()])

    def _notes(self) -> list[str]:
        return [self.words["notes"][note.code].format(**note.fields) for note in self.outcome.notes]

    def _metrics(self, table: str, *, text: bool) -> ReportTable:
        runs, inside = self.outcome.runs, self.outcome.figures.filter(table=table)
        rows, strong = list[tuple[Any, ...]](), set[tuple[int, int]]()
        several = inside["average"].n_unique() > 1
        for average in (MICRO, MACRO):
            for metric in self.outcome.metrics:
                by_run = dict(inside.filter(average=average, metric=metric.key).select("run", "value").iter_rows())
                if by_run:
                    values = [by_run[run] for run in runs]
                    top = min(values) if metric.lower else max(values)
                    best = {n for n, value in enumerate(values, 1) if value == top and len(set(values)) > 1}
                    strong |= {(len(rows), place) for place in best}
                    label = self._name(metric) + (f", {self.words['average'][average]}" if several else "")
                    rows.append((label, *((value, place in best) for place, value in enumerate(values, 1))))
        marks = {True: " *", False: "  "} if text and strong else {True: "", False: ""}
        marked = (Column(run, format=lambda cell: number(cell[0]) + marks[cell[1]]) for run in runs)
        return ReportTable(columns=(self.words["metric"], *marked), rows=rows, strong=frozenset(strong))

    def _curves(self, table: str) -> dict[OfficialMetric, CurvePoints]:
        known = self.outcome.curves.filter(table=table)
        return {
            curve: {
                run: known.filter(curve=curve.key, run=run).select("recall", "precision", "n").rows()
                for run in self.outcome.runs
            }
            for curve in (CURVES if len(known) else ())
        }

    def _curve(self, curve: OfficialMetric, points: CurvePoints, medium: Medium) -> Iterator[Passage]:
        """Yield precision at each recall level, with the number of queries if it varies; plot it on a page."""
        title = self._name(curve)
        rows = [(level, *(line[place][1:] for line in points.values())) for place, level in enumerate(LEVELS)]

        def write_point(point: tuple[float, int]) -> str:
            return number(point[0]) if curve.official else f"{number(point[0])} ({point[1]})"

        recall = Column(self.words["recall"], format="{:.1f}".format)
        table = ReportTable(columns=(recall, *(Column(run, format=write_point) for run in points)), rows=rows)
        if medium is Medium.PAGE:
            yield Figure(title, self._plot(curve, points), [Legend(self._hues), table])
        else:
            yield Heading("", words=title) if medium is Medium.TERMINAL else Paragraph(title)
            yield table

    def _plot(self, curve: OfficialMetric, points: CurvePoints) -> Drawing:
        x, y = Axis(low=0.0, high=1.0, start=52, end=450), Axis(low=0.0, high=1.0, start=278, end=12)
        plot = Plot(self._name(curve), x, y, (460, 326))
        plot.grid()
        plot.caption(self.words["recall"])
        turned = {"text_anchor": "middle", "transform": "translate(14 145) rotate(-90)"}
        plot.add("text", self.words["precision"], kind="tick", **turned)
        for place, (run, line) in enumerate(points.items()):
            hue, dash = colour(place), DASHES[place // len(COLOURS) % len(DASHES)]
            known = [(recall, precision) for recall, precision, _ in line if math.isfinite(precision)]
            plot.curve(known, title=run, stroke=hue, stroke_dasharray=dash)
            for point in known:
                plot.dot(plot.at(point), fill=hue, r=2.8)
        return plot
