"""The reports of `rankgauge active simulate`: what methods would have done on data whose grades are known."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.simulations.study import GOOD_ORDER, INTERVALS, MARKS, BoardCurve, BoardStudy, Needed, Study
from rankgauge.labelling.yardstick import YARDSTICKS
from rankgauge.numeric import FloatArray
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count, number, thousands
from rankgauge.render.passages import Details, Figure, Heading, Legend, Notes, Passage
from rankgauge.render.svg import WIDTH, Axis, Drawing, Plot, colour, sheet
from rankgauge.render.table import Column, ReportTable

LOSSES = {"error": "Mean absolute error", "wrong": "How often the worse ranker is chosen"}
"""How bad estimates of one value are, by the name of the column."""

DECIMALS = dict.fromkeys(("rmse", "bias", "half_width", *LOSSES), 4)
"""Of the marks that have other than three."""

LOGARITHMIC = ("error", "rmse")
"""The marks whose axis is logarithmic."""

LEVELS = {"tau": GOOD_ORDER, "coverage": LEVEL}
"""What marks should reach."""

LEFT, RIGHT, TOP, BOTTOM = 58, WIDTH - 12, 10, 246
"""The ends of the axes on the paper."""

Points = tuple[FloatArray, FloatArray, FloatArray]
"""What a method spent, what came of it, and the standard error of that."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StudiesReport(Report):
    """Studies of the same methods: tables, charts of a line per method, and notes."""

    command = "active simulate"
    title: ClassVar[str]
    spent: ClassVar[str]
    """What a chart has across."""
    pictured: ClassVar[tuple[str, ...]]
    """The marks that a picture shows."""
    words: ClassVar[Mapping[str, str]]
    """What each mark says."""

    studies: tuple[Study, ...] | tuple[BoardStudy, ...]
    seed: int

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods in the order in which they were asked for."""
        return tuple(dict.fromkeys(name for study in self.studies for name in study.methods))

    def frame(self) -> pl.DataFrame:
        """Return a row per study, measure, method and budget."""
        return pl.concat([study.to_frame() for study in self.studies])

    def picture(self) -> Drawing:
        """Draw what each method reaches against what it spent."""
        charts = {title: chart for mark in self.pictured for title, chart in self._charts(mark).items()}
        return sheet(self.headline(), charts, self._hues)

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tables and the notes; a page also has charts."""
        passages = self._page() if medium is Medium.PAGE else [*_with_headings(self._tables()), Notes(self.notes())]
        return ReportDocument(title=self.title, headline=self.headline(), facts=self._facts(), passages=tuple(passages))

    def _page(self) -> Iterator[Passage]:
        yield from self._summary()
        for title, hint, *marks in self._sections():
            if charts := {name: chart for mark in marks for name, chart in self._charts(mark).items()}:
                yield Heading(title, hint=hint)
                yield Legend(self._hues)
                yield from (Figure(name, chart) for name, chart in charts.items())
        yield from self._pools()
        yield Heading("Numbers")
        for study in self.studies:
            for measure in study.measures:
                yield Details(f"{study.title}, {measure}", list(_with_headings(self._numbers(study, measure), level=3)))
        yield Heading("What the numbers rest on")
        yield Notes(self.notes())

    def _charts(self, mark: str) -> dict[str, Drawing]:
        """Return the charts of a mark by their titles, one for each study and measure that has it."""
        charts: dict[str, Drawing] = {}
        for study in self.studies:
            for measure in study.measures:
                if lines := self._lines(study, measure, mark):
                    title = f"{self.words[mark]}: {study.title}, {measure}"
                    charts[title] = self._chart(title, lines, log=mark in LOGARITHMIC, level=LEVELS.get(mark))
        return charts

    def _lines(self, study: Any, measure: str, mark: str) -> dict[str, Points]:
        """Return what each method spent and what came of it, where something did."""
        marked = {name: (curve.spent, *curve.mark(mark)) for name, curve in study.of(measure).items()}
        return {name: line for name, line in marked.items() if not np.isnan(line[1]).all()}

    def _table(self, study: Any, measure: str, mark: str, heads: Mapping[float, str]) -> ReportTable:
        """Return a row per method, a column for each of some budgets."""
        rows = []
        for name, curve in study.of(measure).items():
            marked = dict(zip(curve.budgets.tolist(), zip(*curve.mark(mark), strict=True), strict=True))
            rows.append((name, *(marked.get(budget, (math.nan, math.nan)) for budget in heads)))
        columns = (Column(head, format=partial(_mark, mark)) for head in heads.values())
        title = f"{self.words[mark]}: {study.title}, {measure}"
        return ReportTable(columns=("method", *columns), rows=rows, title=title)

    @property
    def _hues(self) -> dict[str, str]:
        return {name: colour(place) for place, name in enumerate(self.methods)}

    def _chart(self, title: str, lines: Mapping[str, Points], *, log: bool = False, level: float | None = None) -> Plot:
        """Draw a line for each method that has one, the first on top, and a dashed one at a level that counts.

        `log` makes the axis of the values logarithmic; else it begins at 0, or somewhat below the level.
        """
        spent, values = (np.concatenate([line[part] for line in lines.values()]) for part in (0, 1))
        values = values[np.isfinite(values)]
        low = float(values[values > 0].min(initial=values.max(initial=1.0))) if log else 0.0
        high = float(values.max(initial=0.0)) or 1.0
        x = Axis(low=float(spent.min()) * 0.93, high=float(spent.max()) * 1.07, start=LEFT, end=RIGHT, log=True)
        y = Axis(low=low * 0.85, high=high * (1.15 if log else 1.05), start=BOTTOM, end=TOP, log=log)
        if level is not None:
            least = min([level - 0.1, *values.tolist()])
            y = Axis(low=math.floor(20 * least) / 20, high=1.0, start=BOTTOM, end=TOP)
        plot = Plot(title, x, y)
        plot.grid()
        plot.caption(self.spent)
        for name, hue in reversed(self._hues.items()):
            if name in lines:
                _draw(plot, name, lines[name], hue)
        if level is not None:
            plot.line((LEFT, y(level)), (RIGHT, y(level)), kind="zero", stroke_dasharray="5 4")
        return plot

    @abstractmethod
    def headline(self) -> str:
        """Say in one sentence which method does best in the first study."""

    @abstractmethod
    def notes(self) -> list[tuple[str, str]]:
        """Return what a reader should know before quoting a number."""

    @abstractmethod
    def _facts(self) -> tuple[str, ...]:
        """Return what was tried, for the line above the headline."""

    @abstractmethod
    def _tables(self) -> Iterator[ReportTable]:
        """Return all tables, as a terminal shows them."""

    @abstractmethod
    def _summary(self) -> Iterator[Passage]:
        """Return what a page begins with."""

    @abstractmethod
    def _sections(self) -> Iterable[tuple[str, ...]]:
        """Return the charts of a page: a title, a hint and marks."""

    def _pools(self) -> Iterator[Passage]:
        """Return what a page says of the pools."""
        return iter(())

    @abstractmethod
    def _numbers(self, study: Any, measure: str) -> Iterator[ReportTable]:
        """Return a study's marks by one measure, over budgets."""


