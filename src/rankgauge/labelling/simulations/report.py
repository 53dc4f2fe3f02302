"""The report of `rankgauge active simulate`, its tables and curves: what methods would have saved on data whose
grades are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.simulations.study import Saving, Study
from rankgauge.numeric import FloatArray
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number, thousands
from rankgauge.render.passages import Details, Figure, Heading, Legend, Notes, Passage
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, colour, sheet
from rankgauge.render.table import Column, ReportTable

ERRORS = """How far estimates are from the truth on average, against what was spent; both scales are logarithmic, and
whiskers are two standard errors. A line that lies to the left of another needs fewer labels for the same error."""
SHARES = "The same errors as a share of passive's at the same cost: this makes small differences visible."
SAVINGS = "What a method saves for an error as small as the other method's, with its standard error."
COVERAGE = "How often the interval holds the truth. The dashed line is what it promises."


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulationReport(Report):
    """Studies of the same methods, how often each was repeated, and at which budget savings are counted."""

    command = "active simulate"

    studies: tuple[Study, ...]
    repetitions: int
    seed: int
    budget: float | None = None
    """What the reference spends; None: the largest budget."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What each method is, by its name."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods in the order in which they were asked for."""
        return tuple(dict.fromkeys(name for study in self.studies for name in study.methods))

    def frame(self) -> pl.DataFrame:
        """A row per study, method and budget."""
        return pl.concat([study.to_frame() for study in self.studies])

    @cached_property
    def savings(self) -> pl.DataFrame:
        """A row per study, loss, method and reference."""
        rows = [
            {"study": study.title, "measure": study.measure, "loss": name, **vars(found)}
            for study in self.studies
            for name, found in _savings(study, self.budget)
        ]
        return pl.DataFrame(rows, infer_schema_length=None).rename({"value": "saving"}, strict=False)

    def data(self) -> dict[str, Any]:
        """The studies, their curves, what was saved, and the notes."""
        return {
            "repetitions": self.repetitions,
            "seed": self.seed,
            "studies": [
                {"title": study.title, "measure": study.measure, "truth": study.truth, **study.facts}
                for study in self.studies
            ],
            "curves": self.frame(),
            "savings": self.savings,
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
        }

    def picture(self) -> Drawing:
        """The error of each method against what it spent."""
        return sheet(self.headline(), self._errors(), self._hues)

    def document(self, medium: Medium) -> ReportDocument:
        """The tables and the notes; a page also has charts."""
        return ReportDocument(
            title="Active evaluation, simulated",
            headline=self.headline(),
            facts=(
                f"{len(self.studies)} pools" if len(self.studies) > 1 else "1 pool",
                f"{len(self.methods)} methods",
                f"{self.repetitions:,} repetitions",
                f"seed {self.seed}",
            ),
            passages=tuple(self._page() if medium is Medium.PAGE else self._text()),
        )

    def headline(self) -> str:
        """One sentence: which method saves most in the first study."""
        study, found = self.studies[0], self.savings
        reference = next((name for name in REFERENCES if name in study.curves), None)
        if reference is None or not len(found):
            return f"{', '.join(self.methods)} on {study.title}"
        rows = found.filter(study=study.title, loss="error", against=reference).sort("saving", descending=True)
        best = rows.row(0, named=True)
        if best["saving"] <= 2 * best["error"]:
            return f"No method saves more than luck against {reference} on {study.title}, {study.measure}"
        saved = f"{100 * best['saving']:.0f} % of the labels"
        return f"{best['method']} saves {saved} that {reference} needs: {study.title}, {study.measure}"

    def _text(self) -> Iterator[Passage]:
        for table in (study_table(self), saving_table(self), *(t for s in self.studies for t in _numbers(s))):
            yield Heading(table.title)
            yield table
        yield Notes(self.notes())

    def _page(self) -> Iterator[Passage]:
        yield Heading("Labels saved", hint=SAVINGS)
        yield saving_table(self)
        for title, hint, charts in (
            ("Error against budget", ERRORS, self._errors()),
            ("Against passive", SHARES, self._shares()),
            ("Coverage", COVERAGE, self._coverages()),
        ):
            if charts:
                yield Heading(title, hint=hint)
                yield Legend(self._hues)
                yield from (Figure(name, chart) for name, chart in charts.items())
        yield Heading("Pools")
        yield study_table(self)
        yield Heading("Numbers")
        for study in self.studies:
            shown = [part for table in _numbers(study) for part in (Heading(table.title, level=3), table)]
            yield Details(f"{study.title}, {study.measure}", shown)
        yield Heading("What the numbers rest on")
        yield Notes(self.notes())

    def notes(self) -> list[tuple[str, str]]:
        """What a reader should know before quoting a number."""
        first = self.studies[0]
        tried = f"{self.repetitions:,} of each method at each budget, seed {self.seed}; ± is a standard error"
        spent = "in units of the mean cost of judging all documents of a query; labels bought once are not paid again"
        saved = (
            "1 − b/B: B is what the other method spends, b what this one needs for the same mean loss; "
            "≥: its least budget is already enough; ≤: its largest is not, and the rest is extrapolated; "
            "open: the repetitions are too few to tell"
        )
        found = [("repetitions", tried), ("budget", spent), ("saved", saved)]
        told = {study.measure: study.facts["worth"] for study in self.studies if study.facts.get("worth")}
        found += [("worth", "; ".join(f"{name}: {words}" for name, words in told.items()))] if told else []
        if any(study.facts.get("pair") for study in self.studies):
            found.append(("pairs", "the truth is the first ranker's mean minus the second's"))
        found += [(name, words) for name, words in self.titles.items() if name in self.methods]
        found += [
            (name, str(first.facts[name]))
            for name in ("dialect", "beliefs", "cost", "trained on")
            if name in first.facts
        ]
        return found

    @property
    def _hues(self) -> dict[str, str]:
        return {name: colour(place) for place, name in enumerate(self.methods)}

    def _errors(self) -> dict[str, Drawing]:
        """For each study and loss, a line per method."""
        return {
            title: self._curves(_points(study, loss), title, log=loss == "error")
            for study in self.studies
            for loss in losses(study)
            for title in (f"{LOSSES[loss]}: {study.title}, {study.measure}",)
        }

    def _shares(self) -> dict[str, Drawing]:
        """For each study with a passive method, the errors over passive's."""
        return {
            title: self._curves(_relative(study), title, log=False)
            for study in self.studies
            for title in (f"Error as a share of passive's: {study.title}, {study.measure}",)
            if "passive" in study.curves
        }

    def _coverages(self) -> dict[str, Drawing]:
        """For each study, the share of intervals that hold the truth, against what they promise."""
        found: dict[str, Drawing] = {}
        for study in self.studies:
            lines, title = _points(study, "coverage"), f"{study.title}, {study.measure}"
            x, _ = axes(list(lines.values()), log=False)
            least = min([0.85, *(float(np.nanmin(line[1])) for line in lines.values())])
            y = Axis(low=math.floor(20 * least) / 20, high=1.0, start=BOTTOM, end=TOP)
            found[title] = plot = self._plot(lines, title, x, y)
            plot.line((x.start, y(LEVEL)), (x.end, y(LEVEL)), kind="zero", stroke_dasharray="5 4")
        return found

    def _curves(self, lines: Mapping[str, Points], title: str, *, log: bool) -> Plot:
        return self._plot(lines, title, *axes(list(lines.values()), log=log))

    def _plot(self, lines: Mapping[str, Points], title: str, x: Axis, y: Axis) -> Plot:
        """A line per method with whiskers of two standard errors."""
        return drawn(title, lines, self._hues, (x, y), caption="budget spent")


