"""The report of `rankgauge active simulate`: what methods would have saved on data whose grades are known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.simulations import tables as tables
from rankgauge.labelling.simulations.study import Saving, Study
from rankgauge.labelling.simulations.tables import BOTTOM, LOSSES, REFERENCES, TOP, Points, axes, drawn
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.passages import Details, Figure, Heading, Legend, Notes, Passage
from rankgauge.render.svg import Axis, Drawing, Plot, colour, sheet
from rankgauge.render.table import ReportTable

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
        for table in (tables.studies(self), tables.savings(self), *(t for s in self.studies for t in _numbers(s))):
            yield Heading(table.title)
            yield table
        yield Notes(self.notes())

    def _page(self) -> Iterator[Passage]:
        yield Heading("Labels saved", hint=SAVINGS)
        yield tables.savings(self)
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
        yield tables.studies(self)
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
            for loss in tables.losses(study)
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
    for name in tables.losses(study):
        yield from ((name, found) for found in study.savings(REFERENCES, budget=budget, loss=name))


def _numbers(study: Study) -> Iterator[ReportTable]:
    """A study's losses and coverage by budget."""
    yield from (tables.errors(study, loss) for loss in tables.losses(study))
    yield tables.coverage(study)


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
