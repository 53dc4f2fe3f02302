"""The tables and curves of a simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankgauge.labelling.defaults import LEVEL
from rankgauge.labelling.simulations.study import Study
from rankgauge.numeric import FloatArray
from rankgauge.render.numbers import number, thousands
from rankgauge.render.svg import WIDTH, Axis, Plot
from rankgauge.render.table import Column, ReportTable

if TYPE_CHECKING:
    from rankgauge.labelling.simulations.report import SimulationReport

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


def studies(report: SimulationReport) -> ReportTable:
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


def savings(report: SimulationReport) -> ReportTable:
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