def _savings(study: Study, budget: float | None) -> Iterator[tuple[str, Saving]]:
    for name in losses(study):
        yield from ((name, found) for found in study.savings(REFERENCES, budget=budget, loss=name))


def _numbers(study: Study) -> Iterator[ReportTable]:
    """A study's losses and coverage by budget."""
    yield from (error_table(study, loss) for loss in losses(study))
    yield coverage_table(study)


def _points(study: Study, column: str) -> dict[str, Points]:
    found = {}
    for name, curve in study.curves.items():
        frame = curve.to_frame()
        found[name] = (frame["cost"].to_numpy(), frame[column].to_numpy(), frame[f"{column}_se"].to_numpy())
    return found


def _relative(study: Study) -> dict[str, Points]:
    """The errors over passive's at the same cost, on the straight line between its budgets on logarithmic scales."""
    lines = _points(study, "error")
    spent, base, _ = lines["passive"]
    found = {}
    for name, (cost, error, spread) in lines.items():
        same = np.exp(np.interp(np.log(cost), np.log(spent), np.log(base)))
        found[name] = (cost, error / same, spread / same)
    return found


LEFT, RIGHT, TOP, BOTTOM = 58, WIDTH - 12, 10, 246
"""The ends of the axes on the paper."""

Points = tuple[FloatArray, FloatArray, FloatArray]
"""What a method spent, what came of it, and the standard error of that."""


def axes(lines: Sequence[Points], *, log: bool) -> tuple[Axis, Axis]:
    """Axes that hold the lines; `log` makes that of the values logarithmic, else it begins at 0."""
    spent = np.concatenate([line[0] for line in lines])
    found = np.concatenate([line[1] for line in lines])
    found = found[np.isfinite(found)]
    low = float(found[found > 0].min(initial=found.max(initial=1.0))) if log else 0.0
    high = float(found.max(initial=0.0)) or 1.0
    x = Axis(low=float(spent.min()) * 0.93, high=float(spent.max()) * 1.07, start=LEFT, end=RIGHT, log=True)
    return x, Axis(low=low * 0.85, high=high * (1.15 if log else 1.05), start=BOTTOM, end=TOP, log=log)


