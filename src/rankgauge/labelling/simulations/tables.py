"""The tables of a simulation: pools, labels saved, errors and coverage by budget."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.simulations.study import Study
from rankgauge.render.numbers import number
from rankgauge.render.passages import ReportTable

if TYPE_CHECKING:
    from rankgauge.labelling.simulations.report import SimulationReport

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


def studies(report: SimulationReport) -> ReportTable:
    """A row per study: the pool, and the truth that is estimated."""
    rows = [
        (
            study.title,
            study.measure,
            number(study.truth).replace("-", "−"),
            f"{study.facts['queries']:,}",
            f"{study.facts['documents']:,}",
            f"{study.facts['documents'] / study.facts['queries']:.1f}",
        )
        for study in report.studies
    ]
    header = ("pool", "measure", "truth", "queries", "documents", "a query")
    return ReportTable(title="Pools", header=header, rows=tuple(rows), numbers=header[2:])


def savings(report: SimulationReport) -> ReportTable:
    """A row per study, loss and method: what it saves against both kinds of passive and the paper's method."""
    frame = report.savings
    known = [name for name in REFERENCES if any(name in study.curves for study in report.studies)]
    rows = []
    for study in report.studies:
        for loss in LOSSES:
            mine = frame.filter(study=study.title, loss=loss) if len(frame) else frame
            for place, method in enumerate(study.methods if len(mine) else ()):
                cells = tuple(_saving(mine.filter(method=method, against=name)) for name in known)
                rows.append((study.title if not place else "", LOSSES[loss] if not place else "", method, *cells))
    header = ("pool", "by", "method", *(f"against {name}" for name in known))
    at = "the largest budget" if report.budget is None else f"a budget of {report.budget:g}"
    return ReportTable(title=f"Labels saved, against {at}", header=header, rows=tuple(rows), numbers=header[3:])


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


def errors(study: Study, loss: str = "error") -> ReportTable:
    """A row per method, a column per budget: the mean and its standard error."""
    return _over_budgets(study, f"{LOSSES[loss]}: {study.title}, {study.measure}", loss, decimals=4)


def coverage(study: Study) -> ReportTable:
    """A row per method, a column per budget: how often the interval holds the truth."""
    title = f"How often the {100 * LEVEL:.0f} % interval holds the truth: {study.title}, {study.measure}"
    return _over_budgets(study, title, "coverage", decimals=3)


def _over_budgets(study: Study, title: str, column: str, *, decimals: int) -> ReportTable:
    chosen = _chosen(study)
    rows = []
    for name, curve in study.curves.items():
        found = {row["budget"]: row for row in curve.to_frame().iter_rows(named=True)}
        rows.append((name, *(_cell(found.get(budget), column, decimals) for budget in chosen)))
    budgets = tuple(f"{budget:g}" for budget in chosen)
    return ReportTable(title=title, header=("method \\ budget", *budgets), rows=tuple(rows), numbers=budgets)


def _chosen(study: Study) -> list[float]:
    """Of many budgets some, the first and the last among them."""
    count = len(study.budgets)
    places = sorted({round(float(place)) for place in np.linspace(0, count - 1, min(count, FEW))})
    return [float(study.budgets[place]) for place in places]


def _cell(row: Mapping[str, Any] | None, column: str, decimals: int) -> str:
    if row is None or math.isnan(row[column]):
        return "–"
    return f"{row[column]:.{decimals}f} ± {row[f'{column}_se']:.{decimals}f}"