def _with_headings(tables: Iterable[ReportTable], level: int = 2) -> Iterator[Passage]:
    for table in tables:
        yield Heading(table.title, level=level)
        yield table


def _draw(plot: Plot, name: str, line: Points, hue: str) -> None:
    plot.curve(zip(line[0], line[1], strict=True), title=name, stroke=hue)
    for cost, value, error in zip(*line, strict=True):
        if math.isfinite(value):
            x, spread = plot.x(cost), 2 * error if math.isfinite(error) else 0.0
            plot.line((x, plot.y(value - spread)), (x, plot.y(value + spread)), stroke=hue, stroke_width=1.3)
            plot.dot((x, plot.y(value)), fill=hue, title=f"{name}: {value:.4g} ± {error:.2g}")


REFERENCES = ("passive", "passive-iid", "paper")
"""The methods that savings are counted against."""

UNSURE = 0.3
"""A saving whose standard error is larger says nothing."""

FEW = 6
"""How many budgets a table for people shows."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SimulationReport(StudiesReport):
    """Studies of methods that estimate one value, how often each was repeated, and where savings are counted."""

    title = "Active evaluation, simulated"
    spent = "budget spent"
    pictured = tuple(LOSSES)
    words = {
        **LOSSES,
        "shares": "Error as a share of passive's",
        "coverage": f"How often the {100 * LEVEL:.0f} % interval holds the truth",
    }

    studies: tuple[Study, ...]
    repetitions: int
    budget: float | None = None
    """What the reference spends; None: the largest budget."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What each method is, by its name."""

    @cached_property
    def savings(self) -> pl.DataFrame:
        """A row per study, loss, method and reference."""
        rows = [
            {"study": study.title, "measure": study.measure, "loss": loss, **vars(saving)}
            for study in self.studies
            for loss in losses(study)
            for saving in study.savings(REFERENCES, budget=self.budget, loss=loss)
        ]
        return pl.DataFrame(rows, infer_schema_length=None).rename({"value": "saving"}, strict=False)

    def data(self) -> dict[str, Any]:
        """Return the studies, their curves, what was saved, and the notes."""
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

    def _facts(self) -> tuple[str, ...]:
        pools = count(len(self.studies), "pool")
        return pools, f"{len(self.methods)} methods", f"{self.repetitions:,} repetitions", f"seed {self.seed}"

    def headline(self) -> str:
        study, savings = self.studies[0], self.savings
        reference = next((name for name in REFERENCES if name in study.curves), None)
        if reference is None or not len(savings):
            return f"{', '.join(self.methods)} on {study.title}"
        rows = savings.filter(study=study.title, loss="error", against=reference).sort("saving", descending=True)
        best = rows.row(0, named=True)
        if best["saving"] <= 2 * best["error"]:
            return f"No method saves more than luck against {reference} on {study.title}, {study.measure}"
        saved = f"{100 * best['saving']:.0f} % of the labels"
        return f"{best['method']} saves {saved} that {reference} needs: {study.title}, {study.measure}"

    def notes(self) -> list[tuple[str, str]]:
        first = self.studies[0]
        tried = f"{self.repetitions:,} of each method at each budget, seed {self.seed}; ± is a standard error"
        spent = "in units of the mean cost of judging all documents of a query; labels bought once are not paid again"
        saved = (
            "1 − b/B: B is what the other method spends, b what this one needs for the same mean loss; "
            "≥: its least budget is already enough; ≤: its largest is not, and the rest is extrapolated; "
            "open: the repetitions are too few to tell"
        )
        notes = [("repetitions", tried), ("budget", spent), ("saved", saved)]
        told = {study.measure: study.facts["worth"] for study in self.studies if study.facts.get("worth")}
        notes += [("worth", "; ".join(f"{name}: {words}" for name, words in told.items()))] if told else []
        if any(study.facts.get("pair") for study in self.studies):
            notes.append(("pairs", "the truth is the first ranker's mean minus the second's"))
        notes += [(name, words) for name, words in self.titles.items() if name in self.methods]
        facts = ("dialect", "beliefs", "cost", "trained on")
        return notes + [(name, str(first.facts[name])) for name in facts if name in first.facts]

    def _tables(self) -> Iterator[ReportTable]:
        yield self.study_table()
        yield self.saving_table()
        for study in self.studies:
            yield from self._numbers(study, study.measure)

    def _summary(self) -> Iterator[Passage]:
        hint = "What a method saves for an error as small as the other method's, with its standard error."
        yield Heading("Labels saved", hint=hint)
        yield self.saving_table()

    def _sections(self) -> Iterator[tuple[str, ...]]:
        yield (
            "Error against budget",
            "How far estimates are from the truth on average, against what was spent; both scales are logarithmic, and "
            "whiskers are two standard errors. A line that lies to the left of another needs fewer labels for the same "
            "error.",
            *LOSSES,
        )
        shares = "The same errors as a share of passive's at the same cost: this makes small differences visible."
        yield "Against passive", shares, "shares"
        yield "Coverage", "How often the interval holds the truth. The dashed line is what it promises.", "coverage"

    def _pools(self) -> Iterator[Passage]:
        yield Heading("Pools")
        yield self.study_table()

    def _lines(self, study: Study, measure: str, mark: str) -> dict[str, Points]:
        if mark == "wrong" and mark not in losses(study):
            return {}
        if mark != "shares":
            return super()._lines(study, measure, mark)
        return _relative(super()._lines(study, measure, "error"))

    def study_table(self) -> ReportTable:
        """Tabulate the pool of each study, and the truth that is estimated."""
        columns = (
            Column("pool", "title"),
            Column("measure"),
            Column("truth", format=lambda truth: number(truth).replace("-", "−")),
            Column("queries", format=thousands),
            Column("documents", format=thousands),
            Column("a query", ("documents", "queries"), lambda documents, queries: f"{documents / queries:.1f}"),
        )
        return ReportTable(columns=columns, rows=[{**vars(s), **s.facts} for s in self.studies], title="Pools")

    def saving_table(self) -> ReportTable:
        """Tabulate what each method saves, by study and loss, against both kinds of passive and the paper's method."""
        frame = self.savings
        known = [name for name in REFERENCES if any(name in study.curves for study in self.studies)]
        rows = []
        for study in self.studies:
            for loss in LOSSES:
                mine = frame.filter(study=study.title, loss=loss) if len(frame) else frame
                for place, method in enumerate(study.methods if len(mine) else ()):
                    cells = (mine.filter(method=method, against=name) for name in known)
                    rows.append((study.title if not place else "", LOSSES[loss] if not place else "", method, *cells))
        at = "the largest budget" if self.budget is None else f"a budget of {self.budget:g}"
        saved = (Column(f"against {name}", format=_saving) for name in known)
        columns: tuple[Column | str, ...] = ("pool", "by", "method", *saved)
        return ReportTable(columns=columns, rows=rows, title=f"Labels saved, against {at}")

    def _numbers(self, study: Study, measure: str) -> Iterator[ReportTable]:
        places = np.linspace(0, len(study.budgets) - 1, min(len(study.budgets), FEW))
        chosen = [float(study.budgets[place]) for place in sorted({round(float(place)) for place in places})]
        heads = {budget: f"{budget:g}" for budget in chosen}
        yield from (self._table(study, measure, mark, heads) for mark in (*losses(study), "coverage"))


