"""The words of ROMIP's reports; those of each language are in `romip_words.toml`."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from rankgauge.romip.metrics import CURVES, LEVELS, MACRO, MICRO, Note, OfficialMetric, RecallCurve


@dataclass(frozen=True, kw_only=True)
class Words:
    """Everything that a report says in one language."""

    language: str
    tracks: Mapping[str, str]
    metric: str
    average: Mapping[str, str]
    recall: str
    precision: str
    queries: str
    """How many queries counted: {used} and {left_out}."""
    categories: str
    rules: Mapping[str, str]
    """What a table's rule says of a document, with its {level}."""
    graded: str
    truth: str
    nothing: str
    notes: Mapping[str, str]
    contents: str
    remarks: str
    best: str

    def name(self, metric: OfficialMetric | RecallCurve) -> str:
        """The metric's name."""
        return metric.russian if self.language == "ru" else metric.english

    def note(self, note: Note) -> str:
        """The note as a sentence."""
        return self.notes[note.code].format(**note.fields)

    def counted(self, track: str, used: int, left_out: int) -> str:
        """How many queries or categories counted, and how many were left out."""
        text = self.categories if track == "classification" else self.queries
        return text.format(used=used, left_out=left_out)

    def meaning(self, table: str) -> str:
        """What relevant means under the table of that name."""
        rule, _, level = table.rpartition("_")
        special = {"graded": self.graded, "truth": self.truth}
        return special.get(table) or self.rules[rule].format(level=level)


_FILE = files("rankgauge.romip") / "words.toml"

LANGUAGES: Mapping[str, Words] = {
    language: Words(language=language, **said)
    for language, said in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


def words(language: str) -> Words:
    """The words of that language."""
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
    words: Words = LANGUAGES["en"]

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
            "metrics": {metric.key: self.words.name(metric) for metric in outcome.metrics},
            "tables": outcome.used,
            "figures": outcome.figures,
            "curves": outcome.curves,
            "values": outcome.values,
            "notes": self._notes(),
        }

    def picture(self) -> Drawing:
        """Draw the curves of every relevance table."""
        charts = {
            f"{table}: {self.words.name(curve)}": self._plot(curve, self._points(table, curve))
            for table, _, _ in self.outcome.used.iter_rows()
            for curve in self._curves(table)
        }
        return sheet(self._title, charts, self._hues)

    def document(self, medium: Medium) -> ReportDocument:
        """Return a section per relevance table with its metrics and curves, then the notes."""
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
        """Return a row per metric, with the best run marked."""
        runs, inside = self.outcome.runs, self.outcome.figures.filter(pl.col("table") == table)
        rows, strong = list[tuple[Any, ...]](), set[tuple[int, int]]()
        several = inside["average"].n_unique() > 1
        for average in (MICRO, MACRO):
            for metric in self.outcome.metrics:
                by_metric = inside.filter(pl.col("average") == average, pl.col("metric") == metric.key)
                if len(by_metric):
                    by_run = dict(zip(by_metric["run"], by_metric["value"], strict=True))
                    values = [by_run[run] for run in runs]
                    best = {1 + place for place in _best(metric, values)}
                    strong |= {(len(rows), place) for place in best}
                    label = self.words.name(metric) + (f", {self.words.average[average]}" if several else "")
                    rows.append((label, *((value, place in best) for place, value in enumerate(values, 1))))
        marks = {True: " *", False: "  "} if text and strong else {True: "", False: ""}
        marked = (Column(run, format=lambda cell: number(cell[0]) + marks[cell[1]]) for run in runs)
        return ReportTable(columns=(self.words.metric, *marked), rows=rows, strong=frozenset(strong))

    def _curves(self, table: str) -> Iterator[RecallCurve]:
        """Yield the curves that a table has."""
        if len(self.outcome.curves.filter(pl.col("table") == table)):
            yield from CURVES

    def _points(self, table: str, curve: RecallCurve) -> CurvePoints:
        rows = self.outcome.curves.filter(pl.col("table") == table, pl.col("curve") == curve.key)
        points: CurvePoints = {
            run: rows.filter(pl.col("run") == run).select("recall", "precision", "n").rows()
            for run in self.outcome.runs
        }
        assert all(len(line) == len(LEVELS) for line in points.values())
        return points

    def _curve(self, curve: RecallCurve, points: CurvePoints, medium: Medium) -> Iterator[Passage]:
        """Yield precision at each recall level as a table, with the number of queries if it varies, and on a page a
        plot."""
        title = self.words.name(curve)
        rows = [(level, *(line[place][1:] for line in points.values())) for place, level in enumerate(LEVELS)]

        def written(point: tuple[float, int]) -> str:
            return number(point[0]) if curve.official else f"{number(point[0])} ({point[1]})"

        recall = Column(self.words.recall, format="{:.1f}".format)
        table = ReportTable(columns=(recall, *(Column(run, format=written) for run in points)), rows=rows)
        if medium is Medium.PAGE:
            yield Figure(title, self._plot(curve, points), [Legend(self._hues), table])
        else:
            yield Heading("", words=title) if medium is Medium.TERMINAL else Paragraph(title)
            yield table

    def _plot(self, curve: RecallCurve, points: CurvePoints) -> Drawing:
        """Draw precision over recall, a line per run."""
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
    """Return the places of the best values; none if all are equal."""
    top = min(values) if metric.lower else max(values)
    return [place for place, value in enumerate(values) if value == top and len(set(values)) > 1]