def drawn(
    title: str, lines: Mapping[str, Points], hues: Mapping[str, str], between: tuple[Axis, Axis], *, caption: str
) -> Plot:
    """A line for each method that has one, the first of them on top; `caption` says what was spent."""
    plot = Plot(title, *between)
    plot.grid()
    plot.caption(caption)
    for name in reversed(list(hues)):
        if name in lines:
            _draw(plot, name, lines[name], hues[name])
    return plot


def _draw(plot: Plot, name: str, line: Points, hue: str) -> None:
    plot.curve(zip(line[0], line[1], strict=True), title=name, stroke=hue)
    for cost, value, error in zip(*line, strict=True):
        if math.isfinite(value):
            x, spread = plot.x(cost), 2 * error if math.isfinite(error) else 0.0
            plot.line((x, plot.y(value - spread)), (x, plot.y(value + spread)), stroke=hue, stroke_width=1.3)
            plot.dot((x, plot.y(value)), fill=hue, title=f"{name}: {value:.4g} ± {error:.2g}")


REFERENCES = ("passive", "passive-iid", "paper")
"""The methods that savings are counted against."""

LOSSES = {"error": "Mean absolute error", "wrong": "How often the worse ranker is chosen"}
"""How bad estimates are, by the name of the column."""

UNSURE = 0.3
"""A saving whose standard error is larger says nothing."""

FEW = 6
"""How many budgets a table for people shows."""


def losses(study: Study) -> Iterator[str]:
    """The losses that a study has: only with two rankers can the worse one be chosen."""
    yield "error"
    if study.facts.get("pair"):
        yield "wrong"


def study_table(report: SimulationReport) -> ReportTable:
    """A row per study: the pool, and the truth that is estimated."""
    columns = (
        Column("pool"),
        Column("measure"),
        Column("truth", format=lambda truth: number(truth).replace("-", "−")),
        Column("queries", format=thousands),
        Column("documents", format=thousands),
        Column("a query", ("documents", "queries"), lambda documents, queries: f"{documents / queries:.1f}"),
    )
    rows = [
        {"pool": study.title, "measure": study.measure, "truth": study.truth, **study.facts} for study in report.studies
    ]
    return ReportTable(columns=columns, rows=rows, title="Pools")


def saving_table(report: SimulationReport) -> ReportTable:
    """A row per study, loss and method: what it saves against both kinds of passive and the paper's method."""
    frame = report.savings
    known = [name for name in REFERENCES if any(name in study.curves for study in report.studies)]
    rows = []
    for study in report.studies:
        for loss in LOSSES:
            mine = frame.filter(study=study.title, loss=loss) if len(frame) else frame
            for place, method in enumerate(study.methods if len(mine) else ()):
                cells = (mine.filter(method=method, against=name) for name in known)
                rows.append((study.title if not place else "", LOSSES[loss] if not place else "", method, *cells))
    at = "the largest budget" if report.budget is None else f"a budget of {report.budget:g}"
    saved = (Column(f"against {name}", format=_saving) for name in known)
    columns: tuple[Column | str, ...] = ("pool", "by", "method", *saved)
    return ReportTable(columns=columns, rows=rows, title=f"Labels saved, against {at}")


def _saving(rows: pl.DataFrame) -> str:
    if not len(rows):
        return "–"
    row = rows.row(0, named=True)
    if row["error"] > UNSURE:
        return "open"
    bound = f"{row['bound']} " if row["bound"] else ""
    return f"{bound}{_percent(row['saving'])} ± {100 * row['error']:.0f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}".replace("-", "−")


def error_table(study: Study, loss: str = "error") -> ReportTable:
    """A row per method, a column per budget: the mean and its standard error."""
    return _over_budgets(study, f"{LOSSES[loss]}: {study.title}, {study.measure}", loss, decimals=4)


def coverage_table(study: Study) -> ReportTable:
    """A row per method, a column per budget: how often the interval holds the truth."""
    title = f"How often the {100 * LEVEL:.0f} % interval holds the truth: {study.title}, {study.measure}"
    return _over_budgets(study, title, "coverage", decimals=3)


def _over_budgets(study: Study, title: str, column: str, *, decimals: int) -> ReportTable:
    chosen = _chosen(study)
    rows = []
    for name, curve in study.curves.items():
        found = {row["budget"]: row for row in curve.to_frame().iter_rows(named=True)}
        rows.append((name, *(found.get(budget) for budget in chosen)))
    written = partial(_cell, column=column, decimals=decimals)
    budgets = (Column(f"{budget:g}", format=written) for budget in chosen)
    return ReportTable(columns=("method \\ budget", *budgets), rows=rows, title=title)


def _chosen(study: Study) -> list[float]:
    """Of many budgets some, the first and the last among them."""
    count = len(study.budgets)
    places = sorted({round(float(place)) for place in np.linspace(0, count - 1, min(count, FEW))})
    return [float(study.budgets[place]) for place in places]


def _cell(row: Mapping[str, Any] | None, column: str, decimals: int) -> str:
    if row is None or math.isnan(row[column]):
        return "–"
    return f"{row[column]:.{decimals}f} ± {row[f'{column}_se']:.{decimals}f}"