def losses(study: Study) -> tuple[str, ...]:
    """Return the losses that a study has: only with two rankers can the worse one be chosen."""
    return ("error", "wrong") if study.facts.get("pair") else ("error",)


def _relative(lines: Mapping[str, Points]) -> dict[str, Points]:
    """The errors over passive's at the same cost, on the straight line between its budgets on logarithmic scales."""
    if "passive" not in lines:
        return {}
    spent, base, _ = lines["passive"]
    same = {name: np.exp(np.interp(np.log(line[0]), np.log(spent), np.log(base))) for name, line in lines.items()}
    return {name: (cost, error / same[name], spread / same[name]) for name, (cost, error, spread) in lines.items()}


def _saving(rows: pl.DataFrame) -> str:
    if not len(rows):
        return "–"
    row = rows.row(0, named=True)
    if row["error"] > UNSURE:
        return "open"
    bound = f"{row['bound']} " if row["bound"] else ""
    return f"{bound}{100 * row['saving']:.0f} ± {100 * row['error']:.0f} %".replace("-", "−")


JUDGES = "judges"
"""The fact that names the judges of a study."""

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


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardSimulationReport(StudiesReport):
    """Studies of yardsticks on judged boards, over numbers of labels."""

    title = "A board from few labels, simulated"
    spent = "labels"
    pictured = ("tau", "rmse")
    words = MARKS

    studies: tuple[BoardStudy, ...]

    def data(self) -> dict[str, Any]:
        """Return the collections with their true values, the marks, the labels for a good order, and the notes."""
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
                {
                    "collection": study.title,
                    "measure": curve.measure,
                    "method": curve.method,
                    **vars(curve.labels_for()),
                }
                for study in self.studies
                for curve in study.curves
            ],
            "notes": [{"subject": subject, "words": words} for subject, words in self.notes()],
        }

    def _facts(self) -> tuple[str, ...]:
        return (*_size(self.studies[0]), count(len(self.methods), "method"), f"seed {self.seed}")

    def headline(self) -> str:
        study = self.studies[0]
        measure = study.measures[0]
        needed = {name: curve.labels_for() for name, curve in study.of(measure).items()}
        reached = {name: one for name, one in needed.items() if one.bound != ">" and not np.isnan(one.labels)}
        if not reached:
            return f"No method orders the runs of {study.title} with τ ≥ {GOOD_ORDER:g} by {measure} at these budgets"
        best = min(reached, key=lambda name: reached[name].labels)
        labels = f"{reached[best].labels:,.0f} labels" + (" or fewer" if reached[best].bound else "")
        return f"{best} needs {labels} for an order with τ ≥ {GOOD_ORDER:g}: {study.title}, {measure}"

    def notes(self) -> list[tuple[str, str]]:
        tried: dict[int, dict[str, None]] = {}
        for curve in self.studies[0].curves:
            tried.setdefault(curve.repetitions, {})[curve.method] = None
        words = "; ".join(f"{n:,} of {', '.join(names)}" for n, names in tried.items())
        notes = [
            ("repetitions", f"{words}; seed {self.seed}; ± is a standard error over the repetitions"),
            ("truth", "the value of each run with every document of the pool judged; others count as not relevant"),
            ("intervals", f"95 % intervals for these queries; {LACKING}: labels are too few to show any"),
        ]
        if any(np.isnan(curve.mark("tau")[0]).all() for study in self.studies for curve in study.curves):
            notes.append(("–", "the method has no estimate of that measure"))
        for study in self.studies:
            facts = ", ".join(f"{name}: {value}" for name, value in study.facts.items())
            notes.append((study.title, "; ".join(filter(None, (", ".join(_size(study)), facts)))))
        known = {name: YARDSTICKS[name] for name in self.methods}
        return notes + [(name, "; ".join(filter(None, (one.title, one.reference)))) for name, one in known.items()]

    def _tables(self) -> Iterator[ReportTable]:
        for study in self.studies:
            yield from _needed_labels(study)
            for measure in study.measures:
                yield from self._numbers(study, measure)

    def _summary(self) -> Iterator[Passage]:
        return _with_headings(table for study in self.studies for table in _needed_labels(study))

    def _sections(self) -> Iterator[tuple[str, ...]]:
        good = "The dashed line is an order that counts as good."
        yield "Order", f"How alike the order of the runs and the true order are. {good}", "tau"
        yield (
            "Error",
            "How far the values of the runs are from the truth, against the number of labels; both scales are "
            "logarithmic, and whiskers are two standard errors.",
            "rmse",
        )
        shown = "How often intervals hold the truth, where they are shown. The dashed line is what they promise."
        yield "Coverage", shown, "coverage"

    def _numbers(self, study: BoardStudy, measure: str) -> Iterator[ReportTable]:
        curves = study.of(measure)
        heads = _heads(study, next(iter(curves.values())))
        yield from (self._table(study, measure, mark, heads) for mark in MARKS if mark not in INTERVALS)
        for name, curve in curves.items():
            if YARDSTICKS[name].intervals:
                yield _interval_table(study, name, curve)


