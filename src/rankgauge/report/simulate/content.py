"""What every report of a simulation tells, as headings and rows of text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from rankgauge.active.study import LEVEL, Study
from rankgauge.report.compare.content import Table
from rankgauge.report.numbers import number
from rankgauge.report.simulate.shown import REFERENCES, Shown

__all__ = ["LOSSES", "Table", "coverage", "errors", "headline", "notes", "savings", "studies", "tables"]

LOSSES = {"error": "Mean absolute error", "wrong": "How often the worse ranker is chosen"}
"""What is bad about estimates, by the name of the column."""

UNSURE = 0.3
"""A saving whose standard error is larger says nothing."""

FEW = 6
"""How many budgets a table for people shows."""


def tables(shown: Shown) -> Iterator[Table]:
    """The tables of a report, in order."""
    yield studies(shown)
    yield savings(shown)
    for study in shown.studies:
        for loss in LOSSES if study.facts.get("pair") else ("error",):
            yield errors(study, loss)
        yield coverage(study)


def headline(shown: Shown) -> str:
    """One sentence: which method saves most in the first study."""
    study = shown.studies[0]
    reference = next((name for name in REFERENCES if name in study.curves), None)
    found = shown.savings
    if reference is None or not len(found):
        return f"{', '.join(shown.methods)} on {study.title}"
    rows = found.filter(study=study.title, loss="error", against=reference).sort("saving", descending=True)
    best = rows.row(0, named=True)
    if best["saving"] <= 2 * best["error"]:
        return f"No method saves more than luck against {reference} on {study.title}, {study.measure}"
    saved = f"{100 * best['saving']:.0f} % of the labels"
    return f"{best['method']} saves {saved} that {reference} needs: {study.title}, {study.measure}"


def studies(shown: Shown) -> Table:
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
        for study in shown.studies
    ]
    header = ("pool", "measure", "truth", "queries", "documents", "a query")
    return Table(title="Pools", header=header, rows=tuple(rows), numbers=header[2:])


def savings(shown: Shown) -> Table:
    """A row per study, loss and method: what it saves against passive and against the paper's method."""
    frame = shown.savings
    known = [name for name in REFERENCES if any(name in study.curves for study in shown.studies)]
    rows = []
    for study in shown.studies:
        for loss in LOSSES:
            mine = frame.filter(study=study.title, loss=loss) if len(frame) else frame
            for place, method in enumerate(study.methods if len(mine) else ()):
                cells = tuple(_saving(mine.filter(method=method, against=name)) for name in known)
                rows.append((study.title if not place else "", LOSSES[loss] if not place else "", method, *cells))
    header = ("pool", "by", "method", *(f"against {name}" for name in known))
    at = "the largest budget" if shown.budget is None else f"a budget of {shown.budget:g}"
    return Table(title=f"Labels saved, against {at}", header=header, rows=tuple(rows), numbers=header[3:])


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


def errors(study: Study, loss: str = "error") -> Table:
    """A row per method, a column per budget: the mean and its standard error."""
    return _over_budgets(study, f"{LOSSES[loss]}: {study.title}, {study.measure}", loss, decimals=4)


def coverage(study: Study) -> Table:
    """A row per method, a column per budget: how often the interval holds the truth."""
    title = f"How often the {100 * LEVEL:.0f} % interval holds the truth: {study.title}, {study.measure}"
    return _over_budgets(study, title, "coverage", decimals=3)


def _over_budgets(study: Study, title: str, column: str, *, decimals: int) -> Table:
    chosen = _chosen(study)
    rows = []
    for name, curve in study.curves.items():
        found = {row["budget"]: row for row in curve.to_frame().iter_rows(named=True)}
        rows.append((name, *(_cell(found.get(budget), column, decimals) for budget in chosen)))
    budgets = tuple(f"{budget:g}" for budget in chosen)
    return Table(title=title, header=("method \\ budget", *budgets), rows=tuple(rows), numbers=budgets)


def _chosen(study: Study) -> list[float]:
    """Of many budgets some, the first and the last among them."""
    count = len(study.budgets)
    places = sorted({round(float(place)) for place in np.linspace(0, count - 1, min(count, FEW))})
    return [float(study.budgets[place]) for place in places]


def _cell(row: Mapping[str, Any] | None, column: str, decimals: int) -> str:
    if row is None or math.isnan(row[column]):
        return "–"
    return f"{row[column]:.{decimals}f} ± {row[f'{column}_se']:.{decimals}f}"


def notes(shown: Shown) -> list[tuple[str, str]]:
    """What a reader should know before quoting a number."""
    first = shown.studies[0]
    found = [
        (
            "repetitions",
            f"{shown.repetitions:,} of each method at each budget, seed {shown.seed}; ± is a standard error",
        ),
        (
            "budget",
            "in units of the mean cost of judging all documents of a query; labels bought once are not paid again",
        ),
        (
            "saved",
            "1 − b/B: B is what the other method spends, b what this one needs for the same mean loss; "
            "≥: its least budget is already enough; ≤: its largest is not, and the rest is reckoned; "
            "open: the repetitions are too few to tell",
        ),
    ]
    if any(study.facts.get("pair") for study in shown.studies):
        found.append(("pairs", "the truth is the first ranker's mean less the second's"))
    found += [(name, words) for name, words in shown.titles.items() if name in shown.methods]
    found += [(name, str(first.facts[name])) for name in ("beliefs", "cost", "trained on") if name in first.facts]
    return found
