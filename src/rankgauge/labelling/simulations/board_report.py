"""The report of `rankgauge active simulate` for boards: yardsticks over numbers of labels, on pools that are judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.simulations.board_study import GOOD_ORDER, INTERVALS, MARKS, BoardCurve, BoardStudy, Needed
from rankgauge.labelling.simulations.report import BOTTOM, LEFT, RIGHT, TOP, Points, axes, drawn
from rankgauge.labelling.yardstick import YARDSTICKS
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count
from rankgauge.render.passages import Details, Figure, Heading, Legend, Notes, Passage
from rankgauge.render.svg import Axis, Drawing, Plot, colour, sheet
from rankgauge.render.table import Column, ReportTable

ERRORS = """How far the values of the runs are from the truth, against the number of labels; both scales are
logarithmic, and whiskers are two standard errors."""
ORDERS = "How alike the order of the runs and the true order are. The dashed line is an order that counts as good."
COVERAGE = "How often intervals hold the truth, where they are shown. The dashed line is what they promise."
JUDGES = "judges"
"""The fact that names the judges of a study."""

TABLES = ("tau", "rmse")
"""The marks that have a chart of their own."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardSimulationReport(Report):
    """Studies of yardsticks on judged boards."""

    command = "active simulate"

    studies: tuple[BoardStudy, ...]
    seed: int

    @property
    def methods(self) -> tuple[str, ...]:
        """The yardsticks in the order in which they were asked for."""
        return tuple(dict.fromkeys(name for study in self.studies for name in study.methods))

    def frame(self) -> pl.DataFrame:
        """A row per collection, measure, yardstick and number of labels."""
        return pl.concat([study.to_frame() for study in self.studies])

    def data(self) -> dict[str, Any]:
        """The collections with their true values, the marks, the labels for a good order, and the notes."""
        return {
            "seed": self.seed,
            "collections": [
                {
                    "title": study.title,
                    "queries": study.queries,
                    "documents": study.documents,
                    **study.facts,
                    "truth": {
                        measure: dict(zip(study.runs, values.tolist(), strict=True))
                        for measure, values in study.truth.items()
                    },
                }
                for study in self.studies
            ],
            "marks": self.frame(),
            "needed": [
                {"collection": study.title, "measure": curve.measure, "method": curve.method, **vars(curve.needed())}
                for study in self.studies
                for curve in study.curves
            ],
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
        }

    def picture(self) -> Drawing:
        """The error and the order of each yardstick against its labels."""
        charts = {title: chart for mark in TABLES for title, chart in self._charts(mark).items()}
        return sheet(self.headline(), charts, self._hues)

    def document(self, medium: Medium) -> ReportDocument:
        """The tables and the notes; a page also has charts."""
        first = self.studies[0]
        return ReportDocument(
            title="A board from few labels, simulated",
            headline=self.headline(),
            facts=(
                count(len(first.runs), "run"),
                count(first.queries, "query", "queries"),
                count(first.documents, "document"),
                count(len(self.methods), "method"),
                f"seed {self.seed}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._text()),
        )

    def headline(self) -> str:
        """One sentence: who needs the fewest labels for a good order in the first study."""
        study = self.studies[0]
        measure = study.measures[0]
        found = {name: curve.needed() for name, curve in study.of(measure).items()}
        reached = {name: one for name, one in found.items() if one.bound != ">" and not np.isnan(one.labels)}
        if not reached:
            return f"No method orders the runs of {study.title} with τ ≥ {GOOD_ORDER:g} by {measure} at these budgets"
        best = min(reached, key=lambda name: reached[name].labels)
        labels = f"{reached[best].labels:,.0f} labels" + (" or fewer" if reached[best].bound else "")
        return f"{best} needs {labels} for an order with τ ≥ {GOOD_ORDER:g}: {study.title}, {measure}"

    def _text(self) -> Iterator[Passage]:
        for study in self.studies:
            for table in (*_needed(study), *_all(study)):
                yield Heading(table.title)
                yield table
        yield Notes(self.notes())

    def _page(self) -> Iterator[Passage]:
        for study in self.studies:
            for table in _needed(study):
                yield Heading(table.title)
                yield table
        for title, hint, charts in (
            ("Order", ORDERS, self._charts("tau")),
            ("Error", ERRORS, self._charts("rmse")),
            ("Coverage", COVERAGE, self._charts("coverage")),
        ):
            if charts:
                yield Heading(title, hint=hint)
                yield Legend(self._hues)
                yield from (Figure(name, chart) for name, chart in charts.items())
        yield Heading("Numbers")
        for study in self.studies:
            for measure in study.measures:
                shown = [
                    part for table in _by_measure(study, measure) for part in (Heading(table.title, level=3), table)
                ]
                yield Details(f"{study.title}, {measure}", shown)
        yield Heading("What the numbers rest on")
        yield Notes(self.notes())

    def notes(self) -> list[tuple[str, str]]:
        """What a reader should know before quoting a number."""
        tried: dict[int, list[str]] = {}
        for curve in self.studies[0].curves:
            if curve.method not in tried.setdefault(curve.repetitions, []):
                tried[curve.repetitions].append(curve.method)
        words = "; ".join(f"{n:,} of {', '.join(names)}" for n, names in tried.items())
        found = [
            ("repetitions", f"{words}; seed {self.seed}; ± is a standard error over the repetitions"),
            ("truth", "the value of each run with every document of the pool judged; others count as not relevant"),
            ("intervals", f"95 % intervals for these queries; {LACKING}: labels are too few to show any"),
        ]
        if any(np.isnan(curve.mark("tau")[0]).all() for study in self.studies for curve in study.curves):
            found.append(("–", "the method has no estimate of that measure"))
        for study in self.studies:
            facts = ", ".join(f"{name}: {value}" for name, value in study.facts.items())
            size = (
                f"{count(len(study.runs), 'run')}, {count(study.queries, 'query', 'queries')}, "
                f"{count(study.documents, 'document')}"
            )
            found.append((study.title, f"{size}; {facts}" if facts else size))
        return found + [(name, _described(name)) for name in self.methods]

    @property
    def _hues(self) -> dict[str, str]:
        return {name: colour(place) for place, name in enumerate(self.methods)}

    def _charts(self, mark: str) -> dict[str, Drawing]:
        """Of each study and measure, a line per yardstick that has the mark."""
        found: dict[str, Drawing] = {}
        for study in self.studies:
            for measure in study.measures:
                lines = _lines(study, measure, mark)
                if lines:
                    title = f"{MARKS[mark]}: {study.title}, {measure}"
                    found[title] = self._chart(mark, title, lines)
        return found

    def _chart(self, mark: str, title: str, lines: Mapping[str, Points]) -> Plot:
        x, y = axes(list(lines.values()), log=mark == "rmse")
        levels = {"tau": GOOD_ORDER, "coverage": LEVEL}
        if mark in levels:
            least = min(levels[mark] - 0.1, *(float(np.nanmin(line[1])) for line in lines.values()))
            y = Axis(low=np.floor(20 * least) / 20, high=1.0, start=BOTTOM, end=TOP)
        plot = drawn(title, lines, self._hues, (x, y), caption="labels")
        if mark in levels:
            plot.line((LEFT, y(levels[mark])), (RIGHT, y(levels[mark])), kind="zero", stroke_dasharray="5 4")
        return plot


def _needed(study: BoardStudy) -> Iterator[Any]:
    """The labels that are needed; with a judge, who says much of the order before the first, also for a small error."""
    yield needed_table(study)
    if JUDGES in study.facts:
        yield precise_table(study)


def _all(study: BoardStudy) -> Iterator[Any]:
    for measure in study.measures:
        yield from _by_measure(study, measure)


def _by_measure(study: BoardStudy, measure: str) -> Iterator[Any]:
    yield from mark_tables(study, measure)
    yield from interval_tables(study, measure)


def _described(name: str) -> str:
    known = YARDSTICKS[name]
    return f"{known.title}; {known.reference}" if known.reference else known.title


def _lines(study: BoardStudy, measure: str, mark: str) -> dict[str, Points]:
    found = {}
    for name, curve in study.of(measure).items():
        mean, error = curve.mark(mark)
        if not np.isnan(mean).all():
            found[name] = (np.array(curve.labels, dtype=np.float64), mean, error)
    return found


DECIMALS = {"rmse": 4, "bias": 4, "half_width": 4}
"""Of the marks that have other than three."""

HEADS = {
    "coverage": "a run covered",
    "joint_coverage": "all covered",
    "family_error": "any pair wrong",
    "settled": "pairs settled",
    "half_width": "half-width",
}
"""The columns of the table of intervals."""

SMALL_ERROR = 0.03
"""The root mean squared error that counts as small."""

LACKING = "not yet"
"""Where no interval is shown."""


def needed_table(study: BoardStudy) -> ReportTable:
    """Show the labels that each yardstick needs for a good order, by measure."""
    return _labels(study, f"τ ≥ {GOOD_ORDER:g}", lambda curve: curve.needed())


def precise_table(study: BoardStudy) -> ReportTable:
    """Show the labels that each yardstick needs for a small error, by measure."""
    return _labels(study, f"a root mean squared error of {SMALL_ERROR:g}", lambda curve: curve.enough(SMALL_ERROR))


def _labels(study: BoardStudy, goal: str, enough: Callable[[BoardCurve], Needed]) -> ReportTable:
    by_measure = [study.of(measure) for measure in study.measures]
    rows = [(method, *(enough(curves[method]) for curves in by_measure)) for method in study.methods]
    columns = (Column(measure, format=_needed_words) for measure in study.measures)
    title = f"Labels for {goal}: {study.title}, {study.documents:,} documents"
    return ReportTable(columns=("method", *columns), rows=rows, title=title)


def mark_tables(study: BoardStudy, measure: str) -> Iterator[ReportTable]:
    """Show each mark that needs no interval: a row per yardstick, a column per number of labels."""
    curves = study.of(measure)
    heads = _heads(study, next(iter(curves.values())))
    for mark, words in MARKS.items():
        if mark not in INTERVALS:
            rows = [(name, *zip(*curve.mark(mark), strict=True)) for name, curve in curves.items()]
            columns = (Column(head, format=partial(_mark, mark)) for head in heads)
            yield ReportTable(columns=("method", *columns), rows=rows, title=f"{words}: {study.title}, {measure}")


def interval_tables(study: BoardStudy, measure: str) -> Iterator[ReportTable]:
    """A table for each yardstick that has intervals: a row per number of labels."""
    for name, curve in study.of(measure).items():
        if not YARDSTICKS[name].intervals:
            continue
        # What a yardstick lacks beside its intervals it never has; what is lacking with them is not there yet.
        lacking = [LACKING if math.isnan(share) else "–" for share in curve.mark("coverage")[0]]
        marked = [list(zip(*curve.mark(mark), lacking, strict=True)) for mark in HEADS]
        columns = (Column(head, format=partial(_mark, mark)) for mark, head in HEADS.items())
        rows = list(zip(_heads(study, curve), *marked, strict=True))
        title = f"95 % intervals of {name}: {study.title}, {measure}"
        yield ReportTable(columns=("labels", *columns), rows=rows, title=title)


def _heads(study: BoardStudy, curve: BoardCurve) -> tuple[str, ...]:
    return tuple(f"{n:,} ({100 * n / study.documents:.3g} %)" for n in curve.labels)


def _mark(mark: str, measured: tuple[float, float] | tuple[float, float, str]) -> str:
    """Write a mark and its standard error, or what stands for one that is lacking."""
    value, error, *lacking = measured
    if math.isnan(value):
        return lacking[0] if lacking else "–"
    decimals = DECIMALS.get(mark, 3)
    signed = f"{value:+.{decimals}f}" if mark == "bias" else f"{value:.{decimals}f}"
    return f"{signed.replace('-', '−')} ± {error:.{decimals}f}"


def _needed_words(found: Needed) -> str:
    if math.isnan(found.labels):
        return "–"
    if found.bound:
        return f"{found.bound} {found.labels:,.0f}"
    if math.isnan(found.error):  # without one repetition or another it would not be reached
        return f"about {found.labels:,.0f}"
    return f"{found.labels:,.0f} ± {found.error:,.0f}"