def _size(study: BoardStudy) -> tuple[str, str, str]:
    queries, documents = count(study.queries, "query", "queries"), count(study.documents, "document")
    return count(len(study.runs), "run"), queries, documents


def _needed_labels(study: BoardStudy) -> Iterator[ReportTable]:
    """The labels that are needed; with a judge, who says much of the order before the first, also for a small error."""
    yield _labels(study, f"τ ≥ {GOOD_ORDER:g}", lambda curve: curve.labels_for())
    if JUDGES in study.facts:
        error = f"a root mean squared error of {SMALL_ERROR:g}"
        yield _labels(study, error, lambda curve: curve.enough(SMALL_ERROR))


def _labels(study: BoardStudy, goal: str, enough: Callable[[BoardCurve], Needed]) -> ReportTable:
    """Tabulate the labels that each yardstick needs for a goal, by measure."""
    by_measure = [study.of(measure) for measure in study.measures]
    rows = [(method, *(enough(curves[method]) for curves in by_measure)) for method in study.methods]
    columns = (Column(measure, format=_needed_words) for measure in study.measures)
    title = f"Labels for {goal}: {study.title}, {study.documents:,} documents"
    return ReportTable(columns=("method", *columns), rows=rows, title=title)


def _interval_table(study: BoardStudy, name: str, curve: BoardCurve) -> ReportTable:
    """Tabulate the intervals of a yardstick: a row per number of labels."""
    # What a yardstick lacks beside its intervals it never has; what is lacking with them is not there yet.
    lacking = [LACKING if math.isnan(share) else "–" for share in curve.mark("coverage")[0]]
    marked = [list(zip(*curve.mark(mark), lacking, strict=True)) for mark in HEADS]
    columns = (Column(head, format=partial(_mark, mark)) for mark, head in HEADS.items())
    rows = list(zip(_heads(study, curve).values(), *marked, strict=True))
    title = f"95 % intervals of {name}: {study.title}, {curve.measure}"
    return ReportTable(columns=("labels", *columns), rows=rows, title=title)


def _heads(study: BoardStudy, curve: BoardCurve) -> dict[float, str]:
    return {n: f"{n:,} ({100 * n / study.documents:.3g} %)" for n in curve.labels}


def _mark(mark: str, measured: tuple[Any, ...]) -> str:
    """Write a mark and its standard error, or what stands for one that is lacking."""
    value, error, *lacking = measured
    if math.isnan(value):
        return str(lacking[0]) if lacking else "–"
    sign, decimals = "+" if mark == "bias" else "", DECIMALS.get(mark, 3)
    return f"{value:{sign}.{decimals}f} ± {error:.{decimals}f}".replace("-", "−")


def _needed_words(needed: Needed) -> str:
    if math.isnan(needed.labels):
        return "–"
    if needed.bound:
        return f"{needed.bound} {needed.labels:,.0f}"
    if math.isnan(needed.error):  # without one repetition or another it would not be reached
        return f"about {needed.labels:,.0f}"
    return f"{needed.labels:,.0f} ± {needed.error:,.0f}"
